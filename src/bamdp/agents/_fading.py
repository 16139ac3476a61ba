"""Exploration that fades: what epsilon-greedy and softmax on the posterior mean share."""

from __future__ import annotations

from typing import Any, ClassVar

from numpy.typing import ArrayLike

from bamdp._validation import half_life_or_none
from bamdp.agents.posterior_mean import PosteriorMean
from bamdp.prior import Prior


class Fading(PosteriorMean):
    """Acts on the posterior mean and explores less and less: `_left` is what is left of the strength it began with.

    Args:
        prior: what is known of the transitions beforehand.
        rewards: the reward of each state and action [S, A], or of each transition [S, A, S].
        discount: what a reward is worth one step later, in [0, 1).
        half_life: steps after which it is half as strong; it stays as it is if not given.
        settings: `terminal`, `tolerance`, `ties` and `seed` as in `PosteriorMean`.
    """

    learned: ClassVar[tuple[str, ...]] = ("_steps",)

    def __init__(
        self, prior: Prior, rewards: ArrayLike, discount: float, *, half_life: float | None = None, **settings: Any
    ) -> None:
        self.half_life = half_life_or_none(half_life)
        super().__init__(prior, rewards, discount, **settings)

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self._steps = 0

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        super().observe(state, action, reward, next_state)
        self._steps += 1

    @property
    def _left(self) -> float:
        return left(self._steps, self.half_life)


def left(steps: int, half_life: float | None) -> float:
    """What is left of 1 after so many steps.

    Example:
        >>> left(20, 10.0), left(20, None)
        (0.25, 1.0)
    """
    return 1.0 if half_life is None else float(0.5 ** (steps / half_life))
