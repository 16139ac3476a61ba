"""The Bayes-optimal design: the largest expected number of successes over all patients, given the
prior.

It is the policy of `bamdp.exact.optimal_arms`: computed backwards over all counts. With blocks or
late responses it is applied to what is known, as if all responses so far were.

A price on the decision at the end is the successes of patients to come, who are treated as the
trial concludes (Anscombe 1963): by the arm with the highest posterior mean, or by the first arm,
the control, unless Fisher's test finds another one better. The latter is a price on power: a trial
that can't reject is worth little.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bamdp.exact.arms import MOST_ARMS, ArmsPolicy, longest, optimal_arms
from bamdp.trials.counts import Array, Counts, Pulls, grid
from bamdp.trials.design import Design, Rule, at_counts, equally
from bamdp.trials.fisher import FisherTest
from bamdp.trials.trial import Trial
from bamdp.validation import integer, one_of

DECISIONS = ("best", "significant")


class BayesOptimalDesign(Design):
    """Each patient gets the arm that is Bayes-optimal for the number of successes among all
    patients; ties at random. With blocks, late responses, a floor or looks it is the optimum
    without them, applied to what is known.

    Example:
        >>> from bamdp.trials import Trial, operating_characteristics
        >>> row = operating_characteristics(BayesOptimalDesign(), Trial([0.3, 0.5], patients=100))
        >>> round(row.prior_successes.value, 6)  # the optimum, as averaged over the prior
        64.918421
    """

    name, key = "Bayes-optimal", "bayes-optimal"

    def possible(self, trial: Trial) -> bool:
        arms = trial.num_arms
        return arms <= MOST_ARMS and trial.patients <= longest(arms, policy=True)

    def remark(self, trial: Trial) -> str:
        if not trial.settings:
            return ""
        return (
            f"{self.name}: the optimum without blocks, delay, floor and looks; another design may "
            "have more."
        )

    def final(self, trial: Trial) -> Callable[[Pulls], Array] | None:
        """What the end is worth, for `bamdp.exact.optimal_arms`."""
        return None

    def rule(self, trial: Trial) -> Rule:
        if not self.possible(trial):
            arms, most = trial.num_arms, f"{MOST_ARMS} arms"
            if arms <= MOST_ARMS:
                most = f"{longest(arms, policy=True)} patients on {arms} arms"
            raise MemoryError(
                f"the {self.name} design is for at most {most}, so that its policy fits into "
                f"memory, got {trial}"
            )
        solved = optimal_arms(trial.problem, policy=True, final=self.final(trial))
        assert solved.policy is not None
        return OptimalRule(solved.policy)


class PatientHorizonDesign(BayesOptimalDesign):
    """Bayes-optimal for the patients of the trial and those to come, who are treated as the trial
    concludes.

    Args:
        future: number of patients to come.
        decision: how they are treated: "best", by the arm with the highest posterior mean, or
            "significant", by the first arm unless Fisher's test, one-sided, finds another one
            better.
        alpha: level of that test.

    Example:
        >>> from bamdp.trials import Trial, operating_characteristics
        >>> trial = Trial([0.3, 0.5], patients=60)
        >>> for future in (0, 1000):
        ...     row = operating_characteristics(PatientHorizonDesign(future, "significant"), trial)
        ...     print(f"{row.successes.value:.1f} successes, power {row.power.value:.2f}")
        27.7 successes, power 0.09
        25.9 successes, power 0.29
    """

    name, key, default = "patient horizon", "patient-horizon", False

    def __init__(self, future: int = 1000, decision: str = "best", alpha: float = 0.05) -> None:
        self.future = integer("future", future, 0)
        self.decision = one_of("decision", decision, DECISIONS)
        self._test = FisherTest(alpha, "greater")
        self.alpha = self._test.alpha

    def label(self, trial: Trial) -> str:
        how = ", if significant" if self.decision == "significant" else ""
        return f"{self.name}, {self.future} to come{how}"

    def remark(self, trial: Trial) -> str:
        return ""

    def final(self, trial: Trial) -> Callable[[Pulls], Array]:
        def worth(pulls: Pulls) -> Array:
            successes = grid(pulls)[0]
            arms = zip(trial.pseudo_counts, pulls, successes, strict=True)
            means = [(a + s) / (a + b + n) for (a, b), n, s in arms]
            value = np.broadcast_to(means[0], [n + 1 for n in pulls])
            for arm, mean in enumerate(means[1:], start=1):
                better = self._test.better(pulls, arm) if self.decision == "significant" else True
                value = np.where(better, np.maximum(value, mean), value)
            return self.future * value

        return worth


class OptimalRule(Rule):
    """One of the optimal arms of a policy, with equal probabilities."""

    def __init__(self, policy: ArmsPolicy) -> None:
        self._policy = policy

    def probabilities(self, successes: Counts, failures: Counts, patient: int) -> Array:
        return at_counts(self._probabilities, successes, failures)

    def cuts(self, pulls: Pulls, patient: int) -> NDArray[np.uint16] | None:
        return self._policy.cuts(pulls)

    def _probabilities(self, pulls: Pulls) -> Array:
        optimal = self._policy.optimal(pulls)
        if len(optimal) == 2:  # faster than in general
            return np.asarray(0.5 * (1.0 + optimal - optimal[::-1]))
        return equally(optimal)
