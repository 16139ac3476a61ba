"""The regret of anybody's choices from a log: a language model, a person, a network.

With V and Q the Bayes-optimal values after the history h_t (`bamdp.exact.Labels`), and V_w and Q_w
those of an agent that knows the world w,

    loss of learning  V(h_t) − Q(h_t, a_t)                    what no learning agent would give away
    loss of knowing   E[V_w(s_t) − Q_w(s_t, a_t) | h_t]       what a knowing agent would not

Their discounted sums over an episode have, for worlds from the prior, the expectations V(h_0) − E G
and E V_w − E G with the return G, and far less variance than returns have: the luck of the world
and of its outcomes is left out. The difference of the two sums is the price of not knowing.
"""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp import statistics, validation
from bamdp.comparing.candidates import benchmark_with_prior
from bamdp.comparing.dataset import TIES, BeliefValues, labelled, tabular
from bamdp.comparing.log import LogLine, check_length, read_episodes
from bamdp.domain import Domain
from bamdp.domains.tabular import Tabular
from bamdp.exact.labels import Labels
from bamdp.mdp import MDP, bellman_backup, unchecked_mdp
from bamdp.prior import Prior
from bamdp.priors.beta_arms import has_independent_arms
from bamdp.problem import BAMDP
from bamdp.progress import progress
from bamdp.runs.loop import within_horizon
from bamdp.statistics import Mean, digits
from bamdp.steps import Step
from bamdp.suite import Benchmark
from bamdp.validation import SeedLike

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

WORLDS = 100  # drawn for the loss of knowing, at each belief that was reached


@dataclass(frozen=True, eq=False)
class LogRegret:
    """The losses of the choices in a log.

    Attributes:
        losses: what each choice lost against a learning agent, undiscounted. [N, T]
        knowing_losses: what each lost against an agent that knows the world. [N, T]
        actions: the choices. [N, T]
        optimal_actions: the best ones. [N, T]
        returns: discounted return of each episode. [N]
        optimal_value: the Bayes-optimal value of an episode.
        discount: discount factor.
        episodes: names of the episodes. [N]
    """

    losses: Array
    knowing_losses: Array
    actions: Ints
    optimal_actions: Ints
    returns: Array
    optimal_value: float
    discount: float
    episodes: tuple[str, ...]

    def _sums(self, losses: Array) -> Array:
        sums: Array = losses @ self.discount ** np.arange(losses.shape[1])
        return sums

    @cached_property
    def regrets(self) -> Array:
        """The regret of each episode, against a learning agent. [N]"""
        return self._sums(self.losses)

    @property
    def regret(self) -> Mean:
        """The mean regret of an episode: what a learning agent would not have lost."""
        return statistics.mean(self.regrets.tolist())

    @property
    def knowing_regret(self) -> Mean:
        """The same against an agent that knows the world."""
        return statistics.mean(self._sums(self.knowing_losses).tolist())

    @property
    def by_returns(self) -> Mean:
        """The mean regret by plain returns: the same expectation, more variance."""
        return statistics.mean((self.optimal_value - self.returns).tolist())

    @property
    def by_step(self) -> Array:
        """The mean loss at each step. [T]"""
        means: Array = self.losses.mean(axis=0)
        return means

    @property
    def efficiency(self) -> float:
        """How many times as many episodes the same interval needs by returns."""
        if len(self.returns) < 2:
            return math.nan
        spread = float(self.regrets.var())
        return float(self.returns.var()) / spread if spread > 0 else math.inf

    def rows(self) -> list[dict[str, Any]]:
        """Episode, step, choice, best choice and both losses of each step."""
        return [
            {
                "episode": self.episodes[n],
                "step": t,
                "action": int(self.actions[n, t]),
                "optimal_action": int(self.optimal_actions[n, t]),
                "loss": float(self.losses[n, t]),
                "knowing_loss": float(self.knowing_losses[n, t]),
            }
            for n, t in np.ndindex(self.losses.shape)
        ]

    @property
    def price(self) -> Mean:
        """The price of not knowing the world: the difference of both regrets."""
        return statistics.mean(self._sums(self.knowing_losses - self.losses).tolist())

    def data(self) -> dict[str, Any]:
        """The result as plain values; ends of intervals as `NAME_low` and `NAME_high`."""
        means = {
            "regret": self.regret,
            "knowing_regret": self.knowing_regret,
            "price_of_not_knowing": self.price,
            "regret_by_returns": self.by_returns,
        }
        ends = {
            f"{name}{end}": getattr(mean, of)
            for name, mean in means.items()
            for end, of in (("", "value"), ("_low", "low"), ("_high", "high"))
        }
        return {
            "optimal_value": self.optimal_value,
            **ends,
            "episodes": self.losses.shape[0],
            "steps": self.losses.shape[1],
            "regret_by_step": self.by_step.tolist(),
            "times_as_many_by_returns": self.efficiency,
        }

    def lines(self) -> dict[str, str]:
        """The result, line by line."""
        times, best = self.efficiency, float((self.losses < TIES).mean())
        return {
            "Bayes-optimal value": digits(self.optimal_value, self.regret.half),
            "return": self._text(statistics.mean(self.returns.tolist())),
            "regret to an agent that knows": self._text(self.knowing_regret),
            "  to an agent that learns": self._text(self.regret),
            "  price of not knowing": self._text(self.price),
            "loss per step": digits(float(self.losses.mean())),
            "best choices": f"{100 * best:.3g} %",
            "episodes": "{:,} of {} steps".format(*self.losses.shape),
            "the same interval by returns": f"{times:.3g} times as many episodes",
        }

    def to_csv(self, path: Path) -> None:
        """Write `rows` to a file."""
        part = path.with_name(f".{path.name}.part")
        try:
            with part.open("w", newline="", encoding="utf-8") as file:
                rows = self.rows()
                writer = csv.DictWriter(file, rows[0])
                writer.writeheader()
                writer.writerows(rows)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    def __str__(self) -> str:
        lines = self.lines()
        width = max(map(len, lines))
        return "\n".join(f"{name:{width}}   {text}" for name, text in lines.items())

    @staticmethod
    def _text(mean: Mean) -> str:
        return mean.range() if mean.low is not None else f"{digits(mean.value)}, no interval"


