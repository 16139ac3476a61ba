"""The contract of agents that plan: a search before each action, and its full result."""

from __future__ import annotations

from abc import abstractmethod
from functools import singledispatch
from typing import Any, ClassVar, NamedTuple

from bamdp.agent import Agent
from bamdp.search.plan import Plan
from bamdp.validation import integer, real


class PlanningAgent(Agent):
    """An agent that searches before each action.

    Attributes:
        simulations_done: number of simulations since the agent was made or reset.
        full_searches: number of searches since then that reached the memory limit.
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("simulations_done", "full_searches")

    def reset(self, seed: int) -> None:
        """Forget everything learned, as if newly made with `seed`."""
        super().reset(seed)
        self.simulations_done = self.full_searches = 0

    @abstractmethod
    def plan(self, state: int) -> Plan:
        """Search like `act` and return the full result."""

    def _count(self, simulations: int, full: bool) -> None:
        """Count one search."""
        self.simulations_done += simulations
        self.full_searches += full


class Searches(NamedTuple):
    """How much an agent has searched.

    Attributes:
        simulations: number of simulations; None if the agent doesn't plan.
        full: number of searches that reached the memory limit.
    """

    simulations: int | None
    full: int


@singledispatch
def searches(agent: Agent) -> Searches:
    """How much an agent has searched since it was made or reset.

    Example:
        >>> import bamdp
        >>> searches(bamdp.agents.Random(bamdp.domains.Chain().problem()))
        Searches(simulations=None, full=0)
    """
    return Searches(None, 0)


@searches.register
def _(agent: PlanningAgent) -> Searches:
    return Searches(agent.simulations_done, agent.full_searches)


def checked_budget(simulations: Any, seconds: Any) -> tuple[int | None, float | None]:
    """The budget of a decision: 1000 simulations if neither is given.

    Example:
        >>> checked_budget(None, None), checked_budget(None, 0.5)
        ((1000, None), (None, 0.5))
    """
    if simulations is None and seconds is None:
        simulations = 1000
    return (
        None if simulations is None else integer("simulations", simulations, 1, 2**31 - 1),
        None if seconds is None else real("seconds", seconds, 0, 1e9, open_low=True),
    )
