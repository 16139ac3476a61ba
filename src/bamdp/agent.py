"""The agent contract."""

from __future__ import annotations

import copy
import inspect
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core, _validation
from bamdp._validation import MOST_ACTIONS, UNBOUNDED
from bamdp._validation.steps import Steps, checked_steps
from bamdp.choice_rule import NO_ACTION, ChoiceRule, choice_probabilities
from bamdp.domain import Domain, checked_episode_length
from bamdp.prior import Belief, Prior
from bamdp.saving.agent_file import parts, remade, save

# Settings, each with the values that `bamdp tune` tries.
Grid = tuple[Mapping[str, tuple[Any, ...]], ...]

Method = TypeVar("Method", bound=Callable[..., Any])

# What an agent is made for; of attributes that can't be changed.
PROBLEM = ("prior", "rewards", "num_states", "num_actions", "discount", "terminal", "deadline", "episode_length", "start")

_VALUES = ("q_values", "bounds", "action_values", "action_probabilities")
_EXCLUSIVE = ("act", "plan", "observe", "observe_many", "observe_end", "end_episode", "reset", *_VALUES)
_IN_EPISODE = {"observe": True, "end_episode": False, "reset": False}  # after the call
_WITHIN_DEADLINE = ("act", "plan", "observe", *_VALUES)


