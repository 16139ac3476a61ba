"""The slow twin of core/solve/exploration_bonus.hpp: the posterior mean with a bonus for learning,
on dense arrays.
"""

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def index_units(u: Array) -> Array:
    return np.asarray(0.72 * np.sqrt(np.log1p(u) * u / (u + 0.5)))


def optimal_values(mean: Array, paid: Array, discount: float) -> Array:
    """V of the model with transitions `mean` [S, A, S] and expected rewards `paid` [S, A]."""
    V = np.zeros(len(mean))
    for _ in range(math.ceil(math.log(1e-14) / math.log(discount))):
        V = (paid + discount * mean @ V).max(axis=1)
    return V


def later_visits(mean: Array, Q: Array, discount: float, state: int) -> Array:
    """How often what is learned in each state can be used: discounted visits after the one that
    teaches. [S]

    That one is now in `state`, and elsewhere the time of the most probable arrival.
    """
    P = mean[np.arange(len(mean)), Q.argmax(axis=1)]
    now, visits, first, left = (
        np.eye(len(mean))[state],
        np.zeros(len(mean)),
        np.zeros(len(mean)),
        discount,
    )
    while left > 0.01 * discount:
        now = discount * now @ P
        visits += now
        first = np.maximum(first, now)
        left *= discount
    first[state] = 0
    return np.asarray(visits - first)


def worth(mean: Array, x: Array, n0: Array, discount: float, s: int, stays: Array) -> float:
    """The value of `s` after that many more `stays` with each action [A], if what is learned there
    is kept for four more.

    `x` is the reward and discounted value of each transition, [S, A, S]; the part of the value of
    staying is not used.
    """
    stays, value, weight = stays.copy(), 0.0, 1.0
    for stay in range(5):
        counts = n0[s][:, None] * mean[s]
        counts[:, s] += stays
        p = counts / counts.sum(axis=1, keepdims=True)
        once = (p * x[s]).sum(axis=1)
        best = int(np.argmax(once / (1 - discount * p[:, s])))
        value += weight * once[best] / (1 if stay < 4 else 1 - discount * p[best, s])
        weight *= discount * p[best, s]
        stays[best] += 1
    return value


def staying(mean: Array, x: Array, n0: Array, discount: float) -> Array:
    """What is lost by hope that staying has refuted: γ p(s | s, a) (W(s; a) - W(s)). [S, A]"""
    S, A = n0.shape
    lost = np.zeros((S, A))
    for s in range(S):
        fresh = worth(mean, x, n0, discount, s, np.zeros(A))
        for a in range(A):
            if 0 < mean[s, a, s] < 1:
                lost[s, a] = (
                    discount
                    * mean[s, a, s]
                    * (worth(mean, x, n0, discount, s, np.eye(A)[a]) - fresh)
                )
    return lost


def index_values(
    mean: Array,
    rewards: Array,
    n0: Array,
    discount: float,
    state: int,
    active: set[int],
    terminal: tuple[int, ...] = (),
    listed: bool = False,
) -> Array:
    """The values of all actions in all states, with the bonus as seen from `state`. [S, A]

    Args:
        mean: the posterior mean. [S, A, S]
        rewards: rewards. [S, A, S]
        n0: pseudo-counts and observations of each row. [S, A]
        discount: discount factor.
        state: the current state.
        active: states with a bonus: those that occur in what was observed, and `state`.
        terminal: terminal states.
        listed: whether each row has its own possible next states, so that what staying teaches
            counts.
    """
    mean, rewards = mean.copy(), rewards.copy()
    for end in terminal:
        mean[end], rewards[end] = np.eye(len(mean))[end], 0
    paid = (mean * rewards).sum(axis=2)
    bonus = np.zeros_like(paid)
    for _ in range(2):
        V = optimal_values(mean, paid + bonus, discount)
        Q = paid + bonus + discount * mean @ V
        x = rewards + discount * V
        variance = (mean * x**2).sum(axis=2) - (mean * x).sum(axis=2) ** 2
        visits = later_visits(mean, Q, discount, state)
        bonus = index_units(visits[:, None] / (n0 + 2)) * np.sqrt(
            np.maximum(0, variance) / (n0 + 1)
        )
        left = (
            rewards
            + discount * V
            + bonus[:, :, None] / (1 - mean.diagonal(axis1=0, axis2=2).T[:, :, None]).clip(1e-300)
        )
        for s in range(len(mean)):
            left[s, :, s] = rewards[s, :, s]
        bonus = bonus + (staying(mean, left, n0, discount) if listed else 0)
        bonus[[s for s in range(len(mean)) if s not in active]] = 0
    V = optimal_values(mean, paid + bonus, discount)
    return np.asarray(paid + bonus + discount * mean @ V)
