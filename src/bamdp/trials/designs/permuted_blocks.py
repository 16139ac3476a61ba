"""Permuted blocks: random order within blocks that have each arm equally often."""

from __future__ import annotations

import numpy as np

from bamdp.trials.counts import Array, Counts
from bamdp.trials.design import Design, Rule
from bamdp.trials.trial import Trial
from bamdp.validation import positive_integer


class PermutedBlocksDesign(Design):
    """Blocks in which each arm has the same number of patients, in random order. The last patients
    of a block can be foreseen by those who know its size and its arms so far.

    Args:
        size: number of patients in a block, a multiple of the number of arms; two of each arm if
            not given.

    Example:
        >>> from bamdp.trials import Trial, operating_characteristics
        >>> row = operating_characteristics(PermutedBlocksDesign(), Trial([0.3, 0.5], patients=148))
        >>> round(row.successes.value, 6)
        59.2
    """

    name, key, adaptive, default = "permuted blocks", "permuted-blocks", False, False
    balances = True

    def __init__(self, size: int | None = None) -> None:
        self.size = None if size is None else positive_integer("size", size)

    def label(self, trial: Trial) -> str:
        return f"{self.name} of {self._size(trial)}"

    def rule(self, trial: Trial) -> Rule:
        return _PermutedRule(self._size(trial), trial.num_arms)

    def _size(self, trial: Trial) -> int:
        size = 2 * trial.num_arms if self.size is None else self.size
        if size % trial.num_arms:
            raise ValueError(
                f"size must be a multiple of the number of arms, {trial.num_arms}, got {size}"
            )
        return size


class _PermutedRule(Rule):
    """Each arm in proportion to its patients that the block still needs."""

    def __init__(self, size: int, num_arms: int) -> None:
        self._size, self._each = size, size // num_arms

    def probabilities(self, successes: Counts, failures: Counts, patient: int) -> Array:
        """Of patients allocated, with or without a response."""
        after = self._each * (patient // self._size + 1)
        needed = [
            np.maximum(after - (s + f), 0.0) for s, f in zip(successes, failures, strict=True)
        ]
        weights = np.stack(np.broadcast_arrays(*needed))
        return np.asarray(weights / weights.sum(axis=0))
