"""Olfactory search: find the source of an odour by rare hits, in as few steps as possible.

"Isotropic 19 × 19" of Loisy and Heinonen (2023), after Loisy and Eloy (2022, Proc. R. Soc. A 478,
20220118) and Vergassola, Villermaux and Shraiman (2007, Nature 445, 406–409). At distance d from
the source, in cells, a Poisson number of hits is perceived in each step, with mean

    μ(d) = K₀(d / λ) R / log(2 λ),   λ = R = 1

and two or more hits are told from one, but not from each other. The source is found when the
searcher is in its cell. The search begins in the middle of the grid with a first hit. Whether it is
one or more is drawn as if sources were anywhere in the plane, and the source is drawn from what
that hit makes of a uniform prior on the other cells.

Two heuristics look one step ahead, with p the probability to find the source at once, H the entropy
of the belief afterwards, in bits, and D its mean Manhattan distance:

    infotaxis               min (1 − p) E H
    space-aware infotaxis   min (1 − p) E log₂(D + 2^(H − 1) − ½)
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from math import log, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.agent import Agent
from bamdp.priors import Worlds
from bamdp.priors.worlds import Outcome
from bamdp.problem import BAMDP
from bamdp.suite.benchmark import Benchmark
from bamdp.validation import positive_integer

Array = NDArray[np.float64]

SIZE = 19
MOVES = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
HITS = 3  # none, one, more
FAR = 1000  # cells, beyond which there are no hits
TIE = 1e-10
START = "start"  # any action leads from here to the middle, with the first hit, at no cost


def bessel_k0(x: Array) -> Array:
    """The modified Bessel function K₀, ∫₀^∞ exp(−x cosh t) dt, by the trapezoidal rule, whose error
    for this integral is that of rounding.

    Example:
        >>> bessel_k0(np.array([1.0])).round(6)
        array([0.421024])
    """
    t = np.linspace(0, 8, 257)  # exp(−cosh 8) is 0
    heights = np.exp(-np.multiply.outer(x, np.cosh(t)))
    return np.asarray((heights.sum(axis=-1) - heights[..., 0] / 2) * (t[1] - t[0]))


def hit_probabilities(distance: Array) -> Array:
    """The probabilities of no hit, one, and more at distances of at least one cell. [..., 3]"""
    mean = bessel_k0(distance) / log(2)
    none = np.exp(-mean)
    return np.stack([none, none * mean, 1 - none * (1 + mean)], axis=-1)


class Plume:
    """Where a source may be, and which hits it makes; cells and sources by number, row by row.

    Attributes:
        hits: probability of hits in a cell with a source elsewhere. [cell, source, hits]
        distances: Manhattan distances. [cell, source]
        prior: probability of each source before the first hit is known. [source]
        first: probability of the first hit, given the source. [source, hits]
    """

    def __init__(self) -> None:
        at = np.stack(np.divmod(np.arange(SIZE**2), SIZE), axis=1)
        apart = np.abs(at[:, None] - at[None])
        self.distances = apart.sum(axis=-1).astype(np.float64)
        squares, at_square = np.unique((apart**2).sum(axis=-1), return_inverse=True)
        self.hits = hit_probabilities(np.sqrt(np.maximum(squares, 1)))[at_square]
        r = np.arange(1, FAR)
        shells = 2 * pi * r[:, None] * hit_probabilities(r.astype(np.float64))
        first_hit = shells.sum(axis=0) * [0, 1, 1]
        first_hit /= first_hit.sum()
        posterior = self.hits[middle()] * (np.arange(SIZE**2) != middle())[:, None]
        joint = posterior / posterior.sum(axis=0) * first_hit  # [source, hits]
        self.prior = joint.sum(axis=1)
        self.first = joint / np.maximum(self.prior, 1e-300)[:, None]


@lru_cache(maxsize=1)
def plume() -> Plume:
    """The only one, made once."""
    return Plume()


def middle() -> int:
    """The number of the cell in the middle."""
    return SIZE**2 // 2


def cell_after(cell: int, move: str) -> int | None:
    """The next cell; None outside the grid."""
    (row, column), (down, right) = divmod(cell, SIZE), MOVES[move]
    inside = 0 <= row + down < SIZE and 0 <= column + right < SIZE
    return cell + SIZE * down + right if inside else None


def outcomes(sources: Array, state: Hashable, move: str) -> list[Outcome]:
    """Of all sources at once. A move out of the grid stays, and perceives nothing new."""
    numbers = np.asarray(sources, dtype=np.intp)
    if state == START:
        shown = plume().first[numbers]
        return [_hit(middle(), 0.0, hits, shown[..., hits]) for hits in (1, 2)]
    assert isinstance(state, int)
    cell = cell_after(state, move)
    if cell is None:
        return [Outcome(state, -1.0)]
    found = np.asarray(numbers == cell, dtype=np.float64)
    shown = plume().hits[cell, numbers] * (1.0 - found)[..., None]
    perceived = [_hit(cell, -1.0, hits, shown[..., hits]) for hits in range(HITS)]
    return [*perceived, Outcome(cell, -1.0, done=True, probability=found)]  # type: ignore[arg-type]


def _hit(cell: int, reward: float, hits: int, probabilities: Array) -> Outcome:
    return Outcome(cell, reward, seen=hits, probability=probabilities)  # type: ignore[arg-type]


class OlfactorySearch(Benchmark, name="olfactory-search"):
    """Find the source of an odour on a 19 × 19 grid; each step costs 1.

    Args:
        discount: discount factor, in [0, 1].
        steps: largest number of steps of a search.
    """

    def __init__(self, *, discount: float = 1.0, steps: int = 300) -> None:
        horizon = positive_integer("steps", steps, 10**4)
        sources = np.flatnonzero(plume().prior > 0).astype(np.float64)
        prior = Worlds(
            sources, outcomes, weights=plume().prior[sources.astype(np.intp)], vectorised=True
        )
        problem = BAMDP(
            prior,
            discount=discount,
            horizon=horizon,
            episodes=1,
            start=START,
            actions=list(MOVES),
        )
        super().__init__(problem, steps=horizon)


class Infotaxis(Agent):
    """Moves to where the entropy of the belief is expected to be lowest, in olfactory search.

    Args:
        problem: that of `OlfactorySearch`.
        seed: not used, as the first of the best moves is taken.

    Example:
        >>> import bamdp
        >>> search = OlfactorySearch()
        >>> agent = Infotaxis(search.problem)
        >>> record = bamdp.run(agent, search.world(seed=0), steps=300, seed=0)
        >>> record.total_reward > -300
        True
    """

    def act(self, state: int) -> int:
        prior: Any = self.problem.prior
        cell = prior.numbers[self._check_state(state)].state
        if cell == START:
            return 0
        weights = np.zeros(SIZE**2)
        weights[np.asarray(self.belief.worlds, dtype=np.intp)] = self.belief.weights
        costs = np.array([self._cost(weights, cell_after(cell, move)) for move in MOVES])
        return int(np.flatnonzero(costs <= costs.min() + TIE)[0])

    def _cost(self, weights: Array, cell: int | None) -> float:
        """Expected cost of the beliefs after a move to `cell`."""
        if cell is None:
            return np.inf
        elsewhere = weights.copy()
        elsewhere[cell] = 0
        joint = elsewhere[:, None] * plume().hits[cell]
        p = joint.sum(axis=0)
        after = joint / np.maximum(p, 1e-300)
        bits = -(after * np.log2(np.where(after > 0, after, 1))).sum(axis=0)
        return float(p @ self.cost(bits, plume().distances[cell] @ after))

    def cost(self, bits: Array, distance: Array) -> Array:
        """What a belief of this entropy and mean distance costs."""
        return bits


class SpaceAwareInfotaxis(Infotaxis):
    """Moves to where entropy and mean distance together are expected to be lowest, in olfactory
    search.

    Args:
        problem: that of `OlfactorySearch`.
        seed: not used, as the first of the best moves is taken.
    """

    def cost(self, bits: Array, distance: Array) -> Array:
        remaining = distance + 2.0 ** (bits - 1) - 0.5
        return np.asarray(np.log2(np.maximum(remaining, TIE)))
