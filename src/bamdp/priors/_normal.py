"""Normal outcomes: what is known of rewards with an unknown mean, and perhaps
an unknown variance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp.validation import LARGEST_REWARD, fits_memory, real, real_array, table_sizes

ARGUMENTS = "mean, deviation, noise and degrees"
LARGEST_DEVIATION = 1e100
MOST_CERTAIN = 1e14  # pseudo-observations of the mean; doubles can still add one
FEWEST_DEGREES = 2  # the variance of a Student's t is infinite up to here


@dataclass(frozen=True, eq=False)
class Normal:
    """Normal rewards whose mean is unknown, and their variance too if `degrees` is finite.

        σ² = noise²,  or with finite degrees  σ² ~ scaled-inverse-χ²(degrees, noise²);
        μ ~ N(mean, σ² (deviation/noise)²)

    Each argument is one number for all states and actions, one per action [A], or one each [S, A].
    The posterior after any rewards is of the same form: see `UnknownRewards`.

    Args:
        mean: expected reward.
        deviation: standard deviation of the unknown mean, in units of reward (given that σ is
            `noise`); 0 if it is known.
        noise: standard deviation of a reward around its mean.
        degrees: degrees of freedom, above 2: how many rewards the knowledge of `noise` is worth.
            Infinite if it is known.

    Example:
        >>> belief = Normal(mean=1, deviation=2, noise=2)
        >>> float(belief.strength), float(belief.scale.round(3))
        (1.0, 2.828)
    """

    mean: float | ArrayLike
    deviation: float | ArrayLike = 1.0
    noise: float | ArrayLike = 1.0
    degrees: float | ArrayLike = math.inf

    def __post_init__(self) -> None:
        checked = {
            "mean": _numbers("mean", self.mean, -LARGEST_REWARD, LARGEST_REWARD),
            "deviation": _numbers("deviation", self.deviation, 0, LARGEST_DEVIATION),
            "noise": _numbers("noise", self.noise, 0, LARGEST_DEVIATION, open_low=True),
            "degrees": _degrees(self.degrees),
        }
        try:
            np.broadcast_shapes(*(array.shape for array in checked.values()))
        except ValueError:
            shapes = ", ".join(f"{name} {array.shape}" for name, array in checked.items())
            raise ValueError(
                f"{ARGUMENTS} must be for the same states and actions, got {shapes}"
            ) from None
        for name, array in checked.items():
            array.setflags(write=False)
            object.__setattr__(self, name, float(array) if array.ndim == 0 else array)
        known = np.asarray(self.deviation) == 0
        strength = np.where(known, 1.0, self.strength)
        if np.any((strength > MOST_CERTAIN) | (strength < 1 / MOST_CERTAIN)):
            raise ValueError(
                "deviation must be 0 or within a factor of 1e7 of noise, got deviation "
                f"{self.deviation} and noise {self.noise}"
            )

    @property
    def known_noise(self) -> bool:
        """Whether the variance of a reward around its mean is known."""
        return bool(np.all(np.isinf(self.degrees)))

    @property
    def exchangeable_actions(self) -> bool:
        """Whether it is the same for all actions."""
        parts = np.broadcast_arrays(self.mean, self.deviation, self.noise, self.degrees)
        return all(part.ndim == 0 or bool((part == part[..., :1]).all()) for part in parts)

    @property
    def sizes(self) -> tuple[int | None, int | None]:
        """The numbers of states and actions that it is for; None for any number."""
        parts = self.mean, self.deviation, self.noise, self.degrees
        shape = np.broadcast_shapes(*map(np.shape, parts))
        S, A = (None, None, *(n if n > 1 else None for n in shape))[-2:]
        return S, A

    @property
    def strength(self) -> NDArray[np.float64]:
        """How many rewards the knowledge of the mean is worth, (noise / deviation)²; infinite if
        the mean is known.
        """
        with np.errstate(divide="ignore"):
            return np.square(np.divide(self.noise, self.deviation))

    @property
    def scale(self) -> NDArray[np.float64]:
        """Scale of the next reward: a Student's t around `mean` with these `degrees`, normal if
        they are infinite.
        """
        return np.hypot(self.noise, self.deviation)

    def table(self, num_states: int, num_actions: int) -> NDArray[np.float64]:
        """Mean, strength, degrees and variance of all pairs alike, [1, 4], or of each, [S·A, 4]."""
        S, A = table_sizes(num_states, num_actions)
        parts = np.stack(
            np.broadcast_arrays(self.mean, self.strength, self.degrees, np.square(self.noise)),
            axis=-1,
        )
        if parts.ndim == 1:
            return np.ascontiguousarray(parts[None], dtype=np.float64)
        fits_memory(f"num_states={num_states}", 4 * S * A)
        try:
            return np.ascontiguousarray(
                np.broadcast_to(parts, (S, A, 4)).reshape(-1, 4), dtype=np.float64
            )
        except ValueError:
            accepts = f"{A} actions or for {S} states and {A} actions"
            raise ValueError(
                f"{ARGUMENTS} must be numbers, or arrays for {accepts}, got shape "
                f"{parts.shape[:-1]}"
            ) from None

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{name}={_short_array(getattr(self, name))}" for name in ("mean", "deviation", "noise")
        )
        return (
            f"Normal({shown})"
            if self.known_noise
            else f"Normal({shown}, degrees={_short_array(self.degrees)})"
        )


def _numbers(
    name: str, value: Any, low: float, high: float, *, open_low: bool = False
) -> NDArray[np.float64]:
    """`value` as numbers between low and high."""
    array = real_array(name, value)
    if array.ndim > 2 or array.size == 0:
        raise ValueError(
            f"{name} must be a number, or an array [A] or [S, A], got shape {array.shape}"
        )
    for number in (array.min(), array.max()):
        real(name, number, low, high, open_low=open_low)
    return array


def _degrees(value: Any) -> NDArray[np.float64]:
    """`value` as degrees of freedom, infinite ones allowed."""
    degrees = np.asarray(value)
    finite = (
        np.where(np.isinf(degrees) & (degrees > 0), 1e14, degrees)
        if degrees.dtype.kind == "f"
        else value
    )
    array = _numbers("degrees", finite, FEWEST_DEGREES, MOST_CERTAIN, open_low=True)
    return np.where(np.isposinf(degrees), np.inf, array) if degrees.dtype.kind == "f" else array


def _short_array(value: Any) -> str:
    return f"{value:g}" if np.ndim(value) == 0 else str(np.asarray(value).tolist())
