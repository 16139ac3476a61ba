"""The infinite grid's prior: rewards by column and row, inferred by MCMC.

    p_i ~ Beta(columns),   q_j ~ Beta(rows),   P(cell (i, j) holds a reward) = p_i q_j

The posterior of the parameters of columns and rows through observed cells has no closed form. A
Markov chain (core/models/grid_chain.hpp) samples it, with a few updates before each simulation, and
continues from one real step to the next. All other columns, rows and cells are drawn when a
simulation first needs them. Each tree has its own chain.

| `proposal`  | an update of a column and a row |
|-------------|---|
| `"gibbs"` | exact conditional draw, given a hidden coin of each cell of the column, of the row |
| `"paper"`   | Metropolis–Hastings; zeros of a column count in its proposal as 1 − F/2 |
| `"authors"` | Metropolis–Hastings; zeros of a column count in its proposal as (1 − F)/2 |

with F = b/(a + b) of the rows, and likewise for rows. "gibbs" never gets stuck; the other two, the
paper's text and its program, can stay near 1 for millions of updates (docs/infinite_grid.md). `cap`
keeps their proposals from getting too peaked: ones and zeros in a proposal are scaled down to it
together; the authors' program has 5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.prior import Belief, Prior
from bamdp.priors._grid_cells import cell_of, next_cell
from bamdp.steps import Step
from bamdp.validation import (
    UNBOUNDED,
    beta_parameters,
    generator,
    integer,
    one_of,
    positive_integer,
    real,
    require,
)

if TYPE_CHECKING:
    from bamdp.problem import BAMDP


@dataclass(frozen=True)
class GridParameters:
    """Draws of the parameters of all columns and rows through observed cells, by MCMC.

    Attributes:
        column_coordinates: x of each column, in order of first observation. [C]
        row_coordinates: y of each row, in order of first observation. [R]
        columns: draws of p. [n, C]
        rows: draws of q. [n, R]
        acceptance_rate: acceptance rate of the chain's updates; 1 for Gibbs sampling.
    """

    column_coordinates: NDArray[np.int64]
    row_coordinates: NDArray[np.int64]
    columns: NDArray[np.float64]
    rows: NDArray[np.float64]
    acceptance_rate: float

    def effective_sample_size(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Effective sample size of the mean of each column and row. [C], [R]"""
        ess = require(
            "arviz_stats.base", "an effective sample size needs arviz-stats", "grid"
        ).array_stats.ess
        columns, rows = (
            np.atleast_1d(ess(draws[None], chain_axis=0, draw_axis=1, method="mean"))
            for draws in (self.columns, self.rows)
        )
        return columns, rows


