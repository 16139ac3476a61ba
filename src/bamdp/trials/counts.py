"""Counts of patients and successes: how they are written, and all that may occur."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bamdp.validation import integer, listed

Array = NDArray[np.float64]
Counts = Sequence[NDArray[np.int64]]  # one array per arm; they broadcast against each other
Pulls = tuple[int, ...]  # patients so far on each arm
# Probabilities of counts: for each n, an array [n_1 + 1, …, n_A + 1].
Layer = dict[Pulls, NDArray[np.float64]]


def grid(pulls: Pulls) -> tuple[Counts, Counts]:
    """All numbers of successes and failures after so many patients on each arm, as arrays along an
    axis for each arm.
    """
    axes = range(len(pulls))
    successes = [
        np.arange(n + 1).reshape([-1 if axis == arm else 1 for axis in axes])
        for arm, n in enumerate(pulls)
    ]
    return successes, [n - s for n, s in zip(pulls, successes, strict=True)]


def compositions(total: int, parts: int) -> Iterator[Pulls]:
    """All ways to write a number as a sum of non-negative ones.

    Example:
        >>> list(compositions(2, 2))
        [(2, 0), (1, 1), (0, 2)]
    """
    if parts == 1:
        yield (total,)
        return
    for first in range(total, -1, -1):
        for others in compositions(total - first, parts - 1):
            yield (first, *others)


def observed(successes: Sequence[int], failures: Sequence[int]) -> tuple[Pulls, Pulls]:
    """Numbers of successes and failures on the same two arms or more, checked."""
    s, f = (
        tuple(integer(f"each of {name}", n, 0) for n in listed(name, counts))
        for name, counts in (("successes", successes), ("failures", failures))
    )
    if len(s) != len(f) or len(s) < 2:
        raise ValueError(
            f"successes and failures must be for the same two arms or more, got {len(s)} and "
            f"{len(f)}"
        )
    return s, f
