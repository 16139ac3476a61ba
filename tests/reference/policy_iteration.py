"""Policy iteration on dense tables, each policy solved as linear equations."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def exact_q(
    transitions: Array, rewards: Array, discount: float, terminal: tuple[int, ...] = ()
) -> Array:
    """The optimal values of one dense model, [S, M, S] and [S, M]; those of terminal
    states are 0.
    """
    S, ends = len(rewards), np.isin(np.arange(len(rewards)), terminal)[:, None]
    transitions, rewards = (
        np.where(ends[:, :, None], 0.0, transitions),
        np.where(ends, 0.0, rewards),
    )
    states, policy = np.arange(S), np.zeros(S, dtype=np.int64)
    while True:
        values = np.linalg.solve(
            np.eye(S) - discount * transitions[states, policy], rewards[states, policy]
        )
        q: Array = rewards + discount * transitions @ values
        better = q.argmax(axis=1)
        if np.all(q[states, better] <= q[states, policy] + 1e-10):
            return q
        policy = better


def expected(transitions: Array, rewards: Array) -> Array:
    return rewards if rewards.ndim == 2 else np.asarray((transitions * rewards).sum(axis=2))
