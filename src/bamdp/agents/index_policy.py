"""An index policy for MDPs: the posterior mean, with a bonus for what an action would teach that
can still be used.

    Q(s, a) = R(s, a) + z(N(s) / (n0(s, a) + 2)) · sd(s, a) + c(s, a) + γ Σ_s' P̄(s' | s, a) max_a'
    Q(s', a')

sd is the posterior standard deviation of the value of the action, n0 the sum of pseudo-counts and
visits of its row, N(s) the expected discounted number of visits to s after the one that teaches,
and z the Gittins index of a Bernoulli arm in standard deviations above its mean. Each row is an arm
that can be pulled when its state is visited; in a bandit that is the index policy of Gittins
(1979), nearly. The bonus has the units of return and no constant to choose: it vanishes where there
is nothing to learn, where it comes too late to be used, and where it would change no value.
Mathematics and fit: core/solve/exploration_bonus.hpp.

c is the self-transition correction: an agent that remains in s has seen that the row fails, while
the mean model plans on without updating. c(s, a) = γ P̄(s | s, a) (W(s; a) - W(s)), the value of s
after one more stay with a less that before it, for an agent that learns about the rows of s as long
as it stays there: core/solve/self_transition.hpp.
"""

from __future__ import annotations

from functools import singledispatch
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp.agents._index import MODELS, solve_index
from bamdp.agents._model_based import ModelBased
from bamdp.prior import Belief
from bamdp.priors._worlds_belief import WorldsBelief
from bamdp.priors._worlds_tables import Enumerated, enumerated
from bamdp.problem import considered_actions
from bamdp.search.solver import ModelSolver, particles


class IndexPolicy(ModelBased):
    """Acts greedily in the posterior-mean model with a bonus for learning that has no constant to
    choose.

    With conjugate priors, and known or unknown rewards, the bonus is that of the formula; c is 0
    with a horizon, and where any state may follow any other (all but `Dirichlet` with counts by
    row). A prior without counts is represented by 32 models and their weights (worlds of `Finite`,
    else samples): the standard deviation is that of the models' values, n0 follows from how much of
    the variance one observation removes, what it tells is of use at every later step, N = discount
    / (1 - discount) or those left, and there is no c.

    On the infinite grid it is the best path, with a bonus for each column and row:
    core/models/grid_paths.hpp.

    Args:
        problem: the problem.
        tolerance: maximum error of the model's values, before the bonus.
        ties: how ties between actions are broken, by the "first" or at "random".
        seed: seed of the agent's random generator.

    Example:
        >>> import bamdp
        >>> domain = bamdp.domains.Bandit([0.2, 0.8], discount=0.9)
        >>> prior = bamdp.priors.BetaArms(successes=[1, 6], failures=[1,
        ...     5])  # the second arm's mean is higher
        >>> IndexPolicy(domain.problem(prior)).act(0)
        0
    """

    index: ClassVar[bool] = True

    def q_values(self, state: int) -> NDArray[np.float64]:
        """The value of each action in `state`, with the bonus. [A]"""
        state, left = self._check_state(state), self._remaining_steps()
        considered = considered_actions(self.problem, state)
        if self._solver.has_tables:
            solver = self._solver
        elif (made := _tables(self.belief, state, None if left is None else left.steps)) is None:
            return super().q_values(state)
        else:
            solver, state = ModelSolver(made.problem.belief()), made.state
        solve_index(solver, state, self.tolerance, self._rng, self.on_tick, left)
        values: NDArray[np.float64] = solver.q_values(state)
        if len(considered) < len(values):
            values = np.where(np.isin(np.arange(len(values)), considered), values, -np.inf)
        return values

    def _load(self) -> None:
        """Paths alone: with tables `q_values` does. A belief that can neither be counted nor
        sampled is rejected here.
        """
        if not self._solver.has_tables:
            self._solver.load_mean()
        elif self.belief.counts is None:
            particles(self.belief, 1, np.random.default_rng(0))


@singledispatch
def _tables(belief: Belief, state: int, horizon: int | None) -> Enumerated | None:
    """Tables from a state on, of a belief that has none; None where they can't be made."""
    return None


@_tables.register
def _(belief: WorldsBelief, state: int, horizon: int | None) -> Enumerated | None:
    weights = belief.weights
    kept = np.argsort(-weights, kind="stable")[:MODELS]
    kept = kept[weights[kept] > 0]
    return enumerated(belief, state, horizon, "IndexPolicy", kept.tolist(), weights[kept])
