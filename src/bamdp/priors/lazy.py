"""Your own posterior, sampled row by row as a simulation needs them.

    P(· | s, a) ~ the posterior of that row, by the user's `sample_row(s, a, rng)`, when a
    simulation first takes a in s

The row is kept until the end of the simulation, so that each simulation is in one world. For large
or unbounded domains, where whole tables are too large to draw.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.mdp import MDP, as_mdp
from bamdp.prior import Prior
from bamdp.priors._user import Posterior, PosteriorBelief
from bamdp.validation import (
    LARGEST_REWARD,
    UNBOUNDED,
    distribution_rows,
    fits_memory,
    generator,
    integer,
    real_array,
    states,
    table_sizes,
)

if TYPE_CHECKING:
    from bamdp.problem import BAMDP

Row = tuple[
    NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]
]  # successors, probabilities, rewards or empty


class RowSampler(Posterior, Protocol):
    """The protocol of a posterior for `Lazy`; optionally also `begin(rng)`, called at the start of
    each simulation.
    """

    def sample_row(self, state: int, action: int, rng: np.random.Generator) -> Any:
        """Draw one row: [S], or (successors, probabilities), or (successors, probabilities,
        rewards), each [k].
        """


class LazyBelief(PosteriorBelief):
    """A belief kept by the user's own object, which draws rows."""

    def __init__(self, problem: BAMDP, make: Callable[[BAMDP], RowSampler]) -> None:
        super().__init__(problem, make, "sample_row")

    def sample(self, count: int, rng: np.random.Generator) -> MDP:
        S, A = table_sizes(self.problem.num_states, self.problem.num_actions)
        fits_memory(f"sample({count})", integer("count", count, 1) * S * A * S)
        return as_mdp(self.problem, np.stack([self._table(generator(rng)) for _ in range(count)]))

    def _table(self, rng: np.random.Generator) -> NDArray[np.float64]:
        S, A = self.problem.num_states, self.problem.num_actions
        table = np.zeros((S, A, S))
        if hasattr(self.posterior, "begin"):
            self.posterior.begin(rng)
        for s, a in np.ndindex(S, A):
            successors, probabilities, _ = self._row(0, rng, s, a)
            np.add.at(table[s, a], successors, probabilities)
        return table

    def _source(self, seeds: list[list[int]]) -> _core.RowSource:
        return _core.RowSource(self._samplers(seeds, self._sampler))

    def _sampler(self, tree: int, rng: np.random.Generator) -> tuple[Any, Any]:
        begins = hasattr(self.posterior, "begin")
        begin = (lambda: self._posteriors[tree].begin(rng)) if begins else None
        return begin, partial(self._cumulative, tree, rng)

    def _cumulative(self, tree: int, rng: np.random.Generator, state: int, action: int) -> Row:
        successors, probabilities, rewards = self._row(tree, rng, state, action)
        return successors, np.cumsum(probabilities), rewards

    def _row(self, tree: int, rng: np.random.Generator, state: int, action: int) -> Row:
        name, value = (
            f"sample_row({state}, {action})",
            self._posteriors[tree].sample_row(state, action, rng),
        )
        parts = value if isinstance(value, tuple) else (np.arange(self._sized(name)), value)
        if len(parts) not in (2, 3):
            raise ValueError(
                f"{name} must return probabilities, with successors and rewards or without, got a "
                f"tuple of {len(parts)}"
            )
        probabilities, successors = (
            distribution_rows(f"{name}: probabilities", parts[1]),
            np.asarray(parts[0]),
        )
        rewards = (
            real_array(f"{name}: rewards", parts[2], LARGEST_REWARD)
            if len(parts) == 3
            else np.empty(0)
        )
        wrong = probabilities.ndim != 1 or successors.shape != probabilities.shape
        if wrong or (len(parts) == 3 and rewards.shape != probabilities.shape):
            shapes = ", ".join(str(np.shape(part)) for part in parts)
            raise ValueError(
                f"{name} must return one probability for each successor, got shapes {shapes}"
            )
        if len(parts) == 2 and self.problem.num_states == UNBOUNDED:
            raise ValueError(
                f"{name} must return rewards too, (successors, probabilities, rewards): the domain "
                "is unbounded"
            )
        return (
            states(f"{name}: successors", successors, self.problem.num_states),
            probabilities,
            rewards,
        )

    def _sized(self, name: str) -> int:
        if self.problem.num_states == UNBOUNDED:
            raise ValueError(
                f"{name} must return (successors, probabilities, rewards): the domain is unbounded"
            )
        return self.problem.num_states


@dataclass(frozen=True)
class Lazy(Prior):
    """Your own posterior, row by row.

    Args:
        posterior: class of the posterior, or a function, that makes one from the problem, a
            `BAMDP`. Its method `sample_row(state, action, rng)` draws one row from the posterior:
            probabilities [S], or (successors, probabilities), or (successors, probabilities,
            rewards), each [k]; an unbounded domain needs the last. Its method `observe(state,
            action, reward, next_state, terminated)` learns from one real step. Optional:
            `begin(rng)`, called at the start of each simulation, to draw what rows share.
            Randomness should come from `rng` alone; each tree of a search has its own object.

    Example:
        >>> class Coin:
        ...     def __init__(self, problem):
        ...         self.counts = np.ones((problem.num_states, problem.num_actions,
        ...     problem.num_states))
        ...     def observe(self, state, action, reward, next_state, terminated):
        ...         self.counts[state, action, next_state] += 1
        ...     def sample_row(self, state, action, rng):
        ...         return rng.dirichlet(self.counts[state, action])
        >>> import bamdp
        >>> problem = bamdp.BAMDP(Lazy(Coin), rewards=[[0, 0], [1, 1]], discount=0.5)
        >>> agent = bamdp.agents.BAMCP(problem, simulations=20)
        >>> agent.plan(state=0).simulations
        20
    """

    posterior: Callable[[BAMDP], RowSampler]

    def __post_init__(self) -> None:
        if not callable(self.posterior):
            raise TypeError(
                "posterior must be a class or function that makes your posterior, got "
                f"{self.posterior!r}"
            )

    def reward_range(self, rewards: NDArray[np.float64]) -> tuple[float, float]:
        return -np.inf, np.inf  # rows may pay rewards of their own

    def reward_scale(self, rewards: NDArray[np.float64]) -> float:
        return float(np.ptp(rewards)) if rewards.size else 0.0

    def belief(self, problem: BAMDP) -> LazyBelief:
        return LazyBelief(problem, self.posterior)

    def __repr__(self) -> str:
        return f"Lazy({getattr(self.posterior, '__name__', self.posterior)})"
