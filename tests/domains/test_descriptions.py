"""One sentence on the world, the goal and the reward of every domain."""

import re
from typing import Any

import gymnasium
import pytest

import bamdp
from bamdp import MDP
from bamdp.config import names
from bamdp.domain import Domain
from bamdp.domains import Bandit, Gymnasium, InfiniteGrid, RandomMDP, Tabular

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


def test_numbers_are_those_of_the_domain() -> None:
    assert "12 by 12" in bamdp.domains.Grid(12, slip=0.3).description
    assert "probability 0.3" in bamdp.domains.Grid(12, slip=0.3).description
    assert Bandit([0.1, 0.2], payoffs=[1, 2]).description.startswith("2 arms")
    assert "a success pays 3," in Bandit([0.1, 0.2], payoffs=3).description
    assert "1 in state 3 and 2 in state 5" in RandomMDP(6, rewards="two").description
    assert "from 0 to 1" in RandomMDP(6, rewards="uniform").description
    assert "isn't slippery" in Gymnasium("FrozenLake-v1", is_slippery=False).description
    assert "2 episodes of 7 steps" in bamdp.domains.GridNavi(episodes=2, episode_length=7).description


def test_other_domains_have_one_too() -> None:
    two = Tabular(MDP([[[0, 1]], [[1, 0]]], [[0], [1]]), 0.9)
    assert two.description.startswith("A world of 2 states and 1 actions; the goal is")
    assert Domain.description.fget(InfiniteGrid()).startswith("A world of infinitely many states")  # type: ignore[attr-defined]


class Documented(gymnasium.Env[Any, Any]):
    """
    ## Title

    Walk to the
    sea. And back.
    """

    observation_space = gymnasium.spaces.Discrete(2)
    action_space = gymnasium.spaces.Discrete(2)


class Later(Documented):
    __doc__ = None


class Silent(gymnasium.Env[Any, Any]):
    observation_space = gymnasium.spaces.Discrete(2)
    action_space = gymnasium.spaces.Discrete(2)


def test_other_environments_speak_for_themselves() -> None:
    goal = "; the goal is to collect as much of its reward as possible."
    assert Gymnasium(Documented).description == f"Walk to the sea{goal}"
    assert Gymnasium(Later).description == f"Walk to the sea{goal}"
    assert Gymnasium(Silent).description == f"The Gymnasium environment Silent{goal}"
