"""Normal arms, for bandits whose rewards are real numbers.

    r(arm) ~ N(μ, σ²),   μ ~ N(mean, deviation²),
    σ = noise, known, or with finite `degrees` unknown too

A bandit of this kind is a domain of one state: nothing but the reward is observed. The belief is
that of `UnknownRewards` with `Normal` outcomes, where all transitions lead back to the one state.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp.prior import Prior
from bamdp.priors._normal import Normal
from bamdp.priors.dirichlet import Dirichlet
from bamdp.priors.unknown_rewards import NormalRewardsBelief, UnknownRewards
from bamdp.validation import integer

if TYPE_CHECKING:
    from bamdp.problem import BAMDP


class NormalArmsBelief(NormalRewardsBelief):
    """A belief over normal arms.

    Example:
        >>> import bamdp
        >>> belief = bamdp.domains.NormalBandit([0.0, 1.0]).problem(NormalArms(mean=0, deviation=1,
        ...     noise=1)).belief()
        >>> belief.observe(state=0, action=1, reward=3.0, next_state=0)
        >>> belief.arm(1)
        Normal(mean=1.5, deviation=0.707107, noise=1)
    """

    def arm(self, arm: int) -> Normal:
        """The posterior of an arm, in the form of the prior."""
        return self.outcome(0, integer("arm", arm, 0, self.problem.num_actions - 1))

    def __repr__(self) -> str:
        return (
            f"<belief over {self.problem.num_actions} normal arms after {self._seen.observations} "
            "observations>"
        )


@dataclass(frozen=True, eq=False)
class NormalArms(Prior):
    """Normal arms with independent normal priors; the only state is 0.

    With finite `degrees` the prior is normal-inverse-gamma: see `Normal`, whose arguments these
    are, for all arms or one each.

    Args:
        mean: expected reward.
        deviation: standard deviation of the unknown mean; 0 if it is known.
        noise: standard deviation of a reward around its mean.
        degrees: degrees of freedom, above 2: how many rewards the knowledge of `noise` is worth.
            Infinite if it is known.

    Example:
        >>> import bamdp
        >>> domain = bamdp.domains.NormalBandit([0.0, 1.0], discount=0.9)
        >>> agent = bamdp.agents.Gittins(domain.problem(NormalArms()))
        >>> bamdp.run(agent, domain, steps=100, seed=1).total_reward > 50
        True
    """

    unknown_rewards = True

    mean: float | ArrayLike = 0.0
    deviation: float | ArrayLike = 1.0
    noise: float | ArrayLike = 1.0
    degrees: float | ArrayLike = math.inf

    def __post_init__(self) -> None:
        for name in ("mean", "deviation", "noise", "degrees"):
            object.__setattr__(self, name, getattr(self.outcomes, name))

    @property
    def outcomes(self) -> Normal:
        """The prior of the rewards."""
        return Normal(self.mean, self.deviation, self.noise, self.degrees)

    def reward_range(self, rewards: NDArray[np.float64]) -> tuple[float, float]:
        return -np.inf, np.inf

    def reward_scale(self, rewards: NDArray[np.float64]) -> float:
        return float(np.max(self.outcomes.scale))

    @property
    def sizes(self) -> tuple[int | None, int | None]:
        """One state, and the number of arms if an argument has one number for each."""
        return 1, self.outcomes.sizes[1]

    def belief(self, problem: BAMDP) -> NormalArmsBelief:
        known = Dirichlet()
        return NormalArmsBelief(
            problem, UnknownRewards(known, outcomes=self.outcomes), known.belief(problem)
        )

    def __repr__(self) -> str:
        return repr(self.outcomes).replace("Normal", "NormalArms", 1)


@singledispatch
def normal_outcomes(prior: Prior) -> Normal | None:
    """The prior of normal rewards; None if rewards are known, or of another kind."""
    return None


@normal_outcomes.register
def _(prior: UnknownRewards) -> Normal | None:
    return prior.outcomes


@normal_outcomes.register
def _(prior: NormalArms) -> Normal:
    return prior.outcomes
