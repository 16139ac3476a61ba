"""The only episode loop: one agent, one domain, one seed → one record.

    agent.end_episode(); domain ← copy(domain); state ← domain.reset
    repeat: action ← agent.act(state); next_state, reward ← domain.step(state, action)
            agent.observe(state, action, reward, next_state, terminated)
            at the end of an episode: agent.end_episode(); state ← domain.reset

A run is a number of real steps over any number of episodes; the agent keeps what it has learned
from one to the next. A reward belongs to the step that returned it. `seconds` is the agent's time
alone. `Run` takes one step at a time, for `bamdp watch`; `run` takes all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bamdp import validation
from bamdp.agent import Agent, steps_left
from bamdp.domain import UNBOUNDED, Domain, is_truncated
from bamdp.prior import Belief, ends_are_known
from bamdp.problem import BAMDP, state_numbers
from bamdp.spaces import action_name, state_name
from bamdp.steps import ROUNDED, Step, rewards_known
from bamdp.validation import SeedLike

if TYPE_CHECKING:
    import pandas

COLUMNS = ("states", "actions", "rewards", "next_states", "terminated", "truncated")  # of a record


@dataclass(frozen=True)
class Record:
    """The record of one run of T steps.

    Attributes:
        states: state before each step. [T]
        actions: action of each step. [T]
        rewards: reward of each step. [T]
        next_states: state after each step; the state before the next step, unless an episode ended
            in between. [T]
        terminated: whether the step led to a terminal state. [T]
        truncated: whether a time limit, or the length of episodes, ended the episode after the
            step. [T]
        discount: discount factor of the domain.
        seconds: time the agent spent acting and learning.
        domain: the domain; None if unknown.
        problem: what the agent was told, with the names of states and actions; None if unknown.
        beliefs: the agent's belief before the first step and after each one, if `run` was asked for
            them. [T + 1]

    Example:
        >>> import bamdp
        >>> domain = bamdp.domains.DoubleLoop()
        >>> record = bamdp.run(bamdp.agents.Oracle(domain.problem(), world=domain.mdp), domain,
        ...     steps=5)
        >>> record.total_reward, record.state_name(record.final_state)
        (2.0, '0')
    """

    states: NDArray[np.int64]
    actions: NDArray[np.int64]
    rewards: NDArray[np.float64]
    next_states: NDArray[np.int64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    discount: float
    seconds: float
    domain: Domain | None = field(default=None, repr=False, compare=False)
    problem: BAMDP | None = field(default=None, repr=False, compare=False)
    beliefs: tuple[Belief, ...] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, columns: Iterable[NDArray[Any]], run: Run) -> Record:
        """The record of `run` from its columns; see `columns`."""
        states, actions, rewards, next_states, terminated, truncated = columns
        about = run.given.discount, run.seconds, run.given, run.agent.problem
        return cls(states, actions, rewards, next_states, terminated, truncated, *about)

    @property
    def columns(self) -> tuple[NDArray[Any], ...]:
        """The arrays with an entry for each step: states, actions, rewards, next_states,
        terminated, truncated.
        """
        return tuple(getattr(self, name) for name in COLUMNS)

    @property
    def total_reward(self) -> float:
        """Undiscounted sum of rewards, the measure of the paper's Table 1."""
        return float(self.rewards.sum())

    @property
    def final_state(self) -> int:
        """The state after the last step."""
        return int(self.next_states[-1])

    @property
    def episode_rewards(self) -> NDArray[np.float64]:
        """Undiscounted sum of rewards of each complete episode."""
        ends = np.flatnonzero(self.terminated | self.truncated) + 1
        return np.array([episode.sum() for episode in np.split(self.rewards, ends)[:-1]])

    @property
    def discounted_return(self) -> float:
        """Discounted sum of rewards over the run, across episodes."""
        return float(self.rewards @ self.discount ** np.arange(len(self.rewards)))

    def state_name(self, state: int) -> str:
        """The name of a state, its number if it has none."""
        return str(state) if self.problem is None else state_name(self.problem, state)

    def action_name(self, action: int) -> str:
        """The name of an action, its number if it has none."""
        return str(action) if self.problem is None else action_name(self.problem, action)

    def to_pandas(self) -> pandas.DataFrame:
        """The run as a `pandas.DataFrame`, a row for each step; states and actions by their names
        where they have some.
        """
        columns = {name: getattr(self, name).tolist() for name in COLUMNS}
        states, actions = (
            (None, None) if self.problem is None else (self.problem.states, self.problem.actions)
        )
        for name, names in (("states", states), ("actions", actions), ("next_states", states)):
            if names is not None:
                columns[name] = [names[i] for i in columns[name]]
        return validation.data_frame(columns)

    def __repr__(self) -> str:
        ends = f", final_state={self.state_name(self.final_state)}" if len(self.rewards) else ""
        return (
            f"Record({len(self.rewards)} steps, total_reward={self.total_reward:g}{ends}, "
            f"seconds={self.seconds:.3g})"
        )


