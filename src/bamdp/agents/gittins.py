"""The Gittins index policy: Bayes-optimal for bandits without a horizon (Gittins 1979), nearly so with one.

Each arm has an index that depends on its own posterior alone; pulling an arm with the highest index is optimal. The index of an
arm that pays r₁ for a success and r₀ for a failure is r₀ + (r₁ − r₀) times that of an arm that pays 1 and 0. That of a normal
arm with known noise σ is its posterior mean plus σ times a number that depends on how much is known of the mean.

With a horizon the index is λ(a, b, T) of the posterior and the T steps left (`bamdp.exact.finite_gittins_index`), which Villar,
Bowden and Wason (2015) call the Whittle index.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from operator import index
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp.agent import Agent
from bamdp.exact.arms import arms_table
from bamdp.exact.gittins import LONGEST, finite_gittins_index, gittins_index
from bamdp.exact.normal_gittins import unit_index
from bamdp.priors import Normal
from bamdp.problem import BAMDP
from bamdp.validation import integer, real


class Gittins(Agent):
    """Pulls the arm with the highest Gittins index, for bandits only.

    Args:
        problem: the problem. Its prior is `BetaArms`, where an arm with 0 failures always succeeds for sure, or `NormalArms`
            (or normal `UnknownRewards` of one state) with known noise and no horizon. Rewards must not depend on the state, the
            last outcome.
        tolerance: maximum error of the indices.
        seed: seed of the agent's random generator.

    Example:
        >>> import bamdp
        >>> domain = bamdp.domains.Bandit([0.4, 1.0], discount=0.95, payoffs=[1, 0.5])
        >>> prior = bamdp.priors.BetaArms(successes=[1, 1], failures=[1, 0])
        >>> Gittins(domain.problem(prior)).q_values(0).round(3)
        array([0.761, 0.5  ])
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_counts", "_indices")

    def __init__(self, problem: BAMDP, *, tolerance: float = 1e-6, seed: int = 0) -> None:
        self.tolerance = real("tolerance", tolerance, 1e-9, 1)
        super().__init__(problem, seed=seed)

    def reset(self, seed: int) -> None:
        prior, A = self.problem.prior, self.problem.num_actions
        self.problem.require_discount("Gittins")
        if self.problem.terminal:
            raise TypeError("terminal must be empty for Gittins: no index is known for bandits that end; BAMCP plans for them")
        super().reset(seed)
        if prior.independent_arms:
            self._payoffs, arms = payoffs(self.problem.rewards), arms_table(self.belief)
            assert arms is not None
            self._counts = arms[:, ::-1].copy()  # of failures and successes
            if self.problem.horizon is not None:
                integer("horizon", self.problem.horizon, 1, LONGEST)
        elif prior.outcomes is not None and self.problem.num_states == 1:
            self._check_normal(prior.outcomes)
            known = (prior.outcomes.strength, prior.outcomes.noise)
            self._strengths, self._noises = (np.broadcast_to(x, (1, A))[0].tolist() for x in known)
            self._counts = np.zeros(A)
        else:
            raise TypeError(
                f"prior must be BetaArms or NormalArms: Gittins is for bandits only, got {prior!r}; BAMCP plans with any prior"
            )
        self._indices = np.array([self._index(arm) for arm in range(A)])

    def _check_normal(self, outcomes: Normal) -> None:
        if self.problem.horizon is not None:
            raise TypeError(
                "horizon must be None with NormalArms: no index is known for a number of steps, got "
                f"{self.problem.horizon}; BayesAdaptive plans with any prior"
            )
        if not outcomes.known_noise:
            raise TypeError(
                f"prior must have infinite degrees, a known noise: no index is computed for an unknown one, got {outcomes!r}; "
                "IndexPolicy approximates it, BAMCP and BayesAdaptive plan"
            )

    def q_values(self, state: int) -> NDArray[np.float64]:
        """The index of each arm: the reward of a sure arm that is as good. [A]"""
        self._check_state(state)
        if self.steps_left is not None:
            return np.array([self._index(arm) for arm in range(self.problem.num_actions)])
        return self._indices.copy()

    def act(self, state: int) -> int:
        indices = self.q_values(state)
        return int(self._rng.choice(np.flatnonzero(indices == indices.max())))

    def observe(self, state: int, action: int, reward: float, next_state: int, terminated: bool | None = False) -> None:
        super().observe(state, action, reward, next_state, terminated)
        action = index(action)
        self._counts[(action, index(next_state)) if self._counts.ndim == 2 else action] += 1
        if self.steps_left is None:
            self._indices[action] = self._index(action)

    def _index(self, arm: int) -> float:
        discount, left = self.problem.discount, self.steps_left
        if self._counts.ndim == 2 and left is not None:
            rest = {"steps": max(1, left), "discount": discount, "tolerance": self.tolerance}
            return scaled_index(self._counts[arm], self._payoffs[arm], partial(_finite_index, **rest))
        if self._counts.ndim == 2:
            return arm_index(self._counts[arm], self._payoffs[arm], discount, self.tolerance)
        mean = float(self.belief.mean_reward(0, arm))
        strength, noise = float(self._strengths[arm]), float(self._noises[arm])
        if np.isinf(strength) or discount == 0:
            return mean
        return mean + noise * unit_index(strength, int(self._counts[arm]), discount, self.tolerance)


@lru_cache(maxsize=2**17)
def _finite_index(successes: float, failures: float, steps: int, discount: float, tolerance: float) -> float:
    """Cached for all agents, like `_unit_index`."""
    return float(finite_gittins_index(successes, failures, steps, discount, tolerance))


def arm_index(counts: NDArray[np.float64], payoff: NDArray[np.float64], discount: float, tolerance: float) -> float:
    """The index of an arm from its counts of failures and successes, [2], and what these pay, [2]."""
    return scaled_index(counts, payoff, lambda successes, failures: _unit_index(successes, failures, discount, tolerance))


def scaled_index(
    counts: NDArray[np.float64], payoff: NDArray[np.float64], unit_index: Callable[[float, float], float]
) -> float:
    """The index of an arm from that of one that pays 1 for a success and 0 for a failure."""
    (failures, successes), (low, high) = counts, payoff
    if low > high:  # then a failure is the better outcome
        failures, successes, low, high = successes, failures, high, low
    return float(low + (high - low) * unit_index(successes, failures))


@lru_cache(maxsize=2**17)
def _unit_index(successes: float, failures: float, discount: float, tolerance: float) -> float:
    """Cached for all agents: runs of one bandit have many posteriors in common."""
    return float(gittins_index(successes, failures, discount, tolerance))


def payoffs(rewards: NDArray[np.float64]) -> NDArray[np.float64]:
    """The reward of a failure and of a success of each arm. [A, 2]"""
    S, A = rewards.shape[:2]
    if S != 2:
        raise ValueError(f"rewards must be those of a bandit, with 2 states (failure, success), got {S} states")
    failure, success = np.broadcast_to(rewards[:, :, None] if rewards.ndim == 2 else rewards, (2, A, 2))
    if not np.array_equal(failure, success):
        raise ValueError("rewards must not depend on the state, the last outcome: there is no index policy for that")
    return np.array(success)
