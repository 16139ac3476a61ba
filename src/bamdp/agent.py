"""The agent contract: a problem, settings, and five methods.

    agent = SomeAgent(problem, setting=value, seed=0)
    action = agent.act(state)
    agent.observe(state, action, reward, next_state, terminated)      after each real step
    agent.end_episode()                                               at the end of each episode
    agent.q_values(state)                                             where it values actions
    agent.reset(seed)                                                 forgets everything learned

One agent serves one thread. Copies, made by `copy`, `pickle` or `save` and `bamdp.load`, are independent.
"""

from __future__ import annotations

import copy
import inspect
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core, validation
from bamdp.problem import BAMDP, checked_problem
from bamdp.saving.agent_file import parts, remade, save
from bamdp.validation import Steps, checked_steps

# Settings, each with the values that `bamdp tune` tries.
Grid = tuple[Mapping[str, tuple[Any, ...]], ...]


class Agent(ABC):
    """An agent that acts and learns.

    A subclass keeps each argument of its constructor, checked, in an attribute of the same name, and calls this one last, which
    calls `reset`. Of what `reset` makes, this class has the random generator, the belief and the number of steps.

    Args:
        problem: what is possible, what it pays, what counts.
        seed: seed of the agent's random generator.

    Attributes:
        problem: the problem.
        belief: the belief over its worlds; None if the agent keeps none.
        steps_done: number of steps observed since `reset`.
        grid: settings that `bamdp tune` tries: all combinations within each mapping, in the literature's ranges if known.
        keeps_belief: whether it has a belief.
        uses_true_model: whether it is given the true transition probabilities, as a learner isn't.
        state_attributes: names of the attributes that change while acting and learning, for `save`; those of base classes are
            added. A class that defines `reset` must define it.
    """

    grid: ClassVar[Grid] = ()
    keeps_belief: ClassVar[bool] = True
    uses_true_model: ClassVar[bool] = False
    state_attributes: ClassVar[tuple[str, ...]] = ("_rng", "belief", "steps_done")

    def __init__(self, problem: BAMDP, *, seed: int = 0) -> None:
        self.problem = checked_problem(problem)
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Forget everything learned, as if newly made with `seed`."""
        self._rng = np.random.default_rng(validation.seed(seed))
        self.belief: Any = self.problem.belief() if self.keeps_belief else None
        self.steps_done = 0

    @abstractmethod
    def act(self, state: int) -> int:
        """Choose an action in `state`."""

    def observe(self, state: int, action: int, reward: float, next_state: int, terminated: bool | None = False) -> None:
        """Learn from one real step.

        Args:
            state: state before the step.
            action: action of the step.
            reward: its reward.
            next_state: state after the step.
            terminated: whether the step ended the episode, None if that was not observed; needed only where terminal states
                are unknown.

        Raises:
            ValueError: an argument is out of range, the reward is not that of the problem, the step
                is impossible under the prior, or none was left; then nothing was learned.
        """
        self._check_state(state)
        paid = validation.reward(reward)
        if self.belief is not None:
            self.belief.observe(state, action, paid, next_state, terminated)
        else:
            validation.integer("action", action, 0, self.problem.num_actions - 1)
            self.problem.check_state(next_state, "next_state")
        self.steps_done += 1

    def end_episode(self) -> None:  # noqa: B027 - most agents have no use for it
        """End an episode, terminated or truncated; the next one starts in a state returned by `Domain.reset`.

        What was learned is kept. An agent that plans for a whole episode (see `bamdp.agents.BayesianDP`) makes a new plan.
        """

    def q_values(self, state: int) -> NDArray[np.float64]:
        """The value of each action in `state`. [A]"""
        raise TypeError(f"{type(self).__name__} has no values of actions")

    @property
    def steps_left(self) -> int | None:
        """The number of steps until the horizon; None if there is none."""
        return None if self.problem.horizon is None else self.problem.horizon - self.steps_done

    def _check_state(self, state: Any) -> int:
        """`state`, if an action can be taken there now."""
        checked = self.problem.check_nonterminal(state)
        if self.steps_left is not None and self.steps_left <= 0:
            raise ValueError(f"the horizon of {self.problem.horizon} steps has passed: no step is left; reset the agent")
        return checked

    def _remaining_steps(self) -> _core.StepsLeft | None:
        """What is left until the horizon; None if there is none."""
        left, length = self.steps_left, self.problem.episode_length
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
        """Learn from many steps that were taken before, as by `observe` for each in turn; they are not among those that count.

        Args:
            states: state before each step. [T]
            actions: action of each step. [T]
            rewards: reward of each step; None if not recorded: those of the problem are taken, if
                it has them. [T]
            next_states: state after each step. [T]
            terminated: whether each step ended an episode; only a prior over terminal states needs it. [T]

        Raises:
            ValueError: a step is out of range or impossible under the prior, or its reward is not
                that of the problem; the message has its row, and nothing was learned.
        """
        if rewards is None and not (self.problem.rewards.size and self.problem.prior.known_rewards):
            needed = "the reward of each step, where the problem has no known ones"
            raise TypeError(f"rewards must be {needed}, got None with {self.problem!r}")
        if terminated is None and self.problem.prior.unknown_terminal:
            raise TypeError(
                "terminated must be given, whether each step ended an episode: the prior is over terminal states too"
            )
        columns = (states, actions, rewards, next_states, terminated)
        steps = checked_steps(columns, self.problem.num_states, self.problem.num_actions)
        if steps.rewards is None:
            paid = self.problem.mean_reward(steps.states, steps.actions, steps.next_states)
            steps = steps._replace(rewards=paid)
        ended = np.isin(steps.states, sorted(self.problem.terminal))
        if ended.any():
            row = int(np.flatnonzero(ended)[0])
            state = self.problem.describe_state(int(steps.states[row]))
            raise ValueError(f"row {row}: state must not be terminal, got the terminal state {state}")
        self._learn_many(steps)

    def _learn_many(self, steps: Steps) -> None:
        """Learn from all steps, or from none if one of them raises."""
        trial, done = copy.copy(self), self.steps_done  # if the copy learns from all, so does the agent
        for learner in (trial, self):
            for row, step in enumerate(steps.rows()):
                learner.steps_done = 0
                try:
                    learner.observe(*step)  # type: ignore[arg-type]  # rewards are given
                except ValueError as error:
                    raise ValueError(f"row {row}: {error}") from error
        self.steps_done = done

    @property
    def settings(self) -> dict[str, Any]:
        """Its settings by name, all but the seed: every argument of its constructor is an attribute."""
        return {name: getattr(self, name) for name in setting_defaults(type(self))}

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

    def __reduce__(self) -> tuple[Any, ...]:
        """Support `copy` and `pickle`."""
        return remade, parts(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A shallow copy suffices: it copies all that changes, and problems don't change."""
        return copy.copy(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join([repr(self.problem), *given_settings(self)])})"


