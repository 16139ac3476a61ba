"""Fisher's exact test for all outcomes of a trial at once.

Given the numbers of patients n_0, n_1 on two arms and the total of successes, the successes of one
arm are hypergeometric if both have the same success probability. The p-value is the probability of
an outcome that is no more probable than the one observed ("two-sided"), or in which the other arm
has as many successes or more ("greater"), as in `scipy.stats.fisher_exact`. With more than two
arms, each is compared with the first, the control, at the level α divided by their number
(Bonferroni).
"""

from __future__ import annotations

from functools import reduce

import numpy as np
from numpy.typing import NDArray

from bamdp.trials.counts import Array, Layer, Pulls
from bamdp.trials.distributions import hypergeometric, log_factorials
from bamdp.trials.outcomes import EndCounts
from bamdp.validation import one_of, real

ALTERNATIVES = ("two-sided", "greater")
ROUNDING = 1 + 1e-9  # a p-value of exactly the level is significant, however it is rounded
CELLS = 10**6  # outcomes with all totals of successes that are compared at a time
TIES = 1 + 1e-7  # outcomes are equally probable up to this factor, which rounding may add


class FisherTest:
    """Whether Fisher's exact test rejects that all arms have the success probability of the first.

    Args:
        alpha: level of significance of the whole test.
        alternative: "two-sided", or "greater" if only an arm better than the first counts.

    Example:
        >>> p_value = FisherTest().p_values(74, 74)[22, 37]
        >>> print(f"{p_value:.4f}, after 22 of 74 successes on the control and 37 of 74")
        0.0184, after 22 of 74 successes on the control and 37 of 74
    """

    name = "Fisher's exact test"

    def __init__(self, alpha: float = 0.05, alternative: str = "two-sided") -> None:
        self.alpha = real("alpha", alpha, 0, 1, open_low=True, open_high=True)
        self.alternative = one_of("alternative", alternative, ALTERNATIVES)

    def rejects(self, end: EndCounts) -> Layer:
        """The probability with which the test rejects at each count at the end, 0 or 1."""
        return {pulls: self.rejects_after(pulls).astype(float) for pulls in end.counts}

    def rejects_after(self, pulls: Pulls) -> NDArray[np.bool_]:
        """Whether the test rejects, after s_1 … s_A successes. [n_1 + 1, …, n_A + 1]"""
        better = [self.better(pulls, arm) for arm in range(1, len(pulls))]
        return np.asarray(reduce(np.logical_or, better))

    def better(self, pulls: Pulls, arm: int) -> NDArray[np.bool_]:
        """Whether the comparison of an arm with the control rejects; arrays of several arms
        broadcast.
        """
        return self.p_values_of(pulls, arm) <= ROUNDING * self.alpha / (len(pulls) - 1)

    def p_values_of(self, pulls: Pulls, arm: int) -> Array:
        """The p-values of the comparison of an arm with the control, with an axis for each arm."""
        shape = [n + 1 if axis in (0, arm) else 1 for axis, n in enumerate(pulls)]
        return self.p_values(pulls[0], pulls[arm]).reshape(shape)

    def rejects_at(
        self, successes: NDArray[np.int64], pulls: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Whether it rejects in each of many trials; both [A, N]."""
        level = ROUNDING * self.alpha / (len(pulls) - 1)
        each = [self.p_values_at(successes, pulls, arm) <= level for arm in range(1, len(pulls))]
        return np.asarray(reduce(np.logical_or, each))

    def p_values_at(
        self, successes: NDArray[np.int64], pulls: NDArray[np.int64], arm: int
    ) -> Array:
        """The p-values of the comparison of an arm with the control in each of many trials."""
        both = np.concatenate([pulls[[0, arm]], successes[[0, arm]]])
        outcomes, which = np.unique(both, axis=1, return_inverse=True)
        width = int((outcomes[2] + outcomes[3]).max(initial=0)) + 1
        parts = np.array_split(outcomes, 1 + outcomes.shape[1] * width // CELLS, axis=1)
        p_values = np.concatenate([self._p_values_of_outcomes(*part) for part in parts])
        return np.asarray(p_values[which.ravel()])

    def _p_values_of_outcomes(
        self,
        control: NDArray[np.int64],
        other: NDArray[np.int64],
        on_control: NDArray[np.int64],
        on_other: NDArray[np.int64],
    ) -> Array:
        """The p-values of outcomes of one comparison: patients and successes of both arms."""
        total = on_control + on_other
        s = np.arange(int(total.max(initial=0)) + 1)
        n, m, S = (control + other)[:, None], control[:, None], total[:, None]
        possible = (s <= S) & (s <= m) & (S - s <= n - m)
        x = np.where(possible, s, np.maximum(0, S - (n - m)))
        logs = log_factorials(int(n.max(initial=0)))
        inside = logs[m] - logs[x] - logs[m - x]
        outside = logs[n - m] - logs[S - x] - logs[n - m - S + x]
        every = np.exp(inside + outside - (logs[n] - logs[S] - logs[n - S]))
        every = np.where(possible, every, 0.0)
        if self.alternative == "greater":
            extreme = s <= on_control[:, None]
        else:
            here = np.take_along_axis(every, on_control[:, None], axis=1)
            extreme = every <= here * TIES
        return np.asarray(np.minimum((every * extreme).sum(axis=1), 1.0))

    def at_level(self, alpha: float) -> FisherTest:
        """The same test at another level."""
        return FisherTest(alpha, self.alternative)

    def __str__(self) -> str:
        sides = "two-sided" if self.alternative == "two-sided" else "one-sided"
        return f"{self.name}, {sides}, at level {self.alpha:g}"

    def p_values(self, control: int, other: int) -> Array:
        """The p-values of one comparison, by successes on the control and on the other arm.
        [control + 1, other + 1]
        """
        p_values = np.empty((control + 1, other + 1))
        probabilities = hypergeometric(control + other, control)
        extreme = np.cumsum if self.alternative == "greater" else _no_more_probable
        for total in range(control + other + 1):
            on_control = np.arange(max(0, total - other), min(control, total) + 1)
            p_values[on_control, total - on_control] = extreme(probabilities[total, on_control])
        return np.minimum(p_values, 1.0)


def _no_more_probable(probabilities: Array) -> Array:
    """For each outcome, the probability of all that are no more probable."""
    ascending = np.sort(probabilities)
    last = np.searchsorted(ascending, probabilities * TIES, side="right") - 1
    return np.asarray(np.cumsum(ascending)[last])
