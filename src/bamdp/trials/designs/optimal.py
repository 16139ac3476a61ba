"""The Bayes-optimal design: the largest expected number of successes over all patients, given the prior.

It is the policy of `bamdp.exact.optimal_arms`: computed backwards over all counts. With blocks or late
responses it is applied to what is known, as if all responses so far were.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bamdp.exact.arms import MOST_ARMS, ArmsPolicy, longest, optimal_arms
from bamdp.trials.design import Array, Counts, Design, Rule, at_counts, equally
from bamdp.trials.trial import Pulls, Trial


class BayesOptimalDesign(Design):
    """Each patient gets the arm that is Bayes-optimal for the number of successes among all patients; ties at random.

    Example:
        >>> from bamdp.trials import Trial, operating_characteristics
        >>> row = operating_characteristics(BayesOptimalDesign(), Trial([0.3, 0.5], patients=100))
        >>> round(row.prior_successes.value, 6)  # the optimum, as averaged over the prior
        64.918421
    """

    name, key = "Bayes-optimal", "bayes-optimal"

    def possible(self, trial: Trial) -> bool:
        return trial.num_arms <= MOST_ARMS and trial.patients <= longest(trial.num_arms, policy=True)

    def require(self, trial: Trial) -> None:
        """Raise an error if the policy does not fit into memory."""
        most = 0 if trial.num_arms > MOST_ARMS else longest(trial.num_arms, policy=True)
        if not self.possible(trial):
            which = f"{most} patients on {trial.num_arms} arms" if most else f"{MOST_ARMS} arms"
            raise MemoryError(
                f"the Bayes-optimal design is for at most {which}, so that its policy fits into memory, got {trial}"
            )

    def rule(self, trial: Trial) -> Rule:
        self.require(trial)
        solved = optimal_arms(trial.problem, policy=True)
        assert solved.policy is not None
        return OptimalRule(solved.policy)


class OptimalRule(Rule):
    """One of the optimal arms of a policy, with equal probabilities."""

    def __init__(self, policy: ArmsPolicy) -> None:
        self._policy = policy

    def probabilities(self, successes: Counts, failures: Counts, patient: int) -> Array:
        return at_counts(self._table, successes, failures)

    def cuts(self, pulls: Pulls, patient: int) -> NDArray[np.uint16] | None:
        return self._policy.cuts(pulls)

    def _table(self, pulls: Pulls) -> Array:
        optimal = self._policy.optimal(pulls)
        return np.asarray(0.5 * (1.0 + optimal - optimal[::-1])) if len(optimal) == 2 else equally(optimal)