def log_regret(
    log: str | os.PathLike[str],
    problem: BAMDP | Domain | Benchmark,
    *,
    prior: Prior | None = None,
    steps: int | None = None,
    seed: SeedLike = 0,
) -> LogRegret:
    r"""The regret of the choices in a log.

    A log is a CSV file with a line of names, or a file of JSON lines. It has the columns `action`
    and `reward`, and `episode` if there are several. `step`, `state` and `next_state` are checked
    if they are there, and needed only where they don't follow from the rest. Actions and states are
    their names; or their numbers, from 0, where no name ends in a number.

    Args:
        log: the file, `.csv` or `.jsonl`.
        problem: a problem, a domain, or a benchmark with worlds drawn from its prior.
        prior: prior over the worlds; the problem's if not given.
        steps: steps of each episode; if not given the problem's horizon or, without one, as many as
            all episodes of the log have.
        seed: seed of the worlds that losses against a knowing agent are averaged over.

    Raises:
        LogError: a line is not possible in the problem; the message has its number.
        ValueError: there are no exact values; the message says why.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> import bamdp
        >>> arms = bamdp.domains.Bandit([0.5, 0.5], discount=1.0, horizon=3)
        >>> with TemporaryDirectory() as folder:
        ...     with open(f"{folder}/log.csv", "w") as file:
        ...         _ = file.write("action,reward\narm A,0\narm A,0\narm B,1\n")
        ...     result = log_regret(file.name, arms)
        >>> result.losses.round(3)
        array([[0.   , 0.167, 0.   ]])
    """
    benchmark = benchmark_with_prior(problem, prior)
    domain, posed = tabular(benchmark), benchmark.problem
    if domain.time_limit is not None and posed.terminal:
        raise ValueError(f"problem must not have both terminal states and a time limit: {posed!r}")
    if posed.prior.unknown_terminal:
        raise ValueError(f"problem must have known terminal states, got {posed!r}")
    episodes = read_episodes(log)
    names = tuple(episodes)
    if steps is None and posed.horizon is None:
        steps = len(episodes[names[0]])
    steps = within_horizon(benchmark.steps if steps is None else steps, domain)
    for name, lines in episodes.items():
        check_length(name, lines, steps)
    labels = Labels(posed, domain.start, steps, restart=domain.start, time_limit=domain.time_limit)
    logged = _Logged(list(episodes.values()), domain, posed)
    values = BeliefValues(labels)
    _, actions, rewards, _, q = labelled(logged, values, domain, steps, len(names))
    losses = q.max(axis=-1) - np.take_along_axis(q, actions[..., None], axis=-1)[..., 0]
    best = (q >= q.max(axis=-1, keepdims=True) - TIES).argmax(axis=-1)
    knowing = _knowing_losses(logged, domain, posed, steps, validation.integer_seed(seed))
    returns = rewards @ posed.discount ** np.arange(steps)
    return LogRegret(losses, knowing, actions, best, returns, labels.value, posed.discount, names)


