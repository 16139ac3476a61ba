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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp.priors._worlds_list import as_vector, like, together
from bamdp.priors._worlds_rows import Row, WorldFunction
from bamdp.validation import real

Array = NDArray[np.float64]
SAME_REWARD = 1e-9  # relative difference, as in core/models/worlds.hpp
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

    def of(self, worlds: Sequence[Any]) -> Array:
        """Of several worlds."""
        total = np.zeros(len(worlds))
        for (state, action), steps in self._pairs.items():
            left = np.flatnonzero(total > -np.inf)
            rows = self._rows([worlds[i] for i in left.tolist()], state, self._actions[action])
            for i, row in zip(left, rows, strict=True):
                total[i] += sum(count * _log_probability(row, step) for step, count in steps)
        return total

    def _rows(self, worlds: list[Any], state: int, action: Hashable) -> list[Row]:
        if not worlds:
            return []
        if self._vectorised:
            return self._function.rows(together(worlds), len(worlds), state, action)
        return [self._function.row(world, state, action) for world in worlds]


def _log_probability(row: Row, step: ObservedStep) -> float:
    p = sum(
        outcome.probability
        for outcome in row
        if outcome.number == step.number
        and (
            step.reward is None
            or abs(outcome.reward - step.reward)
            <= SAME_REWARD * max(abs(outcome.reward), abs(step.reward))
        )
    )
    return float(np.log(p)) if p > 0 else -np.inf


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
    likelihood: Likelihood,
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
    vectors = None if moves.log_prior is None else _vectors(worlds)
    left = [worlds[i] for i in resampled(weights, rng)]
    if moves.move is not None:
        return [moves.move(world, likelihood, rng) for world in left]
    known: dict[int, float] = {}  # of particles that are the same, once
    different = list({id(world): world for world in left}.values())
    for world, value in zip(different, likelihood.of(different), strict=True):
        known[id(world)] = float(value)
    values = np.array([known[id(world)] for world in left])
    if vectors is None:
        return _independent(left, values, moves, likelihood, rng)
    return _random_walk(left, values, moves, likelihood, rng, _root(vectors, weights))


def _independent(
    worlds: list[Any],
    values: Array,
    moves: Moves,
    likelihood: Likelihood,
    rng: np.random.Generator,
) -> list[Any]:
    accepted = 0
    for _ in range(MOST_ROUNDS):
        proposed = [moves.draw(rng) for _ in worlds]
        fresh = likelihood.of(proposed)
        accepted += _accept(worlds, values, proposed, fresh, fresh - values, rng)
        if accepted >= len(worlds):
            break
    return worlds


def _random_walk(
    worlds: list[Any],
    values: Array,
    moves: Moves,
    likelihood: Likelihood,
    rng: np.random.Generator,
    root: Array,
) -> list[Any]:
    """Moves by steps N(0, root rootᵀ)."""
    assert moves.log_prior is not None
    density = np.array([_density(moves.log_prior, world) for world in worlds])
    accepted = 0
    for _ in range(MOST_ROUNDS):
        steps = rng.standard_normal((len(worlds), len(root))) @ root.T
        points = np.stack([as_vector(world) for world in worlds]) + steps  # type: ignore[misc]
        proposed = [like(world, point) for world, point in zip(worlds, points, strict=True)]
        prior = np.array([_density(moves.log_prior, world) for world in proposed])
        fresh = np.full(len(worlds), -np.inf)
        inside = np.flatnonzero(prior > -np.inf)
        fresh[inside] = likelihood.of([proposed[i] for i in inside])
        with np.errstate(invalid="ignore"):
            gain = fresh + prior - values - density
        before = list(worlds)
        accepted += _accept(worlds, values, proposed, fresh, gain, rng)
        for i, world in enumerate(worlds):
            if world is not before[i]:
                density[i] = prior[i]
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
) -> int:
    """Replace worlds by those proposed, with probability exp(gain); how many were."""
    with np.errstate(invalid="ignore"):
        taken = np.flatnonzero(np.log(rng.random(len(worlds))) < gain)
    for i in taken.tolist():
        worlds[i], values[i] = proposed[i], fresh[i]
    return len(taken)


def _vectors(worlds: Sequence[Any]) -> Array:
    vectors = [as_vector(world) for world in worlds]
    wrong = next((w for w, v in zip(worlds, vectors, strict=True) if v is None), None)
    if wrong is not None:
        raise TypeError(
            "worlds must be numbers, or tuples or arrays of numbers, with log_prior, got "
            f"{wrong!r}; give move instead"
        )
    return np.stack(vectors)  # type: ignore[arg-type]


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
