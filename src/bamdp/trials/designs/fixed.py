"""Designs that do not look at the responses: each arm in turn, or at random."""

from __future__ import annotations

import numpy as np

from bamdp.trials.design import Array, Counts, Design, Rule
from bamdp.trials.trial import Trial


class EqualDesign(Design):
    """Each arm in turn: equal numbers of patients, as in a classical trial with fixed allocation.

    Example:
        >>> from bamdp.trials import Trial, operating_characteristics
        >>> round(operating_characteristics(EqualDesign(), Trial([0.3, 0.5], patients=148)).successes.value, 6)
        59.2
    """

    name, key, adaptive = "equal", "equal", False

    def rule(self, trial: Trial) -> Rule:
        return _InTurn()


class _InTurn(Rule):
    def probabilities(self, successes: Counts, failures: Counts, patient: int) -> Array:
        shape = np.broadcast_shapes(*(s.shape for s in successes))
        arms = np.arange(len(successes)).reshape(-1, *[1] * len(shape))
        return np.broadcast_to((arms == patient % len(successes)).astype(float), (len(successes), *shape))


class RandomisedDesign(Design):
    """Complete randomisation: each patient at random, with equal probabilities."""

    name, key, adaptive = "randomised", "randomised", False

    def rule(self, trial: Trial) -> Rule:
        return _FairLot()


class _FairLot(Rule):
    def probabilities(self, successes: Counts, failures: Counts, patient: int) -> Array:
        shape = np.broadcast_shapes(*(s.shape for s in successes))
        return np.broadcast_to(1 / len(successes), (len(successes), *shape))
