"""Win-stay, lose-shift (Robbins 1952), with noise: no values are learned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bamdp.fit.arms import posteriors
from bamdp.fit.parameters import FreeParameter
from bamdp.fit.valuation import Game, Valuation
from bamdp.problem import BAMDP
from bamdp.validation import real


@dataclass(frozen=True)
class WinStayLoseShift(Valuation):
    """Repeat a choice that won, change one that lost, each with a probability; for arms.

    Args:
        stay: probability of repeating a choice after a win.
        shift: probability of another choice, one as likely as the other, after a loss.
        threshold: smallest reward that is a win; if not given, what is above the mean reward of the
            arm under the prior.

    Example:
        >>> WinStayLoseShift(stay=0.9, shift=0.5)
        WinStayLoseShift(stay=0.9, shift=0.5, threshold=None)
    """

    free = dict.fromkeys(("stay", "shift"), FreeParameter(0.005, 0.995, "logit"))
    rule = ()  # these are probabilities

    stay: float = 0.9
    shift: float = 0.9
    threshold: float | None = None

    def __post_init__(self) -> None:
        for name in ("stay", "shift"):
            real(name, getattr(self, name), 0, 1, open_low=True, open_high=True)

    def values(self, problem: BAMDP, game: Game) -> NDArray[np.float64]:
        A, before = problem.num_actions, game.actions[:-1]
        if self.threshold is None:
            won = game.rewards[:-1] > posteriors(problem, game)[0][0][before]
        else:
            won = game.rewards[:-1] >= self.threshold
        repeat = np.where(won, self.stay, 1 - self.shift)
        probabilities = np.full((len(game.rows), A), 1 / A)
        probabilities[1:] = ((1 - repeat) / max(A - 1, 1))[:, None]
        probabilities[np.arange(1, len(game.rows)), before] = repeat
        return np.asarray(np.log(probabilities))
