"""The contract of an agent, and what every planning agent shares."""

from __future__ import annotations

import copy
import inspect
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ClassVar, Self, TypeVar

from bamdp.domain import Domain
from bamdp.prior import Prior

# Settings, each with the values to try.
Grid = tuple[Mapping[str, tuple[Any, ...]], ...]

Method = TypeVar("Method", bound=Callable[..., Any])

_IN_TURN = ("act", "plan", "observe", "end_episode", "reset", "q_values", "bounds")
_IN_EPISODE = {"observe": True, "end_episode": False, "reset": False}  # afterwards


def in_turn(method: Method) -> Method:
    """A method of an agent that is rejected while another thread is in one; a method may call others of the same agent."""

    @wraps(method)
    def guarded(agent: Agent, *arguments: Any, **named: Any) -> Any:
        if not agent._turn.acquire(blocking=False):
            raise RuntimeError(
                f"the agent is busy: another thread is still in a call of this {type(agent).__name__}; "
                "each thread needs an agent of its own"
            )
        try:
            result = method(agent, *arguments, **named)
            agent._in_episode = _IN_EPISODE.get(method.__name__, agent._in_episode)
            return result
        finally:
            agent._turn.release()

    return guarded  # type: ignore[return-value]


class Agent(ABC):
    """Something that acts and learns.

    The episode loop calls `act`, then `observe`, again and again, and `end_episode` where an episode ends; `reset` forgets
    everything that was learned. An agent is for one thread at a time: while one is in any of these, the calls of others are
    rejected with a `RuntimeError`. A copy, by `copy` or `pickle`, is an agent of its own, as `save` and `bamdp.load` make one.

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
    _turn: threading.RLock  # of the thread that is in a call
    _in_episode: bool  # a step was observed since the last end

    def __new__(cls, *arguments: Any, **settings: Any) -> Self:
        """Remembers the arguments, for `save`."""
        agent = super().__new__(cls)
        agent._made_with = (arguments, settings)
        agent._turn, agent._in_episode = threading.RLock(), False
        return agent

    def __init_subclass__(cls, **named: Any) -> None:
        """The methods of every agent are for one thread at a time."""
        super().__init_subclass__(**named)
        for name in _IN_TURN:
            if inspect.isfunction(method := vars(cls).get(name)):
                setattr(cls, name, in_turn(method))

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

    @in_turn  # noqa: B027 - most agents have no use for it
    def end_episode(self) -> None:
        """The episode is over, by a terminal state or by a time limit: the next action will be asked for in a state of `reset`.

        What was learned stays. An agent that plans for a whole episode (see `bamdp.agents.BayesianDP`) makes a new plan.
        """

    @abstractmethod
    def reset(self, seed: int) -> None:
        """Back to the prior, with a new seed: the agent is as if newly made."""

    @in_turn
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

    @in_turn
    def __reduce__(self) -> tuple[Any, ...]:
        """For `copy` and `pickle`."""
        from bamdp.saving.agent_file import parts, remade

        return remade, parts(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """All that changes is copied in any case; the prior, and a world that it was made with, don't change."""
        return copy.copy(self)
