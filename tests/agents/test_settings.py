"""What every agent shows and keeps: its problem, its settings, and nothing that a caller could
change.
"""

import inspect
from typing import Any

import numpy as np
import pytest

import bamdp
from agents.test_errors import BANDIT, NAMES, made
from bamdp import Agent, agents
from bamdp.agent import setting_defaults, settings_of
from bamdp.domains import DoubleLoop
from reference.problems import sized

LOOP = "BAMDP(Dirichlet(1/S), 9 states, 2 actions, discount=0.95)"


@pytest.mark.parametrize("name", NAMES)
def test_every_argument_is_an_attribute(name: str) -> None:
    agent = made(name, BANDIT)
    own = [
        p
        for p in inspect.signature(NAMES[name]).parameters.values()
        if p.kind is p.KEYWORD_ONLY and p.name != "seed"
    ]
    assert {p.name for p in own} <= set(settings_of(agent)) == set(setting_defaults(NAMES[name]))
    again = type(agent)(agent.problem, **settings_of(agent))
    assert settings_of(again) == settings_of(agent)
    assert repr(again) == repr(agent)
    assert agent.problem is again.problem


def test_a_repr_shows_the_problem_and_what_is_not_default() -> None:
    problem = DoubleLoop().problem()
    assert repr(agents.PosteriorMean(problem)) == f"PosteriorMean({LOOP})"
    assert (
        repr(agents.EpsilonGreedy(problem, ties="first", epsilon=0.2))
        == f"EpsilonGreedy({LOOP}, epsilon=0.2, ties='first')"
    )
    assert (
        repr(agents.BAMCP(problem, simulations=9, depth=4, seed=3))
        == f"BAMCP({LOOP}, simulations=9, depth=4)"
    )
    assert (
        repr(agents.BAUCT(problem, seconds=1.0, trees=2)) == f"BAUCT({LOOP}, seconds=1.0, trees=2)"
    )


class Mine(agents.Random):
    """Settings by position, and an array."""

    def __init__(
        self, problem: bamdp.BAMDP, weights: Any = None, power: int = 2, *, seed: int = 0
    ) -> None:
        self.weights, self.power = np.ones(2) if weights is None else np.asarray(weights), power
        super().__init__(problem, seed=seed)


def test_settings_of_an_agent_of_your_own(tmp_path: Any) -> None:
    agent = Mine(DoubleLoop().problem(), [1.0, 2.0], 3)
    assert repr(agent) == f"Mine({LOOP}, weights=array([1., 2.]), power=3)"
    agent.save(tmp_path / "agent")
    loaded: Any = bamdp.load(tmp_path / "agent", agent_class=Mine)
    assert (loaded.weights.tolist(), loaded.power) == ([1.0, 2.0], 3)

    class Forgetful(agents.Random):
        def __init__(self, problem: bamdp.BAMDP, *, size: int = 1, seed: int = 0) -> None:
            super().__init__(problem, seed=seed)

    forgetful = Forgetful(DoubleLoop().problem())
    assert repr(forgetful) == f"Forgetful({LOOP}, size=…)"
    with pytest.raises(
        TypeError, match="each argument of Forgetful must be kept in an attribute of its name"
    ):
        forgetful.save(tmp_path / "agent")


@pytest.mark.parametrize("name", NAMES)
def test_values_that_are_changed_change_nothing(name: str) -> None:
    agent: Agent = made(name, BANDIT)
    if name == "random":
        with pytest.raises(TypeError, match="Random has no values of actions"):
            agent.q_values(0)
        return
    agent.observe(0, 1, 1.0, 1)
    first = agent.q_values(1)
    assert first.shape == (2,)
    kept = first.copy()
    first += 1e6
    assert np.abs(agent.q_values(1) - kept).max() < 1e3


def test_settings_that_are_changed_take_effect() -> None:
    agent = agents.BAMCP(DoubleLoop().problem(), simulations=10)
    agent.simulations = 30
    assert agent.plan(0).visits.sum() == 30
    learner = agents.QLearning(sized(2, 2, 0.9))
    learner.learning_rate = 1.0
    learner.observe(0, 0, 5.0, 1)
    assert learner.q_values(0)[0] == 5.0
