"""Beliefs with counts: the index policy, and a tree with predictive probabilities; see core/search/belief_tree.hpp."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.agents._index import solve_index
from bamdp.agents.base import Base, Budget, Decision, Left
from bamdp.agents.base.certificate import Certificate
from bamdp.agents.gittins import arm_index, payoffs
from bamdp.exact.arms import arms_table
from bamdp.prior import Belief
from bamdp.problem import BAMDP
from bamdp.search.plan import CertifiedPlan
from bamdp.search.solver import ModelSolver


class CountsBase(Base):
    """The index policy of a belief with counts."""

    state_attributes: ClassVar[tuple[str, ...]] = ("solver", "bound_seed")

    def __init__(self, belief: Belief, tolerance: float, rng: np.random.Generator) -> None:
        super().__init__(belief, tolerance, rng)
        self.solver = ModelSolver(belief)
        self.bound_seed = int(rng.integers(2**63))

    def actions(self, state: int, left: Left, on_tick: Callable[[], None] | None = None) -> list[int]:
        solve_index(self.solver, state, self.tolerance, self.rng, on_tick, left)
        return self.in_order(self.solver.q_values(state))

    def decide(self, state: int, left: Left, budget: Budget, *, even: bool = False, want_plan: bool = False) -> Decision:
        base = self.actions(state, left, budget.on_tick)
        decision, tree, _ = self._search(state, base, left, budget, even=even, want_tree=want_plan)
        action = base[0] if self.is_optimal else decision.action
        if tree is None:
            return Decision(action, decision.simulations, decision.full, None)
        play = partial(self._play, state, base, left, budget)
        certificate = Certificate(self.belief, state, left, play, self.bound_seed)
        plan = partial(
            CertifiedPlan,
            **self.parts_of_plan(decision, tree) | {"action": action},
            q_values=decision.values,
            standard_errors=decision.uncertainties,
            _lower=certificate.lower,
            _upper=certificate.upper,
        )
        return Decision(action, decision.simulations, decision.full, plan)

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
        """The native search, with the mean loaded and solved; and returns of its policy in drawn worlds."""
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


class ArmsBase(CountsBase):
    """Gittins indices of independent arms without a horizon: the Bayes-optimal policy."""

    is_optimal: ClassVar[bool] = True

    def actions(self, state: int, left: Left, on_tick: Callable[[], None] | None = None) -> list[int]:
        counts, paid = arms_table(self.belief), payoffs(self.problem.rewards)
        assert counts is not None
        pairs = zip(counts[:, ::-1], paid, strict=True)
        indices = np.array([arm_index(n, payoff, self.problem.discount, 1e-6) for n, payoff in pairs])
        return self.in_order(indices)

    def decide(self, state: int, left: Left, budget: Budget, *, even: bool = False, want_plan: bool = False) -> Decision:
        if not want_plan:
            return Decision(self.actions(state, left)[0], 0, False, None)
        self.solver.load_mean()
        self.solver.solve(self.tolerance, left, budget.on_tick)
        return super().decide(state, left, budget, even=even, want_plan=True)


def has_optimal_index(problem: BAMDP) -> bool:
    """Whether Gittins indices are Bayes-optimal."""
    if not problem.prior.independent_arms or problem.horizon is not None:
        return False
    with suppress(ValueError):  # rewards depend on the state: then there are no indices
        payoffs(problem.rewards)
        return True
    return False
