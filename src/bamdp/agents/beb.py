"""BEB: the Bayesian exploration bonus (Kolter, Ng 2009, "Near-Bayesian exploration in polynomial
time").

    Q(s, a) = R(s, a) + β / (1 + n0(s, a)) + γ Σ_s' P̄(s' | s, a) max_a' Q(s', a')

P̄ is the posterior mean and n0 the sum of pseudo-counts and visits of (s, a). Solved at each step,
from the last solution.

Kolter and Ng define n0 for Dirichlet rows. A prior without pseudo-counts, such as a finite set of
worlds, has none to add: n0 is the number of visits alone there, as in the count-based bonus of
MBIE-EB (Strehl, Littman 2008, "An analysis of model-based interval estimation"). What a visit
teaches about other rows does not count.
"""

from __future__ import annotations

from dataclasses import replace
from operator import index
from typing import Any, ClassVar, Literal

import numpy as np

from bamdp import validation
from bamdp.agent import Grid
from bamdp.agents._model_based import ModelBased, Ties
from bamdp.prior import has_pseudo_counts
from bamdp.priors.dirichlet import Dirichlet
from bamdp.problem import BAMDP, checked_problem, require_table
from bamdp.steps import Steps
from bamdp.validation import LARGEST_REWARD, one_of, real


class BEB(ModelBased):
    """Acts greedily in the posterior-mean model with the bonus β / (1 + n) on the reward.

    Args:
        problem: the problem. Without pseudo-counts, as with `Finite`, n is the number of visits.
        beta: size of the bonus, in units of reward. (The program behind the published results
            truncated it to an integer: 0.5 was 0, 1.5 was 1.)
        mean: "prior", the prior's posterior mean; or "flat", that of a Dirichlet with the prior's
            pseudo-count `alpha` on every state, which that program also used with the sparse prior.
            With "prior", n0 of a sparse row has alpha for each of the successors it is expected to
            have.
        ties: how ties between actions are broken, by the "first" or at "random".
        settings: `tolerance` and `seed` as in `PosteriorMean`.

    Example:
        >>> import bamdp
        >>> domain = bamdp.domains.DoubleLoop()
        >>> bamdp.run(BEB(domain.problem(), beta=0.5), domain, steps=1000).total_reward
        391.0
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_visits",)
    grid: ClassVar[Grid] = ({"beta": (0.5, 1, 1.5, 2, 2.5, 3, 5, 10, 15, 20)},)

    def __init__(
        self,
        problem: BAMDP,
        *,
        beta: float = 1.0,
        mean: Literal["prior", "flat"] = "prior",
        ties: Ties = "first",
        **settings: Any,
    ) -> None:
        self.beta = real("beta", beta, 0, LARGEST_REWARD)
        self.mean = one_of("mean", mean, ("prior", "flat"))
        super().__init__(self._flattened(checked_problem(problem)), ties=ties, **settings)

    def _flattened(self, problem: BAMDP) -> BAMDP:
        """The problem with the prior that is solved."""
        if self.mean == "prior":
            return problem
        prior: Any = problem.prior
        if not has_pseudo_counts(prior):
            raise TypeError(
                f'mean="flat" needs a prior with one pseudo-count alpha, got {prior!r}; '
                'use mean="prior"'
            )
        return replace(problem, prior=Dirichlet(prior.alpha))

    def reset(self, seed: int) -> None:
        validation.seed(seed)  # before anything changes
        require_table(self.problem, "BEB")
        self._visits = np.zeros((self.problem.num_states, self.problem.num_actions), np.int64)
        super().reset(seed)

    def observe(
        self,
        state: int,
        action: int,
        reward: float,
        next_state: int,
        terminated: bool | None = False,
    ) -> None:
        super().observe(state, action, reward, next_state, terminated)
        self._visits[index(state), index(action)] += 1

    def _learn_many(self, steps: Steps) -> None:
        self.belief.observe_many(*steps)
        np.add.at(self._visits, (steps.states, steps.actions), 1)

    def _load(self) -> None:
        if self.belief.counts is not None:
            self._solver.load_mean(self.beta)
        else:
            self._solver.load_mean()
            self._solver.native.set_bonuses(self.beta / (1 + self._visits))
