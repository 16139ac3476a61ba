"""Calls with arguments some of which are bad, and what may come of them: a sound result, or a refusal that names one."""

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from hypothesis import strategies as st

from bamdp import SavedFileError
from fuzz.rights import OWN, right
from fuzz.subjects import parameters
from fuzz.values import junk
from fuzz.worlds import World

REFUSALS = (TypeError, ValueError, MemoryError)
FILES = ("agents._load", "agent", "saving.agent_file")
ENVIRONMENTS = ("domain_env", "bayes_adaptive_env")
# What may be raised besides, and says by its kind what is wrong: files that can't be used, broken contracts, no episode yet.
BESIDES: dict[str, tuple[type[Exception], ...]] = {
    **dict.fromkeys((f"bamdp.{name}" for name in FILES), (OSError, SavedFileError)),
    "bamdp.testing": (AssertionError,),
    **dict.fromkeys((f"bamdp.environments.{name}" for name in ENVIRONMENTS), (ResetNeeded,)),
}
UNKNOWN_IS_NAN = ("bamdp.statistics", "fuzz.lives")  # the last reads what others have made
# What is compiled, started, drawn or run by default takes seconds.
ALWAYS = ("compile", "executor", "limit", "radius", "steps", "worlds")
NEVER = ("workers", "agent_workers")  # a right one takes a cluster; wrong ones are tried in test_workers.py
BUDGETS = (
    "steps",
    "horizon",
    "limit",
    "batch",
    "samples",
    "thin",
    "burn_in",
    "runs",
    "num_envs",
    "worlds",
)  # a large one is honoured, for hours
PATIENCE = 4  # ticks of about 50 ms that a search or a solver may take before it is called off

# Refusals that speak of the argument by what it is rather than by its name.
MEANT = re.compile(
    "prior|belief|bandits|models?|states?|tables?|worlds?|sampling|rollouts|domain|posterior|solution|horizon|discount|"
    "whole steps|values of actions|can't (give|sample|be saved)|transitions"
)


class Refused(Exception):  # noqa: N818 - it is an outcome, not an error
    """The call was refused, as it should be."""


class CalledOff(Exception):  # noqa: N818
    """It would have taken too long: a budget was large, which is no fault."""


def arguments(
    draw: Any, owner: str, target: Callable[..., Any], world: World, *, bad: int, skip: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Right values for a function or class, but for at most `bad` that are not."""
    table = {name: about for name, about in parameters(target).items() if name not in NEVER or (owner, name) in OWN}
    given = dict(skip or {})
    names = [name for name, (_, required) in table.items() if required or name in ALWAYS or draw(st.integers(0, 3)) == 0]
    wrong = draw(st.lists(st.sampled_from(sorted(table)), max_size=bad, unique=True)) if table and bad else []
    for name in dict.fromkeys([*names, *wrong]):
        if name not in given:
            given[name] = draw(_NARROWER.get(name, junk) if name in wrong else right(owner, name, table[name][0], world))
    return given


def _is_large(value: Any) -> bool:
    return isinstance(value, int | np.integer) and int(value) > 100


_NARROWER: dict[str, st.SearchStrategy[Any]] = {
    "discount": junk.filter(lambda value: not (isinstance(value, float) and 0.9 < value < 1)),  # takes as long as it takes
}
for _name in BUDGETS:
    _NARROWER[_name] = junk.filter(lambda value: not _is_large(value))


def attempt(target: Callable[..., Any], given: Mapping[str, Any]) -> Any:
    """What a call gives, if that is sound.

    Raises:
        Refused: it was refused in words that name an argument.
    """
    try:
        result = target(**given)
    except CalledOff:
        raise
    except BESIDES.get(target.__module__, ()) as error:
        if not str(error):
            raise AssertionError(f"{target} refused {given} without a word") from error
        raise Refused(str(error)) from error
    except REFUSALS as error:
        text = str(error)
        names = "|".join(map(re.escape, parameters(target)))
        if not isinstance(error, MemoryError) and not re.search(rf"\b({names})\b", text) and not MEANT.search(text):
            raise AssertionError(f"{target} refused {given} by {type(error).__name__}({text!r}): what is wrong?") from error
        raise Refused(text) from error
    if target.__module__ not in UNKNOWN_IS_NAN or not _has_nan(given):
        sound(result)
    return result


def called_off() -> Callable[[], None]:
    """For `on_tick`: raises after a while."""
    ticks = iter(range(PATIENCE))

    def tick() -> None:
        if next(ticks, None) is None:
            raise CalledOff

    return tick


def methods(kind: type[Any], leave: frozenset[str]) -> dict[str, Callable[..., Any]]:
    """The public methods of a class but for some."""
    found = inspect.getmembers_static(kind, inspect.isfunction)
    return {name: function for name, function in found if not name.startswith("_") and name not in leave}


def properties(kind: type[Any]) -> list[str]:
    """The names of the public properties of a class."""
    found = inspect.getmembers_static(kind, lambda value: isinstance(value, property | cached_property))
    return [name for name, _ in found if not name.startswith("_")]


def sound(result: Any) -> None:
    """No number in it is NaN."""
    for number in _numbers(result):
        assert not np.any(np.isnan(number)), f"NaN in {result!r}"


def _has_nan(value: Any) -> bool:
    return any(np.any(np.isnan(number)) for number in _numbers(value))


def _numbers(value: Any) -> Iterator[Any]:
    if isinstance(value, float | np.floating) or (isinstance(value, np.ndarray) and value.dtype.kind == "f"):
        yield value
    elif isinstance(value, Mapping):
        yield from (number for item in value.values() for number in _numbers(item))
    elif isinstance(value, tuple | list | set | frozenset):
        yield from (number for item in value for number in _numbers(item))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield from (number for field in dataclasses.fields(value) for number in _numbers(getattr(value, field.name)))
