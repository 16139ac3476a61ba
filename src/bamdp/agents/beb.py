"""BEB: the Bayesian exploration bonus (Kolter, Ng 2009, "Near-Bayesian exploration in polynomial time").

    Q(s, a) = R(s, a) + β / (1 + n0(s, a)) + γ Σ_s' P̄(s' | s, a) max_a' Q(s', a')

P̄ is the posterior mean and n0 the sum of pseudo-counts and visits of (s, a). Solved at each step, from the last solution.

Kolter and Ng define n0 for Dirichlet rows. A prior without pseudo-counts, such as a finite set of worlds, has none to add: n0
is the number of visits alone there, as in the count-based bonus of MBIE-EB (Strehl, Littman 2008, "An analysis of model-based
interval estimation"). What a visit teaches about other rows does not count.
"""

from __future__ import annotations

from operator import index
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from bamdp import _validation
from bamdp._validation import LARGEST_REWARD, one_of, real
from bamdp._validation.steps import Steps
from bamdp.agent import Grid
from bamdp.agents._model_based import ModelBased, Ties
from bamdp.prior import Prior
from bamdp.priors import Dirichlet, UnknownRewards
from bamdp.priors._conjugate import ConjugateBelief
from bamdp.priors.unknown_rewards import UnknownRewardsBelief


class BEB(ModelBased):
    """Acts greedily in the posterior-mean model with the bonus β / (1 + n) on the reward.

    Args:
        prior: prior over the transitions. Without pseudo-counts, as in `Finite`, n is the number of visits.
        rewards: reward of each state and action [S, A], or of each transition [S, A, S].
        discount: discount factor, in [0, 1); 1 with a deadline.
        beta: size of the bonus, in units of reward. (The program behind the published results truncated it to an integer:
            0.5 was 0, 1.5 was 1.)
        mean: "prior", the prior's posterior mean; or "flat", that of a Dirichlet with the prior's pseudo-count `alpha` on every
            state, which that program also used with the sparse prior. With "prior", n0 of a sparse row has alpha for each of
            the successors it is expected to have.
        ties: how ties between actions are broken, by the "first" or at "random".
        settings: `terminal`, `deadline`, `episode_length`, `start`, `tolerance` and `seed` as in `PosteriorMean`.

    Example:
        >>> import bamdp
        >>> domain = bamdp.domains.DoubleLoop()
        >>> bamdp.run(BEB.for_domain(domain, beta=0.5), domain, steps=1000).total_reward
        391.0
    """

    state_attributes: ClassVar[tuple[str, ...]] = ()
    fixed: ClassVar[tuple[str, ...]] = ("mean",)
    grid: ClassVar[Grid] = ({"beta": (0.5, 1, 1.5, 2, 2.5, 3, 5, 10, 15, 20)},)

    def __init__(
        self,
        prior: Prior,
        rewards: ArrayLike,
        discount: float,
        *,
        beta: float = 1.0,
        mean: Literal["prior", "flat"] = "prior",
        ties: Ties = "first",
        **settings: Any,
    ) -> None:
        self.beta = real("beta", beta, 0, LARGEST_REWARD)
        self.mean = one_of("mean", mean, ("prior", "flat"))
        super().__init__(self._solved_prior(prior), rewards, discount, ties=ties, **settings)

    def _solved_prior(self, prior: Prior) -> Prior:
        if self.mean == "prior" or isinstance(prior, Dirichlet):
            return prior
        if not hasattr(prior, "alpha") or isinstance(prior, UnknownRewards):
            raise TypeError(f'mean="flat" needs a prior with one pseudo-count alpha, got {prior!r}; use mean="prior"')
        return Dirichlet(prior.alpha)

    @property
    def more_state_attributes(self) -> tuple[str, ...]:
        """For saving: the visits, where they are not in the belief."""
        return (*super().more_state_attributes, *(() if self._counted else ("_visits",)))

    @property
    def _counted(self) -> bool:
        """Whether the belief has pseudo-counts and counts."""
        return isinstance(self.belief, ConjugateBelief | UnknownRewardsBelief)

    def reset(self, seed: int) -> None:
        _validation.seed(seed)  # before anything changes
        self._visits = np.zeros((self.num_states, self.num_actions), np.int64)
        super().reset(seed)

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        super().observe(state, action, reward, next_state)
        if not self._counted:
            self._visits[index(state), index(action)] += 1

    def _learn_many(self, steps: Steps) -> None:
        self.belief.observe_many(*steps)
        if not self._counted:
            np.add.at(self._visits, (steps.states, steps.actions), 1)

    def _load(self) -> None:
        if self._counted:
            self.belief.load_mean(self._solver, self.beta)
            return
        model = self.belief.mean_model()
        expected = self.rewards[None] if model.rewards is None else model.rewards
        if expected.ndim == 4:
            expected = np.einsum("ksan,ksan->ksa", model.transitions, expected)
        model._replace(rewards=expected + self.beta / (1 + self._visits)).load(self._solver)
