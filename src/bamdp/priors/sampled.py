"""Your own posterior sampler: MCMC, a particle filter, anything.

    P_1 … P_n ~ P(P | data)   by the user's `sample(n, rng)`, one table for each simulation

BAMCP needs only samples of the posterior at the root, so Python is fast enough: one call per batch.
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
from bamdp.validation import distribution_rows, generator, positive_integer, states, table_sizes

if TYPE_CHECKING:
    from bamdp.problem import BAMDP


class Sampler(Posterior, Protocol):
    """The protocol of a posterior for `Sampled`."""

    def sample(self, count: int, rng: np.random.Generator) -> Any:
        """Draw `count` worlds: [count, S, A, S], or (successors, probabilities), both [count, S, A,
        k].
        """


class SampledBelief(PosteriorBelief):
    """A belief kept by the user's own object, which draws samples."""

    def __init__(self, problem: BAMDP, make: Callable[[BAMDP], Sampler], batch: int) -> None:
        super().__init__(problem, make, "sample")
        self._batch = batch

    def sample(self, count: int, rng: np.random.Generator) -> MDP:
        positive_integer("count", count, 10**9)
        return as_mdp(
            self.problem,
            np.stack([self._dense(self.posterior.sample(1, generator(rng))) for _ in range(count)]),
        )

    def _dense(self, value: Any) -> NDArray[np.float64]:
        probabilities, successors = self._tables(value, 1)
        if not successors.size:
            return np.asarray(probabilities[0])
        S, A = self.problem.num_states, self.problem.num_actions
        dense = np.zeros((S, A, S))
        np.add.at(
            dense,
            (np.arange(S)[:, None, None], np.arange(A)[:, None], successors.reshape(S, A, -1)),
            probabilities[0],
        )
        return dense

    def _source(self, seeds: list[list[int]]) -> _core.BatchSource:
        return _core.BatchSource(
            self._samplers(seeds, lambda tree, rng: partial(self._draw, tree, rng))
        )

    def _draw(
        self, tree: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        probabilities, successors = self._tables(
            self._posteriors[tree].sample(self._batch, rng), self._batch
        )
        return np.cumsum(probabilities, axis=-1), successors

    def _tables(self, value: Any, count: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Probabilities [count, S, A, k] and their successors, empty if the probabilities are
        dense.
        """
        S, A = self.problem.num_states, self.problem.num_actions
        if not isinstance(value, tuple):
            probabilities = distribution_rows("sample", value)
            if probabilities.shape != (count, S, A, S):
                raise ValueError(
                    f"sample({count}, rng) must return an array of shape {(count, S, A, S)}, got "
                    f"{probabilities.shape}"
                )
            return probabilities, np.empty(0, np.int64)
        if len(value) != 2:
            raise ValueError(
                "sample must return an array or a pair (successors, probabilities), got a tuple "
                f"of {len(value)}"
            )
        probabilities, successors = (
            distribution_rows("sample: probabilities", value[1]),
            np.asarray(value[0]),
        )
        shape = (count, S, A, probabilities.shape[-1])
        if probabilities.shape != shape or successors.shape not in (shape, shape[1:]):
            raise ValueError(
                f"sample({count}, rng) must return successors and probabilities of shape "
                f"{(count, S, A)} and k, "
                f"got {successors.shape} and {probabilities.shape}"
            )
        return probabilities, states("sample: successors", successors, S)


@dataclass(frozen=True)
class Sampled(Prior):
    """Your own posterior sampler.

    Args:
        posterior: class of the posterior, or a function, that makes one from the problem, a
            `BAMDP`. Its method `sample(count, rng)` draws `count` worlds from the posterior, as an
            array [count, S, A, S], or as a pair of arrays (successors, probabilities), both [count,
            S, A, k], where rows are sparse; successors may also be [S, A, k], the same for all. Its
            method `observe(state, action, reward, next_state, terminated)` learns from one real
            step. Randomness should come from `rng` alone; each tree of a search has its own object.
        batch: number of worlds per call; best a divisor of the simulations per decision.

    Example:
        >>> class Coin:
        ...     def __init__(self, problem):
        ...         self.counts = np.ones((problem.num_states, problem.num_actions,
        ...     problem.num_states))
        ...     def observe(self, state, action, reward, next_state, terminated):
        ...         self.counts[state, action, next_state] += 1
        ...     def sample(self, count, rng):
        ...         draws = rng.standard_gamma(self.counts, size=(count, *self.counts.shape))
        ...         return draws / draws.sum(axis=-1, keepdims=True)
        >>> import bamdp
        >>> problem = bamdp.BAMDP(Sampled(Coin), rewards=[[0, 0], [1, 1]], discount=0.9)
        >>> agent = bamdp.agents.BAMCP(problem, simulations=200)
        >>> agent.plan(state=0).simulations
        200
    """

    posterior: Callable[[BAMDP], Sampler]
    batch: int = 100

    def __post_init__(self) -> None:
        if not callable(self.posterior):
            raise TypeError(
                "posterior must be a class or function that makes your posterior, got "
                f"{self.posterior!r}"
            )
        object.__setattr__(self, "batch", positive_integer("batch", self.batch, 10**6))

    def belief(self, problem: BAMDP) -> SampledBelief:
        table_sizes(problem.num_states, problem.num_actions)
        return SampledBelief(problem, self.posterior, self.batch)

    def __repr__(self) -> str:
        return f"Sampled({getattr(self.posterior, '__name__', self.posterior)}, batch={self.batch})"
