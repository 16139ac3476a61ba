"""Softmax on the posterior-mean model: P(a | s) ∝ exp(Q(s, a) / temperature) (Sutton, Barto 1998,
2.3).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp.agent import Grid
from bamdp.agents._model_based import annealed
from bamdp.agents.posterior_mean import PosteriorMean
from bamdp.problem import BAMDP
from bamdp.validation import half_life_or_none, real


class Softmax(PosteriorMean):
    """Draws actions by their values in the posterior-mean model: P(a) ∝ exp(Q / temperature).

    Args:
        problem: the problem.
        temperature: initial temperature, in units of return.
        half_life: number of steps that halves the temperature; constant if not given.
        settings: `tolerance` and `seed` as in `PosteriorMean`.

    Example:
        >>> import bamdp
        >>> agent = Softmax(bamdp.domains.Chain().problem(), temperature=1e-3)
        >>> agent.observe(0, 1, 2.0, 0)
        >>> agent.act(0)
        1
    """

    grid: ClassVar[Grid] = (
        {"temperature": (0.01, 0.03, 0.1, 0.3, 1.0), "half_life": (None, 100.0)},
    )

    def __init__(
        self,
        problem: BAMDP,
        *,
        temperature: float = 0.1,
        half_life: float | None = None,
        **settings: Any,
    ) -> None:
        self.temperature, self.half_life = (
            real("temperature", temperature, 0, open_low=True),
            half_life_or_none(half_life),
        )
        super().__init__(problem, **settings)

    def _choose(self, values: NDArray[np.float64]) -> int:
        return boltzmann(
            values, annealed(self.temperature, self.steps_done, self.half_life), self._rng
        )


def boltzmann(values: NDArray[np.float64], temperature: float, rng: np.random.Generator) -> int:
    """Draw an action with P(a) ∝ exp(values[a] / temperature); the best one if the temperature is
    0.
    """
    with np.errstate(over="ignore"):  # −inf is right
        gaps = (values - values.max()) / max(temperature, 1e-300)
    # The Gumbel-max trick: no exponentials to overflow, no sum to divide by.
    return int(np.argmax(gaps + rng.gumbel(size=len(values))))