class _Logged:
    """The steps of a log, checked against the problem and the belief after each."""

    def __init__(
        self, episodes: Sequence[Sequence[LogLine]], domain: Tabular, problem: BAMDP
    ) -> None:
        self._domain, self._problem, self._episodes = domain, problem, episodes
        self._names = problem.actions or domain.action_names
        self._actions = np.array(
            [
                [line.index("action", self._names, domain.num_actions) for line in some]
                for some in episodes
            ]
        )
        self._beliefs = [problem.belief() for _ in episodes]
        self.steps: list[list[Step]] = [[] for _ in episodes]

    def act(self, t: int, states: Ints, q_values: Array) -> Ints:
        """The choices."""
        for n, state in enumerate(states.tolist()):
            line = self._episodes[n][t]
            written = self._state(line, "state")
            if written is not None and written != state:
                raise line.error(
                    f"state must be {self._name(state)}, which the step before led to, got "
                    f"{self._name(written)}"
                )
        actions: Ints = self._actions[:, t]
        return actions

    def step(self, t: int, states: Ints, actions: Ints) -> tuple[Ints, Array, NDArray[np.bool_]]:
        """What followed, which must be possible."""
        for n, (state, action) in enumerate(zip(states.tolist(), actions.tolist(), strict=True)):
            line = self._episodes[n][t]
            reward = line.real("reward")
            next_state = self._next(n, t, state, action, reward)
            step = Step(state, action, reward, next_state, next_state in self._problem.terminal)
            try:
                self._beliefs[n].observe(*step)
            except ValueError as error:
                raise line.error(str(error)) from error
            self.steps[n].append(step)
        last = [steps[-1] for steps in self.steps]
        return (
            np.array([step.next_state for step in last]),
            np.array([step.reward for step in last]),
            np.array([step.terminated for step in last]),
        )

    def _next(self, n: int, t: int, state: int, action: int, reward: float) -> int:
        """The next state: written in the line, or the one state that pays the reward."""
        line, problem = self._episodes[n][t], self._problem
        written = self._state(line, "next_state")
        if problem.prior.unknown_rewards:
            if written is None and problem.num_states > 1:
                raise line.error("there is no next_state")
            return written or 0
        paid = np.broadcast_to(problem.rewards[state, action], problem.num_states)
        likely = self._beliefs[n].predictive(state, action) > 0
        possible = np.flatnonzero(np.isclose(paid, reward, rtol=1e-6, atol=1e-9) & likely)
        chosen = self._action(action)
        if not len(possible):
            known = " or ".join(f"{value:g}" for value in np.unique(paid[likely]))
            raise line.error(f"reward must be {known} after {chosen}, got {reward:g}")
        if len(possible) > 1 and written is None:
            last = t + 1 == len(self._episodes[n])  # what follows does not matter
            written = int(possible[0]) if last else self._following(n, t)
            if written is None:
                raise line.error("there is no next_state, and the reward does not tell it")
        if written is not None and written not in possible:
            raise line.error(
                f"next_state must be one that pays {reward:g} after {chosen}, got "
                f"{self._name(written)}"
            )
        return int(possible[0] if written is None else written)

    def _following(self, n: int, t: int) -> int | None:
        """The state of the next line, where no episode of the domain ends in between."""
        if self._domain.time_limit is not None or self._problem.terminal:
            return None
        return self._state(self._episodes[n][t + 1], "state")

    def _state(self, line: LogLine, name: str) -> int | None:
        if not line.has(name):
            return None
        return line.index(name, self._problem.states, self._problem.num_states)

    def _name(self, state: int) -> str:
        return str(state) if self._problem.states is None else str(self._problem.states[state])

    def _action(self, action: int) -> str:
        return f"action {action}" if self._names is None else str(self._names[action])


def _knowing_losses(
    logged: _Logged, domain: Tabular, problem: BAMDP, steps: int, seed: int
) -> Array:
    """E[V_w(s) − Q_w(s, a)] of each choice, over worlds drawn from the belief before it. [N, T]

    Equal histories, up to their order, have the same worlds.
    """
    losses = np.empty((len(logged.steps), steps))
    kept: dict[Any, Array] = {}
    arms = has_independent_arms(problem.prior)  # of which the state tells nothing
    with progress("choices") as show:
        for n, some in enumerate(logged.steps):
            belief = problem.belief()
            seen: list[tuple[Any, ...]] = []
            for t, (state, action, reward, next_state, terminated) in enumerate(some):
                state = 0 if arms else state
                key = state, t, tuple(sorted(seen))
                if key not in kept:
                    rng = np.random.default_rng(
                        np.random.SeedSequence(seed, spawn_key=(len(kept),))
                    )
                    worlds = belief.sample(WORLDS, rng)
                    kept[key] = _lost(worlds, domain, steps, t, state)
                losses[n, t] = kept[key][action]
                belief.observe(state, action, reward, next_state, terminated)
                seen.append((state, action, reward, next_state))
            show("", (n + 1) * steps, losses.size)
    return losses


def _lost(worlds: MDP, domain: Tabular, steps: int, t: int, state: int) -> Array:
    """What each action loses against the best, on average over worlds that are known. [A]"""
    start, length, over = domain.start, domain.time_limit, worlds.terminal
    going_on = unchecked_mdp(
        worlds.probabilities, worlds.rewards, np.zeros_like(over), worlds.successors
    )  # the next episode follows the end of one
    values = np.zeros(over.shape)
    for done in range(steps - 1, t, -1):
        values = bellman_backup(going_on, values, domain.discount).max(axis=-1)
        limited = length is not None and done % length == 0
        values = np.where(over | limited, values[:, [start]], values)
    q_values = bellman_backup(going_on, values, domain.discount)[:, state]
    lost: Array = (q_values.max(axis=1, keepdims=True) - q_values).mean(axis=0)
    return lost
