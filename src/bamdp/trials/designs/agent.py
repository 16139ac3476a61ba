"""Designs that are agents: a planner allocates each patient and observes the responses, in the order in which they arrive.

An agent is not a function of the counts: it has a random generator and a search. Its operating characteristics are simulated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bamdp import agents
from bamdp._validation import function, text
from bamdp.agent import Agent
from bamdp.trials.design import Design, Rule
from bamdp.trials.trial import Trial

MakeAgent = Callable[[Trial, int], Agent]


class AgentDesign(Design):
    """An agent that allocates patients; simulated, as it is not a function of the counts.

    Args:
        name: name in tables.
        make: function of a trial and a seed that returns an agent for it, acting in state 0 and given rewards of 1 and 0.

    Example:
        >>> import bamdp
        >>> def sampling(trial, seed):
        ...     return bamdp.agents.BayesianDP(trial.prior, bamdp.trials.rewards(trial), 0.9, seed=seed)
        >>> row = bamdp.trials.operating_characteristics(
        ...     AgentDesign("PSRL", sampling), bamdp.trials.Trial([0.2, 0.8], patients=20), runs=20
        ... )
        >>> row.exact, row.runs
        (False, 20)
    """

    def __init__(self, name: str, make: MakeAgent) -> None:
        self.name, self.make = text("name", name), function("make", make)

    def rule(self, trial: Trial) -> Rule:
        raise TypeError(f"the design {self.name!r} is an agent, not a function of the counts: it can only be simulated")


class BayesAdaptive(AgentDesign):
    """The planner `bamdp.agents.BayesAdaptive`, with the number of patients as its deadline.

    Args:
        simulations: simulations per patient.
    """

    def __init__(self, simulations: int = 1000) -> None:
        super().__init__("BayesAdaptive", self._planner)
        self.simulations = simulations

    def _planner(self, trial: Trial, seed: int) -> Agent:
        settings: dict[str, Any] = {"simulations": self.simulations, "threads": 1, "seed": seed}
        return agents.BayesAdaptive(trial.prior, rewards(trial), 1.0, deadline=trial.patients, **settings)


def rewards(trial: Trial) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Rewards of a trial for agents: 1 for a success, 0 for a failure. [2, A, 2]"""
    return np.array([[[0.0, 1.0]] * trial.num_arms] * 2)
