"""Problems whose worlds are drawn from Dirichlet counts on known next states, as those of the BBRL library."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bamdp._validation import boolean
from bamdp.domains.tabular import Tabular
from bamdp.mdp import MDP
from bamdp.priors import Dirichlet
from bamdp.problems.problem import Problem

STEPS = 250  # of the BBRL library


class CountsProblem(Problem):
    """Worlds are drawn from Dirichlet counts; agents have the same prior or, if inaccurate, count 1 on all states.

    Args:
        counts: count of each next state, 0 where it is impossible. [S, A, S]
        rewards: reward of each transition. [S, A, S]
        discount: discount factor, in [0, 1).
        accurate: whether agents have the prior that worlds are drawn from.
        steps: number of steps of a run.
    """

    def __init__(
        self,
        counts: NDArray[np.float64],
        rewards: NDArray[np.float64],
        discount: float,
        *,
        accurate: bool = True,
        steps: int = STEPS,
    ) -> None:
        true = Dirichlet(counts)
        prior = true if boolean("accurate", accurate) else Dirichlet(1.0)
        mean = Tabular(MDP(counts / counts.sum(axis=2, keepdims=True), rewards), discount, prior=prior)
        super().__init__(mean, prior, "prior" if accurate else true, steps=steps)
