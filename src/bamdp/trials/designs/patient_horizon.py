"""A price on the decision at the end: successes of patients to come, who are treated as the trial concludes.

The utility of a trial is the number of successes among its patients and those to come (Anscombe 1963). Those to come get the
arm with the highest posterior mean, or the first arm, the control, unless Fisher's test finds another one better. The latter is
a price on power: a trial that can't reject is worth little.
"""

from __future__ import annotations

import numpy as np

from bamdp.exact.arms import optimal_arms
from bamdp.trials.design import Array, Design, Rule, grid
from bamdp.trials.designs.optimal import BayesOptimalDesign, OptimalRule
from bamdp.trials.fisher import FisherTest
from bamdp.trials.trial import Pulls, Trial
from bamdp.validation import integer, one_of, real

DECISIONS = ("best", "significant")


class PatientHorizonDesign(Design):
    """Bayes-optimal for the patients of the trial and those to come, who are treated as the trial concludes.

    Args:
        future: number of patients to come.
        decision: how they are treated: "best", by the arm with the highest posterior mean, or "significant", by the first arm
            unless Fisher's test, one-sided, finds another one better.
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
        self._test = FisherTest(real("alpha", alpha, 0, 1, open_low=True, open_high=True), "greater")

    def label(self, trial: Trial) -> str:
        how = ", if significant" if self.decision == "significant" else ""
        return f"{self.name}, {self.future} to come{how}"

    def possible(self, trial: Trial) -> bool:
        return BayesOptimalDesign().possible(trial)

    def rule(self, trial: Trial) -> Rule:
        BayesOptimalDesign().require(trial)
        prior = trial.pseudo_counts

        def final(pulls: Pulls) -> Array:
            successes = grid(pulls)[0]
            means = [(a + s) / (a + b + n) for (a, b), n, s in zip(prior, pulls, successes, strict=True)]
            value = np.broadcast_to(means[0], [n + 1 for n in pulls])
            for arm, mean in enumerate(means[1:], start=1):
                shape = [n + 1 if axis in (0, arm) else 1 for axis, n in enumerate(pulls)]
                better = (
                    True if self.decision == "best" else self._test.better(pulls[0], pulls[arm], len(pulls) - 1).reshape(shape)
                )
                value = np.where(better, np.maximum(value, mean), value)
            return self.future * value

        solved = optimal_arms(trial.problem, policy=True, final=final)
        assert solved.policy is not None
        return OptimalRule(solved.policy)
