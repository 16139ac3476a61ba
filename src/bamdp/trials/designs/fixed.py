"""Designs that do not look at the responses: each arm in turn, or at random."""

from __future__ import annotations

from bamdp.trials.counts import Counts
from bamdp.trials.design import Design, FunctionRule, Rule
from bamdp.trials.trial import Trial


class EqualDesign(Design):
    """Each arm in turn, strict alternation: equal numbers of patients, as in a classical trial with
    fixed allocation. The next arm is known to everybody; clinics use permuted blocks, with the same
    characteristics, or `randomised`.

    Example:
        >>> from bamdp.trials import Trial, operating_characteristics
        >>> row = operating_characteristics(EqualDesign(), Trial([0.3, 0.5], patients=148))
        >>> round(row.successes.value, 6)
        59.2
    """

    name, key, adaptive = "equal", "equal", False

    def rule(self, trial: Trial) -> Rule:
        A = trial.num_arms

        def in_turn(successes: Counts, failures: Counts, patient: int) -> list[float]:
            return [float(arm == patient % A) for arm in range(A)]

        return FunctionRule(in_turn, self.name)


class RandomisedDesign(Design):
    """Complete randomisation: each patient at random, with equal probabilities."""

    name, key, adaptive = "randomised", "randomised", False

    def rule(self, trial: Trial) -> Rule:
        return FunctionRule(lambda successes, failures, patient: [1.0] * trial.num_arms, self.name)
