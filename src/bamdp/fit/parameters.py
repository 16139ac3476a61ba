"""Parameters that are free in a model: their bounds, and the scale they are searched on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bamdp import validation
from bamdp.statistics import Mean
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
        log_prior: logarithm of its prior density, up to a constant, for a maximum a posteriori;
            flat if not given.

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
            raise ValueError(
                f"low and high must be {inside} with scale={self.scale!r}, got {low:g} and {high:g}"
            )
        if self.log_prior is not None:
            validation.function("log_prior", self.log_prior)

    def scaled(self, value: float) -> float:
        """The value on the scale."""
        return SCALES[self.scale][0](value)

    def value(self, scaled: float) -> float:
        """The value at a place on the scale, within the bounds; exactly a bound at its place."""
        low, high = self.ends
        rounding = 1e-9 * (high - low)
        if low + rounding < scaled < high - rounding:
            return min(max(SCALES[self.scale][1](scaled), self.low), self.high)
        return float(self.low if scaled <= low + rounding else self.high)

    def spanned(self, low: float, high: float) -> bool:
        """Whether an interval has all values within the bounds."""
        return low <= self.low and high >= self.high

    def is_bound(self, value: float) -> bool:
        """Whether a value is at one of the bounds, up to half a percent of the scale."""
        (low, high), at = self.ends, self.scaled(value)
        return min(at - low, high - at) < 0.005 * (high - low)

    def text(self, value: float, low: float, high: float) -> str:
        """An estimate with its interval, in words if that has all values within the bounds.

        Example:
            >>> temperature = FreeParameter(0.005, 20, "log")
            >>> print(temperature.text(0.14, 0.1, 0.21))
            0.140 (0.100 … 0.210)
            >>> print(temperature.text(3, 0.005, 20))
            not identified: any value from 0.005 to 20
        """
        if self.spanned(low, high):
            return f"not identified: any value from {self.low:g} to {self.high:g}"
        if np.isnan(low):
            return f"{value:.3g}"
        if 0 < 10 * low < high:  # with equally many decimals the lower end would have no digit
            return f"{value:.2g} ({low:.2g} … {high:.2g})"
        return Mean(value, low, high).range()

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The bounds on the scale."""
        return self.scaled(self.low), self.scaled(self.high)

    @property
    def middle(self) -> float:
        """The value in the middle of the scale."""
        return self.value(sum(self.ends) / 2)


# Usual bounds of the parameters of a choice rule, for rewards of a scale.
RULES: dict[str, Callable[[float], FreeParameter]] = {
    "temperature": lambda scale: FreeParameter(0.005 * scale, 20 * scale, "log"),
    "stickiness": lambda scale: FreeParameter(-5.0, 5.0),
    "lapse": lambda scale: FreeParameter(0.0, 0.5),
}
