"""What is observed in a Bayes-adaptive MDP: the state, the step where there is a horizon, and tables of the belief.

| `belief`    | for                                              | tables                                                    |
|-------------|--------------------------------------------------|-----------------------------------------------------------|
| `"counts"`  | Dirichlet, SparseDirichlet, BetaArms, SharedSlip | counts of what was observed                               |
| `"weights"` | Finite, Parametric                               | the posterior probability of each world                   |
| `"mean"`    | all priors that can sample worlds                | the posterior mean of transitions, and of unknown rewards |

Where rewards are unknown (`UnknownRewards`) there is a second table for them, "rewards". With the prior, counts and weights are
sufficient: they give the posterior. Tables are kept for many copies of an environment at once, [N, …].
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from bamdp.mdp import MDP
from bamdp.prior import Belief
from bamdp.problem import BAMDP
from bamdp.validation import fits_memory, one_of

Array = NDArray[np.float64]
Index = NDArray[np.int64]
Tables = dict[str, NDArray[Any]]
BeliefKind = Literal["counts", "weights", "mean"]

LARGEST = float(np.finfo(np.float32).max)  # of an observation


class Seen(NamedTuple):
    """One step of some of the copies.

    Attributes:
        at: those copies. [K]
        states: states before. [K]
        actions: actions. [K]
        rewards: rewards. [K]
        next_states: states after, before a new episode of the domain starts. [K]
        ended: whether the episode of the domain was terminated. [K]
    """

    at: Index
    states: Index
    actions: Index
    rewards: Array
    next_states: Index
    ended: NDArray[np.bool_]


class Observations:
    """The observations of all copies of an environment.

    Args:
        problem: the problem.
        kind: how the belief is observed; the first that the prior has if not given.
        steps: number of steps of an episode of the environment.
        flat: whether an observation is one vector instead of a dictionary.
        copies: number of copies.

    Attributes:
        belief: the belief before any step.
        kind: how the belief is observed: "counts", "weights" or "mean".
        space: the space of one copy.
    """

    def __init__(self, problem: BAMDP, kind: BeliefKind | None, steps: int, flat: bool, copies: int = 1) -> None:
        S, A = problem.num_states, problem.num_actions
        if kind is not None:
            one_of("belief", kind, get_args(BeliefKind))
        if kind != "weights":
            fits_memory("the belief in an observation", S * A * S)
        self.belief, prior = problem.belief(), problem.prior
        self._timed, self._arms = problem.horizon is not None, _is_arms(problem)
        rows = self.belief if prior.of_transitions is prior else prior.of_transitions.belief(problem)
        self.kind = _kind(rows, kind)
        try:
            self.belief.sample(1, np.random.default_rng(0))
            self._parts = _parts(rows, self.kind, steps, copies)
        except TypeError as error:
            needed = "able to sample tables of transitions and to average them, like Dirichlet"
            raise TypeError(f"prior must be {needed}; {prior!r}: {error}") from error
        bounds = {name: ends for part in self._parts for name, ends in part.bounds.items()}
        bounds = {"belief": bounds["rewards"]} if self._arms else bounds
        boxes = {name: _box(table.shape[1:], *bounds[name]) for name, table in self._tables().items()}
        step: dict[str, spaces.Space[Any]] = {"step": spaces.Discrete(steps + 1)} if self._timed else {}
        self.space: spaces.Space[Any] = spaces.Dict({"state": spaces.Discrete(S), **step, **boxes})
        self._one_hot = np.eye(S, dtype=np.float32) if flat else None
        if flat:
            every = [_box((S,), 0, 1), *(_box((1,), 0, steps) for _ in step), *boxes.values()]
            low, high = (np.concatenate([getattr(box, end).ravel() for box in every]) for end in ("low", "high"))
            self.space = spaces.Box(low, high, dtype=np.float32)

    def reset(self, at: Index) -> None:
        """Forget everything, in some copies."""
        for part in self._parts:
            part.reset(at)

    def observe(self, seen: Seen) -> None:
        """Learn from a step of some copies."""
        for part in self._parts:
            part.observe(seen)

    def of(self, states: Index, steps: Index) -> Any:
        """The observations in `states` after `steps` steps; new arrays. [N, …]"""
        tables, timed = self._tables(), {"step": steps.copy()} if self._timed else {}
        if self._one_hot is None:
            return {"state": states.copy(), **timed, **tables}
        columns = [
            table.reshape(len(states), -1).astype(np.float32, copy=False) for table in (*timed.values(), *tables.values())
        ]
        return np.concatenate([self._one_hot[states], *columns], axis=1)

    def _tables(self) -> Tables:
        tables = {name: table for part in self._parts for name, table in part.tables().items()}
        return {"belief": np.ascontiguousarray(tables["rewards"][:, 0])} if self._arms else tables


def one(observations: Any, index: int = 0) -> Any:
    """The observation of one copy."""
    return {name: part[index] for name, part in observations.items()} if isinstance(observations, dict) else observations[index]


def _box(shape: tuple[int, ...], low: Any, high: Any) -> spaces.Box:
    low, high = (np.full(shape, end, np.float32) for end in (low, high))
    return spaces.Box(low, high, dtype=np.float32)


def _is_arms(problem: BAMDP) -> bool:
    """Whether there is nothing to learn but the rewards of the actions of one state."""
    prior = problem.prior
    return prior.of_transitions is prior and prior.has_rewards and problem.num_states == 1 and hasattr(prior, "outcomes")


def _kind(rows: Belief, kind: BeliefKind | None) -> BeliefKind:
    """`kind`, if a belief over transitions has it; if None, the first that it has of counts, weights and mean."""
    weighted = rows.particles is not None
    counted = rows.counts is not None or hasattr(rows, "slips")
    found: BeliefKind = "counts" if counted else "weights" if weighted else "mean"
    if kind in (None, "mean", found):
        return found if kind is None else kind
    takes = {"counts": "Dirichlet, SparseDirichlet, BetaArms and SharedSlip", "weights": "Finite and Parametric"}[kind]
    raise TypeError(f'belief="{kind}" is for {takes}, not for {rows.problem.prior!r}; use belief="{found}"')


def _parts(rows: Belief, kind: BeliefKind, steps: int, copies: int) -> list[Part]:
    """The tables of a belief over transitions, and of rewards if the prior adds them."""
    problem, S, A = rows.problem, rows.num_states, rows.num_actions
    prior: Any = problem.prior.of_transitions
    added, arms = prior is not problem.prior, _is_arms(problem)
    parts: list[Part] = []
    if rows.particles is not None:
        parts = [Weights(rows, kind, copies)]
    elif kind != "counts" and not arms:
        parts = [Beliefs(lambda: prior.belief(problem), kind, copies)]
    elif hasattr(rows, "slips"):
        parts = [Slips(prior, steps, copies)]
    elif not arms:
        parts = [Counts((A, S) if prior.independent_arms else (S, A, S), steps, copies)]
    if added or arms:
        normal = getattr(problem.prior, "outcomes", None) is not None
        parts.append((RewardMoments if normal else RewardCounts)(problem, kind, steps, copies))
    return parts


class Part(ABC):
    """What is remembered of the steps of each copy, and the tables in the observation that show it.

    Args:
        start: what is remembered before any step.
        copies: number of copies.

    Attributes:
        kept: what is remembered. [N, …]
        bounds: lowest and highest number of each table.
    """

    bounds: dict[str, tuple[Any, Any]]

    def __init__(self, start: NDArray[Any], copies: int) -> None:
        fits_memory(f"num_envs={copies}", copies * start.size)
        self._start, self.kept = start, np.tile(start, (copies, *(1 for _ in start.shape)))

    def reset(self, at: Index) -> None:
        """Forget everything, in some copies."""
        self.kept[at] = self._start

    @abstractmethod
    def observe(self, seen: Seen) -> None:
        """Learn from a step."""

    @abstractmethod
    def tables(self) -> Tables:
        """The tables by name, new arrays of 32-bit numbers. [N, …] each"""


class Counts(Part):
    """Transitions observed, [S, A, S]; or [A, S], where rows are the same in all states."""

    def __init__(self, shape: tuple[int, ...], steps: int, copies: int) -> None:
        super().__init__(np.zeros(shape, np.float32), copies)
        self.bounds = {"belief": (0, steps)}

    def observe(self, seen: Seen) -> None:
        row = (seen.states, seen.actions, seen.next_states)[4 - self.kept.ndim :]
        self.kept[(seen.at, *row)] += 1

    def tables(self) -> Tables:
        return {"belief": self.kept.copy()}


class Slips(Counts):
    """Slips observed, and steps as intended, [2]; a step that doesn't show which it was counts as neither."""

    def __init__(self, prior: Any, steps: int, copies: int) -> None:
        super().__init__((2,), steps, copies)
        self._intended = prior.intended
        self._tells = prior.slipped[..., 0] != prior.intended  # [S, A]

    def observe(self, seen: Seen) -> None:
        pair = seen.states, seen.actions
        self.kept[seen.at, np.where(self._intended[pair] == seen.next_states, 1, 0)] += self._tells[pair]


