"""Priors of worlds in files: a file has the names of the functions and the numbers of the states,
and whoever loads it passes the prior. No code is saved, and none of a file is imported or run.
"""

from __future__ import annotations

import inspect
import sys
from typing import Any

import numpy as np

from bamdp.priors._worlds_states import StateNumbers
from bamdp.priors.worlds import Worlds
from bamdp.state import Arrays, decode, encode

FUNCTIONS = ("outcomes", "value", "policy", "log_prior", "move", "step", "likelihood", "observe")


def saved_worlds(prior: Worlds, arrays: Arrays) -> dict[str, Any]:
    """What a file has of a prior.

    Raises:
        TypeError: a function has no name by which it could be imported, or a state is made of
            anything but numbers, strings, tuples and sets.
    """
    functions = {name: getattr(prior, name) for name in FUNCTIONS}
    if prior.is_sampled:
        functions["worlds"] = prior.worlds
    listed = [] if prior.is_sampled else prior.listed.worlds
    return {
        "functions": {name: _name(f) for name, f in functions.items() if f is not None},
        "worlds": [_name(world) for world in listed] if _are_functions(listed) else None,
        "weights": encode(np.array(prior.initial_weights), arrays),
        "states": [encode(pair, arrays) for pair in _numbered(prior)],
    }


def restore_numbers(prior: Worlds, saved: Any, arrays: Arrays) -> None:
    """Check that a prior is that of a file, and number its states as the file does.

    Raises:
        ValueError: it is another prior, or it was used and has other numbers.
    """
    mine = saved_worlds(prior, {})
    for name, function in {**saved["functions"], **mine["functions"]}.items():
        if saved["functions"].get(name) != function or mine["functions"].get(name) != function:
            raise ValueError(
                f"prior must have {name}={saved['functions'].get(name)}, as in the file, got "
                f"{mine['functions'].get(name)}"
            )
    if saved["worlds"] != mine["worlds"] or not np.array_equal(
        decode(saved["weights"], arrays), prior.initial_weights
    ):
        raise ValueError("prior must have the worlds and weights of that in the file")
    states = [tuple(decode(pair, arrays)) for pair in saved["states"]]
    known = _numbered(prior)
    if known != states[: len(known)]:
        raise ValueError("prior must be new: it has met other states than that of the file")
    for state, seen in states[len(known) :]:
        prior.numbers.number(state, seen)


def _numbered(prior: Worlds) -> list[tuple[Any, Any]]:
    """The observations that were met, by number."""
    numbers = prior.numbers
    return [(o.state, o.seen) for o in numbers] if isinstance(numbers, StateNumbers) else []


def _are_functions(worlds: list[Any]) -> bool:
    return bool(worlds) and all(map(inspect.isroutine, worlds))


def _name(function: Any) -> str:
    """The name by which a function can be imported."""
    function = getattr(function, "py_func", function)
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", "")
    if module is None or getattr(sys.modules.get(module), name, None) is None:
        raise TypeError(
            f"an agent with the function {name or repr(function)} can't be saved: a file has the "
            "names of functions, and lambdas and functions within functions have none"
        )
    return f"{module}.{name}"
