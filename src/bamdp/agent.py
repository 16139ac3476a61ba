"""The contract of an agent, and what every planning agent shares."""

from __future__ import annotations

import inspect
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from bamdp.domain import Domain
from bamdp.prior import Prior

# Settings, each with the values to try.
Grid = tuple[Mapping[str, tuple[Any, ...]], ...]


class Agent(ABC):
    """Something that acts and learns.

    The episode loop calls `act`, then `observe`, again and again, and `end_episode` where an episode ends; `reset` forgets
    everything that was learned.

    Attributes:
        grid: what `bamdp tune` tries: all combinations of each of these, the literature's ranges where there are any.
        learned: the attributes that change while it acts and learns, for `save`; those of its bases count too. A class with a
            `reset` of its own names them.
        learned_in: the method that says so.
        knows_world: whether it looks at what a learner isn't told, the transitions of the world that it acts in.
    """

    grid: ClassVar[Grid] = ()
    learned: ClassVar[tuple[str, ...]]
    learned_in: ClassVar[str] = "reset"
    knows_world: ClassVar[bool] = False
    _made_with: tuple[tuple[Any, ...], dict[str, Any]]

    def __new__(cls, *arguments: Any, **settings: Any) -> Self:
        """Remembers the arguments, for `save`."""
        agent = super().__new__(cls)
        agent._made_with = (arguments, settings)
        return agent

    @classmethod
    def for_domain(cls, domain: Domain, prior: Prior | None = None, **settings: Any) -> Self:
        """An agent for `domain`, with the domain's own prior if none is given.

        It is told what the paper's agents know: the rewards, the discount and the terminal states, not the transitions.
        """
        # Planning agents share this constructor; an agent with another one overrides this method.
        settings |= cls._told_of_ends(domain)
        complete = domain.prior() if prior is None else domain.complete(prior)
        return cls(complete, domain.rewards, domain.discount, **settings)

    @classmethod
    def _told_of_ends(cls, domain: Domain) -> dict[str, Any]:
        """The setting `terminal` for a world with ends; an agent for worlds without any needn't have it."""
        if not domain.terminal:
            return {}
        parameters = inspect.signature(cls).parameters.values()
        if not any(p.name == "terminal" or p.kind is p.VAR_KEYWORD for p in parameters):
            raise TypeError(f"{cls.__name__} has no setting `terminal`: it can't plan in {domain!r}, where episodes end")
        return {"terminal": domain.terminal}

    @abstractmethod
    def act(self, state: int) -> int:
        """The action to take in `state`."""

    @abstractmethod
    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        """Learn from one real step."""

    def end_episode(self) -> None:  # noqa: B027 - most agents have no use for it
        """The episode is over, by a terminal state or by a time limit: the next action will be asked for in a state of `reset`.

        What was learned stays. An agent that plans for a whole episode (see `bamdp.agents.BayesianDP`) makes a new plan.
        """

    @abstractmethod
    def reset(self, seed: int) -> None:
        """Back to the prior, with a new seed: the agent is as if newly made."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the agent to a file, as it is now, from which `bamdp.load` makes one that goes on bit for bit like this one.

        The file is no pickle, and has no code in it. One that is there already is replaced when the new one is complete.

        Args:
            path: where to.

        Raises:
            TypeError: something that it was made with, or has learned, can't be saved; the message says what.
            OSError: the file can't be written; one that was there is still there.
        """
        from bamdp.saving.agent_file import save

        save(self, path)
