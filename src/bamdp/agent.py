"""The contract of an agent, and what every planning agent shares."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from bamdp.domain import Domain
from bamdp.prior import Prior

# Settings, each with the values to try.
Grid = tuple[Mapping[str, tuple[Any, ...]], ...]


class Agent(ABC):
    """Something that acts and learns.

    The episode loop calls `act`, then `observe`, again and again; `reset` forgets everything that was learned.

    Attributes:
        grid: what `bamdp tune` tries: all combinations of each of these, the literature's ranges where there are any.
    """

    grid: ClassVar[Grid] = ()

    @classmethod
    def for_domain(cls, domain: Domain, prior: Prior | None = None, **settings: Any) -> Self:
        """An agent for `domain`, with the domain's own prior if none is given.

        It is told what the paper's agents know: the rewards and the discount, not the transitions.
        """
        # Planning agents share this constructor; an agent with another one overrides this method.
        return cls(prior or domain.prior(), domain.rewards, domain.discount, **settings)  # type: ignore[call-arg]

    @abstractmethod
    def act(self, state: int) -> int:
        """The action to take in `state`."""

    @abstractmethod
    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        """Learn from one real step."""

    @abstractmethod
    def reset(self, seed: int) -> None:
        """Back to the prior, with a new seed: the agent is as if newly made."""
