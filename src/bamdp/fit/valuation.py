"""How a person values actions: the games that they play, the contract of `bamdp.fit.models`, and
the bounds of parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp import validation
from bamdp.choice_rule import NO_ACTION
from bamdp.priors import BetaArms, NormalArms
from bamdp.priors.beta_arms import has_independent_arms
from bamdp.problem import BAMDP
from bamdp.statistics import Mean
from bamdp.steps import Step
from bamdp.validation import one_of, real

Array = NDArray[np.float64]
# Values at the free choices of a game, [R, n, A] from R draws, and their standard errors [n, A].
Values = tuple[Array, Array]
Seed = Callable[[int, int], int]  # of a trial and a draw

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


@dataclass(frozen=True, eq=False)
class Game:
    """The trials of a person in one world, in order, without those that were missed.

    Attributes:
        subject: the person.
        game: name of the game.
        steps: number of each trial, as in the data. [n]
        rows: the trials.
        counted: whether the choice was free, and so counts for the likelihood. [n]
        elapsed: number of steps of the task before each trial, time-outs included. [n]
        conditions: columns that are constant in the game and that the model reads.
        places: row of the table of each trial, counted from 1; none of a simulated game.
    """

    subject: Any
    game: Any
    steps: Sequence[int]
    rows: Sequence[Step]
    counted: NDArray[np.bool_]
    elapsed: NDArray[np.int64]
    conditions: Mapping[str, Any] = field(default_factory=dict)
    places: Sequence[int] = ()

    @cached_property
    def actions(self) -> NDArray[np.int64]:
        """The choices. [n]"""
        return np.array([row.action for row in self.rows], np.int64)

    @cached_property
    def rewards(self) -> Array:
        """What they paid. [n]"""
        return np.array([row.reward for row in self.rows])

    @property
    def last_actions(self) -> NDArray[np.int64]:
        """The action before each choice; `NO_ACTION` before the first. [n]"""
        return np.concatenate([[NO_ACTION], self.actions[:-1]])

    @property
    def has_timeouts(self) -> bool:
        """Whether steps of the task passed without a trial."""
        return int(self.elapsed[-1]) >= len(self.rows)

    def before(self, measure: Array, num_actions: int) -> Array:
        """The sum over earlier trials of a measure of each trial, of each action. [n, A]"""
        by_action = np.zeros((len(self.rows) + 1, num_actions))
        by_action[np.arange(1, len(self.rows) + 1), self.actions] = measure
        return np.asarray(by_action.cumsum(axis=0)[:-1])

    def where(self, index: int) -> str:
        """The trial, to begin an error with."""
        row = f"row {self.places[index]}, " if len(self.places) else ""
        return f"{row}subject {self.subject}, game {self.game}, step {self.steps[index]}"


def observation(row: Step) -> tuple[Any, ...]:
    """What a belief or an agent observes of a trial; None where the data don't tell whether an
    episode was terminated.
    """
    return (*row[:4], None if row.truncated else row.terminated)


class Valuation:
    """How a person values actions along a game, in place of an agent: each model of
    `bamdp.fit.models` is one.

    A subclass is a frozen dataclass whose fields may be parameters of a `Model`, and says how a
    game is valued: `values`, or `evaluator` where what is solved for one game serves the others.

    Attributes:
        free: bounds of the fields that are free in its usual model.
        rule: parameters of the choice rule that are free in its usual model.
    """

    free: ClassVar[Mapping[str, FreeParameter]] = {}
    rule: ClassVar[tuple[str, ...]] = ("temperature",)

    def values(self, problem: BAMDP, game: Game) -> Array:
        """The value of each action before each trial. [n, A]"""
        raise NotImplementedError

    def evaluator(self, problem: BAMDP) -> Callable[[Game, Seed], Values]:
        """A function of a game: values at its free choices [R, n, A], from R draws, and their
        standard errors [n, A].
        """

        def value(game: Game, seed: Seed) -> Values:
            values = np.asarray(self.values(problem, game), float)[game.counted]
            return values[None], np.zeros_like(values)

        return value


def beta_arms(problem: BAMDP) -> bool:
    """Whether these are Beta arms: the state, the last outcome, says nothing."""
    return (
        has_independent_arms(problem.prior)
        and problem.num_states == 2
        and np.array_equal(*problem.rewards)
    )


@lru_cache(maxsize=4096)  # of the same games, for other parameters of a model
def posteriors(problem: BAMDP, game: Game) -> tuple[Array, Array]:
    """The posterior mean of the reward of each arm before each trial, and its standard deviation.
    [n, A], [n, A]
    """
    A, prior = problem.num_actions, problem.prior
    pulls = game.before(np.ones(len(game.rows)), A)
    if isinstance(prior, BetaArms) and beta_arms(problem):
        rewards = problem.rewards
        if rewards.ndim == 2:
            rewards = np.repeat(rewards[:, :, None], 2, axis=2)
        low, high = rewards[0].T  # what a failure and a success pay
        won = game.before(np.array([float(row.next_state) for row in game.rows]), A)
        a = np.asarray(prior.successes) + won
        b = np.asarray(prior.failures) + pulls - won
        mean = low + (high - low) * a / (a + b)
        return mean, abs(high - low) * np.sqrt(a * b / (a + b + 1)) / (a + b)
    if isinstance(prior, NormalArms) and prior.outcomes.known_noise:
        mean, deviation, noise = (
            np.broadcast_to(part, A) for part in (prior.mean, prior.deviation, prior.noise)
        )
        gain = deviation**2 / (noise**2 + pulls * deviation**2)  # of the sum of all surprises
        surprise = game.before(game.rewards - mean[game.actions], A)
        return mean + gain * surprise, noise * np.sqrt(gain)
    raise TypeError(f"this model takes BetaArms, or NormalArms with known noise, got {prior!r}")
