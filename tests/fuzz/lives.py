"""What is done with an agent, a belief or a world once it is there, and what can be seen of what it knows."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from gymnasium import Env
from gymnasium.vector import VectorEnv
from hypothesis import strategies as st

from bamdp import Agent, Belief, Prior
from bamdp.domain import UNBOUNDED
from bamdp.prior import Models
from bamdp.prior import World as Drawn
from bamdp.priors._parameter import Posterior
from bamdp.search.plan import Plan
from bamdp.studies.store import Store, StoreError
from fuzz.calls import CalledOff, Refused, arguments, attempt, called_off, methods, properties
from fuzz.worlds import World

NATIVE = frozenset({"load_mean", "load_samples", "model", "solver", "solve_index"})  # from agents alone
NATIVE |= {"models", "sample_models", "weighted_models"}  # as many as agents ask for
MAKERS = frozenset({"for_domain", "from_successors", "from_world"})
GYMNASIUM = frozenset({"close", "get_wrapper_attr", "has_wrapper_attr", "set_wrapper_attr"})  # not ours
VECTOR = frozenset({"close_extras", "render"})  # nor these, of many copies
LEFT_OUT = NATIVE | MAKERS | GYMNASIUM
LARGE = 10**4  # states and actions of objects that are made but not used: what they would do takes as long as it takes


def live(subject: Any, draw: Any, world: World) -> None:
    """Use an object in ways good and bad; a refusal must leave what it knows as it was."""
    if isinstance(subject, Prior):
        with suppress(Refused):
            given = arguments(draw, type(subject).__name__, subject.belief, world, bad=1)
            live(attempt(subject.belief, given), draw, world)
    elif isinstance(subject, Plan):
        live(subject.tree, draw, world)
    elif isinstance(subject, Store):
        with suppress(StoreError), subject:
            _use(subject, draw, world)
    elif type(subject).__module__.startswith("bamdp.") and not isinstance(subject, Models | Drawn | Posterior):  # plain data
        _use(subject, draw, world)


def _use(subject: Any, draw: Any, world: World) -> None:
    sizes = getattr(subject, "num_states", None), getattr(subject, "num_actions", None)
    world = World(*(given if size is None or size == UNBOUNDED else size for size, given in zip(sizes, world, strict=True)))
    if max(world) > LARGE:
        return
    if hasattr(subject, "on_tick"):
        subject.on_tick = called_off()
    repr(subject)
    for name in properties(type(subject)):
        with suppress(Refused):
            attempt(_read, {"subject": subject, "name": name})
    calls = {
        name: getattr(subject, name)
        for name in methods(type(subject), LEFT_OUT | (VECTOR if isinstance(subject, VectorEnv) else set()))
    }
    for name in draw(st.lists(st.sampled_from(sorted(calls)), max_size=6)) if calls else ():
        bad = draw(st.sampled_from([0, 0, 1]))
        given = arguments(draw, type(subject).__name__, calls[name], world, bad=bad)
        before = known(subject)
        try:
            result = attempt(calls[name], given)
        except Refused:
            assert known(subject) == before, f"{subject}.{name}({given}) was refused and yet changed something"
        except CalledOff:
            return
        else:
            check(subject, name, result)
            if result is not subject:
                live(result, draw, world)


def _read(subject: Any, name: str) -> Any:
    return getattr(subject, name)


def check(subject: Any, name: str, result: Any) -> None:
    """What is known of results."""
    if isinstance(subject, Agent) and name == "act":
        assert isinstance(result, int)
        assert 0 <= result < getattr(subject, "num_actions", np.inf)
    if name == "plan":
        assert np.isfinite(result.values).all()
        repr(result), result._repr_html_(), result.tree.to_dot(), result.tree.to_svg()
    if isinstance(subject, Belief) and name in ("predictive", "mean", "sample_mdp"):
        np.testing.assert_allclose(result.sum(axis=-1), 1)
        assert result.min() >= 0
    if hasattr(subject, "_repr_html_"):
        subject._repr_html_()


def known(subject: Any) -> str:
    """All that an object has learned, as far as it can be seen, in words."""
    belief = subject if isinstance(subject, Belief) else getattr(subject, "belief", None)
    seen = _of_belief(belief) if isinstance(belief, Belief) else []
    if isinstance(subject, Agent | Env | VectorEnv):
        seen += sorted((name, _words(value)) for name, value in vars(subject).items() if _is_plain(value))
        rng = getattr(subject, "_rng", getattr(subject, "_np_random", None))
        seen.append("" if rng is None else str(rng.bit_generator.state))
    if isinstance(subject, Store):
        seen += [(path.name, path.read_bytes()) for path in sorted(subject.folder.iterdir()) if path.is_file()]
    return repr(seen)


def _of_belief(belief: Belief) -> list[Any]:
    inner = getattr(belief, "transitions", belief)
    attributes = ("observations", "weights", "slips", "holds", "data")
    seen: list[Any] = [_words(getattr(part, name)) for part in {belief, inner} for name in attributes if hasattr(part, name)]
    if hasattr(belief, "posterior"):
        seen.append(_words(vars(belief.posterior)))
    if hasattr(belief, "cells"):
        seen.append(belief.cells())
    pairs = np.ndindex(belief.num_states, belief.num_actions) if belief.num_states <= 5 else ()
    for pair in pairs:
        seen += [
            _words(getattr(part, name)(*pair))
            for part in {belief, inner}
            for name in ("counts", "outcome" if hasattr(part, "outcome") else "reward_probabilities")
            if hasattr(part, name)
        ]
    return seen


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, int | float | str | Mapping | tuple | list | np.ndarray | frozenset | set)


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return repr([(key, _words(item)) for key, item in value.items()])
    return repr(value.tolist()) if isinstance(value, np.ndarray) else repr(value)
