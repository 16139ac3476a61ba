"""The agent contract: a problem, settings, and five methods.

    agent = SomeAgent(problem, setting=value, seed=0)
    action = agent.act(state)
    agent.observe(state, action, reward, next_state, terminated)      after each real step
    agent.end_episode()                                               at the end of each episode
    agent.q_values(state)                                             where it values actions
    agent.reset(seed)                                                 forgets everything learned

One agent serves one thread. Copies, made by `copy`, `pickle` or `save` and `bamdp.load`, are
independent. How a file is written is `bamdp.saving`'s: it gives its writer to this class when
`bamdp` is imported.
"""

from __future__ import annotations

import copy
import inspect
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core, validation
from bamdp.problem import BAMDP, checked_problem
from bamdp.spaces import describe_state
from bamdp.state import Arrays, capture, restore
from bamdp.steps import (
    Step,
    Steps,
    check_not_over,
    check_reward,
    check_state,
    checked_rows,
    checked_step,
    learn_all,
    rewards_known,
    table_reward,
)

# Settings, each with the values that `bamdp tune` tries.
Grid = tuple[Mapping[str, tuple[Any, ...]], ...]


class Agent(ABC):
    """An agent that acts and learns.

    Subclasses store each constructor argument under its own name, then call `super().__init__`,
    which calls `reset`. `reset` makes the random generator, the belief and the number of steps.

    Args:
        problem: what is possible, what it pays, what counts.
        seed: seed of the agent's random generator.

    Attributes:
        problem: the problem.
        belief: the belief over its worlds; None if the agent keeps none.
        steps_done: number of steps observed since `reset`.
        on_tick: if set, called about every 50 ms while the agent searches or solves; an exception
            raised there stops it, the agent stays usable. It must not call the agent.
        grid: settings that `bamdp tune` tries: all combinations within each mapping, in the
            literature's ranges if known.
        uses_true_model: whether its argument `world` is the true MDP.
        state_attributes: names of the attributes that change while acting and learning, for `save`;
            those of base classes are added. A class that defines `reset` must define it.
    """

    grid: ClassVar[Grid] = ()
    uses_true_model: ClassVar[bool] = False
    state_attributes: ClassVar[tuple[str, ...]] = ("_rng", "belief", "steps_done")
    _write: ClassVar[Callable[[Agent, str | os.PathLike[str]], None]]  # of bamdp.saving

    def __init__(self, problem: BAMDP, *, seed: int = 0) -> None:
        self.problem = checked_problem(problem)
        self.on_tick: Callable[[], None] | None = None
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Forget everything learned, as if newly made with `seed`."""
        self._rng = np.random.default_rng(validation.seed(seed))
        self.belief: Any = self._first_belief()
        self.steps_done = 0

    def _first_belief(self) -> Any:
        """The belief before the first step; None for an agent that keeps none."""
        return self.problem.belief()

    @abstractmethod
    def act(self, state: int) -> int:
        """Choose an action in `state`."""

    def observe(
        self,
        state: int,
        action: int,
        reward: float,
        next_state: int,
        terminated: bool | None = False,
    ) -> None:
        """Learn from one real step.

        Args:
            state: state before the step.
            action: action of the step.
            reward: its reward.
            next_state: state after the step.
            terminated: whether the step ended the episode, None if that was not observed; needed
                only where terminal states are unknown.

        Raises:
            ValueError: an argument is out of range, the reward is not that of the problem, the step
                is impossible under the prior, or none was left; then nothing was learned.
        """
        step = checked_step(self.problem, state, action, reward, next_state, terminated)
        self._check_can_act(step.state)
        if step.reward is None:
            raise TypeError("reward must be a number, got None: agents see what they earn")
        if self.belief is not None:
            check_reward(self.problem, step)
            self.belief.learn(step)
        self.steps_done += 1

    def end_episode(self) -> None:  # noqa: B027 - most agents have no use for it
        """End an episode, terminated or truncated; the next one starts in a state returned by
        `Domain.reset`.

        What was learned is kept. An agent that plans for a whole episode (see
        `bamdp.agents.BayesianDP`) makes a new plan.
        """

    def q_values(self, state: int) -> NDArray[np.float64]:
        """The value of each action in `state`. [A]"""
        raise TypeError(f"{type(self).__name__} has no values of actions")

    def _check_state(self, state: Any) -> int:
        """`state`, if an action can be taken there now."""
        checked = check_state(self.problem, state)
        self._check_can_act(checked)
        return checked

    def _check_can_act(self, state: int) -> None:
        """Reject a terminal state, and a step after the last one."""
        check_not_over(self.problem, state)
        left = steps_left(self)
        if left is not None and left <= 0:
            raise ValueError(
                f"the horizon of {self.problem.horizon} steps has passed: no step is left; reset "
                "the agent"
            )

    def _remaining_steps(self) -> _core.StepsLeft | None:
        """What is left until the horizon; None if there is none."""
        left, length = steps_left(self), self.problem.episode_length
        if left is None or length is None or self.problem.start is None:
            return None if left is None else _core.StepsLeft(left)
        return _core.StepsLeft(left, length - self.steps_done % length, length, self.problem.start)

    def observe_many(
        self,
        states: ArrayLike,
        actions: ArrayLike,
        rewards: ArrayLike | None,
        next_states: ArrayLike,
        terminated: ArrayLike | None = None,
    ) -> None:
        """Learn from many steps that were taken before, as by `observe` for each in turn; they are
        not among those that count.

        Args:
            states: state before each step. [T]
            actions: action of each step. [T]
            rewards: reward of each step; None if not recorded: those of the problem are taken, if
                it has them. [T]
            next_states: state after each step. [T]
            terminated: whether each step ended an episode; only a prior over terminal states needs
                it. [T]

        Raises:
            ValueError: a step is out of range or impossible under the prior, or its reward is not
                that of the problem; the message has its row, and nothing was learned.
        """
        if rewards is None and not (self.problem.rewards.size and rewards_known(self.problem)):
            needed = "the reward of each step, where the problem has no known ones"
            raise TypeError(f"rewards must be {needed}, got None with {self.problem!r}")
        steps = checked_rows(self.problem, states, actions, rewards, next_states, terminated)
        if steps.rewards is None:
            paid = table_reward(self.problem, steps.states, steps.actions, steps.next_states)
            steps = steps._replace(rewards=paid)
        ended = np.isin(steps.states, sorted(self.problem.terminal))
        if ended.any():
            row = int(np.flatnonzero(ended)[0])
            state = describe_state(self.problem, int(steps.states[row]))
            raise ValueError(
                f"row {row}: state must not be terminal, got the terminal state {state}"
            )
        self._learn_many(steps)

    def _learn_many(self, steps: Steps) -> None:
        """Learn from all steps, or from none if one of them raises."""
        done = self.steps_done
        for learner in (copy.copy(self), self):  # if the copy learns from all, so does the agent
            learn_all(partial(_observe_before, learner), steps)
        self.steps_done = done

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the agent to a file; the agent that `bamdp.load` makes of it continues bit for bit
        like this one.

        The file is not a pickle and contains no code. An existing file is replaced atomically.

        Args:
            path: path of the file.

        Raises:
            TypeError: an argument or something learned can't be saved; the message says what.
            OSError: the file can't be written; an existing file is left unchanged.
        """
        Agent._write(self, path)

    def __reduce__(self) -> tuple[Any, ...]:
        """Support `copy` and `pickle`."""
        arrays: Arrays = {}
        try:
            state = capture(self, arrays)
        except TypeError as error:
            raise TypeError(
                f"an agent is copied as by agent.save and bamdp.load, and {error}"
            ) from error
        own = {name: array.copy() for name, array in arrays.items()}
        arguments = {"problem": self.problem, **settings_of(self)}
        return restored, (type(self), arguments, state, own)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A shallow copy suffices: it copies all that changes, and problems don't change."""
        return copy.copy(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join([repr(self.problem), *changed_settings(self)])})"


