"""Annealed exploration, shared by epsilon-greedy and softmax on the posterior mean."""

from __future__ import annotations

from typing import Any

from bamdp.agents.posterior_mean import PosteriorMean
from bamdp.problem import BAMDP
from bamdp.validation import half_life_or_none


class Fading(PosteriorMean):
    """Acts on the posterior mean with annealed exploration: `_left` is the remaining fraction of its initial strength."""

    def __init__(self, problem: BAMDP, *, half_life: float | None = None, **settings: Any) -> None:
        self.half_life = half_life_or_none(half_life)
        super().__init__(problem, **settings)

    @property
    def _left(self) -> float:
        return left(self.steps_done, self.half_life)


def left(steps: int, half_life: float | None) -> float:
    """The fraction left after a number of steps.

    Example:
        >>> left(20, 10.0), left(20, None)
        (0.25, 1.0)
    """
    return 1.0 if half_life is None else float(0.5 ** (steps / half_life))