class Weights(Part):
    """The posterior over a finite set of worlds, w_m ∝ w_m P_m(s' | s, a) [m pays r] [m ends in s', or not]; or their mean."""

    def __init__(self, belief: Belief, kind: BeliefKind, copies: int) -> None:
        assert belief.particles is not None
        worlds = self._worlds = belief.particles
        super().__init__(np.asarray(worlds.weights), copies)
        self._mean, self._has_rewards = kind == "mean", belief.has_rewards
        same = bool((worlds.transitions == worlds.transitions[:1]).all())
        self._rows = None if same else _worlds_last(worlds.transitions)  # [S, A, S, M]
        self._paid = _worlds_last(worlds.rewards) if belief.has_rewards else None  # [S, A, M] or [S, A, S, M]
        self._terminal = _worlds_last(worlds.terminal) if belief.has_ends else None  # [S, M]
        paid = np.where(worlds.terminal[..., None], 0.0, worlds.expected_rewards)
        self.bounds = {"belief": (0, 1), "rewards": (paid.min(), paid.max())}
        if self._mean:
            fits_memory(f"num_envs={copies}", copies * worlds.transitions[0].size)

    def observe(self, seen: Seen) -> None:
        if self._rows is None and self._paid is None and self._terminal is None:
            return
        whole = len(seen.at) == len(self.kept)
        weights = self.kept if whole else self.kept[seen.at]
        row = seen.states, seen.actions, seen.next_states
        if self._rows is not None:
            weights *= self._rows[row]
        if self._paid is not None:
            weights *= self._paid[row[: self._paid.ndim - 1]] == seen.rewards[:, None]
        if self._terminal is not None:
            weights *= self._terminal[seen.next_states] == seen.ended[:, None]
        weights /= np.einsum("nm->n", weights)[:, None]
        if not whole:
            self.kept[seen.at] = weights

    def tables(self) -> Tables:
        if not self._mean:
            return {"belief": self.kept.astype(np.float32)}
        means = [_mean_tables(self._worlds.with_weights(weights).mean(), self._has_rewards) for weights in self.kept]
        return {name: np.clip([mean[name] for mean in means], *self.bounds[name]).astype(np.float32) for name in means[0]}


