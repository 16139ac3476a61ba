"""Columns of real steps, as many as there are in a log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp._validation import LARGEST_REWARD, real_array, states


class Steps(NamedTuple):
    """Columns of real steps."""

    states: NDArray[np.int64]  # [T]
    actions: NDArray[np.int64]  # [T]
    rewards: NDArray[np.float64] | None  # [T]; None: not observed
    next_states: NDArray[np.int64]  # [T]
    terminated: NDArray[np.bool_] | None  # [T]; None: not observed

    @property
    def size(self) -> int:
        """How many."""
        return len(self.states)

    def rows(self) -> Iterator[tuple[int, int, float | None, int, bool | None]]:
        """The steps one by one."""
        unseen: list[None] = [None] * self.size
        rewards = unseen if self.rewards is None else self.rewards.tolist()
        ended = unseen if self.terminated is None else self.terminated.tolist()
        return zip(self.states.tolist(), self.actions.tolist(), rewards, self.next_states.tolist(), ended, strict=True)


def checked_steps(
    columns: tuple[ArrayLike, ArrayLike, ArrayLike | None, ArrayLike, ArrayLike | None], num_states: int, num_actions: int
) -> Steps:
    """Columns of states, actions, rewards, next states and whether each step terminated, all of the same length."""
    before, actions, rewards, after, terminated = columns
    steps = Steps(
        states("states", _column("states", before), num_states),
        _actions(_column("actions", actions), num_actions),
        None if rewards is None else real_array("rewards", rewards, LARGEST_REWARD),
        states("next_states", _column("next_states", after), num_states),
        None if terminated is None else _booleans(terminated),
    )
    for name, column in zip(Steps._fields, steps, strict=True):
        if column is not None and column.shape != steps.states.shape:
            raise ValueError(f"{name} must have one entry for each of the {steps.size} states, got shape {column.shape}")
    return steps


def _column(name: str, value: ArrayLike) -> NDArray[Any]:
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be an array of integers, got rows of different lengths or no array") from None
    if array.ndim != 1:
        raise ValueError(f"{name} must be an array of one dimension, got shape {array.shape}")
    return array if array.size else array.astype(np.int64)


def _actions(value: NDArray[Any], num_actions: int) -> NDArray[np.int64]:
    if value.dtype.kind not in "iu":
        raise TypeError(f"actions must be integers, got numbers of type {value.dtype}")
    outside = (value < 0) | (value >= num_actions)
    if outside.any():
        row = int(np.flatnonzero(outside)[0])
        raise ValueError(f"actions must be integers from 0 to {num_actions - 1}, got {value[row]} at index {(row,)}")
    return np.ascontiguousarray(value, dtype=np.int64)


def _booleans(value: ArrayLike) -> NDArray[np.bool_]:
    try:
        array = np.array(value)
    except (TypeError, ValueError):
        raise TypeError("terminated must be an array of True and False, got rows of different lengths or no array") from None
    if array.dtype != np.bool_:
        raise TypeError(f"terminated must be True or False for each step, got values of type {array.dtype}")
    return array
