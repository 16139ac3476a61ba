"""Optimistic posterior sampling (OPSRL), a baseline of RL² (Duan et al. 2016): posterior sampling
that takes the best of several samples (Osband, Van Roy 2017, "Why is posterior sampling better
than optimism for reinforcement learning?").

K models are drawn from the posterior, and each is solved on its own:

    Q(s, a) = max_k Q_k(s, a),   Q_k the optimal values of model k

With K = 1 this is posterior sampling, `BayesianDP`. BOSS draws K models too, but merges them into
one before it is solved, which is more optimistic. (The OPSRL of Tiapkin et al. 2022 is another
algorithm: its posterior has added optimistic pseudo-counts.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.agent import Grid
from bamdp.agents.bayesian_dp import BayesianDP
from bamdp.problem import BAMDP
from bamdp.validation import positive_integer

MOST_MODELS = 1000


class OPSRL(BayesianDP):
    """Acts on the highest value that any of several models drawn from the posterior gives an
    action.

    Args:
        problem: the problem.
        models: number of models, K; 10 in the authors' program.
        settings: `resample` and `period` as in `BayesianDP`, `tolerance`, `ties` and `seed` as in
            `PosteriorMean`. As published, models are drawn for each of the "episodes".

    Example:
        >>> import bamdp
        >>> domain = bamdp.domains.DoubleLoop()
        >>> agent = OPSRL(domain.problem(), models=3, seed=1)
        >>> bamdp.run(agent, domain, steps=1000).total_reward > 200
        True
    """

    grid: ClassVar[Grid] = ({"models": (2, 5, 10, 20)},)

    def __init__(self, problem: BAMDP, *, models: int = 10, **settings: Any) -> None:
        self.models = positive_integer("models", models, MOST_MODELS)
        super().__init__(problem, **settings)

    def _make_solver(self) -> OptimisticSolvers:
        make = super()._make_solver
        return OptimisticSolvers([make() for _ in range(self.models)])


class OptimisticSolvers:
    """Solvers of several models; the value of an action is the highest of theirs.

    Args:
        solvers: one solver for each model.
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("solvers",)

    def __init__(self, solvers: list[Any]) -> None:
        self.solvers = solvers

    def load_samples(self, count: int, rng: np.random.Generator) -> None:
        """Load `count` models drawn from the posterior into each solver."""
        for solver in self.solvers:
            solver.load_samples(count, rng)

    def solve(
        self,
        tolerance: float,
        left: _core.StepsLeft | None = None,
        on_tick: Callable[[], None] | None = None,
    ) -> None:
        """Solve each model to within `tolerance`; with a known number of steps left, exactly."""
        for solver in self.solvers:
            solver.solve(tolerance, left, on_tick)

    def q_values(self, state: int) -> NDArray[np.float64]:
        """The highest value of each action in `state`. [A]"""
        values: NDArray[np.float64] = np.max([s.q_values(state) for s in self.solvers], axis=0)
        return values