def given_settings(agent: Agent) -> list[str]:
    """The settings that differ from their defaults, as texts; `…` for an argument that the agent doesn't keep.

    Example:
        >>> import bamdp
        >>> given_settings(bamdp.agents.BAMCP(bamdp.domains.Grid(5).problem(), simulations=10))
        ['simulations=10']
    """
    defaults, missing = setting_defaults(type(agent)), object()
    values = {name: getattr(agent, name, missing) for name in defaults}
    shown = {name: "…" if value is missing else repr(value) for name, value in values.items()}
    return [f"{name}={text}" for name, text in shown.items() if text != repr(defaults[name])]


def setting_defaults(cls: type[Agent]) -> dict[str, Any]:
    """The settings of a class of agents with their defaults, all but the seed; those of `**settings` are its base class's.

    Example:
        >>> import bamdp
        >>> setting_defaults(bamdp.agents.EpsilonGreedy)
        {'epsilon': 0.1, 'half_life': None, 'tolerance': 1e-06, 'ties': 'random'}
    """
    found: dict[str, Any] = {}
    for base in cls.__mro__:
        if "__init__" not in vars(base):
            continue
        parameters = inspect.signature(vars(base)["__init__"]).parameters.values()
        named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        found |= {p.name: p.default for p in named if p.name not in ("self", "problem", "seed", *found)}
        if not any(p.kind is p.VAR_KEYWORD for p in parameters):
            break
    return found
