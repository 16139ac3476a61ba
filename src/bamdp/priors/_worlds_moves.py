"""Sequential Monte Carlo over worlds that are drawn: particles that are resampled and moved.

After a step the particles are weighted by its likelihood. When their effective sample size falls
below half, they are resampled systematically, and each is moved by Metropolis and Hastings on the
steps so far, which leaves the posterior unchanged (Gilks and Berzuini 2001; Chopin 2002):

    x' ~ the prior                                  accepted with min(1, L(x') / L(x))
    x' ~ x + 2.38 / √d · N(0, Σ), with `log_prior`  accepted with min(1, p(x') L(x') / p(x) L(x))

Σ is the covariance of the particles, L the likelihood of the steps, which are counted by state,
action and observation.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bamdp.priors._worlds_list import like, together, vectors_of
from bamdp.priors._worlds_rows import Row, WorldFunction, same_reward
from bamdp.validation import real

Array = NDArray[np.float64]
MOST_ROUNDS = 10  # of moves, until each particle has moved once on average
STEP = 2.38  # of a random walk, over √d: optimal for normal targets (Roberts, Gelman, Gilks 1997)
FEW = 0.05  # of particles that differ, below which they have degenerated


class ObservedStep(NamedTuple):
    """A step by which worlds are weighted."""

    state: int  # number of the base
    action: int
    number: int
    reward: float | None


class Moves(NamedTuple):
    """How particles are moved.

    Attributes:
        draw: draws a world from the prior.
        log_prior: log density of a world, up to a constant; None for independent draws.
        move: the user's own, `move(world, log_likelihood, rng)`; None for one of the others.
    """

    draw: Callable[[np.random.Generator], Any]
    log_prior: Callable[[Any], float] | None
    move: Callable[..., Any] | None


class LikelihoodOf(Protocol):
    """The log-likelihood of the steps so far."""

    def __call__(self, world: Any) -> float:
        """Of one world; −∞ if a step is impossible there."""

    def of(self, worlds: list[Any]) -> Array:
        """Of several worlds. [n]"""


class Likelihood:
    """The log-likelihood of counted steps.

    Args:
        function: the user's function.
        actions: the actions.
        vectorised: whether it takes all worlds at once.
        counts: how often each step was observed.
    """

    def __init__(
        self,
        function: WorldFunction,
        actions: Sequence[Hashable],
        vectorised: bool,
        counts: Counter[ObservedStep],
    ) -> None:
        self._function, self._actions, self._vectorised = function, actions, vectorised
        self._pairs: dict[tuple[int, int], list[tuple[ObservedStep, int]]] = {}
        for step, count in counts.items():
            self._pairs.setdefault((step.state, step.action), []).append((step, count))

    def __call__(self, world: Any) -> float:
        """Of one world; −∞ if a step is impossible there."""
        return float(self.of([world])[0])

    def of(self, worlds: list[Any]) -> Array:
        """Of several worlds. [n]"""
        total = np.zeros(len(worlds))
        for (state, action), steps in self._pairs.items():
            left = np.flatnonzero(total > -np.inf)
            if len(left) == 0:
                break
            here = [worlds[i] for i in left.tolist()]
            with np.errstate(divide="ignore"):
                logarithms = np.log(self._probabilities(here, state, action, steps))
            total[left] += logarithms @ [count for _, count in steps]
        return total

    def _probabilities(
        self, worlds: list[Any], state: int, action: int, steps: list[tuple[ObservedStep, int]]
    ) -> Array:
        """Of each step in each world. [M, steps]"""
        name = self._actions[action]
        if not self._vectorised:
            rows = [self._function.row(world, state, name) for world in worlds]
            return np.array([[_probability(row, step) for step, _ in steps] for row in rows])
        columns = self._function.columns(together(worlds), len(worlds), state, name)
        probabilities = np.zeros((len(worlds), len(steps)))
        for k, (step, _) in enumerate(steps):
            for column in columns:
                same = column.matches(step.number, step.reward)
                probabilities[same, k] += column.probability[same]
        return probabilities


def _probability(row: Row, step: ObservedStep) -> float:
    return sum(
        outcome.probability
        for outcome in row
        if outcome.number == step.number
        and (step.reward is None or same_reward(outcome.reward, step.reward))
    )


def resampled(
    weights: Array, rng: np.random.Generator, count: int | None = None
) -> NDArray[np.int64]:
    """Indices drawn by systematic resampling, as many as there are if not told. [count]"""
    count = len(weights) if count is None else count
    cumulative = np.cumsum(weights)
    points = (rng.random() + np.arange(count)) / count * cumulative[-1]
    drawn = np.searchsorted(cumulative, points, side="right")
    return np.asarray(np.minimum(drawn, len(weights) - 1), np.int64)


def moved(
    worlds: list[Any],
    weights: Array,
    moves: Moves,
    likelihood: LikelihoodOf,
    rng: np.random.Generator,
) -> list[Any]:
    """Resample and move particles.

    Args:
        worlds: the particles. [M]
        weights: their weights. [M]
        moves: how they are moved.
        likelihood: that of the steps so far.
        rng: random generator.
    """
    vectors = (
        None if moves.log_prior is None else vectors_of(worlds, "with log_prior; give move instead")
    )
    drawn = resampled(weights, rng)
    left = [worlds[i] for i in drawn]
    if moves.move is not None:
        return [moves.move(world, likelihood, rng) for world in left]
    known: dict[int, float] = {}  # of particles that are the same, once
    different = list({id(world): world for world in left}.values())
    for world, value in zip(different, likelihood.of(different), strict=True):
        known[id(world)] = float(value)
    values = np.array([known[id(world)] for world in left])
    if vectors is None:
        return _independent(left, values, moves, likelihood, rng)
    root = _root(vectors, weights)
    return _random_walk(left, vectors[drawn], values, moves, likelihood, rng, root)


def _independent(
    worlds: list[Any],
    values: Array,
    moves: Moves,
    likelihood: LikelihoodOf,
    rng: np.random.Generator,
) -> list[Any]:
    accepted = 0
    for _ in range(MOST_ROUNDS):
        proposed = [moves.draw(rng) for _ in worlds]
        fresh = likelihood.of(proposed)
        accepted += len(_accept(worlds, values, proposed, fresh, fresh - values, rng))
        if accepted >= len(worlds):
            break
    return worlds


def _random_walk(
    worlds: list[Any],
    vectors: Array,
    values: Array,
    moves: Moves,
    likelihood: LikelihoodOf,
    rng: np.random.Generator,
    root: Array,
) -> list[Any]:
    """Moves by steps N(0, root rootᵀ); `vectors` are the numbers of the worlds. [M, d]"""
    assert moves.log_prior is not None
    density = np.array([_density(moves.log_prior, world) for world in worlds])
    accepted = 0
    for _ in range(MOST_ROUNDS):
        steps = rng.standard_normal((len(worlds), len(root))) @ root.T
        points = vectors + steps
        proposed = [like(world, point) for world, point in zip(worlds, points, strict=True)]
        prior = np.array([_density(moves.log_prior, world) for world in proposed])
        fresh = np.full(len(worlds), -np.inf)
        inside = np.flatnonzero(prior > -np.inf)
        fresh[inside] = likelihood.of([proposed[i] for i in inside])
        with np.errstate(invalid="ignore"):
            gain = fresh + prior - values - density
        taken = _accept(worlds, values, proposed, fresh, gain, rng)
        density[taken], vectors[taken] = prior[taken], points[taken]
        accepted += len(taken)
        if accepted >= 2 * len(worlds):  # a walk moves less far than a draw
            break
    return worlds


def _accept(
    worlds: list[Any],
    values: Array,
    proposed: list[Any],
    fresh: Array,
    gain: Array,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Replace worlds by those proposed, with probability exp(gain); the indices of those taken."""
    with np.errstate(invalid="ignore"):
        taken = np.flatnonzero(np.log(rng.random(len(worlds))) < gain)
    for i in taken.tolist():
        worlds[i], values[i] = proposed[i], fresh[i]
    return taken


def _root(vectors: Array, weights: Array) -> Array:
    """A root of the covariance of the particles, scaled to a step of a random walk. [d, d]"""
    d = vectors.shape[1]
    off = vectors - weights @ vectors
    covariance = (weights[:, None] * off).T @ off
    values, axes = np.linalg.eigh(covariance)
    floor = 1e-12 * max(float(values[-1]), 1e-300)
    return np.asarray(STEP / np.sqrt(d) * axes * np.sqrt(np.maximum(values, floor)))


def _density(log_prior: Callable[[Any], float], world: Any) -> float:
    value = log_prior(world)
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if np.isnan(number) or number == np.inf:
        return real(f"log_prior({world!r})", value)  # raises
    return number


def warn_if_few(worlds: Sequence[Any]) -> bool:
    """Warn if hardly any particles differ; whether it did."""
    different = len({id(world) for world in worlds})
    if different >= FEW * len(worlds) or len(worlds) < 2 / FEW:
        return False
    warnings.warn(
        f"only {different} of {len(worlds)} particles of bamdp.priors.Worlds differ: the posterior "
        "is far from the prior, from which moves are drawn; give log_prior for random walks, a "
        "move of your own, or more particles",
        RuntimeWarning,
        stacklevel=4,
    )
    return True
