"""Beliefs with counts: the index policy, and a tree with predictive probabilities; see
core/search/belief_tree.hpp.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.agents._index import solve_index
from bamdp.agents.base import Budget, Left
from bamdp.agents.base.certificate import CertifiedBase, Searched
from bamdp.prior import Belief
from bamdp.search.solver import ModelSolver


class CountsBase(CertifiedBase):
    """The index policy of a belief with counts."""

    state_attributes: ClassVar[tuple[str, ...]] = ("solver",)

    def __init__(self, belief: Belief, tolerance: float, rng: np.random.Generator) -> None:
        super().__init__(belief, tolerance, rng)
        self.solver = ModelSolver(belief)

    def actions(
        self, state: int, left: Left, on_tick: Callable[[], None] | None = None
    ) -> list[int]:
        solve_index(self.solver, state, self.tolerance, self.rng, on_tick, left)
        return self.in_order(self.solver.q_values(state))

    def decides_alone(self, left: Left, budget: Budget) -> bool:
        return False

    def search(
        self, state: int, base: list[int], left: Left, budget: Budget, even: bool, want_tree: bool
    ) -> Searched:
        decision, tree, _ = self._search(state, base, left, budget, even=even, want_tree=want_tree)
        play = partial(self._play, state, base, left, budget)
        values, errors = decision.values, decision.uncertainties
        return Searched(decision.action, values, errors, decision, tree, play)

    def _play(
        self,
        state: int,
        base: list[int],
        left: Left,
        budget: Budget,
        belief: Belief,
        count: int,
        steps: int,
        worst: float,
    ) -> NDArray[np.float64]:
        """Returns of the plan's policy: the search is repeated with the belief as it was."""
        again = type(self)(belief, self.tolerance, np.random.default_rng(self.bound_seed))
        again.solver.load_mean()
        again.solver.solve(self.tolerance, left)
        return again._search(state, base, left, budget, returns=count, steps=steps, worst=worst)[2]

    def _search(
        self,
        state: int,
        base: list[int],
        left: Left,
        budget: Budget,
        *,
        even: bool = False,
        want_tree: bool = False,
        returns: int = 0,
        steps: int = 0,
        worst: float = 0.0,
    ) -> tuple[_core.TreeDecision, _core.Tree | None, NDArray[np.float64]]:
        """The native search, with the mean loaded and solved; and returns of its policy in drawn
        worlds.
        """
        assert self.belief.native is not None
        transitions, *learned = self.belief.native
        numbers = np.random.SeedSequence(self.bound_seed).generate_state(4, np.uint64).tolist()
        return _core.plan_counts(
            self.solver.native,
            transitions,
            learned[0] if learned else None,
            state,
            base,
            left,
            budget.simulations,
            budget.seconds,
            budget.memory,
            2 * self.tolerance,
            even,
            want_tree,
            returns,
            steps,
            worst,
            numbers,
            budget.on_tick,
        )