def _observe_before(agent: Agent, step: Step) -> None:
    """Learn from a step that was taken before those that count."""
    agent.steps_done = 0
    agent.observe(*step)  # type: ignore[arg-type]  # its reward was observed


def steps_left(agent: Agent) -> int | None:
    """The number of steps until the agent's horizon; None if there is none."""
    horizon = agent.problem.horizon
    return None if horizon is None else horizon - agent.steps_done


def restored(cls: type[Agent], arguments: dict[str, Any], state: Any, arrays: Arrays) -> Agent:
    """A new agent with these arguments of the constructor and this state."""
    agent = cls(**arguments)
    restore(agent, state, arrays)
    return agent


def settings_of(agent: Agent) -> dict[str, Any]:
    """The settings of an agent by name: the arguments of its constructor but problem and seed.

    Example:
        >>> import bamdp
        >>> settings_of(bamdp.agents.Softmax(bamdp.domains.Chain().problem(), temperature=0.5))
        {'temperature': 0.5, 'half_life': None, 'tolerance': 1e-06, 'ties': 'random'}

    Raises:
        TypeError: its class doesn't keep an argument in an attribute of that name.
    """
    try:
        return {name: vars(agent)[name] for name in setting_defaults(type(agent))}
    except KeyError as error:
        raise TypeError(
            f"each argument of {type(agent).__name__} must be kept in an attribute of its name: "
            f"{error}"
        ) from None


def changed_settings(agent: Agent) -> list[str]:
    """The settings that differ from their defaults, as texts; `…` for an argument that the agent
    doesn't keep.

    Example:
        >>> import bamdp
        >>> changed_settings(bamdp.agents.BAMCP(bamdp.domains.Grid(5).problem(), simulations=10))
        ['simulations=10']
    """
    defaults, kept = setting_defaults(type(agent)), vars(agent)
    shown = {name: repr(kept[name]) if name in kept else "…" for name in defaults}
    return [f"{name}={text}" for name, text in shown.items() if text != repr(defaults[name])]


def setting_defaults(cls: type[Agent]) -> dict[str, Any]:
    """The settings of a class of agents with their defaults, all but the seed; those of
    `**settings` are its base class's.

    Example:
        >>> import bamdp
        >>> setting_defaults(bamdp.agents.EpsilonGreedy)
        {'epsilon': 0.1, 'half_life': None, 'tolerance': 1e-06, 'ties': 'random'}
    """
    return dict(_setting_items(cls))


@lru_cache(maxsize=256)  # 0.05 ms, a quarter of what a small search takes in all
def _setting_items(cls: type[Agent]) -> tuple[tuple[str, Any], ...]:
    defaults: dict[str, Any] = {}
    for base in cls.__mro__:
        if "__init__" not in vars(base):
            continue
        parameters = inspect.signature(vars(base)["__init__"]).parameters.values()
        named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        known = ("self", "problem", "seed", *defaults)
        defaults |= {p.name: p.default for p in named if p.name not in known}
        if not any(p.kind is p.VAR_KEYWORD for p in parameters):
            break
    return tuple(defaults.items())
