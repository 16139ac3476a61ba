"""Designs that are agents: a planner allocates each patient and observes the responses, in the order in which they arrive.

An agent is not a function of the counts: it has a random generator and a search. Its operating characteristics are simulated.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from bamdp.agent import Agent
from bamdp.agents import BayesAdaptive
from bamdp.trials.design import Design, Rule
from bamdp.trials.trial import Trial
from bamdp.validation import function, text


class AgentDesign(Design):
    """An agent that allocates patients; simulated, as it is not a function of the counts.

    Args:
        name: name in tables.
        make: makes the agent from the `problem` of a trial and a `seed`: a class of agents, or a function.

    Example:
        >>> import bamdp
        >>> sampling = AgentDesign("PSRL", bamdp.agents.BayesianDP)
        >>> row = bamdp.trials.operating_characteristics(sampling, bamdp.trials.Trial([0.2, 0.8], patients=20), runs=20)
        >>> row.exact, row.runs
        (False, 20)
    """

    def __init__(self, name: str, make: Callable[..., Agent]) -> None:
        self.name, self.make = text("name", name), function("make", make)

    def rule(self, trial: Trial) -> Rule:
        raise TypeError(f"the design {self.name!r} is an agent, not a function of the counts: it can only be simulated")


class BayesAdaptiveDesign(AgentDesign):
    """The planner `bamdp.agents.BayesAdaptive`, with the number of patients as its horizon.

    Args:
        simulations: simulations per patient.
    """

    def __init__(self, simulations: int = 1000) -> None:
        super().__init__("BayesAdaptive", partial(BayesAdaptive, simulations=simulations, threads=1))
