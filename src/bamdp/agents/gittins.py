"""The Gittins index policy: Bayes-optimal for bandits (Gittins 1979).

Each arm has an index that depends on its own posterior alone; pulling an arm with the highest index is optimal. The index of an
arm that pays r₁ for a success and r₀ for a failure is r₀ + (r₁ − r₀) times that of an arm that pays 1 and 0. That of a normal
arm with known noise σ is its posterior mean plus σ times a number that depends on how much is known of the mean.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from operator import index
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _validation
from bamdp._validation import integer, real
from bamdp.agent import Agent
from bamdp.domain import Domain
from bamdp.exact.gittins import gittins_index
from bamdp.exact.normal_gittins import unit_index
from bamdp.prior import Prior
from bamdp.priors.beta_arms import BetaArms
from bamdp.priors.normal_arms import NormalArms, NormalArmsBelief


class Gittins(Agent):
    """Pulls the arm with the highest Gittins index: Bayes-optimal, for bandits only.

    Args:
        prior: `BetaArms`; an arm with 0 failures is known to always succeed. Or `NormalArms` with known noise.
        rewards: reward of each outcome of each arm, which must not depend on the state, [2, A] or [2, A, 2]; of normal arms,
            [1, A], only the shape is used.
        discount: discount factor, in [0, 1).
        tolerance: maximum error of the indices.
        seed: seed of the agent's random generator.

    Attributes:
        indices: current index of each arm. [A]

    Example:
        >>> import bamdp
        >>> domain = bamdp.domains.Bandit([0.4, 1.0], discount=0.95, payoffs=[1, 0.5])
        >>> prior = bamdp.priors.BetaArms(successes=[1, 1], failures=[1, 0])
        >>> Gittins(prior, domain.rewards, domain.discount).indices.round(3)
        array([0.761, 0.5  ])
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_rng", "belief", "_counts", "indices")
    fixed: ClassVar[tuple[str, ...]] = ("prior", "rewards", "num_actions", "discount")

    def __init__(self, prior: Prior, rewards: ArrayLike, discount: float, *, tolerance: float = 1e-6, seed: int = 0) -> None:
        if not isinstance(prior, BetaArms | NormalArms):
            raise TypeError(
                f"prior must be BetaArms or NormalArms: Gittins is for bandits only, got {prior!r}; BAMCP plans with any prior"
            )
        self.prior = prior
        self.rewards = _validation.rewards(rewards)
        self.num_states, self.num_actions = self.rewards.shape[:2]
        if isinstance(prior, BetaArms):
            self._payoffs = payoffs(self.rewards)
        elif not prior.outcomes.known_noise:
            raise TypeError(
                f"prior must have infinite degrees, a known noise: no index is computed for an unknown one, got {prior!r}; "
                "IndexPolicy approximates it, BAMCP and BayesAdaptive plan"
            )
        else:
            known = (prior.outcomes.strength, prior.outcomes.noise)
            self._strengths, self._noises = (np.broadcast_to(x, self.num_actions).tolist() for x in known)
        self.discount = _validation.discount(discount, where="for FiniteGittins, which has a deadline")
        self.tolerance = real("tolerance", tolerance, 0, 1, open_low=True)
        self.reset(seed)

    @classmethod
    def _deadline_setting(cls, domain: Domain) -> dict[str, Any]:
        if domain.deadline is not None:
            raise TypeError(
                f"{cls.__name__} is for runs without a deadline, got one of {domain.deadline} steps; FiniteGittins has "
                "the finite-horizon (Whittle) index, and BayesAdaptive plans with any prior"
            )
        return {}

    def reset(self, seed: int) -> None:
        self._rng = np.random.default_rng(_validation.seed(seed))
        self.belief = self.prior.belief(self.num_states, self.num_actions)
        A = self.num_actions
        self._counts = pseudo_counts(self.prior, A) if isinstance(self.prior, BetaArms) else np.zeros(A)
        self.indices = np.array([self._index(arm) for arm in range(self.num_actions)])

    def act(self, state: int) -> int:
        integer("state", state, 0, self.num_states - 1)
        return int(self._rng.choice(np.flatnonzero(self.indices == self.indices.max())))

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        self.belief.observe_step(state, action, _validation.reward(reward), next_state)
        action = index(action)
        self._counts[(action, index(next_state)) if isinstance(self.prior, BetaArms) else action] += 1
        self.indices[action] = self._index(action)

    def _index(self, arm: int) -> float:
        if isinstance(self.prior, BetaArms):
            return arm_index(self._counts[arm], self._payoffs[arm], self.discount, self.tolerance)
        mean = cast(NormalArmsBelief, self.belief).mean_reward(0, arm)
        strength, noise = float(self._strengths[arm]), float(self._noises[arm])
        if np.isinf(strength) or self.discount == 0:
            return mean
        return mean + noise * unit_index(strength, int(self._counts[arm]), self.discount, self.tolerance)


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


def pseudo_counts(prior: BetaArms, num_actions: int) -> NDArray[np.float64]:
    """The prior's counts of failures and successes of each arm. [A, 2]"""
    return np.stack([np.broadcast_to(n, num_actions) for n in (prior.failures, prior.successes)], axis=1)


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
