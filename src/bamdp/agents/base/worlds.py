"""Weighted worlds: the best of some policies, and beyond it a search with bounds; see core/search/bounds.hpp."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.agents.base import Base, Budget, Decision, Left
from bamdp.mdp import MDP
from bamdp.prior import Belief
from bamdp.search.plan import BoundedPlan
from bamdp.search.solver import particles

DRAWN = 32  # worlds of a belief that can only be sampled
LARGEST_TABLES = 10**6  # numbers in their tables


class WorldsBase(Base):
    """Policies of weighted worlds: of a finite set of them, or of some that are drawn before each decision.

    Raises:
        TypeError: the belief has no worlds and can't be sampled.
    """

    def __init__(self, belief: Belief, tolerance: float, rng: np.random.Generator) -> None:
        super().__init__(belief, tolerance, rng)
        self._native: _core.WeightedWorlds | None = None
        if belief.particles is None:
            particles(belief, 1, np.random.default_rng(0))

    def actions(self, state: int, left: Left, on_tick: Callable[[], None] | None = None) -> list[int]:
        decision = self._search(state, left, Budget(0, None, 2**30, on_tick), even=False, want_tree=False)[0]
        return self.in_order(decision.lower)

    def decide(self, state: int, left: Left, budget: Budget, *, even: bool = False, want_plan: bool = False) -> Decision:
        decision, tree = self._search(state, left, budget, even=even, want_tree=want_plan)
        if tree is None:
            return Decision(decision.action, decision.simulations, decision.full, None)
        plan = partial(
            BoundedPlan,
            **self.parts_of_plan(decision, tree),
            q_values=decision.lower,
            standard_errors=(decision.upper - decision.lower) / 2,
            q_lower=decision.lower,
            q_upper=decision.upper,
            exact=self.belief.particles is not None,
        )
        return Decision(decision.action, decision.simulations, decision.full, plan)

    def _search(
        self, state: int, left: Left, budget: Budget, *, even: bool, want_tree: bool
    ) -> tuple[_core.BoundsDecision, _core.Tree | None]:
        worlds, weights = self._worlds(left, budget.on_tick)
        steps = 0 if left is None else left.steps
        return worlds.plan(
            state,
            steps,
            weights,
            self.tolerance,
            budget.simulations,
            budget.seconds,
            budget.memory,
            even,
            want_tree,
            budget.on_tick,
        )

    def _worlds(self, left: Left, on_tick: Callable[[], None] | None) -> tuple[_core.WeightedWorlds, NDArray[np.float64]]:
        """The worlds, solved, and their weights."""
        if self.belief.particles is None:
            S, A = self.problem.num_states, self.problem.num_actions
            count = max(2, min(DRAWN, LARGEST_TABLES // (S * A * S)))
            worlds, self._native = particles(self.belief, count, self.rng), None
        else:
            worlds = self.belief.particles
        if self._native is None:  # solved once for all steps of a run
            self._native = _native(worlds, self.problem.discount)
            self._native.solve(left, self.tolerance, on_tick)
        assert worlds.weights is not None
        return self._native, np.ascontiguousarray(worlds.weights)


def _native(worlds: MDP, discount: float) -> _core.WeightedWorlds:
    return _core.WeightedWorlds.from_tables(
        np.ascontiguousarray(worlds.transitions),
        np.ascontiguousarray(worlds.rewards),
        np.ascontiguousarray(worlds.terminal, np.float64),
        discount,
    )
