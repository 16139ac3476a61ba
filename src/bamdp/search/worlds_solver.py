"""Solved worlds of a belief whose worlds are the user's functions: their states are explored from
the current one.

One world is solved at a time: the average of all, one that is drawn, or the best of several in
every state. It is a world like others, whose rows are made from those of the belief.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.priors._worlds_belief import WorldsBelief
from bamdp.problem import BAMDP, actions_in
from bamdp.search.solver import solver_of
from bamdp.spaces import describe_state

Tick = Callable[[], None] | None
Left = _core.StepsLeft | None
MOST_ROWS = 200_000  # that are explored
EXACT = 1e-6  # relative difference of bounds of a value that is known


Request = Callable[[int, int, int], list[Any]]


class RowsSolver:
    """A solver for one world, of which a function gives the rows.

    Args:
        problem: its problem.
        who: the agent, for messages.
    """

    def __init__(self, problem: BAMDP, who: str) -> None:
        self._problem, self._who = problem, who
        self._planner: _core.BoundsPlanner | None = None

    def load(self, request: Request, tolerance: float, copies: int = 1) -> None:
        """Load a world.

        Args:
            request: `request(0, state, action)` is a row; see `_core.WorldRows`.
            tolerance: maximum error of the values, without an end.
            copies: how often each action occurs; the best of them counts.
        """
        problem = self._problem
        A, considered = problem.num_actions, actions_in(problem.prior, problem)
        rows = _core.WorldRows(1, copies * A, request)
        if considered is not None:
            rows.set_actions_in(
                lambda number: [
                    copy * A + action for copy in range(copies) for action in considered(number)
                ]
            )
        world = _core.WorldsBelief(rows, np.ones(1), problem.num_states, True, True)
        self._planner = _core.BoundsPlanner(world, problem.discount, tolerance, MOST_ROWS, None)
        self._tolerance = tolerance

    def q_values(self, state: int, left: Left, on_tick: Tick = None) -> NDArray[np.float64]:
        """The value of each action in `state`. [A]

        Raises:
            ValueError: more states can be reached than can be explored.
        """
        assert self._planner is not None
        decision, _ = self._planner.plan(state, left, 1, None, 2**30, True, False, on_tick)
        lower, upper = np.array(decision.lower), np.array(decision.upper)
        known = np.isfinite(lower)  # those that are considered
        size = max(1.0, float(np.abs(lower[known]).max()))
        if (upper[known] - lower[known]).max() > 4 * self._tolerance + EXACT * size:
            raise ValueError(
                f"{self._who} solves whole worlds, and from state "
                f"{describe_state(self._problem, state)} more than {MOST_ROWS:,} rows can be "
                "reached; BAMCP and BayesAdaptive look only as far as they search"
            )
        best: NDArray[np.float64] = lower.reshape(-1, self._problem.num_actions).max(axis=0)
        return best


class WorldsSolver:
    """A solver for models of a belief, which explores the states from the current one.

    Args:
        belief: the belief.
        who: the agent, for messages.
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_drawn",)
    has_tables: ClassVar[bool] = False

    def __init__(self, belief: WorldsBelief, who: str) -> None:
        self.belief = belief
        self._drawn: list[int] = []  # worlds; none: the average
        self._solver = RowsSolver(belief.problem, who)
        self._is_loaded = False
        self._solve: tuple[float, Left, Tick] = (1e-6, None, None)

    def load_mean(self, bonus: float = 0.0) -> None:
        """Load the posterior mean."""
        if bonus != 0:
            raise TypeError(
                f"{type(self.belief).__name__} has no counts to make an exploration bonus of"
            )
        self._drawn, self._is_loaded = [], False

    def load_samples(self, count: int, rng: np.random.Generator) -> None:
        """Load worlds drawn from the posterior."""
        self._drawn, self._is_loaded = [self.belief.draw(rng) for _ in range(count)], False

    def solve(self, tolerance: float, left: Left = None, on_tick: Tick = None) -> None:
        """How to solve: to within `tolerance`; with a known number of steps left, exactly."""
        self._is_loaded &= self._solve[0] == tolerance
        self._solve = tolerance, left, on_tick

    def q_values(self, state: int) -> NDArray[np.float64]:
        """The value of each action in `state`. [A]

        Raises:
            ValueError: more states can be reached than can be explored.
        """
        tolerance, left, on_tick = self._solve
        if not self._is_loaded:
            self._solver.load(self._request(), tolerance, max(1, len(self._drawn)))
            self._is_loaded = True
        return self._solver.q_values(state, left, on_tick)

    def _request(self) -> Request:
        """The rows of the world that is solved."""
        (native,), rows = self.belief.native, self.belief.rows
        drawn, A = self._drawn, self.belief.problem.num_actions
        if not drawn:
            return lambda world, state, action: list(native.mean_row(state, action))
        return lambda world, state, action: list(rows.row(drawn[action // A], state, action % A))


@solver_of.register
def _(belief: WorldsBelief, who: str, *, index: bool = False) -> WorldsSolver:
    return WorldsSolver(belief, who)