class EndRun(Exception):  # noqa: N818 - not an error
    """Raise in `on_step` to stop the run and keep its record."""


class Run:
    """A run, taken one step at a time.

    Attributes:
        agent: the agent.
        domain: the domain of this run, a copy.
        given: the domain as it was given, often the same.
        state: the current state; after the end of an episode, the start of the next one.
        seconds: time the agent has spent acting and learning.
        episodes: number of episodes that have ended.
        truncated: whether a time limit, or the length of episodes, ended one after the last step.

    Example:
        >>> import bamdp
        >>> domain = bamdp.domains.DoubleLoop()
        >>> run = Run(bamdp.agents.Oracle(domain.problem(), world=domain.mdp), domain)
        >>> run.step()
        Step(state=0, action=1, reward=0.0, next_state=5, terminated=False)
        >>> run.state
        5
    """

    def __init__(
        self, agent: Agent, domain: Domain, seed: SeedLike = 0, most_episodes: int | None = None
    ) -> None:
        if not isinstance(agent, Agent):
            raise TypeError(f"agent must be a bamdp.Agent, got {agent!r}")
        if not isinstance(domain, Domain):
            raise TypeError(f"domain must be a bamdp.Domain, got {domain!r}")
        _check_agreement(agent, domain)
        length = agent.problem.episode_length
        if length is not None and agent.steps_done % length:
            raise ValueError(
                "agent must be at the start of an episode, as all have the same length; "
                "agent.reset starts again"
            )
        self._rng = np.random.default_rng(np.random.SeedSequence(validation.integer_seed(seed)))
        self.agent, self.domain, self.given = agent, copy(domain), domain
        self.state = self.domain.reset(self._rng)
        self.seconds = 0.0
        self.episodes = 0
        self.truncated = False
        self._most = agent.problem.episodes if most_episodes is None else most_episodes
        self._steps = 0  # of this episode
        agent.end_episode()  # of an earlier run

    @property
    def is_over(self) -> bool:
        """Whether the last episode has ended."""
        return self._most is not None and self.episodes >= self._most

    def step(self, action: int | None = None) -> Step:
        """Act and learn from the outcome; at the end of an episode, start the next one.

        Args:
            action: what the agent has decided to do, by `plan`; it decides by `act` if not given.
        """
        state = self.state
        started = perf_counter()
        action = self.agent.act(state) if action is None else action
        self.seconds += perf_counter() - started
        next_state, reward = self.domain.step(state, action, self._rng)
        started = perf_counter()
        terminated = next_state in self.domain.terminal
        self.agent.observe(state, action, reward, next_state, terminated)
        self.seconds += perf_counter() - started
        self.state = next_state
        self._steps += 1
        self.truncated = not terminated and is_truncated(self.domain, self._steps)
        if terminated or self.truncated:
            self.agent.end_episode()
            self.episodes += 1
            self.state, self._steps = self.domain.reset(self._rng), 0
        return Step(state, action, float(reward), next_state, terminated)


def run(
    agent: Agent,
    domain: Domain,
    steps: int | None = None,
    seed: SeedLike = 0,
    on_step: Callable[[int, float], None] | None = None,
    beliefs: bool = False,
    episodes: int | None = None,
) -> Record:
    """Run `agent` in `domain` for `steps` steps, or until the last of its episodes has ended.

    Args:
        agent: the agent; it keeps what it has learned before, call `agent.reset` for a fresh start.
        domain: the domain.
        steps: number of steps; `domain.steps` if not given.
        seed: seed of the domain's random generator; the agent has its own.
        on_step: called after each step with the number of steps done and the total reward, to show
            progress; an exception raised there stops the run, `EndRun` keeps the record of the
            steps done.
        beliefs: whether to keep a copy of the agent's belief at each step, in `record.beliefs`.
        episodes: number of episodes after which the run ends; the problem's if not given, whose
            `episodes` the agent plans with, too.

    Example:
        >>> import bamdp
        >>> domain = bamdp.domains.Chain()
        >>> agent = bamdp.agents.Random(domain.problem(), seed=0)
        >>> bamdp.run(agent, domain, steps=100, seed=0).states[0]
        np.int64(0)
    """
    counted = None if episodes is None else validation.positive_integer("episodes", episodes)
    new = Run(agent, domain, seed, counted)
    steps = checked_steps(domain.steps if steps is None else steps, domain)
    left = steps_left(agent)
    if left is not None and steps > left:
        most = f"those that the agent has left until its horizon, {left}"
        raise ValueError(f"steps must be at most {most}, got {steps}; agent.reset starts again")
    if on_step is not None and not callable(on_step):
        raise TypeError(f"on_step must be a function or None, got {on_step!r}")
    if not validation.boolean("beliefs", beliefs):
        return run_steps(new, steps, on_step)
    if agent.belief is None:
        raise ValueError(f"beliefs must be False for {type(agent).__name__}, which has no belief")
    kept = [copy(agent.belief)]

    def keep(done: int, total: float) -> None:
        kept.append(copy(agent.belief))
        if on_step is not None:
            on_step(done, total)

    record = run_steps(new, steps, keep)
    return replace(record, beliefs=tuple(kept))