def exclusive(method: Method) -> Method:
    """Decorate a method to raise if another thread is in a call of the same agent; calls within a thread may nest.

    The outermost of nested calls counts the steps from `reset` on, and none may come after the deadline.
    """
    name = method.__name__

    @wraps(method)
    def guarded(agent: Agent, *arguments: Any, **named: Any) -> Any:
        if not agent._lock.acquire(blocking=False):
            raise RuntimeError(
                f"the agent is busy: another thread is still in a call of this {type(agent).__name__}; "
                "each thread needs its own agent"
            )
        outermost, before = agent._nesting == 0, agent._steps_done
        agent._nesting += 1
        try:
            if outermost and name in _WITHIN_DEADLINE and agent.steps_left == 0:
                raise ValueError(
                    f"the deadline of {agent.deadline} steps has passed: {name} needs a step that is left; reset the agent"
                )
            if name == "reset":
                agent._steps_done = 0
            result = method(agent, *arguments, **named)
            if name == "observe" and outermost:
                agent._steps_done += 1
            agent._in_episode = _IN_EPISODE.get(name, agent._in_episode)
            return result
        except BaseException:
            agent._steps_done = before
            raise
        finally:
            agent._nesting -= 1
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
        fixed: names of the attributes that can't be set once they are, as nothing would follow from it; those of base classes
            are added.
        deadline: number of steps that count, from `reset` on, counted by `observe`; None if there is no last one.
        episode_length: number of steps of each episode until then; None if not all have the same.
        start: the state that each of these episodes starts in.
    """

    grid: ClassVar[Grid] = ()
    state_attributes: ClassVar[tuple[str, ...]]
    state_defined_in: ClassVar[str] = "reset"
    knows_world: ClassVar[bool] = False
    fixed: ClassVar[tuple[str, ...]] = ()
    deadline: int | None = None
    episode_length: int | None = None
    start: int | None = None
    _fixed: ClassVar[frozenset[str]] = frozenset()
    _made_with: tuple[tuple[Any, ...], dict[str, Any]]
    _lock: threading.RLock  # held by the thread that is in a call
    _in_episode: bool  # a step was observed since the last episode ended
    _steps_done: int  # observed since the last reset
    _nesting: int  # of calls

    def __new__(cls, *arguments: Any, **settings: Any) -> Self:
        """Keep the arguments for `save`."""
        agent = super().__new__(cls)
        agent._made_with = (arguments, settings)
        agent._lock, agent._in_episode = threading.RLock(), False
        agent._steps_done = agent._nesting = 0
        return agent

    def __init_subclass__(cls, **named: Any) -> None:
        """Make the methods of every agent exclusive to one thread at a time."""
        super().__init_subclass__(**named)
        cls._fixed = frozenset(name for base in cls.__mro__ for name in vars(base).get("fixed", ()))
        for name in _EXCLUSIVE:
            if inspect.isfunction(method := vars(cls).get(name)):
                setattr(cls, name, exclusive(method))

    @classmethod
    def for_domain(cls, domain: Domain, prior: Prior | None = None, **settings: Any) -> Self:
        """Make an agent for `domain`, with the domain's default prior if none is given.

        It is given what the paper's agents know: the rewards, the discount, the terminal states and the deadline, not the
        transitions.
        """
        # For the constructor that planning agents share; an agent with another one overrides this method.
        known = cls._deadline_setting(domain) | cls._episode_settings(domain)
        complete = domain.prior() if prior is None else domain.complete(prior)
        if not complete.has_ends:  # else the domain's would tell the world
            known |= cls._terminal_setting(domain)
        return cls(complete, domain.rewards, domain.discount, **cls._with(known, settings, domain))

    @classmethod
    def _with(cls, known: dict[str, Any], settings: dict[str, Any], domain: Domain) -> dict[str, Any]:
        """The settings with what is known of the domain, which they must not contradict."""
        for name, value in ({"discount": domain.discount} | known).items():
            if name in settings and (name not in known or settings[name] != value):
                what = f"{name} must not be given with a domain, which has {name}={_validation._short(value)}"
                raise TypeError(f"{what}; got {_validation._short(settings[name])}")
        return settings | known

    @classmethod
    def _terminal_setting(cls, domain: Domain) -> dict[str, Any]:
        """The setting `terminal` if the domain has terminal states; only then does the agent need it."""
        return cls._setting("terminal", domain.terminal, domain, "where episodes end") if domain.terminal else {}

    @classmethod
    def _deadline_setting(cls, domain: Domain) -> dict[str, Any]:
        """The setting `deadline` if the domain has one."""
        return {} if domain.deadline is None else cls._setting("deadline", domain.deadline, domain, "which has a deadline")

    @classmethod
    def _episode_settings(cls, domain: Domain) -> dict[str, Any]:
        """The settings `episode_length` and `start` if the domain has them."""
        if domain.episode_length is None:
            return {}
        if not hasattr(domain, "start"):
            raise TypeError(f"{domain!r} must have one `start` state, as its episodes have a fixed length that agents plan for")
        found = cls._setting("episode_length", domain.episode_length, domain, "where episodes have a fixed length")
        return found | {"start": domain.start}

    @classmethod
    def _setting(cls, name: str, value: Any, domain: Domain, why: str) -> dict[str, Any]:
        parameters = inspect.signature(cls).parameters.values()
        if not any(p.name == name or p.kind is p.VAR_KEYWORD for p in parameters):
            raise TypeError(f"{cls.__name__} has no setting `{name}`: it can't plan in {domain!r}, {why}")
        return {name: value}

    @property
    def steps_left(self) -> int | None:
        """The number of steps until the deadline; None if there is none."""
        return None if self.deadline is None else self.deadline - self._steps_done

    def _set_deadline(
        self,
        deadline: Any,
        episode_length: Any = None,
        start: Any = None,
        *,
        num_states: int = 0,
        terminal: Collection[int] = (),
    ) -> None:
        """Set these attributes, checked."""
        self.deadline = _validation.deadline(deadline)
        self.episode_length = checked_episode_length(episode_length, self.deadline, terminal)
        if (episode_length is None) != (start is None):
            raise ValueError(f"start goes with episode_length, got start={start!r} and episode_length={episode_length!r}")
        self.start = None if start is None else _validation.integer("start", start, 0, num_states - 1)

    def _rest_of_run(self) -> _core.StepsLeft | None:
        """What is left until the deadline; None if there is none."""
        left = self.steps_left
        if left is None or self.episode_length is None or self.start is None:
            return None if left is None else _core.StepsLeft(left)
        return _core.StepsLeft(
            left, self.episode_length - self._steps_done % self.episode_length, self.episode_length, self.start
        )

    @property
    def more_state_attributes(self) -> tuple[str, ...]:
        """Further `state_attributes`, of this agent: only a deadline makes it count."""
        return () if self.deadline is None else ("_steps_done",)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute, but not one of `fixed` again."""
        if name in self._fixed and (name in vars(self) or isinstance(getattr(type(self), name, None), property)):
            what = f"{name} of this {type(self).__name__} can't be changed, as it would have no effect"
            raise AttributeError(f"{what}; make a new agent with {name}={_validation._short(value)}")
        if name in self._fixed and isinstance(value, np.ndarray):
            value.setflags(write=False)
        super().__setattr__(name, value)

    @abstractmethod
    def act(self, state: int) -> int:
        """Choose an action in `state`."""

    @abstractmethod
    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        """Learn from one real step."""

    @exclusive
    def action_values(self, state: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Values of the actions in `state` that compare, and their standard errors; infinite where they are unknown. [A], [A]

        A search by UCB tries bad actions seldom and values them by few, early simulations; here a planner has the same number
        of simulations for each action. Standard errors of a search need two trees or more.
        """
        found = getattr(self, "q_values", None)
        if found is None:
            what = "has neither a search of which values compare nor q_values(state)"
            raise TypeError(f"{type(self).__name__} has no values of actions: it {what}")
        values: NDArray[np.float64] = found(state)
        return values, np.zeros(len(values))

    @exclusive
    def action_probabilities(self, state: int, rule: ChoiceRule, last_action: int = NO_ACTION) -> NDArray[np.float64]:
        """The probability that a person who plans like this agent and chooses by `rule` takes each action in `state`. [A]

        Args:
            state: the current state.
            rule: how values become choices.
            last_action: the action before, for stickiness; -1 if there was none.

        Example:
            >>> import bamdp
            >>> agent = bamdp.agents.BAMCP.for_domain(bamdp.domains.Bandit([0.5, 0.5], 0.9), simulations=300, seed=0)
            >>> agent.observe(state=0, action=1, reward=1.0, next_state=1)
            >>> agent.action_probabilities(1, bamdp.fit.ChoiceRule(temperature=0.5)).argmax()
            np.int64(1)
        """
        return choice_probabilities(self.action_values(state)[0], rule, last_action)

    @exclusive
    def observe_many(
        self,
        states: ArrayLike,
        actions: ArrayLike,
        rewards: ArrayLike,
        next_states: ArrayLike,
        terminated: ArrayLike | None = None,
    ) -> None:
        """Learn from many steps that were taken before, as by `observe` for each in turn.

        Args:
            states: state before each step. [T]
            actions: action of each step. [T]
            rewards: reward of each step. [T]
            next_states: state after each step. [T]
            terminated: whether each step ended an episode; only a prior over terminal states has a use for it. [T]

        Raises:
            ValueError: a step is out of range or impossible under the prior; the message has its row, and nothing was learned.
        """
        in_episode = self._in_episode
        self._learn_many(self._checked_steps(states, actions, rewards, next_states, terminated))
        self._in_episode = in_episode  # they are not of this episode

    def _learn_many(self, steps: Steps) -> None:
        """Learn from all steps, or from none if one of them raises."""
        trial = copy.copy(self)  # if it learns from all, so does the agent
        trial._nesting += 1  # these steps are not among those until the deadline
        for learner in (trial, self):
            for row, (state, action, reward, next_state, ended) in enumerate(steps.rows()):
                try:
                    learner.observe(state, action, reward, next_state)  # type: ignore[arg-type]  # rewards are given
                    if ended is not None:
                        learner.observe_end(next_state, ended)
                except ValueError as error:
                    raise ValueError(f"row {row}: {error}") from error

    def _checked_steps(self, *columns: Any) -> Steps:
        """Checked columns of steps; none is from a terminal state."""
        sizes = (getattr(self, name, None) or most for name, most in (("num_states", UNBOUNDED), ("num_actions", MOST_ACTIONS)))
        if columns[2] is None:
            raise TypeError("rewards must be the reward of each step, got None")
        steps = checked_steps(columns, *sizes)
        ended = np.isin(steps.states, sorted(getattr(self, "terminal", ())))
        if ended.any():
            row = int(np.flatnonzero(ended)[0])
            raise ValueError(f"row {row}: state must not be terminal, got the terminal state {steps.states[row]}")
        return steps

    @exclusive
    def observe_end(self, state: int, terminated: bool) -> None:
        """Learn whether the episode was terminated on arrival in `state`; called after `observe`.

        Only a belief over terminal states has a use for it.
        """
        belief = getattr(self, "belief", None)
        if isinstance(belief, Belief) and belief.has_ends:
            belief.observe_end(state, terminated)

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
        save(self, path)

    @exclusive
    def __reduce__(self) -> tuple[Any, ...]:
        """Support `copy` and `pickle`."""
        return remade, parts(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A shallow copy suffices: it copies all that changes, and priors and domains don't change."""
        return copy.copy(self)
