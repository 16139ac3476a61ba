"""How a person values actions: the contract of the models of `bamdp.fit.models`, and the bounds of parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp import validation
from bamdp.fit.data import Game
from bamdp.problem import BAMDP
from bamdp.validation import one_of, real

SCALES: dict[str, tuple[Callable[[float], float], Callable[[float], float]]] = {
    "linear": (float, float),
    "log": (lambda x: float(np.log(x)), lambda z: float(np.exp(z))),
    "logit": (lambda x: float(np.log(x / (1 - x))), lambda z: float(1 / (1 + np.exp(-z)))),
}


@dataclass(frozen=True)
class FreeParameter:
    """Bounds of a parameter and the scale it is searched on.

    Args:
        low: lower bound.
        high: upper bound.
        scale: "linear", "log" for a positive parameter, or "logit" for one between 0 and 1.
        log_prior: logarithm of its prior density, up to a constant, for a maximum a posteriori; flat if not given.

    Example:
        >>> round(FreeParameter(0.01, 1.0, "log").middle, 6)
        0.1
    """

    low: float
    high: float
    scale: str = "linear"
    log_prior: Callable[[float], float] | None = None

    def __post_init__(self) -> None:
        low, high = real("low", self.low), real("high", self.high)
        if not low < high:
            raise ValueError(f"high must be above low, got low={low:g} and high={high:g}")
        one_of("scale", self.scale, tuple(SCALES))
        if (self.scale != "linear" and low <= 0) or (self.scale == "logit" and high >= 1):
            inside = "above 0" if self.scale == "log" else "between 0 and 1"
            raise ValueError(f"low and high must be {inside} with scale={self.scale!r}, got {low:g} and {high:g}")
        if self.log_prior is not None:
            validation.function("log_prior", self.log_prior)

    def scaled(self, value: float) -> float:
        """The value on the scale."""
        return SCALES[self.scale][0](value)

    def value(self, scaled: float) -> float:
        """The value at a place on the scale, within the bounds."""
        return min(max(SCALES[self.scale][1](scaled), self.low), self.high)

    @property
    def ends(self) -> tuple[float, float]:
        """The bounds on the scale."""
        return self.scaled(self.low), self.scaled(self.high)

    @property
    def middle(self) -> float:
        """The value in the middle of the scale."""
        return self.value(sum(self.ends) / 2)


Values = tuple[NDArray[np.float64], NDArray[np.float64]]  # of the free choices of a game, [R, n, A], and standard errors [n, A]
Seed = Callable[[int, int], int]  # of a trial and a draw


class Valuation:
    """How a person values actions along a game, in place of an agent: each model of `bamdp.fit.models` is one.

    A subclass is a frozen dataclass whose fields may be parameters of a `Model`, and says how a game is valued: `values`, or
    `along` where what is solved for one game serves the others.

    Attributes:
        free: bounds of the fields that are free in its usual model.
        rule: parameters of the choice rule that are free in its usual model.
    """

    free: ClassVar[Mapping[str, FreeParameter]] = {}
    rule: ClassVar[tuple[str, ...]] = ("temperature",)

    def values(self, problem: BAMDP, game: Game) -> NDArray[np.float64]:
        """The value of each action before each trial. [n, A]"""
        raise NotImplementedError

    def along(self, problem: BAMDP) -> Callable[[Game, Seed], Values]:
        """A function of a game: values at its free choices [R, n, A], from R draws, and their standard errors [n, A]."""

        def value(game: Game, seed: Seed) -> Values:
            found = np.asarray(self.values(problem, game), float)[game.counted]
            return found[None], np.zeros_like(found)

        return value


# Usual bounds of the parameters of a choice rule, for rewards of a scale.
RULES: dict[str, Callable[[float], FreeParameter]] = {
    "temperature": lambda scale: FreeParameter(0.005 * scale, 20 * scale, "log"),
    "stickiness": lambda scale: FreeParameter(-5.0, 5.0),
    "lapse": lambda scale: FreeParameter(0.0, 0.5),
}
