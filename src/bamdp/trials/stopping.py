"""Rules that end a trial before all patients are allocated: for benefit, or for futility.

A look after n patients is at the responses that are known then, n − delay of them. If the trial
ends, nobody else is allocated, and the patients who wait are followed up: the analysis is of all n
responses (`bamdp.trials.conditional`), and may reverse what the look has seen, as the decision
analysis of Hampson and Jennison (2013, J. R. Statist. Soc. B 75, 3-54). `PosteriorStopping` looks
at the posterior probability that an arm is the best, as Bayesian trials do; `ExactStopping` stops
where the conditional exact test rejects already by the responses known, with what it may have spent
of its level by so many. Either way the type I error of the exact test is at most the level: a look
may cost power, never validity.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bamdp.trials.conditional import ConditionalTest
from bamdp.trials.counts import Counts, Layer, Pulls, grid
from bamdp.trials.design import Rule
from bamdp.trials.designs.thompson import ThompsonDesign
from bamdp.trials.trial import Stopping, Trial
from bamdp.validation import real

TIE = 1e-10  # probabilities that differ by less are equal; rounding is below 1e-12


class PosteriorStopping(Stopping):
    """End at a look if an arm is the best with a high posterior probability, or no arm is likely to
    beat the control.

    Args:
        looks: numbers of patients after which the trial may end.
        benefit: posterior probability of being the best from which on an arm, or the control, is
            accepted; 1 for never.
        futility: posterior probability that an arm other than the control is the best below which
            the trial is given up; 0 for never.

    Example:
        >>> from bamdp.trials import Trial, operating_characteristics
        >>> from bamdp.trials.designs import EqualDesign
        >>> stopping = PosteriorStopping([40, 60, 80], benefit=0.99)
        >>> trial = Trial([0.3, 0.5], patients=100, stopping=stopping)
        >>> row = operating_characteristics(EqualDesign(), trial)
        >>> print(f"{row.patients.value:.0f} patients, power {row.power.value:.2f}")
        85 patients, power 0.42
        >>> print(f"type I error {row.type_1_max:.3f} at most")
        type I error 0.039 at most
    """

    def __init__(self, looks: Sequence[int], benefit: float = 0.99, futility: float = 0.0) -> None:
        super().__init__(looks)
        self.benefit = real("benefit", benefit, 0.5, 1)
        self.futility = real("futility", futility, 0, 0.5)

    def stops(
        self, layer: Layer, ended: Layer, known: int, trial: Trial
    ) -> dict[Pulls, NDArray[np.bool_]]:
        rule = ThompsonDesign().rule(trial)
        return {pulls: self._stops(rule, *grid(pulls)) for pulls in layer}

    def stops_at(self, successes: Counts, failures: Counts, trial: Trial) -> NDArray[np.bool_]:
        return self._stops(ThompsonDesign().rule(trial), successes, failures)

    def _stops(self, rule: Rule, successes: Counts, failures: Counts) -> NDArray[np.bool_]:
        best = rule.probabilities(successes, failures, 0)
        benefit = (best.max(axis=0) >= self.benefit - TIE) & (self.benefit < 1)
        return np.asarray(benefit | (1 - best[0] < self.futility - TIE))

    def __str__(self) -> str:
        parts = [f"benefit from {self.benefit:g}"] if self.benefit < 1 else []
        parts += [f"futility below {self.futility:g}"] if self.futility else []
        return f"{super().__str__()}: {', '.join(parts)} posterior probability"


class ExactStopping(Stopping):
    """End at a look if the conditional exact test of the responses known rejects with what it may
    have spent of its level by so many.

    A randomised test ends the trial only where it rejects with certainty.

    Args:
        looks: numbers of patients after which the trial may end.
        test: the test, with its level and how it is spent; the default one if not given. Evaluate
            the trial with the same.

    Example:
        >>> from bamdp.trials import Trial, operating_characteristics
        >>> from bamdp.trials.designs import EqualDesign
        >>> trial = Trial([0.3, 0.5], patients=100, stopping=ExactStopping([40, 60, 80]))
        >>> row = operating_characteristics(EqualDesign(), trial)
        >>> print(f"{row.patients.value:.0f} patients, power {row.power.value:.2f}")
        88 patients, power 0.45
        >>> print(f"type I error {row.type_1_max:.3f} at most")
        type I error 0.040 at most
    """

    def __init__(self, looks: Sequence[int], test: ConditionalTest | None = None) -> None:
        super().__init__(looks)
        self.test: ConditionalTest = ConditionalTest() if test is None else test

    def stops(
        self, layer: Layer, ended: Layer, known: int, trial: Trial
    ) -> dict[Pulls, NDArray[np.bool_]]:
        responses = sum(next(iter(layer)))  # fewer than `known` if some are missing
        level = self.test.left(ended, responses, known, trial.patients)
        return {pulls: share == 1 for pulls, share in self.test.reject(layer, level).items()}

    def __str__(self) -> str:
        power = "" if self.test.spending == 1 else f"^{self.test.spending:g}"
        return (
            f"{super().__str__()}: ends if the exact test rejects, spending (n/N){power} of its "
            "level by n of N patients"
        )
