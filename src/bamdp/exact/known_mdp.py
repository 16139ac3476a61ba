"""Exact expected total rewards of policies in a known domain, for tests and reports; its optimal values are `MDP.solve`'s."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp.domain import Domain
from bamdp.mdp import MDP
from bamdp.validation import dimensions, distribution_rows, integer, positive_integer


def policy_rewards(domain: Domain, policy: ArrayLike, steps: int) -> float:
    """The exact expected undiscounted total reward of a stationary policy over `steps` steps from the start state.

    A terminal state is followed by the start state, as in `bamdp.run`; time limits are ignored.

    Args:
        domain: the domain.
        policy: action of each state, [S], or probability of each action in each state, [S, A].
        steps: number of steps.

    Example:
        >>> from bamdp.domains import DoubleLoop
        >>> policy_rewards(DoubleLoop(), [1] * 9, steps=1000)
        400.0
    """
    steps = positive_integer("steps", steps)
    mdp, start = _table(domain)
    choice = _choice(domain, policy)
    values = np.zeros(mdp.num_states)
    for _ in range(steps):
        values[mdp.terminal] = values[start]
        values = (choice * _backed_up(mdp, values)).sum(axis=1)
    return float(values[start])


def optimal_total(domain: Domain, steps: int) -> float:
    """The maximum expected undiscounted total reward over `steps` steps from the start state.

    A terminal state is followed by the start state, as in `bamdp.run`; time limits are ignored.

    Example:
        >>> from bamdp.domains import DoubleLoop
        >>> optimal_total(DoubleLoop(), steps=1000)
        400.0
    """
    steps = positive_integer("steps", steps)
    mdp, start = _table(domain)
    values = np.zeros(mdp.num_states)
    for _ in range(steps):
        values[mdp.terminal] = values[start]
        values = _backed_up(mdp, values).max(axis=1)
    return float(values[start])


def _backed_up(mdp: MDP, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """One undiscounted step, and a terminal state has a value: that of the next episode. [S, A]"""
    successors = mdp.successors
    ahead = mdp.probabilities @ values if successors is None else np.vecdot(mdp.probabilities, values[successors])
    return np.asarray(mdp.expected_rewards + ahead)


def _table(domain: Domain) -> tuple[MDP, int]:
    if not isinstance(domain, Domain) or domain.mdp is None or domain.start is None:
        raise TypeError(f"domain must have tables and one start state, like bamdp.domains.Tabular, got {domain!r}")
    return domain.mdp, domain.start


def _choice(domain: Domain, policy: ArrayLike) -> NDArray[np.float64]:
    """`policy` as the probability of each action in each state. [S, A]"""
    S, A = domain.num_states, domain.num_actions
    if dimensions("policy", policy) == 0:
        raise ValueError(f"policy must have shape {(S,)} or {(S, A)}, got one number")
    array = np.asarray(policy)
    if array.shape == (S, A):
        return distribution_rows("policy", array)
    if array.shape != (S,):
        raise ValueError(f"policy must have shape {(S,)} or {(S, A)}, got {array.shape}")
    return np.eye(A)[[integer(f"policy[{state}]", action, 0, A - 1) for state, action in enumerate(array)]]