class Beliefs(Part):
    """The weights of parameters, or the posterior mean, by a belief for each copy."""

    def __init__(self, make: Callable[[], Belief], kind: BeliefKind, copies: int) -> None:
        self.bounds = {"belief": (0, 1), "rewards": (-LARGEST, LARGEST)}
        self._make, self._weights, first = make, kind == "weights", make()
        self._alone = first.counts is not None  # rows are independent: an observation changes one
        self._tied = first.problem.prior.of_transitions.independent_arms
        self._first = self._shown(first)
        fits_memory(f"num_envs={copies}", copies * sum(table.size for table in self._first.values()))
        self._tables = {name: np.stack([table] * copies) for name, table in self._first.items()}
        self._beliefs = [make() for _ in range(copies)]

    def reset(self, at: Index) -> None:
        for i in at.tolist():
            self._beliefs[i] = self._make()
        for name, table in self._first.items():
            self._tables[name][at] = table

    def observe(self, seen: Seen) -> None:
        table = self._tables["belief"]
        for i, state, action, reward, next_state, ended in zip(*(column.tolist() for column in seen), strict=True):
            belief = self._beliefs[i]
            belief.observe(state, action, reward, next_state, ended)
            if self._alone:
                table[(i, action) if self._tied else (i, state, action)] = belief.predictive(state, action)
                continue
            for name, shown in self._shown(belief).items():
                self._tables[name][i] = shown

    def tables(self) -> Tables:
        return {name: table.copy() for name, table in self._tables.items()}

    def _shown(self, belief: Any) -> Tables:
        tables = {"belief": belief.weights} if self._weights else _mean_tables(belief.mean(), belief.has_rewards)
        if self._tied:
            tables["belief"] = tables["belief"][0]
        return {name: np.clip(table, *self.bounds[name]).astype(np.float32) for name, table in tables.items()}


