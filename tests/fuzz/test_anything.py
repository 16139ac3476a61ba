"""Any arguments, to every public constructor, function and method: a sound result or a refusal that says what is wrong."""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.calls import Refused, arguments, attempt, methods
from fuzz.lives import LEFT_OUT, live
from fuzz.subjects import CLASSES, FUNCTIONS, World, parameters, right, worlds


def _made(draw: Any, name: str, target: Any, bad: int) -> None:
    world = draw(worlds)
    with warnings.catch_warnings(), suppress(Refused):
        warnings.simplefilter("error")
        live(attempt(target, arguments(draw, name, target, world, bad=bad)), draw, world)


@pytest.mark.parametrize("name", [*CLASSES, *FUNCTIONS])
def test_every_parameter_is_known(name: str) -> None:
    """Or the error says where to add it."""
    own = methods(CLASSES[name], LEFT_OUT) if name in CLASSES else {}
    for function in (CLASSES.get(name) or FUNCTIONS[name], *own.values()):
        for parameter, (hint, _) in parameters(function).items():
            right(name, parameter, hint, World(2, 2))


@pytest.mark.parametrize("name", CLASSES)
def test_classes(name: str) -> None:
    @given(st.data(), st.sampled_from([0, 1, 1, 2]))
    def run(data: Any, bad: int) -> None:
        _made(data.draw, name, CLASSES[name], bad)

    run()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    @given(st.data(), st.sampled_from([0, 1, 1, 2]))
    def run(data: Any, bad: int) -> None:
        _made(data.draw, name, FUNCTIONS[name], bad)

    run()
