"""Any arguments, to every public constructor, function and method: a sound result or a refusal that says what is wrong."""

import types
import typing
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager, suppress
from math import nan
from tempfile import TemporaryDirectory
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz.calls import NEVER, Refused, arguments, attempt, methods
from fuzz.lives import LEFT_OUT, live
from fuzz.rights import right
from fuzz.subjects import CLASSES, FUNCTIONS, GIVEN, parameters
from fuzz.worlds import World, worlds

pytestmark = pytest.mark.slow

CALLED = CLASSES | FUNCTIONS


@contextmanager
def _by_itself() -> Iterator[None]:
    """Where every warning is an error, a refusal is fine, and files go to a folder of their own."""
    with TemporaryDirectory() as folder, chdir(folder), warnings.catch_warnings(), suppress(Refused):
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", r".*render\(\) needs a render mode")  # as Gymnasium's own environments do
        yield


@pytest.mark.parametrize("name", CALLED)
def test_every_parameter_is_known(name: str) -> None:
    """Or the error says where to add it."""
    own = methods(CLASSES[name], LEFT_OUT) if name in CLASSES else {}
    for function in (CALLED[name], *own.values()):
        for parameter, (hint, _) in parameters(function).items():
            right(name, parameter, hint, World(2, 2))


@pytest.mark.parametrize("name", CALLED)
def test_any_arguments(name: str) -> None:
    @given(st.data(), worlds, st.sampled_from([0, 1, 1, 2]))
    def run(data: Any, world: World, bad: int) -> None:
        with _by_itself():
            live(attempt(CALLED[name], arguments(data.draw, name, CALLED[name], world, bad=bad)), data.draw, world)

    run()


# What an argument of a type must never be. Of others, NaN.
NOT: dict[Any, list[Any]] = {int: [nan, "x", 2.5, [1]], float: [nan, "x", 1j], bool: [nan, "no", 2]}


def never(hint: Any) -> list[Any]:
    union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    kinds = [kind for kind in (typing.get_args(hint) if union else (hint,)) if kind is not type(None)]
    if len(kinds) == 1 and typing.get_origin(kinds[0]) is Literal:
        return [nan, "nonsense", 3]
    return NOT.get(kinds[0], [nan]) if len(kinds) == 1 else [nan]


@pytest.mark.parametrize("name", CLASSES)
def test_no_constructor_takes_what_is_not_of_a_type(name: str) -> None:
    """Among any arguments these are too rare for each parameter to get them."""

    @settings(max_examples=max(2, settings().max_examples // 10))
    @given(st.data(), worlds)
    def run(data: Any, world: World) -> None:
        with TemporaryDirectory() as folder, chdir(folder):
            good = arguments(data.draw, name, CLASSES[name], world, bad=0)
        for parameter, (hint, _) in parameters(CLASSES[name]).items():
            for value in never(hint) if parameter not in NEVER else ():
                with _by_itself():
                    attempt(CLASSES[name], {**good, parameter: value})
                    pytest.fail(f"{name} took {parameter}={value!r}: {good}")

    run()


@pytest.mark.parametrize("name", GIVEN)
def test_what_functions_give(name: str) -> None:
    @given(st.data(), worlds)
    def run(data: Any, world: World) -> None:
        with _by_itself():
            live(data.draw(GIVEN[name](world)), data.draw, world)

    run()
