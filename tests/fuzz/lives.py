"""What is done with an agent, a belief or a world once it is there, and what can be seen of what it knows."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from gymnasium import Env
from hypothesis import strategies as st

from bamdp import BAMDP, MDP, Agent, Belief, Prior
from bamdp.domain import UNBOUNDED
from bamdp.saving.archive import Arrays
from bamdp.saving.state import state_of
from bamdp.search.plan import Plan
from fuzz.calls import CalledOff, Refused, arguments, attempt, called_off, methods, properties
from fuzz.worlds import World
from reference.problems import shown

NATIVE = frozenset({"search_parts", "open_loop", "of", "with_transitions"})  # from agents and domains alone
NATIVE |= {"check_state", "require_discount", "require_table"}
GYMNASIUM = frozenset({"close", "get_wrapper_attr", "has_wrapper_attr", "set_wrapper_attr"})  # not ours
LEFT_OUT = NATIVE | GYMNASIUM
LARGE = 10**4  # states and actions of objects that are made but not used: what they would do takes as long as it takes


def live(subject: Any, draw: Any, world: World) -> None:
    """Use an object in ways good and bad; a refusal must leave what it knows as it was."""
    if isinstance(subject, Prior):
        with suppress(Refused):
            given = arguments(draw, "BAMDP", BAMDP, world, bad=1, skip={"prior": subject})
            live(attempt(BAMDP, given), draw, world)
    elif isinstance(subject, BAMDP):
        with suppress(Refused):
            live(attempt(subject.belief, {}), draw, world)
    elif isinstance(subject, Plan):
        live(subject.tree, draw, world)
    elif type(subject).__module__.startswith("bamdp.") and not isinstance(subject, MDP | tuple):  # plain data
        _use(subject, draw, world)


def _use(subject: Any, draw: Any, world: World) -> None:
    sized = getattr(subject, "problem", subject)
    sizes = getattr(sized, "num_states", None), getattr(sized, "num_actions", None)
    world = World(*(given if size is None or size == UNBOUNDED else size for size, given in zip(sizes, world, strict=True)))
    if max(world) > LARGE:
        return
    if hasattr(subject, "on_tick"):
        subject.on_tick = called_off()
    repr(subject)
    for name in set(properties(type(subject))) - {"acceptance_rate"}:  # NaN before the first update, as it says
        with suppress(Refused):
            attempt(_read, {"subject": subject, "name": name})
    calls = {name: getattr(subject, name) for name in methods(type(subject), LEFT_OUT)}
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
        assert 0 <= result < subject.problem.num_actions
    if name == "plan":
        assert np.isfinite(result.q_values).all()
        repr(result), shown(result), result.tree.to_dot(), result.tree.to_svg()
    if isinstance(subject, Belief) and name in ("predictive", "mean", "sample"):
        rows = result.transitions if isinstance(result, MDP) else result
        np.testing.assert_allclose(rows.sum(axis=-1), 1)
        assert rows.min() >= 0
    if hasattr(subject, "_repr_html_"):
        shown(subject)


def known(subject: Any) -> str:
    """All that an object has learned, as far as it can be seen, in words."""
    seen: list[Any] = []
    if isinstance(subject, Env):
        seen += sorted((name, _words(value)) for name, value in vars(subject).items() if _is_plain(value))
        chances = vars(subject).get("_np_random")  # None before the first reset
        seen.append(str(chances and chances.bit_generator.state))
        subject = getattr(subject, "belief", None)
    if isinstance(subject, Agent | Belief):
        arrays: Arrays = {}
        with suppress(TypeError):  # one that can't be saved
            seen += [state_of(subject, arrays), {name: array.tobytes() for name, array in arrays.items()}]
    return repr(seen)


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, int | float | str | Mapping | tuple | list | np.ndarray | frozenset | set)


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return repr([(key, _words(item)) for key, item in value.items()])
    return repr(value.tolist()) if isinstance(value, np.ndarray) else repr(value)
