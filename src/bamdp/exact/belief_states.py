"""All belief states of a small problem, enumerated, and their values.

Belief states are enumerated first, step by step, then evaluated backwards. Histories with the same
counts and the same state share one; uninformative transitions aren't counted.

Their number is estimated from the first PROBE of them, before the others are made: with c_d after d
steps, c_{d+1}/c_d = 1 + p/(d + 1). For arms that is exact, as c_d is a binomial coefficient;
elsewhere p grows with d at first, and the estimate is low.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.exact.solution import BayesOptimal, Question, Walk
from bamdp.priors.finite import SAME
from bamdp.validation import integer

LIMIT, MEMORY = 5_000_000, 2**31  # belief states by default, and bytes that they may take
PROBE = 30_000  # belief states enumerated before the others are estimated, in less than 0.1 s

Array = NDArray[np.float64]


class TooManyBeliefStatesError(MemoryError):
    """The problem needs more belief states than `limit`.

    Attributes:
        needed: estimate of their number.
        horizon: number of steps that needs fewer.
    """

    needed: float
    horizon: int


class BeliefStates:
    """The belief states that can follow from a question, enumerated and solved when first asked
    for.
    """

    def __init__(self, question: Question) -> None:
        self._question = question

    @property
    def countable(self) -> bool:
        """Whether a belief is a number of counts: conjugate rows, or weights of finitely many
        worlds.
        """
        belief = self._question.belief
        conjugate = belief.counts is not None and not belief.problem.prior.unknown_rewards
        return conjugate or belief.particles is not None

    @property
    def fits(self) -> bool:
        """Whether there are at most as many as allowed."""
        return self.countable and isinstance(self._solved, _core.Lattice)

    def q_values(self) -> Array:
        """The value of each action at the root. [A]"""
        return self.lattice().q_values(0, 0)

    def count(self) -> int:
        """Number of belief states."""
        return int(self.lattice().layer_sizes.sum())

    def walk(self) -> BeliefStatesWalk:
        """A walk from the root."""
        return BeliefStatesWalk(self.lattice(), self._question)

    def too_many(self, advice: str = "") -> TooManyBeliefStatesError:
        """The error of belief states that don't fit, with what would work."""
        assert not isinstance(self._solved, _core.Lattice)
        needed, horizon, limit = self._solved
        counted = f"about {needed:.1e}" if needed < 1e12 else "more than 10^12"
        error = TooManyBeliefStatesError(
            f"{counted} belief states would be needed for {self._question.horizon} steps, more "
            f"than limit={limit:,}; horizon={horizon} would work{advice}"
        )
        error.needed, error.horizon = needed, horizon
        return error

    def lattice(self) -> _core.Lattice:
        """The solved belief states; raises `TooManyBeliefStatesError` if they don't fit."""
        if not isinstance(self._solved, _core.Lattice):
            raise self.too_many()
        return self._solved

    @cached_property
    def _solved(self) -> _core.Lattice | tuple[float, int, int]:
        """The solved lattice; or how many belief states would be needed, how many steps would fit,
        and the limit.
        """
        question, problem = self._question, self._question.problem
        limit, time_limit = question.limit, question.time_limit
        assert question.belief.native is not None
        lattice = _core.make_lattice(
            question.belief.native[0],
            problem.rewards,
            problem.discount,
            question.horizon,
            question.leaf,
            sorted(problem.terminal),
            -1 if question.restart is None else question.restart,
            0 if time_limit is None or time_limit >= question.horizon else time_limit,
        )
        if limit is None:
            each = 48 + 2 * lattice.num_cells + 4 * lattice.num_outcomes * problem.num_actions
            limit = max(1, min(LIMIT, MEMORY // each))
        if not _expanded(lattice, question, limit):
            return (*_estimate(lattice.layer_sizes.tolist(), question.horizon, limit), limit)
        lattice.solve()
        return lattice


class BeliefStatesWalk(Walk):
    """A path through enumerated belief states."""

    def __init__(self, lattice: _core.Lattice, question: Question) -> None:
        super().__init__(question.horizon)
        self._lattice, self._problem, self._position = lattice, question.problem, 0

    @property
    def key(self) -> int:
        return self._position

    def _q_values(self) -> Array:
        return self._lattice.q_values(self.depth, self._position)

    def _move(
        self, action: int, next_state: int, reward: float | None, terminated: bool | None
    ) -> None:
        action = integer("action", action, 0, self._problem.num_actions - 1)
        next_state = integer("next_state", next_state, 0, self._problem.num_states - 1)
        if self.depth + 1 < self._horizon:
            self._position = self._next(action, next_state, reward, terminated)

    def _next(
        self, action: int, next_state: int, reward: float | None, terminated: bool | None
    ) -> int:
        """The position, in the next layer, of the belief state after a transition."""
        outcomes = self._lattice.outcomes(self.depth, self._position, action)
        possible = [outcome for outcome in outcomes if outcome[0] == next_state]
        if len(possible) > 1:  # worlds differ in its reward or end
            possible = [
                outcome
                for outcome in possible
                if (reward is None or math.isclose(outcome[1], reward, rel_tol=SAME))
                and (terminated is None or outcome[2] == terminated)
            ]
        if len(possible) > 1:
            raise ValueError(
                "reward and terminated must be given: worlds differ in them at next_state "
                f"{next_state}"
            )
        position = possible[0][3] if possible else None
        if position is None:
            raise ValueError(
                f"next_state {next_state} after action {action} is impossible under the prior, or "
                "terminal"
            )
        return position


def solve_belief_states(question: Question, later: BeliefStates) -> BayesOptimal | None:
    """The solution by all belief states; None if they can't be enumerated, or are too many."""
    if not later.fits:
        return None
    return BayesOptimal(
        later.q_values(),
        question.error_bound,
        question.horizon,
        question.leaf,
        later.count(),
        later,
    )


def _expanded(lattice: _core.Lattice, question: Question, limit: int) -> bool:
    """Enumerate the belief states; False if there are more than `limit`, or if that is to be
    expected.
    """
    probe = min(limit, PROBE, max(300, 2**24 // max(lattice.num_cells, 1)))
    if lattice.expand(question.state, probe):
        return True
    if probe == limit:
        return False
    if not question.has_end:  # else layers may become empty, and no estimate is possible
        needed, _ = _estimate(lattice.layer_sizes.tolist(), question.horizon, limit)
        if needed > limit:
            return False
    return lattice.expand(question.state, limit)


def _estimate(sizes: list[int], horizon: int, limit: int) -> tuple[float, int]:
    """The number of belief states for `horizon` steps, and a number of steps that needs at most
    `limit`.
    """
    *complete, partial = sizes
    known = np.array(sizes if len(sizes) == 2 else complete, float)
    p, last = _growth(known[len(known) // 2 - 1 :], len(known) // 2), math.log(complete[-1])
    further = np.arange(len(complete), horizon)
    layers = last + np.cumsum(np.log1p(p / further))  # logarithms of their sizes
    needed = sum(complete) + float(np.exp(np.minimum(layers, 700)).sum())
    # For what surely fits, the layers grow as before: in most problems they grow ever less.
    growth = float((known[1:] / known[:-1])[-3:].max())
    fitting, total, size = len(complete), float(sum(complete)), float(complete[-1])
    while fitting < horizon - 1 and total + (size := max(size * growth, partial)) <= limit:
        total, fitting = total + size, fitting + 1
    return max(needed, float(sum(sizes))), fitting


def _growth(sizes: Array, step: int) -> float:
    """The p with which the last layer grows from the first of `sizes`; its first ratio is 1 +
    p/step.
    """
    steps, low, high = np.arange(step, step + len(sizes) - 1), 0.0, 1.0
    grown = math.log(sizes[-1] / sizes[0]) if sizes[-1] > sizes[0] else 0.0
    while np.log1p(high / steps).sum() < grown:
        high *= 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if np.log1p(middle / steps).sum() < grown else (low, middle)
    return low
