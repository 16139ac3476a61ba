"""Probabilities of counts, step by step forwards: the twin of the backward recursion of
`bamdp.exact.arms`.

u(n, s), the probability of n_k patients and s_k successes on each arm if success probabilities are
drawn from uniform priors, is kept in an array for each n, [n_1 + 1, …, n_K + 1]. At given success
probabilities p the probability is

    u(n, s) Π_k (n_k + 1) C(n_k, s_k) p_k^{s_k} (1 − p_k)^{n_k − s_k}

so that one recursion serves all p, and no number is out of the range of floating-point numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bamdp import _core

Array = NDArray[np.float64]


def add_responses(
    after: Array, weights: Array, allocation: Array, arm: int, patients: int = 1
) -> None:
    """Add the probabilities of counts with more patients on one arm to those that are there
    already; without Python's lock.

    Args:
        after: where they are added, [n_1 + 1, …, n_arm + patients + 1, …, n_K + 1].
        weights: probabilities of the counts before, [n_1 + 1, …, n_K + 1].
        allocation: probability that these patients are allocated to the arm, of the same shape.
        arm: the arm.
        patients: number of patients.

    Example:
        >>> after = np.zeros((2, 1))
        >>> add_responses(after, np.ones((1, 1)), np.full((1, 1), 0.5), arm=0)
        >>> after.ravel().tolist()
        [0.25, 0.25]
    """
    shape = tuple(n + patients * (axis == arm) for axis, n in enumerate(weights.shape))
    if not (0 <= arm < weights.ndim and allocation.shape == weights.shape and after.shape == shape):
        raise ValueError(
            f"after must have the shape {shape} and allocation {weights.shape}, got {after.shape}, "
            f"{allocation.shape}"
        )
    _core.add_responses(
        after, np.ascontiguousarray(weights), np.ascontiguousarray(allocation), arm, patients
    )


def add_cut_responses(
    after: Array,
    weights: Array,
    cuts: NDArray[np.uint16],
    arm: int,
    allocation: tuple[float, float, float],
) -> None:
    """Add the probabilities with one more patient on one of two arms, if the allocation changes at
    two cuts of each row only: a tenth of the work of `add_responses`.

    Args:
        after: where they are added, [n_1 + 2, n_2 + 1] or [n_1 + 1, n_2 + 2].
        weights: probabilities of the counts before, [n_1 + 1, n_2 + 1].
        cuts: two numbers of successes of the second arm, in ascending order, for each one of the
            first. [n_1 + 1, 2]
        arm: the arm.
        allocation: probability of the arm below the first cut, between them, and from the second
            one on.

    Example:
        >>> after = np.zeros((2, 1))
        >>> add_cut_responses(after, np.ones((1, 1)), np.array([[0, 1]], np.uint16), 0, (1.0, 0.5,
        ...     0.0))
        >>> after.ravel().tolist()
        [0.25, 0.25]
    """
    rows, width = weights.shape
    if (
        after.shape != (rows + (arm == 0), width + (arm == 1))
        or cuts.shape != (rows, 2)
        or cuts.max() > width
    ):
        raise ValueError(
            f"after and cuts must be for weights of shape {weights.shape}, got {after.shape}, "
            f"{cuts.shape}"
        )
    _core.add_cut_responses(
        after, np.ascontiguousarray(weights), np.ascontiguousarray(cuts), arm, *allocation
    )
