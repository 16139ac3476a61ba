"""The coverage-guided targets run, and take what earlier runs have found; `make fuzz` looks for more."""

import random
from importlib import import_module

import pytest
from reference.problems import sized

pytest.importorskip("atheris")


@pytest.mark.parametrize("name", ["results", "hooks"])
def test_target(name: str) -> None:
    target = import_module(f"fuzz.targets.{name}")
    chance = random.Random(sized(2, 0, 0.9))
    for data in [*target.SEEDS, *(chance.randbytes(chance.randrange(80)) for _ in range(30))]:
        target.one(data)
