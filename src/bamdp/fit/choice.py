"""Choice rules: from the values of actions to the probabilities of choices.

    P(a) = (1 − lapse) softmax_a(V_a / temperature + stickiness · [a = last action]) + lapse / A

Temperature is in units of return, stickiness in log-odds; a lapse is a choice at random. Values must be comparable: each action
needs the same care. A search by UCB looks at bad actions seldom and values them by few, early simulations; `action_values`
asks planners for an even allocation at the root.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _validation
from bamdp.agent import Agent
from bamdp.agents import BayesAdaptive
from bamdp.search.planner import Planner

NO_ACTION = -1  # in place of an action: a missed trial, or no last action


@dataclass(frozen=True)
class ChoiceRule:
    """Softmax with lapses and stickiness.

    Args:
        temperature: temperature of the softmax, in units of return; positive.
        lapse: probability of a choice at random, in [0, 1].
        stickiness: log-odds added to the last action; negative for those who alternate.

    Example:
        >>> ChoiceRule(temperature=0.5, lapse=0.02)
        ChoiceRule(temperature=0.5, lapse=0.02, stickiness=0.0)
    """

    temperature: float = 1.0
    lapse: float = 0.0
    stickiness: float = 0.0

    def __post_init__(self) -> None:
        for name, low, high, is_open in (("temperature", 0.0, np.inf, True), ("lapse", 0.0, 1.0, False)):
            object.__setattr__(self, name, _validation.real(name, getattr(self, name), low, high, open_low=is_open))
        object.__setattr__(self, "stickiness", _validation.real("stickiness", self.stickiness))


def choice_probabilities(values: ArrayLike, rule: ChoiceRule, last_action: ArrayLike = NO_ACTION) -> NDArray[np.float64]:
    """The probability of each action. [..., A]

    Args:
        values: value of each action, for one choice or many. [..., A]
        rule: the choice rule.
        last_action: the action before, of each choice; -1 if there was none. [...]

    Example:
        >>> choice_probabilities([1.0, 0.0], ChoiceRule(temperature=0.5)).round(3).tolist()
        [0.881, 0.119]
        >>> choice_probabilities([0.0, 0.0], ChoiceRule(stickiness=1.0), last_action=1).round(3).tolist()
        [0.269, 0.731]
    """
    return np.exp(log_probabilities(_validation.real_array("values", values), rule, np.asarray(last_action)))


def log_probabilities(values: NDArray[np.float64], rule: ChoiceRule, last: NDArray[np.int64]) -> NDArray[np.float64]:
    """The logarithm of `choice_probabilities`, which underflows later."""
    scaled = values / rule.temperature
    if rule.stickiness:
        scaled = scaled + rule.stickiness * (np.arange(values.shape[-1]) == last[..., None])
    scaled = scaled - scaled.max(axis=-1, keepdims=True)
    logs: NDArray[np.float64] = scaled - np.log(np.exp(scaled).sum(axis=-1, keepdims=True))
    if rule.lapse:
        with np.errstate(divide="ignore"):
            logs = np.logaddexp(np.log1p(-rule.lapse) + logs, np.log(rule.lapse / values.shape[-1]))
    return logs


def action_values(agent: Agent, state: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Comparable values of the actions in `state`, and their standard errors; infinite where they are unknown. [A], [A]

    Of a planner, by an even allocation of simulations at the root; `BayesAdaptive` values policies, which compare anyway.
    Standard errors of a search need two trees or more.
    """
    if isinstance(agent, Planner):
        plan = agent.plan(state) if isinstance(agent, BayesAdaptive) else agent.plan(state, root="even")
        return plan.values, plan.standard_errors
    found: Any = getattr(agent, "q_values", None)
    if found is None:
        raise TypeError(f"agent must have values, by plan(state) or q_values(state), and {type(agent).__name__} has neither")
    values = found(state)
    return values, np.zeros(len(values))


def action_probabilities(agent: Agent, state: int, rule: ChoiceRule, last_action: int = NO_ACTION) -> NDArray[np.float64]:
    """The probability that a person who plans like `agent` and chooses by `rule` takes each action in `state`. [A]

    Example:
        >>> import bamdp
        >>> agent = bamdp.agents.BAMCP.for_domain(bamdp.domains.Bandit([0.5, 0.5], 0.9), simulations=300, seed=0)
        >>> agent.observe(state=0, action=1, reward=1.0, next_state=1)
        >>> action_probabilities(agent, 1, ChoiceRule(temperature=0.5)).argmax()
        np.int64(1)
    """
    return choice_probabilities(action_values(agent, state)[0], rule, last_action)
