"""The coverage-guided targets run, and take what earlier runs have found; `make fuzz` looks for more."""

import random
from importlib import import_module

import pytest

pytest.importorskip("atheris")


@pytest.mark.parametrize("name", ["results", "hooks"])
def test_target(name: str) -> None:
    target = import_module(f"fuzz.targets.{name}")
    chance = random.Random(0)
    for data in [*target.SEEDS, *(chance.randbytes(chance.randrange(80)) for _ in range(30))]:
        target.one(data)