class GridBelief(Belief):
    """A belief over an infinite grid of rewards.

    Example:
        >>> import bamdp
        >>> domain = bamdp.domains.InfiniteGrid(seed=0)
        >>> belief = domain.problem(GridRewards()).belief()
        >>> belief.observe(domain.state(0, 0, True), 1, 1.0, domain.state(1, 0, False))
        >>> belief.cells()
        {(0, 0): True, (1, 0): False}
        >>> draws = belief.sample_parameters(1000, np.random.default_rng(0))
        >>> draws.column_coordinates.tolist(), draws.columns.shape
        ([0, 1], (1000, 2))
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_native",)

    def __init__(self, problem: BAMDP, prior: GridRewards, native: _core.GridBelief) -> None:
        self.problem, self.prior, self._native = problem, prior, native

    @property
    def native(self) -> tuple[Any, ...]:
        """The observed cells. Each tree of a search has its own chain."""
        return (self._native,)

    @property
    def observations(self) -> int:
        """Number of transitions observed."""
        return self._native.observations

    @property
    def acceptance_rate(self) -> float:
        """Acceptance rate of all updates by searches with this belief, 1 for Gibbs sampling; NaN
        before the first.
        """
        return self._native.accepted / self._native.updates if self._native.updates else math.nan

    def learn(self, step: Step) -> None:
        state, action, _, next_state, *_ = step
        x, y, _ = cell_of(state)
        there, (next_x, next_y, _) = next_cell(x, y, action), cell_of(next_state)
        if (next_x, next_y) != there:
            raise ValueError(
                f"action {action} in cell {(x, y)} leads to {there}, but next_state is in "
                f"{(next_x, next_y)}"
            )
        for name, value in (("state", state), ("next_state", next_state)):
            if not self._native.consistent(value):
                seen = "was empty or is left" if value & 1 else "held a reward"
                raise ValueError(
                    f"{name} says that cell {cell_of(value)[:2]} is {'not ' * (value & 1)}empty, "
                    f"but it {seen}"
                )
        self._native.observe(state, next_state)

    def cells(self) -> dict[tuple[int, int], bool]:
        """The observed cells, and whether each held a reward at first."""
        places, rewards = self._native.cells()
        return {
            (int(x), int(y)): bool(reward) for (x, y), reward in zip(places, rewards, strict=True)
        }

    def sample_parameters(
        self, samples: int, rng: np.random.Generator, *, thin: int = 20, burn_in: int = 10_000
    ) -> GridParameters:
        """Draws from the posterior of the parameters, by a separate chain, independent of those of
        searches.

        Args:
            samples: number of draws.
            rng: random generator of the chain.
            thin: number of updates between draws.
            burn_in: number of updates before the first draw.
        """
        samples, thin = (
            positive_integer("samples", samples, 10**9),
            integer("thin", thin, 1, 2**31 - 1),
        )
        seed = generator(rng).integers(2**64, size=4, dtype=np.uint64).tolist()
        burn_in = integer("burn_in", burn_in, 0, 2**31 - 1)
        x, y, columns, rows, accepted = self._native.sample_parameters(samples, thin, burn_in, seed)
        return GridParameters(x, y, columns, rows, accepted / (samples * thin))

    def __copy__(self) -> Self:
        copied = type(self)(self.problem, self.prior, self.prior.belief(self.problem)._native)
        copied._native.restore(self._native.state())
        return copied

    def __repr__(self) -> str:
        return f"<belief over an infinite grid, {len(self.cells())} cells seen>"


@dataclass(frozen=True)
class GridRewards(Prior):
    """Rewards on an infinite grid, by column and by row: the prior of the paper's infinite grid.

    Args:
        columns: the two parameters of the Beta prior of columns.
        rows: the two parameters of the Beta prior of rows.
        updates_per_simulation: updates of the chain before each simulation.
        updates_per_search: additional updates before the first simulation of a decision.
        proposal: update of the chain: "gibbs" sampling, or Metropolis–Hastings with the proposals
            of the "paper" or of the "authors" program.
        cap: maximum number of observations in a Metropolis–Hastings proposal, so that it is not too
            peaked; the authors' program has 5, "none" is no cap.

    Example:
        >>> import bamdp
        >>> bamdp.domains.InfiniteGrid().problem(GridRewards(columns=(0.5, 0.5))).belief()
        <belief over an infinite grid, 0 cells seen>
    """

    columns: tuple[float, float] = (1.0, 2.0)
    rows: tuple[float, float] = (2.0, 1.0)
    updates_per_simulation: int = 20
    updates_per_search: int = 10
    proposal: Literal["gibbs", "paper", "authors"] = "gibbs"
    cap: float | Literal["none"] = 5.0

    def __post_init__(self) -> None:
        for name in ("columns", "rows"):
            object.__setattr__(self, name, beta_parameters(name, getattr(self, name)))
        for name in ("updates_per_simulation", "updates_per_search"):
            object.__setattr__(self, name, integer(name, getattr(self, name), 0, 10**6))
        one_of("proposal", self.proposal, ("gibbs", "paper", "authors"))
        if not isinstance(self.cap, str) or self.cap != "none":
            object.__setattr__(self, "cap", real("cap", self.cap, 0))

    def reward_range(self, rewards: NDArray[np.float64]) -> tuple[float, float]:
        return 0.0, 1.0

    @property
    def sizes(self) -> tuple[int, int]:
        return UNBOUNDED, 4

    def belief(self, problem: BAMDP) -> GridBelief:
        factors = self._factor(self.rows), self._factor(self.columns)
        cap = math.inf if self.cap == "none" else float(self.cap)
        updates = self.updates_per_simulation, self.updates_per_search
        native = _core.GridBelief(
            self.columns, self.rows, self.proposal == "gibbs", factors, cap, *updates
        )
        return GridBelief(problem, self, native)

    def _factor(self, others: tuple[float, float]) -> float:
        """Weight of a zero in the Metropolis–Hastings proposal of a column, given the prior of
        rows, or vice versa.
        """
        failure = others[1] / sum(others)
        return 1 - failure / 2 if self.proposal == "paper" else (1 - failure) / 2
