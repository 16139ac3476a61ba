"""Worlds that can only be stepped: the best path, where the prior has one, and BAMCP.

Where the user has a policy it is the base, and the roll-outs follow it. Another action is taken
only if its mean return is higher by more than what differs by chance,

    mean Q(a) − mean Q(base) > z √(Var(a) / n_a + Var(base) / n_base),   z = 2
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.agents.base import Budget, Left
from bamdp.agents.base.certificate import CertifiedBase, Searched
from bamdp.prior import Belief, has_policy, policy_action
from bamdp.search.planner import native_parts
from bamdp.search.solver import OpenLoopPlanner, default_depth, has_paths

Z = 2.0  # standard errors of a difference that are put down to chance


class StepsBase(CertifiedBase):
    """The best path of a prior that has an open-loop search, or the user's policy; else there is no
    base policy, and the search decides.
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_search",)

    def __init__(
        self,
        belief: Belief,
        tolerance: float,
        rng: np.random.Generator,
        seeds: list[list[int]],
        memory: int,
    ) -> None:
        super().__init__(belief, tolerance, rng)
        self.memory = memory
        self._paths: OpenLoopPlanner | None = None
        if belief.problem.rewards.size == 0 and has_paths(belief, index=True):
            self._paths = OpenLoopPlanner(belief, index=True)
        settings = _core.Settings()
        settings.discount, settings.terminal = self.problem.discount, sorted(self.problem.terminal)
        settings.depth, settings.memory = default_depth(self.problem), memory
        settings.exploration, settings.auto_exploration = 1.0, True
        if self._paths is not None:
            settings.rollouts, settings.bonus = "lines", self._paths.settings.bonus
        elif has_policy(belief):
            settings.rollouts = "policy"
        native, *more = native_parts(belief, seeds)
        self._search = _core.make_search(native, self.problem.rewards, settings, seeds, *more)

    def actions(
        self, state: int, left: Left, on_tick: Callable[[], None] | None = None
    ) -> list[int]:
        own = policy_action(self.belief, state, self.rng)
        if own is not None:
            return [own]
        if self._paths is None:
            return []
        self._paths.solve(self.tolerance, left)
        return self.in_order(self._paths.q_values(state))

    def decides_alone(self, left: Left, budget: Budget) -> bool:
        """No search was seen to improve on a path: docs/infinite_grid.md."""
        return self._paths is not None

    def search(
        self, state: int, base: list[int], left: Left, budget: Budget, even: bool, want_tree: bool
    ) -> Searched:
        root = self._search.plan(
            state, budget.simulations, budget.seconds, 1, budget.on_tick, left, even
        )
        tree = self._search.trees()[0] if want_tree else None
        play = partial(self._play, state, left)
        action = root.action
        if base and not self.decides_alone(left, budget):
            action = self._improved(base[0], root)
        return Searched(action, root.values, root.standard_errors, root, tree, play)

    def _improved(self, base: int, root: _core.RootStatistics) -> int:
        """The action of the search if it is better than the base's beyond chance."""
        squares, visits = self._search.trees()[0].top(0, 1)[5][0], root.visits
        variances = squares / np.maximum(visits, 1) / np.maximum(visits, 1)
        margin = Z * float(np.sqrt(variances[root.action] + variances[base]))
        better = root.values[root.action] > root.values[base] + margin
        return int(root.action) if better or visits[base] == 0 else base

    def _play(
        self, state: int, left: Left, belief: Belief, count: int, steps: int, worst: float
    ) -> NDArray[np.float64]:
        """Returns of roll-outs: each is a search of one simulation, whose tree is empty."""
        seeds = (
            np.random.SeedSequence(self.bound_seed)
            .generate_state(8, np.uint64)
            .reshape(2, 4)
            .tolist()
        )
        again = type(self)(
            belief, self.tolerance, np.random.default_rng(self.bound_seed), seeds, self.memory
        )
        returns = []
        for _ in range(count):
            root = again._search.plan(state, 1, None, 1, None, left, False)
            returns.append(float(root.values[root.visits.argmax()]))
        return np.array(returns)

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        self._search.observe(state, action, reward, next_state)