SIZES = ("num_states", "num_actions")


def has_episodes(domain: Domain) -> bool:
    """Whether an episode may end before the run does."""
    return bool(domain.terminal) or domain.time_limit is not None


def _check_agreement(agent: Agent, domain: Domain) -> None:
    """Reject an agent whose problem contradicts the domain, unless that is meant."""
    for name, known, true in _differences(agent, domain):
        meant = (
            ""
            if name in SIZES
            else ", or a BAMDP with misspecified=True if it is meant to be wrong"
        )
        raise ValueError(
            f"agent and domain must agree on {name}: {agent.problem!r} of the agent has {known}, "
            f"{domain!r} has {true}; give the agent domain.problem(){meant}"
        )


def _differences(agent: Agent, domain: Domain) -> Iterator[tuple[str, Any, Any]]:
    """What the problem of an agent and a domain differ in: the name, and the value in each."""
    problem, prior = agent.problem, agent.problem.prior
    yield from _unequal(
        num_states=(problem.num_states, domain.num_states),
        num_actions=(problem.num_actions, domain.num_actions),
    )
    numbers = state_numbers(prior)
    if numbers is not None and numbers is not state_numbers(domain.problem().prior):
        yield "the prior that numbers the states", prior, domain.problem().prior
    if problem.misspecified:
        return
    told = domain.problem(prior)
    yield from _unequal(
        discount=(problem.discount, told.discount),
        horizon=(problem.horizon, told.horizon),
        episode_length=(problem.episode_length, told.episode_length),
        episodes=(problem.episodes, told.episodes),
    )
    if problem.episode_length is not None:
        yield from _unequal(start=(problem.start, told.start))
    if problem.terminal != domain.terminal and ends_are_known(prior):
        yield "the terminal states", sorted(problem.terminal), sorted(domain.terminal)
    used = agent.belief is not None and rewards_known(problem)
    if not used or domain.num_states == UNBOUNDED:
        return
    if (told.random_rewards or told.prior.unknown_rewards) and not problem.random_rewards:
        yield "random_rewards", False, True
    known, true = problem.rewards, np.asarray(domain.rewards)
    if problem.random_rewards and known.ndim < true.ndim:
        return  # means over next states, whose probabilities are unknown
    if known.ndim != true.ndim:
        known, true = (table if table.ndim == 3 else table[:, :, None] for table in (known, true))
    different = ~np.isclose(known, true, *ROUNDED)
    different[sorted(domain.terminal)] = False  # nothing is paid there
    for s, a, *_ in np.argwhere(different):
        yield f"the rewards of action {a} in state {s}", known[s, a].tolist(), true[s, a].tolist()


def _unequal(**pairs: tuple[Any, Any]) -> Iterator[tuple[str, Any, Any]]:
    """The names of pairs of different values, with both."""
    return ((name, known, true) for name, (known, true) in pairs.items() if known != true)


def seeds(seed: int, index: int) -> tuple[int, int]:
    """The seeds of the agent and of the world in run `index`.

    Example:
        >>> seeds(0, 0) == seeds(0, 0), seeds(0, 0) == seeds(0, 1), seeds(0, 1) == seeds(1, 0)
        (True, False, False)
    """
    agent, world = np.random.SeedSequence([seed, index]).spawn(2)
    return int(agent.generate_state(1, np.uint64)[0]), int(world.generate_state(1, np.uint64)[0])


def checked_steps(value: Any, domain: Domain | None = None) -> int:
    """`value` as a number of steps whose record fits in memory, and none after the horizon of
    `domain`.
    """
    steps = within_horizon(value, domain)
    validation.fits_memory(f"steps={steps}", 5 * steps)
    return steps


def within_horizon(value: Any, domain: Domain | None) -> int:
    """`value` as a number of steps, none of them after the horizon of `domain`."""
    steps = validation.positive_integer("steps", value)
    if domain is not None and domain.horizon is not None and steps > domain.horizon:
        raise ValueError(
            f"steps must be at most {domain.horizon}, the horizon of {domain!r}, got {steps}"
        )
    return steps


def run_steps(run: Run, steps: int, on_step: Callable[[int, float], None] | None = None) -> Record:
    """Take `steps` steps of `run`."""
    columns = [
        np.empty(steps, dtype)
        for dtype in (np.int64, np.int64, np.float64, np.int64, np.bool_, np.bool_)
    ]
    rewards = columns[COLUMNS.index("rewards")]
    done, total = 0, 0.0
    while done < steps and not run.is_over:
        step: Any = run.step()
        for column, value in zip(columns, (*step, run.truncated), strict=True):
            column[done] = value
        total += float(rewards[done])
        done += 1
        if on_step is not None:
            try:
                on_step(done, total)
            except EndRun:
                break
    return Record.of((column[:done] for column in columns), run)
