"""Attributes of agents that would have no effect can't be assigned."""

from typing import Any

import pytest

from agents.test_deadline import ALL, made
from bamdp.agents import BAMCP, BAUCT, BFS3, FiniteGittins, Gittins, QLearning
from bamdp.config.setup import agent_parameters
from bamdp.domains import Bandit, Chain, DoubleLoop
from reference.problems import sized


@pytest.mark.parametrize("cls", [*ALL, FiniteGittins, Gittins])
def test_attributes_without_effect_are_read_only(cls: Any) -> None:
    domain = Bandit([0.5, 0.5]) if issubclass(cls, FiniteGittins | Gittins) else Chain(horizon=9)
    agent = made(cls, domain)
    for name in agent._fixed:
        before = getattr(agent, name)
        with pytest.raises(AttributeError, match=rf"{name} of this {cls.__name__} can't be changed.* make a new agent"):
            setattr(agent, name, before)
        assert getattr(agent, name) == before if name == "rollouts" else getattr(agent, name) is before
    if hasattr(agent, "rewards"):
        with pytest.raises(ValueError, match="read-only"):
            agent.rewards[0] = 5


def test_other_attributes_take_effect() -> None:
    agent = BAMCP(DoubleLoop().problem(), simulations=10)
    agent.simulations = 30
    assert agent.plan(0).visits.sum() == 30
    agent.on_tick = lambda: None
    learner = QLearning(sized(2, 2, 0.9))
    learner.learning_rate = 1.0
    learner.observe(0, 0, 5.0, 1)
    assert learner.q_values(0)[0] == 5.0


def test_every_setting_of_a_search_is_fixed_but_its_budget() -> None:
    """BAMCP and BFS3 pass their settings on when they are made: none of them may look as if it could be changed."""
    for cls in (BAMCP, BAUCT, BFS3):
        agent = made(cls, Chain())
        known = {parameter.name for parameter in agent_parameters(cls)} - {"seed"}
        assert known - agent._fixed <= {"simulations", "seconds", "threads"}
    with pytest.raises(AttributeError, match="horizon of this BAMCP can't be changed"):
        BAMCP(Chain().problem()).horizon = 5
