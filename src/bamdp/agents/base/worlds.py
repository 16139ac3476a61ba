"""Weighted worlds: the best of some policies, and beyond it a search with bounds; see
core/search/bounds.hpp.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.agents.base import Base, Budget, Decision, Left
from bamdp.mdp import MDP
from bamdp.prior import Belief
from bamdp.priors._worlds_belief import WorldsBelief
from bamdp.search.plan import BoundedPlan
from bamdp.search.solver import particles

DRAWN = 32  # worlds of a belief that can only be sampled
LARGEST_TABLES = 10**6  # numbers in their tables
MOST_ROWS = 2 * 10**6  # that are explored to solve the worlds


class WorldsBase(Base):
    """Policies of weighted worlds: of a finite set of them, or of some that are drawn before each
    decision.

    Raises:
        TypeError: the belief has no worlds and can't be sampled.
    """

    def __init__(self, belief: Belief, tolerance: float, rng: np.random.Generator) -> None:
        super().__init__(belief, tolerance, rng)
        self._planner: _core.BoundsPlanner | None = None
        self._moved = 0  # times that the worlds had moved when the planner was made
        if listed_worlds(belief) is None:
            particles(belief, 1, np.random.default_rng(0))

    def actions(
        self, state: int, left: Left, on_tick: Callable[[], None] | None = None
    ) -> list[int]:
        decision = self._search(
            state, left, Budget(0, None, 2**30, on_tick), even=False, want_tree=False
        )[0]
        return self.in_order(decided_by(decision))

    def decide(
        self, state: int, left: Left, budget: Budget, *, even: bool = False, want_plan: bool = False
    ) -> Decision:
        decision, tree = self._search(state, left, budget, even=even, want_tree=want_plan)
        if tree is None:
            return Decision(decision.action, decision.simulations, decision.full, None)
        plan = partial(
            BoundedPlan,
            **self.parts_of_plan(decision, tree),
            q_values=decided_by(decision),
            standard_errors=np.subtract(
                decision.upper,
                decision.lower,
                out=np.zeros(len(decision.lower)),
                where=np.isfinite(decision.lower),
            )
            / 2,
            q_lower=decision.lower,
            q_upper=decision.upper,
            exact=listed_worlds(self.belief) is not None,
            estimated=decision.estimates.size > 0,
        )
        return Decision(decision.action, decision.simulations, decision.full, plan)

    def _search(
        self, state: int, left: Left, budget: Budget, *, even: bool, want_tree: bool
    ) -> tuple[_core.BoundsDecision, _core.Tree | None]:
        return self._current_planner().plan(
            state,
            left,
            budget.simulations,
            budget.seconds,
            budget.memory,
            even,
            want_tree,
            budget.on_tick,
        )

    def _current_planner(self) -> _core.BoundsPlanner:
        """For the worlds of the belief; else for some that are drawn for each decision."""
        listed = listed_worlds(self.belief)
        if listed is None:
            S, A = self.problem.num_states, self.problem.num_actions
            count = max(2, min(DRAWN, LARGEST_TABLES // (S * A * S)))
            listed = _as_listed(particles(self.belief, count, self.rng))
        elif self._planner is not None and self._moved == times_moved(self.belief):
            return self._planner  # worlds are solved once for all steps of a run
        self._moved = times_moved(self.belief)
        self._planner = _core.BoundsPlanner(
            listed, self.problem.discount, self.tolerance, MOST_ROWS, value_of(self.belief)
        )
        return self._planner


def decided_by(decision: _core.BoundsDecision) -> NDArray[np.float64]:
    """The values that the decision is by: lower bounds, or estimates where these are too low to
    decide. [A]
    """
    return decision.estimates if decision.estimates.size else decision.lower


def listed_worlds(belief: Belief) -> _core.WorldsBelief | None:
    """The native belief over weighted worlds, if it is one."""
    native = belief.native
    listed = native is not None and len(native) == 1 and isinstance(native[0], _core.WorldsBelief)
    return native[0] if native is not None and listed else None


def times_moved(belief: Belief) -> int:
    """How often the worlds themselves have changed."""
    return belief.times_moved if isinstance(belief, WorldsBelief) else 0


def value_of(belief: Belief) -> Callable[[int, int], float] | None:
    """What a world is worth to one who knows it, by the user's function; None if there is none."""
    return belief.value if isinstance(belief, WorldsBelief) and belief.has_value else None


def _as_listed(worlds: MDP) -> _core.WorldsBelief:
    M, S, A, _ = worlds.transitions.shape
    rows = _core.WorldRows(M, A)
    rows.add_tables(
        np.ascontiguousarray(worlds.transitions),
        np.ascontiguousarray(worlds.rewards),
        np.ascontiguousarray(worlds.terminal, np.float64),
        conditional=False,
    )
    assert worlds.weights is not None
    return _core.WorldsBelief(rows, np.ascontiguousarray(worlds.weights), S, True, True)
