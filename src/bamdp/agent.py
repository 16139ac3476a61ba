"""The agent contract."""

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

# Settings, each with the values that `bamdp tune` tries.
Grid = tuple[Mapping[str, tuple[Any, ...]], ...]

Method = TypeVar("Method", bound=Callable[..., Any])

_EXCLUSIVE = ("act", "plan", "observe", "end_episode", "reset", "q_values", "bounds")
_IN_EPISODE = {"observe": True, "end_episode": False, "reset": False}  # after the call


def exclusive(method: Method) -> Method:
    """Decorate a method to raise if another thread is in a call of the same agent; calls within a thread may nest."""

    @wraps(method)
    def guarded(agent: Agent, *arguments: Any, **named: Any) -> Any:
        if not agent._lock.acquire(blocking=False):
            raise RuntimeError(
                f"the agent is busy: another thread is still in a call of this {type(agent).__name__}; "
                "each thread needs its own agent"
            )
        try:
            result = method(agent, *arguments, **named)
            agent._in_episode = _IN_EPISODE.get(method.__name__, agent._in_episode)
            return result
        finally:
            agent._lock.release()

    return guarded  # type: ignore[return-value]  # `wraps` keeps the signature


class Agent(ABC):
    """An agent that acts and learns.

    The episode loop calls `act` and `observe` in turn, and `end_episode` at the end of each episode; `reset` forgets everything
    learned. An agent serves one thread at a time: calls from other threads meanwhile raise `RuntimeError`. Copies, made by
    `copy`, `pickle` or `save` and `bamdp.load`, are independent.

    Attributes:
        grid: settings that `bamdp tune` tries: all combinations within each mapping, in the literature's ranges if known.
        state_attributes: names of the attributes that change while acting and learning, for `save`; those of base classes are
            added. A class that defines `reset` must define it.
        state_defined_in: name of that method.
        knows_world: whether it uses the true transition probabilities, which a learner isn't given.
    """

    grid: ClassVar[Grid] = ()
    state_attributes: ClassVar[tuple[str, ...]]
    state_defined_in: ClassVar[str] = "reset"
    knows_world: ClassVar[bool] = False
    _made_with: tuple[tuple[Any, ...], dict[str, Any]]
    _lock: threading.RLock  # held by the thread that is in a call
    _in_episode: bool  # a step was observed since the last episode ended

    def __new__(cls, *arguments: Any, **settings: Any) -> Self:
        """Keep the arguments for `save`."""
        agent = super().__new__(cls)
        agent._made_with = (arguments, settings)
        agent._lock, agent._in_episode = threading.RLock(), False
        return agent

    def __init_subclass__(cls, **named: Any) -> None:
        """Make the methods of every agent exclusive to one thread at a time."""
        super().__init_subclass__(**named)
        for name in _EXCLUSIVE:
            if inspect.isfunction(method := vars(cls).get(name)):
                setattr(cls, name, exclusive(method))

    @classmethod
    def for_domain(cls, domain: Domain, prior: Prior | None = None, **settings: Any) -> Self:
        """Make an agent for `domain`, with the domain's default prior if none is given.

        It is given what the paper's agents know: the rewards, the discount and the terminal states, not the transitions.
        """
        # For the constructor that planning agents share; an agent with another one overrides this method.
        settings |= cls._terminal_setting(domain)
        complete = domain.prior() if prior is None else domain.complete(prior)
        return cls(complete, domain.rewards, domain.discount, **settings)

    @classmethod
    def _terminal_setting(cls, domain: Domain) -> dict[str, Any]:
        """The setting `terminal` if the domain has terminal states; only then does the agent need it."""
        if not domain.terminal:
            return {}
        parameters = inspect.signature(cls).parameters.values()
        if not any(p.name == "terminal" or p.kind is p.VAR_KEYWORD for p in parameters):
            raise TypeError(f"{cls.__name__} has no setting `terminal`: it can't plan in {domain!r}, where episodes end")
        return {"terminal": domain.terminal}

    @abstractmethod
    def act(self, state: int) -> int:
        """Choose an action in `state`."""

    @abstractmethod
    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        """Learn from one real step."""

    @exclusive  # noqa: B027 - most agents have no use for it
    def end_episode(self) -> None:
        """End an episode, terminated or truncated; the next one starts in a state returned by `Domain.reset`.

        What was learned is kept. An agent that plans for a whole episode (see `bamdp.agents.BayesianDP`) makes a new plan.
        """

    @abstractmethod
    def reset(self, seed: int) -> None:
        """Forget everything learned, as if newly made with `seed`."""

    @exclusive
    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the agent to a file; the agent that `bamdp.load` makes of it continues bit for bit like this one.

        The file is not a pickle and contains no code. An existing file is replaced atomically.

        Args:
            path: path of the file.

        Raises:
            TypeError: an argument or something learned can't be saved; the message says what.
            OSError: the file can't be written; an existing file is left unchanged.
        """
        from bamdp.saving.agent_file import save

        save(self, path)

    @exclusive
    def __reduce__(self) -> tuple[Any, ...]:
        """Support `copy` and `pickle`."""
        from bamdp.saving.agent_file import parts, remade

        return remade, parts(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A shallow copy suffices: it copies all that changes, and priors and domains don't change."""
        return copy.copy(self)
