"""The Gittins index policy: Bayes-optimal for bandits (Gittins 1979).

Each arm has an index that depends on its own posterior alone; pulling an arm with the highest index is optimal. The index of an
arm that pays r₁ for a success and r₀ for a failure is r₀ + (r₁ − r₀) times that of an arm that pays 1 and 0.
"""

from __future__ import annotations

from functools import lru_cache
from operator import index
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _validation
from bamdp._validation import integer, real
from bamdp.agent import Agent
from bamdp.exact.gittins import gittins_index
from bamdp.prior import Prior
from bamdp.priors.beta_arms import BetaArms


class Gittins(Agent):
    """Pulls the arm with the highest Gittins index: Bayes-optimal, for bandits only.

    Args:
        prior: `BetaArms`; an arm with 0 failures is known to always succeed.
        rewards: reward of each outcome of each arm, which must not depend on the state. [2, A] or [2, A, 2]
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

    def __init__(self, prior: Prior, rewards: ArrayLike, discount: float, *, tolerance: float = 1e-6, seed: int = 0) -> None:
        if not isinstance(prior, BetaArms):
            raise TypeError(f"prior must be BetaArms: Gittins is for bandits only, got {prior!r}; BAMCP plans with any prior")
        self.prior = prior
        self.rewards = _validation.rewards(rewards)
        self._payoffs = _payoffs(self.rewards)
        self.num_actions = len(self._payoffs)
        self.discount = _validation.discount(discount)
        self.tolerance = real("tolerance", tolerance, 0, 1, open_low=True)
        self.reset(seed)

    def reset(self, seed: int) -> None:
        self._rng = np.random.default_rng(_validation.seed(seed))
        self.belief = self.prior.belief(2, self.num_actions)
        pseudo_counts = (self.prior.failures, self.prior.successes)
        self._counts = np.stack([np.broadcast_to(n, self.num_actions) for n in pseudo_counts], axis=1)
        self.indices = np.array([self._index(arm) for arm in range(self.num_actions)])

    def act(self, state: int) -> int:
        integer("state", state, 0, 1)
        return int(self._rng.choice(np.flatnonzero(self.indices == self.indices.max())))

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        _validation.reward(reward)
        self.belief.observe(state, action, next_state)
        action = index(action)
        self._counts[action, index(next_state)] += 1
        self.indices[action] = self._index(action)

    def _index(self, arm: int) -> float:
        (failures, successes), (low, high) = self._counts[arm], self._payoffs[arm]
        if low > high:  # then a failure is the better outcome
            failures, successes, low, high = successes, failures, high, low
        return float(low + (high - low) * _unit_index(successes, failures, self.discount, self.tolerance))


@lru_cache(maxsize=2**17)
def _unit_index(successes: float, failures: float, discount: float, tolerance: float) -> float:
    """Cached for all agents: runs of one bandit have many posteriors in common."""
    return float(gittins_index(successes, failures, discount, tolerance))


def _payoffs(rewards: NDArray[np.float64]) -> NDArray[np.float64]:
    """The reward of a failure and of a success of each arm. [A, 2]"""
    S, A = rewards.shape[:2]
    if S != 2:
        raise ValueError(f"rewards must be those of a bandit, with 2 states (failure, success), got {S} states")
    failure, success = np.broadcast_to(rewards[:, :, None] if rewards.ndim == 2 else rewards, (2, A, 2))
    if not np.array_equal(failure, success):
        raise ValueError("rewards must not depend on the state, the last outcome: there is no index policy for that")
    return np.array(success)
