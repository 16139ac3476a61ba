"""An upper bound on the Bayes-optimal value, for problems too large to solve.

Suppose the agent is told which world w it is in after d steps. With V_w the optimal value in w, known, the best it can do is

    U_0(h) = E[V_w(s) | h],   U_d(h) = max_a E[r + γ U_{d−1}(h') | h, a],   V* ≤ … ≤ U_2 ≤ U_1 ≤ U_0

U_0 is the mean value of knowing the world. U_d is the bound by information relaxation (Brown, Smith and Sun 2010) with the
penalty Σ_{t<d} γᵗ (x_t − E[x_t | h_t, a_t]) + γᵈ (V_w(s_d) − U_0(h_d)), x_t = r_t + γ U_{d−t−1}(h_{t+1}), of mean 0 for every
policy: rewards less penalty are U_d(h_0) + Σ_{t<d} γᵗ (Q_{d−t}(h_t, a_t) − U_{d−t}(h_t)) ≤ U_d(h_0), whatever one knows.

It is computed for M worlds drawn from the posterior instead of all: the weight of a world after a history is 1/M times its
likelihood, and with u(h) = Σ_w weight_w(h) · (value after h),

    u_d(h) = max_a Σ_s' (r(s, a, s') Σ_w weight_w(h a s') + γ u_{d−1}(h a s')),   u_0(h) = Σ_w weight_w(h) V_w(s)

over all histories of d steps; those with the same transitions have the same weights and are one. This is the largest sample
mean over policies, so its expectation is at least the largest mean: the average over independent batches bounds V* in
expectation. It is also at least the sample mean of J_w, the value in world w of the one policy that is best for all worlds; the
J_w are independent, at most V_w, and of mean U_d: that gives a confidence limit for any distribution of rewards in their range
(`bamdp.exact._limits`). Where the belief is over few worlds with known weights, these are taken, and the bound is exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp import _core, statistics, validation
from bamdp.exact._limits import upper_limit
from bamdp.exact._seen import AugmentedStates
from bamdp.exact.bayes_optimal import LONGEST
from bamdp.mdp import MDP
from bamdp.prior import Belief
from bamdp.problem import BAMDP, checked_problem
from bamdp.statistics import Mean
from bamdp.validation import UNBOUNDED, distribution_rows, fits_memory, integer, positive_integer

LIMIT = 10_000_000  # weights, 80 MB
DEEPEST = 1000  # steps of the default delay
PRECISION = 1e-10  # of the values of worlds, relative to the largest possible one

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class UpperBound:
    """An upper bound on the Bayes-optimal value, estimated, or exact for a belief over few worlds.

    Attributes:
        value: the mean of the batches; its expectation is at least the Bayes-optimal value.
        standard_error: its standard error; 0 if exact.
        high: one-sided 97.5 % confidence limit, for any distribution of returns in their range; `value`, rounded up, if exact.
            The Bayes-optimal value is below it with at least this confidence.
        delay: after how many steps the world is told.
        knowing: mean value of knowing the world from the start, the bound for delay 0, with its 95 % interval.
    """

    value: float
    standard_error: float
    high: float
    delay: int
    knowing: Mean


def upper_bound(
    problem: BAMDP,
    state: int,
    *,
    delay: int | None = None,
    horizon: int | None = None,
    belief: Belief | None = None,
    restart: int | None = None,
    worlds: int = 500,
    batches: int = 10,
    limit: int = LIMIT,
    seed: int = 0,
) -> UpperBound:
    """A bound on what any agent that has to learn the world can earn on average: at most what it earns if told the world later.

    Args:
        problem: the problem, whose prior can sample whole transition tables; or the infinite grid, where the agent is told
            the parameters of all columns and rows from the start, and paths may collect rewards twice.
        state: the current state.
        delay: number of steps after which the world is told; the more, the tighter and the slower. By default the largest
            that `limit` allows.
        horizon: bound the value of so many steps; if not given, of the problem's horizon, or of all steps.
        belief: the belief after observations; that of the prior if not given.
        restart: state in which the next episode starts, as in `bamdp.run`; if not given, the value is that of one episode.
        worlds: number of worlds drawn for a batch.
        batches: number of independent batches, at least 5. Nothing is drawn if the belief is over a finite set of no more
            worlds than would be drawn for all batches.
        limit: maximum number of weights of a batch, one for each history and world, of 8 bytes each; and of continuations of
            histories by one step.
        seed: seed of the random generator.

    Raises:
        ValueError: `limit` does not allow `delay`, and the message has the largest that it allows; or the problem has an
            episode length.

    Example:
        >>> import bamdp
        >>> problem = bamdp.BAMDP(bamdp.priors.BetaArms(), rewards=[[[0, 1], [0, 1]]] * 2, discount=0.9)
        >>> bound = upper_bound(problem, state=0, delay=8)
        >>> optimum = bamdp.exact.bayes_optimal(problem, state=0, tolerance=0.01)
        >>> round(optimum.value, 2), round(bound.high, 1), round(bound.knowing.value, 1)
        (6.09, 6.4, 6.7)
    """
    worlds, limit = positive_integer("worlds", worlds, 10**6), positive_integer("limit", limit, 10**12)
    batches = integer("batches", batches, statistics.FEWEST, 10**6)
    if checked_problem(problem).num_states == UNBOUNDED and delay in (None, 0) and restart is None:
        return _without_tables(problem, problem.check_state(state), horizon, belief, worlds * batches, seed)
    posed = _Problem.of(problem, state, horizon, belief, restart)
    pilot, *generators = np.random.default_rng(validation.seed(seed)).spawn(batches + 1)
    known = posed.all_worlds(worlds * batches)
    if known is not None:
        tables, weights = known
        delay = _depth(posed, tables, delay, limit)
        value, values = _batch(posed, tables, weights, delay)
        mean = float(weights @ values)
        return UpperBound(value, 0.0, value + posed.rounding, delay, Mean(mean, mean, mean))
    fits_memory(f"worlds={worlds}", worlds * posed.num_cells)
    delay, even = _depth(posed, posed.draw(worlds, pilot), delay, limit), np.full(worlds, 1 / worlds)
    told, known = zip(*(_batch(posed, posed.draw(worlds, rng), even, delay) for rng in generators), strict=True)
    value, knowing = statistics.mean(told).value, statistics.mean([float(even @ values) for values in known])
    high = upper_limit(value, np.concatenate(known), *posed.range)
    return UpperBound(value, statistics.standard_error(told), high + posed.rounding, delay, knowing)


def _without_tables(
    problem: BAMDP, state: int, horizon: int | None, belief: Belief | None, worlds: int, seed: int
) -> UpperBound:
    """By what the belief itself says of knowing the world."""
    horizon = problem.horizon if horizon is None else positive_integer("horizon", horizon, LONGEST)
    rng = np.random.default_rng(validation.seed(seed))
    values = problem.resolve_belief(belief).perfect_information_values(state, horizon, worlds, rng)
    ones, knowing = _ones(problem.discount, horizon), statistics.mean(values.tolist())
    high = upper_limit(knowing.value, values, *(ones * reward for reward in problem.prior.reward_range(problem.rewards)))
    return UpperBound(knowing.value, statistics.standard_error(values.tolist()), high, 0, knowing)


class _Problem(NamedTuple):
    """Checked arguments."""

    belief: Belief
    seen: AugmentedStates | None  # where worlds differ in rewards or terminal states
    rewards: Array  # [S, A] or [S, A, S]
    discount: float
    state: int
    horizon: int | None
    terminal: list[int]
    restart: int | None

    @classmethod
    def of(cls, problem: BAMDP, state: int, horizon: int | None, belief: Belief | None, restart: int | None) -> _Problem:
        if checked_problem(problem).num_states == UNBOUNDED:
            raise ValueError("rewards must be those of finitely many states, got none: whole worlds are sampled and solved")
        if problem.episode_length is not None:
            raise ValueError(f"episode_length must be None for upper_bound, got {problem.episode_length}")
        horizon = problem.horizon if horizon is None else positive_integer("horizon", horizon, LONGEST)
        validation.discount(problem.discount, ends=horizon is not None)
        state = problem.check_nonterminal(state)
        if restart is not None:
            restart = problem.check_nonterminal(restart, "restart")
        belief = problem.resolve_belief(belief)
        if belief.particles is None and (belief.unknown_rewards or belief.unknown_terminal):
            raise TypeError(f"prior must be one over transitions alone, or over finitely many worlds, got {problem.prior!r}")
        if belief.particles is None and type(belief).sample is Belief.sample:
            needed = "one that can sample whole transition tables"
            raise TypeError(f"prior must be {needed}, got {problem.prior!r}")
        if not (belief.unknown_rewards or belief.unknown_terminal):
            return cls(belief, None, problem.rewards, problem.discount, state, horizon, sorted(problem.terminal), restart)
        seen = AugmentedStates(problem, belief)
        restart = None if restart is None else seen.state(restart)
        given = (seen.rewards, problem.discount, seen.state(state), horizon, sorted(seen.terminal), restart)
        return cls(belief, seen, *given)

    @property
    def num_cells(self) -> int:
        """Number of transitions (s, a, s')."""
        S, A = self.rewards.shape[:2]
        return int(S * A * S)

    @property
    def arrival(self) -> Indices:
        """The state that the agent is in after each next state. [S]"""
        states = np.arange(len(self.rewards))
        if self.restart is not None:
            states[self.terminal] = self.restart
        return states

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest possible return."""
        ends = bool(self.terminal) and self.restart is None
        steps = _ones(self.discount, self.horizon)
        least, most = float(self.rewards.min()), float(self.rewards.max())
        return (min(least, 0.0) if ends else least) * steps, (max(most, 0.0) if ends else most) * steps

    @property
    def rounding(self) -> float:
        """What the values of worlds may be too low by."""
        return PRECISION * max(map(abs, self.range))

    def all_worlds(self, most: int) -> tuple[Array, Array] | None:
        """The worlds [M, S, A, S] and their weights [M], if these are finitely many and at most so many."""
        known = self.belief.particles
        if known is None or known.weights is None:
            return None
        left = np.flatnonzero(known.weights)
        if len(left) > most:
            return None
        fits_memory(f"{len(left)} worlds", len(left) * self.num_cells)
        return self._tables(known.take(left)), known.weights[left]

    def draw(self, worlds: int, rng: np.random.Generator) -> Array:
        """Worlds from the posterior. [M, S, A, S]"""
        try:
            return distribution_rows("the prior's sample()", self._tables(self.belief.sample(worlds, rng)))
        except TypeError as error:
            raise TypeError(f"prior must be one that can sample whole transition tables: {error}") from error

    def _tables(self, worlds: MDP) -> Array:
        return worlds.transitions if self.seen is None else self.seen.tables(worlds)


def _ones(discount: float, horizon: int | None) -> float:
    """The return of a reward of 1 in each step."""
    steps = math.inf if horizon is None else horizon
    return steps if discount == 1 else (1 - discount**steps) / (1 - discount)


class _Level(NamedTuple):
    """The histories of equally many steps, and their continuations by one step."""

    states: Indices  # [N]
    parents: Indices  # history that each continuation continues [E]
    cells: Indices  # its transition, (s A + a) S + s' [E]
    children: Indices  # its index in the next level [E]
    first: Indices  # one of the continuations to each history of the next level [N']


class _Histories:
    """The histories of a problem in some worlds, level by level; those with the same transitions are one."""

    def __init__(self, problem: _Problem, tables: Array) -> None:
        S, A = problem.rewards.shape[:2]
        possible = np.any(tables > 0, axis=0)
        possible[problem.terminal] = False  # no steps from there
        self.cells = np.flatnonzero(possible)
        self.counts = possible.sum(axis=(1, 2))  # [S]
        self.starts = np.cumsum(self.counts) - self.counts
        # A history is known by the sum of the random codes of its transitions, and by its state: 64 bits are enough for
        # 10⁶ histories to differ except with a probability below 10⁻⁷. A transition that is certain says nothing.
        codes = np.random.default_rng(0).integers(2**64, size=problem.num_cells + S, dtype=np.uint64)
        self.codes, self.places = codes[: problem.num_cells].reshape(S, A, S), codes[problem.num_cells :]
        if not problem.terminal and (tables == tables[:, :1]).all():  # arms: the same rows in all states
            self.codes = np.broadcast_to(self.codes[:1], (S, A, S))
            if (problem.rewards == problem.rewards[:1]).all():
                self.places = np.zeros(S, np.uint64)
        self.codes = np.where((tables == 1).all(axis=0), np.uint64(0), self.codes).ravel()
        self.arrival = problem.arrival
        self.states, self.keys = np.array([problem.state]), np.zeros(1, np.uint64)

    @property
    def continuations(self) -> int:
        """How many the current histories have, before equal ones are found."""
        return int(self.counts[self.states].sum())

    def next_level(self) -> _Level:
        """Go one step on."""
        counts = self.counts[self.states]
        parents = np.repeat(np.arange(len(counts)), counts)
        places = np.arange(len(parents)) - np.repeat(np.cumsum(counts) - counts, counts)
        cells = self.cells[self.starts[self.states[parents]] + places]
        arrived = self.arrival[cells % len(self.arrival)]
        keys = self.keys[parents] + self.codes[cells]
        _, first, children = np.unique(keys + self.places[arrived], return_index=True, return_inverse=True)
        level = _Level(self.states, parents, cells, children, first)
        self.states, self.keys = arrived[first], keys[first]
        return level


def _depth(problem: _Problem, tables: Array, delay: int | None, limit: int) -> int:
    """The delay, checked; by default the largest that fits. The histories of delay − 1 steps need weights."""
    longest = DEEPEST if problem.horizon is None else min(problem.horizon, DEEPEST)
    wanted = longest if delay is None else integer("delay", delay, 0, DEEPEST if problem.horizon is None else problem.horizon)
    histories, needed, steps = _Histories(problem, tables), len(tables), 1
    if wanted == 0:
        return 0
    held = 0  # continuations, which take more memory than the weights of a few worlds
    while steps < wanted and needed + histories.continuations <= limit and held + histories.continuations <= limit:
        held += histories.continuations
        histories.next_level()
        needed += len(tables) * len(histories.states)
        if needed > limit:
            break
        steps += 1
    if delay is not None and steps < wanted:
        raise ValueError(f"delay must be at most {steps} for limit={limit:,} and {len(tables)} worlds, got {delay}")
    return steps


def _batch(problem: _Problem, tables: Array, weights: Array, delay: int) -> tuple[float, Array]:
    """The bound for `delay`, with the average over some worlds in place of the expectation, and the worlds' values. [M]"""
    later, now = _known_values(problem, tables, delay)
    known = np.asarray(now[:, problem.state].max(axis=1))
    if delay == 0:
        return float(weights @ known), known
    histories, levels, masses = _Histories(problem, tables), [], []
    S, A = problem.rewards.shape[:2]
    likelihoods = np.ascontiguousarray(tables.reshape(len(tables), -1).T)  # [cells, M]
    weights = weights[None]  # [N, M]
    for _ in range(delay - 1):
        level = histories.next_level()
        weights = weights[level.parents[level.first]] * likelihoods[level.cells[level.first]]
        levels.append(level)
        masses.append(weights.sum(axis=1))
    values = np.zeros(len(weights))
    for s in set(histories.states.tolist()) - set(problem.terminal):
        here = histories.states == s
        values[here] = (weights[here] @ later[:, s]).max(axis=1)
    for level, mass in zip(reversed(levels), reversed(masses), strict=True):
        paid = problem.rewards.ravel()[level.cells if problem.rewards.ndim == 3 else level.cells // S]
        bellman_backup = paid * mass[level.children] + problem.discount * values[level.children]
        pairs = level.parents * A + level.cells // S % A
        values = np.bincount(pairs, bellman_backup, len(level.states) * A).reshape(-1, A).max(axis=1)
    return float(values[0]), known


def _known_values(problem: _Problem, tables: Array, delay: int) -> tuple[Array, Array]:
    """The optimal values of all actions in worlds that are known, at the last step before they are told and now. [M, S, A]"""
    paid = np.vecdot(tables, problem.rewards) if problem.rewards.ndim == 3 else problem.rewards
    paid = np.array(np.broadcast_to(paid, tables.shape[:3]))
    paid[:, problem.terminal] = 0
    moves = tables
    if problem.terminal and problem.restart is not None:
        moves = tables.copy()
        moves[..., problem.restart] += moves[..., problem.terminal].sum(axis=-1)
        moves[..., problem.terminal] = 0
        moves[:, problem.terminal, :, problem.restart] = 1  # a state that is never reached
    if problem.horizon is None:
        scale = max(float(np.abs(paid).max()), 1e-300) / (1 - problem.discount)
        solved = np.stack([_solved(problem, *world, PRECISION * scale) for world in zip(moves, paid, strict=True)])
        return solved, solved
    later = values = paid
    for steps in range(2, problem.horizon + 1):
        best = values.max(axis=2)
        best[:, problem.terminal] = 0
        values = paid + problem.discount * np.einsum("wsan,wn->wsa", moves, best)
        later = values if steps == problem.horizon - max(delay, 1) + 1 else later
    return later, values


def _solved(problem: _Problem, moves: Array, paid: Array, tolerance: float) -> Array:
    solver = _core.Solver(paid, problem.discount, problem.terminal)
    solver.load_tables(moves[None])
    solver.solve(tolerance)
    return solver.q_table().reshape(paid.shape)
