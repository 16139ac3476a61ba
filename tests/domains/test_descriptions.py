"""One sentence on the world, the goal and the reward of every domain."""

import re

import pytest

from bamdp import MDP
from bamdp.config import names
from bamdp.domain import Domain
from bamdp.domains import InfiniteGrid, Tabular

TOYS = ["FrozenLake-v1", "FrozenLake8x8-v1", "CliffWalking-v1", "CliffWalkingSlippery-v1", "Taxi-v4", "Blackjack-v1"]
BUILT_IN = [*(found.name for found in names.find_all("domain")), *(f"gym:{id}" for id in TOYS)]


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_domain_has_its_own_sentence(name: str) -> None:
    domain = names.find("domain", name).factory()
    assert type(domain).description is not Domain.description, "the sentence of any domain, which says nothing"
    text = domain.description
    assert re.fullmatch(r"[A-Z0-9][^.!?\n]*(\.\d[^.!?\n]*)*\.", text), "one sentence"
    assert re.search(r"\b(pays?|paid|costs?|reward)\b", text)
    assert 60 < len(text) < 300


def test_other_domains_have_one_too() -> None:
    two = Tabular(MDP([[[0, 1]], [[1, 0]]], [[0], [1]]), 0.9)
    assert two.description.startswith("A world of 2 states and 1 actions; the goal is")
    assert Domain.description.fget(InfiniteGrid()).startswith("A world of infinitely many states")  # type: ignore[attr-defined]
