"""A bandit with normal arms, as an MDP with one state.

    r ~ N(means[a], deviations[a]²)

The table `rewards` has the means. Agents don't know it: the default prior is `NormalArms`, whose
noise is that of the arms. The default is the ten-armed testbed of Sutton and Barto (2018, section
2.3): means are standard normal, and so is the noise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp.domains.tabular import Tabular
from bamdp.mdp import MDP, Outcomes
from bamdp.prior import Prior, checked_prior
from bamdp.priors._normal import Normal
from bamdp.priors.normal_arms import NormalArms
from bamdp.priors.unknown_rewards import UnknownRewards
from bamdp.problem import BAMDP
from bamdp.validation import LARGEST_REWARD, real_array

# numpy.random.default_rng(0).standard_normal(10), rounded
TESTBED = (0.13, -0.13, 0.64, 0.1, -0.54, 0.36, 1.3, 0.95, -0.7, -1.27)


class NormalBandit(Tabular):
    """A bandit with normal arms.

    Args:
        means: mean reward of each arm.
        deviations: standard deviation of the reward of each arm, one number or one per arm.
        discount: discount factor, in [0, 1); 1 with a horizon.
        horizon: number of steps of a run that count, which agents are given; none if not given.

    Example:
        >>> state, reward = NormalBandit([0.0, 100.0]).step(0, 1, np.random.default_rng(0))
        >>> state, round(reward, 3)
        (0, 100.126)
    """

    steps = 300

    def __init__(
        self,
        means: ArrayLike = TESTBED,
        deviations: float | ArrayLike = 1.0,
        discount: float = 0.99,
        *,
        horizon: int | None = None,
    ) -> None:
        mean, deviation = (
            real_array("means", means, LARGEST_REWARD),
            real_array("deviations", deviations, 1e100),
        )
        if mean.ndim != 1 or mean.size == 0:
            raise ValueError(f"means must be one number per arm, got shape {mean.shape}")
        A = len(mean)
        if deviation.shape not in ((), (A,)) or deviation.min() <= 0:
            raise ValueError(
                f"deviations must be one positive number or one for each of the {A} arms, got "
                f"{deviation.tolist()}"
            )
        self._noise: float | NDArray[np.float64] = (
            float(deviation) if deviation.ndim == 0 else deviation
        )
        noise = Outcomes(deviations=np.broadcast_to(deviation, (1, A)))
        super().__init__(
            MDP(np.ones((1, A, 1)), mean[None], outcomes=noise),
            discount,
            horizon=horizon,
            prior=NormalArms(deviation=self._noise, noise=self._noise),
            states=("arms",),
            actions=[f"arm {arm}" for arm in range(A)],
        )

    def problem(self, prior: Prior | None = None, **changes: Any) -> BAMDP:
        """What agents are told: the noise, not the means."""
        prior = self._prior if prior is None else checked_prior(prior)
        if not prior.unknown_rewards:
            reward = Normal(0.0, deviation=self._noise, noise=self._noise)
            prior = UnknownRewards(prior, outcomes=reward)
        return super().problem(prior, **changes)
