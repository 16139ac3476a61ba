"""Slow twins of operating characteristics: every history of a small trial, one by one."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from scipy.stats import fisher_exact

from bamdp.trials import Design, Trial

Ends = dict[tuple[tuple[int, int], ...], float]  # probability of (successes, failures) of each arm


def ends(design: Design, trial: Trial, chances: Sequence[float]) -> Ends:
    """The probabilities of all counts at the end, with the trial's blocks, delay and floor; one
    history after the other.
    """
    rule, A = design.rule(trial), trial.num_arms
    found: Ends = {}
    block = design.block_of(trial)
    for arms, weight in _histories(rule, trial, chances, block, ()):
        counts = [[0, 0] for _ in range(A)]
        for arm, success in arms:
            counts[arm][0 if success else 1] += 1
        key = tuple((s, f) for s, f in counts)
        found[key] = found.get(key, 0.0) + weight
    return found


def _histories(  # type: ignore[no-untyped-def]
    rule, trial, chances, block, past
) -> Iterator[tuple[tuple[tuple[int, bool], ...], float]]:
    if len(past) == trial.patients:
        yield past, 1.0
        return
    first = len(past) // block * block
    known = past[: max(0, first - trial.delay)]
    counts = np.zeros((2, trial.num_arms), dtype=np.int64)
    for arm, success in known:
        counts[int(success), arm] += 1
    probabilities = rule.probabilities(
        [np.array([n]) for n in counts[1]], [np.array([n]) for n in counts[0]], first
    )[:, 0]
    probabilities = trial.floor + (1 - trial.num_arms * trial.floor) * probabilities
    for arm, success in product(range(trial.num_arms), (False, True)):
        chance = probabilities[arm] * (chances[arm] if success else 1 - chances[arm])
        if chance > 0:
            for history, weight in _histories(rule, trial, chances, block, (*past, (arm, success))):
                yield history, chance * weight


def rejected(counts: Sequence[tuple[int, int]], alpha: float, alternative: str) -> bool:
    """By SciPy."""
    control, *others = counts
    sides = {"two-sided": "two-sided", "greater": "greater"}[alternative]
    level = (
        alpha / len(others) * (1 + 1e-9)
    )  # a p-value of exactly the level is significant, however it is rounded
    return any(
        fisher_exact([other, control], alternative=sides).pvalue <= level for other in others
    )
