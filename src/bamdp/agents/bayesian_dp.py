"""Bayesian DP, or posterior sampling (Strens 2000, "A Bayesian framework for reinforcement
learning"; later called PSRL).

Draw one model from the posterior, act optimally in it, draw again: every `period` steps, at the
start of each episode (Osband, Russo, Van Roy 2013), or when the visits of some state-action pair
have doubled since the last draw (Ouyang et al. 2017, for domains without episodes).
"""

from __future__ import annotations

from collections import Counter
from operator import index
from typing import Any, ClassVar, Literal

from bamdp import validation
from bamdp.agent import Grid
from bamdp.agents._model_based import ModelBased
from bamdp.problem import BAMDP
from bamdp.validation import one_of, positive_integer


class BayesianDP(ModelBased):
    """Acts optimally in one model drawn from the posterior (Thompson sampling, PSRL).

    Args:
        problem: the problem.
        resample: when to draw a new model: every `period` "steps", for each of the "episodes", or
            at "doubling" of the visits of a state-action pair.
        period: number of steps between draws.
        settings: `tolerance`, `ties` and `seed` as in `PosteriorMean`.

    Example:
        >>> import bamdp
        >>> domain = bamdp.domains.DoubleLoop()
        >>> bamdp.run(BayesianDP(domain.problem(), seed=1), domain, steps=1000).total_reward > 350
        True
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_due", "_visits", "_since")
    needs: ClassVar[str] = "samples"
    grid: ClassVar[Grid] = ({"period": (1, 5, 10, 20, 50)}, {"resample": ("doubling",)})

    def __init__(
        self,
        problem: BAMDP,
        *,
        resample: Literal["steps", "episodes", "doubling"] = "steps",
        period: int = 1,
        **settings: Any,
    ) -> None:
        self.resample = one_of("resample", resample, ("steps", "episodes", "doubling"))
        self.period = positive_integer("period", period)
        super().__init__(problem, **settings)

    def reset(self, seed: int) -> None:
        validation.seed(seed)  # before anything changes
        self._due = True
        self._visits: Counter[tuple[int, int]] = Counter()
        self._since: Counter[tuple[int, int]] = Counter()
        super().reset(seed)

    def observe(
        self,
        state: int,
        action: int,
        reward: float,
        next_state: int,
        terminated: bool | None = False,
    ) -> None:
        super().observe(state, action, reward, next_state, terminated)
        pair = index(state), index(action)
        self._visits[pair] += 1
        self._since[pair] += 1
        if self.resample == "steps":
            self._due = self._due or self._since.total() >= self.period
        elif self.resample == "doubling":
            self._due = self._due or self._since[pair] >= max(
                1, self._visits[pair] - self._since[pair]
            )

    def end_episode(self) -> None:
        self._due = self._due or (
            self.resample == "episodes" and self._since.total() > 0
        )  # steps of this model

    def _load(self) -> None:
        if self._due:
            self._solver.load_samples(1, self._rng)
            self._since.clear()
            self._due = False
