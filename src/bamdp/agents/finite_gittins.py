"""The index policy for bandits with a known number of steps.

Each arm has the index λ(a, b, T) of its posterior and the T steps left (`bamdp.exact.finite_gittins_index`); the arm with the
highest one is pulled. Villar, Bowden and Wason (2015) call it the Whittle index policy. It is not optimal, as an index policy
is for infinitely many steps only, but nearly so.
"""

from __future__ import annotations

from functools import lru_cache
from operator import index
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _validation
from bamdp._validation import integer, positive_integer, real
from bamdp.agent import Agent
from bamdp.agents.gittins import arm_index, payoffs, pseudo_counts, scaled_index
from bamdp.exact.finite_gittins import LONGEST, finite_gittins_index
from bamdp.prior import Prior
from bamdp.priors.beta_arms import BetaArms


class FiniteGittins(Agent):
    """Pulls the arm with the highest Gittins index for the steps that are left, for bandits only.

    Args:
        prior: `BetaArms`; an arm with 0 failures is known to always succeed.
        rewards: reward of each outcome of each arm, which must not depend on the state. [2, A] or [2, A, 2]
        discount: discount factor, in [0, 1); 1 with a deadline.
        deadline: number of steps that count, from the start; if not given there is no last one, and the policy is that of
            `Gittins`.
        tolerance: maximum error of the indices.
        seed: seed of the agent's random generator.

    Example:
        >>> import bamdp
        >>> prior = bamdp.priors.BetaArms(successes=[1, 10], failures=[1, 9])  # the second arm's mean is higher
        >>> agent = FiniteGittins(prior, [[[0, 1], [0, 1]]] * 2, discount=1.0, deadline=2)
        >>> first = agent.act(0)  # the first arm may prove better, and a step is left to use that
        >>> agent.observe(state=0, action=first, reward=0.0, next_state=0)
        >>> first, agent.act(0)
        (0, 1)
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_rng", "belief", "_counts")
    fixed: ClassVar[tuple[str, ...]] = ("prior", "rewards", "num_actions", "discount", "deadline")

    def __init__(
        self,
        prior: Prior,
        rewards: ArrayLike,
        discount: float,
        *,
        deadline: int | None = None,
        tolerance: float = 1e-6,
        seed: int = 0,
    ) -> None:
        if not isinstance(prior, BetaArms):
            raise TypeError(
                f"prior must be BetaArms: FiniteGittins is for bandits only, got {prior!r}; BAMCP plans with any prior"
            )
        self.prior = prior
        self.rewards = _validation.rewards(rewards)
        self._payoffs = payoffs(self.rewards)
        self.num_actions = len(self._payoffs)
        self.deadline = None if deadline is None else positive_integer("deadline", deadline, LONGEST)
        self.discount = _validation.discount(discount, ends=self.deadline is not None)
        self.tolerance = real("tolerance", tolerance, 1e-9, 1)
        self.reset(seed)

    def reset(self, seed: int) -> None:
        self._rng = np.random.default_rng(_validation.seed(seed))
        self.belief = self.prior.belief(2, self.num_actions)
        self._counts = pseudo_counts(self.prior, self.num_actions)

    @property
    def indices(self) -> NDArray[np.float64]:
        """Current index of each arm. [A]"""
        return np.array([self._index(arm) for arm in range(self.num_actions)])

    def act(self, state: int) -> int:
        integer("state", state, 0, 1)
        indices = self.indices
        return int(self._rng.choice(np.flatnonzero(indices == indices.max())))

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        _validation.reward(reward)
        self.belief.observe(state, action, next_state)
        self._counts[index(action), index(next_state)] += 1

    def _index(self, arm: int) -> float:
        left = self.steps_left
        if left is None:
            return arm_index(self._counts[arm], self._payoffs[arm], self.discount, self.tolerance)
        steps = max(1, left)
        return scaled_index(
            self._counts[arm], self._payoffs[arm], lambda a, b: _unit_index(a, b, steps, self.discount, self.tolerance)
        )


@lru_cache(maxsize=2**17)
def _unit_index(successes: float, failures: float, steps: int, discount: float, tolerance: float) -> float:
    """Cached for all agents, like that of `Gittins`."""
    return float(finite_gittins_index(successes, failures, steps, discount, tolerance))
