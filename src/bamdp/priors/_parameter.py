"""The parameter of a `Parametric` prior: its points and weights, and what a belief can say of its posterior."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp.mdp import checked_weights
from bamdp.pictures.markup import curve
from bamdp.prior import Belief, SummaryTable
from bamdp.validation import fits_memory, real, real_array, require

Array = NDArray[np.float64]

MOST_POINTS = 10**6
LISTED = 2000  # points of the largest posterior that a picture in a notebook shows


class ParameterPosterior(NamedTuple):
    """The posterior of the parameter, as two columns.

    Attributes:
        parameter: the points, [M] or [M, d].
        probability: the probability of each. [M]
    """

    parameter: Array
    probability: Array


def parameter_points(parameters: Any, weights: ArrayLike | None, points: int) -> tuple[Array, Array]:
    """Points of the parameter, [M] or [M, d], and their weights [M].

    A distribution, anything with a quantile function `ppf` such as a frozen one of `scipy.stats`, becomes the quantiles in the
    middles of `points` equally probable parts.
    """
    if hasattr(parameters, "ppf"):
        if weights is not None:
            raise ValueError("weights must be None for a distribution, whose points are equally probable")
        quantiles = real_array("parameters.ppf()", parameters.ppf((np.arange(points) + 0.5) / points))
        if quantiles.shape != (points,):
            raise ValueError(f"parameters must be a distribution of one number, its ppf has shape {quantiles.shape}")
        found, counts = np.unique(quantiles, return_counts=True)
        return found, counts / points
    array = real_array("parameters", parameters)
    if array.ndim not in (1, 2) or array.size == 0 or len(array) > MOST_POINTS:
        raise ValueError(f"parameters must be points, [M] or [M, d] with M from 1 to {MOST_POINTS}, got shape {array.shape}")
    fits_memory("parameters", array.size)
    return array, checked_weights(weights, len(array), "parameters")


class ParameterBelief(Belief):
    """A belief over a parameter: what it can say of it."""

    parameters: Array

    @property
    @abstractmethod
    def weights(self) -> Array:
        """The posterior probability of each parameter. [M]"""

    @property
    @abstractmethod
    def observations(self) -> int:
        """Number of transitions observed."""

    def posterior(self) -> ParameterPosterior:
        """The posterior of the parameter: its points, and the probability of each."""
        return ParameterPosterior(self.parameters.copy(), self.weights)

    def parameter_mean(self) -> Any:
        """The posterior mean of the parameter: a number, or [d]."""
        mean = self.weights @ self.parameters
        return float(mean) if self.parameters.ndim == 1 else mean

    def parameter_interval(self, level: float = 0.95) -> Array:
        """The central interval with this probability, [2], or one for each of d parameters, [2, d]."""
        tail = (1 - real("level", level, 0, 1, open_low=True, open_high=True)) / 2
        columns = self.parameters.reshape(len(self.parameters), -1).T
        found = np.array([_quantiles(column, self.weights, (tail, 1 - tail)) for column in columns]).T
        return found[:, 0] if self.parameters.ndim == 1 else found

    def plot(self, axes: Any = None) -> Any:
        """Draw the posterior of a parameter of one dimension with Matplotlib; returns the axes.

        Args:
            axes: axes to draw on; new ones if not given.
        """
        if self.parameters.ndim != 1:
            raise ValueError(f"a posterior of {self.parameters.shape[1]} parameters has no plot; posterior() has the numbers")
        pyplot = require("matplotlib.pyplot", "a plot needs Matplotlib", "report")
        axes = pyplot.subplots()[1] if axes is None else axes
        order = np.argsort(self.parameters)
        axes.plot(self.parameters[order], self.weights[order])
        axes.fill_between(self.parameters[order], self.weights[order], alpha=0.2)
        axes.set_xlabel("parameter")
        axes.set_ylabel("probability")
        return axes

    def summary(self) -> list[SummaryTable | str]:
        """Mean and 95 % interval of the parameter."""
        mean = np.atleast_1d(self.parameter_mean())
        low, high = self.parameter_interval().reshape(2, -1)
        rows = [[i, f"{m:.4g}", f"{a:.4g} to {b:.4g}"] for i, (m, a, b) in enumerate(zip(mean, low, high, strict=True))]
        return [SummaryTable(["parameter", "posterior mean", "95 % interval"], rows)]

    def _repr_html_(self) -> str:
        drawn = self.parameters.ndim == 1 and 1 < len(self.parameters) <= LISTED
        picture = curve(self.weights[np.argsort(self.parameters)].tolist()) if drawn else ""
        return super()._repr_html_() + picture

    def __repr__(self) -> str:
        mean = np.array2string(np.asarray(self.parameter_mean()), precision=4)
        return f"<belief over {len(self.parameters)} parameters after {self.observations} observations, mean {mean}>"


def _quantiles(values: Array, weights: Array, levels: tuple[float, ...]) -> Array:
    """The smallest value below or at which there is this much of the weight."""
    order = np.argsort(values)
    cumulative = np.cumsum(weights[order])
    return np.asarray(values[order][np.searchsorted(cumulative, np.array(levels) * cumulative[-1])])
