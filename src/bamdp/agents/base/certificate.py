"""Bases whose search has samples: their decision, and bounds of the Bayes-optimal value that hold
with 97.5 % confidence each, for the belief as it was when a plan was made.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.agents.base import Base, Budget, Decision, Left
from bamdp.exact._limits import lower_limit
from bamdp.exact.upper_bound import upper_bound
from bamdp.mdp import annuity
from bamdp.prior import Belief
from bamdp.search.plan import CertifiedPlan
from bamdp.search.solver import default_depth

RETURNS = 2000  # of the policy, for the lower bound
WORLDS = 50  # of the upper bound
LARGEST = 10**5  # belief states of the upper bound

# The returns of a policy that is fixed beforehand, in worlds drawn from a belief: (belief, number,
# steps, lowest reward).
Play = Callable[[Belief, int, int, float], NDArray[np.float64]]


class Searched(NamedTuple):
    """The result of a search.

    Attributes:
        action: its decision.
        q_values: value of each action. [A]
        errors: their standard errors. [A]
        root: the native result, with visits, simulations, depth and full.
        tree: the tree, if it was asked for.
        play: returns of the plan's policy.
    """

    action: int
    q_values: NDArray[np.float64]
    errors: NDArray[np.float64]
    root: Any
    tree: _core.Tree | None
    play: Play


class CertifiedBase(Base):
    """A base whose plan is a `CertifiedPlan`."""

    state_attributes: ClassVar[tuple[str, ...]] = ("bound_seed",)

    def __init__(self, belief: Belief, tolerance: float, rng: np.random.Generator) -> None:
        super().__init__(belief, tolerance, rng)
        self.bound_seed = int(rng.integers(2**63))

    @abstractmethod
    def decides_alone(self, left: Left, budget: Budget) -> bool:
        """Whether the decision is the base policy's, whatever a search may say."""

    @abstractmethod
    def search(
        self, state: int, base: list[int], left: Left, budget: Budget, even: bool, want_tree: bool
    ) -> Searched:
        """Search beyond the actions of the base policy."""

    def decide(
        self, state: int, left: Left, budget: Budget, *, even: bool = False, want_plan: bool = False
    ) -> Decision:
        base, alone = self.actions(state, left, budget.on_tick), self.decides_alone(left, budget)
        if alone and not want_plan:
            return Decision(base[0], 0, False, None)
        searched = self.search(state, base, left, budget, even, want_plan)
        root, action = searched.root, base[0] if alone else searched.action
        if searched.tree is None:
            return Decision(action, root.simulations, root.full, None)
        certificate = Certificate(self.belief, state, left, searched.play, self.bound_seed)
        plan = partial(
            CertifiedPlan,
            **self.parts_of_plan(root, searched.tree) | {"action": action},
            q_values=searched.q_values,
            standard_errors=searched.errors,
            _lower=certificate.lower,
            _upper=certificate.upper,
        )
        return Decision(action, root.simulations, root.full, plan)


class Certificate:
    """Bounds that are computed when they are asked for.

    Args:
        belief: the belief, which is copied.
        state: the current state.
        left: what is left of the run.
        play: returns of the plan's policy.
        seed: seed of the worlds of the upper bound.
    """

    def __init__(self, belief: Belief, state: int, left: Left, play: Play, seed: int) -> None:
        self._belief: Belief | None = None
        with suppress(TypeError):  # Compiled, for one, can't be copied
            self._belief = copy(belief)
        self._problem, self._state, self._play, self._seed = belief.problem, state, play, seed
        self._left = None if left is None else left.steps

    def lower(self) -> float:
        """What the plan's policy is worth at least: by its returns, with the worst rewards after
        the last simulated step.
        """
        problem, left = self._problem, self._left
        lowest = problem.prior.reward_range(problem.rewards)[0]
        if problem.terminal or problem.prior.unknown_terminal:
            lowest = min(lowest, 0.0)
        if self._belief is None or lowest == -math.inf:
            return -math.inf
        depth = default_depth(problem) if left is None else min(left, default_depth(problem))
        least = lowest * annuity(problem.discount, depth)
        rest = lowest * annuity(problem.discount, left) - least
        return lower_limit(self._play(self._belief, RETURNS, depth, lowest), least) + rest

    def upper(self) -> float:
        """What an agent earns that is given the world some steps later: valid with few worlds, only
        wider.
        """
        problem, left = self._problem, self._left
        highest = problem.prior.reward_range(problem.rewards)[1]
        simple = (
            max(highest, 0.0) * annuity(problem.discount, left) if highest < math.inf else math.inf
        )
        if problem.episode_length is not None or self._belief is None:
            return simple
        try:
            bound = upper_bound(
                problem,
                self._state,
                horizon=left,
                belief=self._belief,
                worlds=WORLDS,
                limit=LARGEST,
                seed=self._seed,
            )
            return bound.high
        except (TypeError, ValueError, MemoryError):  # worlds can't be drawn, or are too large
            return simple
