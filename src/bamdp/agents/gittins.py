"""The Gittins index policy: Bayes-optimal for bandits without a horizon (Gittins 1979), nearly so
with one.

Each arm has an index that depends on its own posterior alone; pulling an arm with the highest index
is optimal. The index of an arm that pays r₁ for a success and r₀ for a failure is r₀ + (r₁ − r₀)
times that of an arm that pays 1 and 0. That of a normal arm with known noise σ is its posterior
mean plus σ times a number that depends on how much is known of the mean.

With a horizon the index is λ(a, b, T) of the posterior and the T steps left
(`bamdp.exact.finite_gittins_index`), which Villar, Bowden and Wason (2015) call the Whittle index.
"""

from __future__ import annotations

from operator import index
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp.agent import Agent, steps_left
from bamdp.agents._arms import ArmIndices, arm_payoffs
from bamdp.exact.arms import arms_table
from bamdp.exact.gittins import LONGEST
from bamdp.exact.normal_gittins import unit_index
from bamdp.priors._normal import Normal
from bamdp.priors.beta_arms import has_independent_arms
from bamdp.priors.normal_arms import normal_outcomes
from bamdp.problem import BAMDP, require_discount
from bamdp.validation import integer, real


class Gittins(Agent):
    """Pulls the arm with the highest Gittins index, for bandits only.

    Args:
        problem: the problem. Its prior is `BetaArms`, where an arm with 0 failures always succeeds
            for sure, or `NormalArms` (or normal `UnknownRewards` of one state) with known noise and
            no horizon. Rewards must not depend on the state, the last outcome.
        tolerance: maximum error of the indices.
        seed: seed of the agent's random generator.

    Example:
        >>> import bamdp
        >>> domain = bamdp.domains.Bandit([0.4, 1.0], discount=0.95, payoffs=[1, 0.5])
        >>> prior = bamdp.priors.BetaArms(successes=[1, 1], failures=[1, 0])
        >>> Gittins(domain.problem(prior)).q_values(0).round(3)
        array([0.761, 0.5  ])
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_counts",)

    def __init__(self, problem: BAMDP, *, tolerance: float = 1e-6, seed: int = 0) -> None:
        self.tolerance = real("tolerance", tolerance, 1e-9, 1)
        super().__init__(problem, seed=seed)

    def reset(self, seed: int) -> None:
        prior, A = self.problem.prior, self.problem.num_actions
        require_discount(self.problem, "Gittins")
        if self.problem.terminal:
            raise TypeError(
                "terminal must be empty for Gittins: no index is known for bandits that end; BAMCP "
                "plans for them"
            )
        super().reset(seed)
        if has_independent_arms(prior):
            arms = arms_table(self.belief)
            assert arms is not None
            self._counts = arms[:, ::-1].copy()  # of failures and successes
            paid = arm_payoffs(self.problem.rewards)
            self._arms = ArmIndices(paid, self.problem.discount, self.tolerance)
            if self.problem.horizon is not None:
                integer("horizon", self.problem.horizon, 1, LONGEST)
        elif (normal := normal_outcomes(prior)) is not None and self.problem.num_states == 1:
            self._check_normal(normal)
            known = (normal.strength, normal.noise)
            self._strengths, self._noises = (np.broadcast_to(x, (1, A))[0].tolist() for x in known)
            self._counts = np.zeros(A)
        else:
            raise TypeError(
                "prior must be BetaArms or NormalArms: Gittins is for bandits only, got "
                f"{prior!r}; BAMCP plans with any prior"
            )

    def _check_normal(self, outcomes: Normal) -> None:
        if self.problem.horizon is not None:
            raise TypeError(
                "horizon must be None with NormalArms: no index is known for a number of steps, "
                "got "
                f"{self.problem.horizon}; BayesAdaptive plans with any prior"
            )
        if not outcomes.known_noise:
            raise TypeError(
                "prior must have infinite degrees, a known noise: no index is computed for an "
                f"unknown one, got {outcomes!r}; "
                "IndexPolicy approximates it, BAMCP and BayesAdaptive plan"
            )

    def q_values(self, state: int) -> NDArray[np.float64]:
        """The index of each arm: the reward of a sure arm that is as good. [A]"""
        self._check_state(state)
        if self._counts.ndim == 2:
            return self._arms.all(self._counts, steps_left(self))
        return np.array([self._normal_index(arm) for arm in range(self.problem.num_actions)])

    def act(self, state: int) -> int:
        if self._counts.ndim == 1:
            indices = self.q_values(state)
            return int(self._rng.choice(np.flatnonzero(indices == indices.max())))
        self._check_state(state)
        return int(self._rng.choice(self._arms.best(self._counts, steps_left(self))))

    def observe(
        self,
        state: int,
        action: int,
        reward: float,
        next_state: int,
        terminated: bool | None = False,
    ) -> None:
        super().observe(state, action, reward, next_state, terminated)
        action = index(action)
        self._counts[(action, index(next_state)) if self._counts.ndim == 2 else action] += 1

    def _normal_index(self, arm: int) -> float:
        discount, mean = self.problem.discount, float(self.belief.mean_reward(0, arm))
        strength, noise = float(self._strengths[arm]), float(self._noises[arm])
        if np.isinf(strength) or discount == 0:
            return mean
        return mean + noise * unit_index(strength, int(self._counts[arm]), discount, self.tolerance)