class RewardCounts(Part):
    """How often each value was observed as a reward, [S, A, V]; or the posterior mean of the rewards, [S, A]."""

    def __init__(self, problem: BAMDP, kind: BeliefKind, steps: int, copies: int) -> None:
        prior: Any = problem.prior
        self._values, self._prior, self._mean = prior.values, prior, kind == "mean"
        self._order = np.argsort(self._values)
        super().__init__(np.zeros((problem.num_states, problem.num_actions, len(self._values)), np.float32), copies)
        self.bounds = {"rewards": prior.reward_range(problem.rewards) if self._mean else (0, steps)}

    def observe(self, seen: Seen) -> None:
        value = self._order[np.searchsorted(self._values, seen.rewards, sorter=self._order)]
        self.kept[seen.at, seen.states, seen.actions, value] += 1

    def tables(self) -> Tables:
        if not self._mean:
            return {"rewards": self.kept.copy()}
        weights = self._prior.alpha + self.kept
        if self._prior.deterministic:
            weights = np.where(self.kept.any(axis=3, keepdims=True), self.kept, weights)
        mean = weights @ self._values / weights.sum(axis=3)
        return {"rewards": np.clip(mean, *self.bounds["rewards"]).astype(np.float32)}


class RewardMoments(Part):
    """Number, mean and variance of the rewards observed, [S, A, 3], where they are normal; or their posterior mean, [S, A]."""

    def __init__(self, problem: BAMDP, kind: BeliefKind, steps: int, copies: int) -> None:
        prior: Any = problem.prior
        sizes = problem.num_states, problem.num_actions
        table = prior.outcomes.table(*sizes)
        self._prior_mean, self._strength = np.broadcast_to(table, (sizes[0] * sizes[1], 4)).T[:2].reshape(2, *sizes)
        self._mean = kind == "mean"
        super().__init__(np.zeros((*sizes, 3)), copies)  # number, mean, and sum of squared distances from it
        moments = np.array([0.0, -LARGEST, 0.0]), np.array([steps, LARGEST, LARGEST])
        self.bounds = {"rewards": (-LARGEST, LARGEST) if self._mean else moments}

    def observe(self, seen: Seen) -> None:
        pair = seen.at, seen.states, seen.actions
        n, mean, squares = self.kept[pair].T
        away = seen.rewards - mean
        n = n + 1
        mean = mean + away / n
        self.kept[pair] = np.stack([n, mean, squares + away * (seen.rewards - mean)], axis=1)

    def tables(self) -> Tables:
        n, mean, squares = np.moveaxis(self.kept, -1, 0)
        if self._mean:
            share = n / (n + self._strength)  # 0 where the mean is known
            shown = self._prior_mean + share * (mean - self._prior_mean)
        else:
            shown = np.stack([n, mean, squares / np.maximum(n, 1)], axis=-1)
        return {"rewards": np.clip(shown, *self.bounds["rewards"]).astype(np.float32)}


def _mean_tables(mean: MDP, has_rewards: bool) -> Tables:
    return {"belief": mean.transitions, **({"rewards": mean.expected_rewards} if has_rewards else {})}


def _worlds_last(table: NDArray[Any]) -> NDArray[Any]:
    """[M, …] as […, M], so that the numbers of all worlds lie together."""
    return np.ascontiguousarray(np.moveaxis(table, 0, -1))
