"""IEQL+: interval-estimation Q-learning (Meuleau, Bourgine 1999, "Exploration of multi-state
environments").

    N(s, a) ← N(s, a) + α (r + δ(n) + γ max_a' N(s', a') − N(s, a)),   δ(n) = σ_max z_{θ/2} / √n

z_{θ/2} is the normal quantile and n the visits of (s, a): the half-width of a confidence interval
is added to the reward and so backed up; the agent is greedy on N. An untried action has the value
of its bonus paid forever, z σ_max / (1 − γ). The algorithm is the paper's; the constants of its
experiments are not known to us, so all three parameters need tuning.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp.agent import Grid
from bamdp.agents._model_based import greedy
from bamdp.agents._model_free import ModelFree
from bamdp.mdp import annuity
from bamdp.problem import BAMDP, require_discount
from bamdp.validation import LARGEST_REWARD, positive_integer, real


class IEQL(ModelFree[NDArray[np.float64]]):
    """IEQL+: Q-learning with the width of a confidence interval as a bonus; it needs no prior.

    Args:
        problem: the problem; its prior is not used.
        alpha: learning rate.
        sigma_max: assumed standard deviation of one visit, in units of reward.
        theta: one minus the confidence level of the intervals; at least 1e-15.
        seed: seed of the agent's random generator.

    Example:
        >>> import bamdp
        >>> agent = IEQL(bamdp.domains.Chain().problem(), sigma_max=1.0, theta=0.05)
        >>> round(agent.bonus(4), 3)
        0.98
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_visits",)
    grid: ClassVar[Grid] = (
        {
            "alpha": (0.1, 0.2, 0.5, 1.0),
            "sigma_max": (0.01, 0.03, 0.1, 0.3, 1.0),
            "theta": (0.05, 0.5),
        },
    )

    def __init__(
        self,
        problem: BAMDP,
        *,
        alpha: float = 0.5,
        sigma_max: float = 0.1,
        theta: float = 0.05,
        seed: int = 0,
    ) -> None:
        self.alpha = real("alpha", alpha, 0, 1)
        self.sigma_max = real("sigma_max", sigma_max, 0, LARGEST_REWARD)
        self.theta = real("theta", theta, 1e-15, 1, open_high=True)
        self._z = NormalDist().inv_cdf(1 - self.theta / 2)
        super().__init__(problem, seed=seed)

    def reset(self, seed: int) -> None:
        require_discount(self.problem, "IEQL")
        super().reset(seed)
        self._visits: dict[tuple[int, int], int] = {}

    def bonus(self, visits: int) -> float:
        """The bonus added to the reward at the given visit, counted from 1."""
        return float(self.sigma_max * self._z / positive_integer("visits", visits, 2**63) ** 0.5)

    def q_values(self, state: int) -> NDArray[np.float64]:
        """The value of each action in `state`, bonuses included. [A]"""
        return self._entry(self._check_state(state)).copy()

    def act(self, state: int) -> int:
        return greedy(self.q_values(state), 0.0, self._rng)

    def _learn(self, state: int, action: int, reward: float, next_state: int | None) -> None:
        visits = self._visits[state, action] = self._visits.get((state, action), 0) + 1
        values = self._entry(state)
        later = 0.0 if next_state is None else self.problem.discount * self._entry(next_state).max()
        target = reward + self.bonus(visits) + later
        values[action] += self.alpha * (target - values[action])

    def _new_entry(self) -> NDArray[np.float64]:
        untried = self.bonus(1) * annuity(
            self.problem.discount, self.problem.horizon if self.problem.discount == 1 else None
        )
        return np.full(self.problem.num_actions, untried)
