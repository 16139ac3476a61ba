"""Small problems of worlds that are functions, as tables: the states that can be reached from one.

A state of the tables is an observation with the reward that came with it, as agents see both.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bamdp.priors._worlds_belief import WorldsBelief
from bamdp.priors.finite import Finite
from bamdp.problem import BAMDP
from bamdp.spaces import describe_state

MOST_NUMBERS = 2 * 10**7  # in the tables


class TooManyToListError(ValueError):
    """The tables would be too large."""


class Enumerated(NamedTuple):
    """A problem of tables.

    Attributes:
        problem: the problem; its prior is the belief that it was made of.
        state: the state from which the others can be reached.
    """

    problem: BAMDP
    state: int


def enumerated(
    belief: WorldsBelief,
    state: int,
    horizon: int | None,
    who: str,
    worlds: list[int] | None = None,
    weights: Any = None,
) -> Enumerated:
    """The problem as tables, of the states that can be reached from `state`.

    Args:
        belief: the belief.
        state: number of the current state.
        horizon: number of steps; None for any.
        who: who needs tables, for messages.
        worlds: indices of the worlds; those that are possible if not given.
        weights: their weights; the belief's if not given.

    Raises:
        TooManyToListError: the tables would be too large.
    """
    if worlds is None:
        worlds = np.flatnonzero(belief.weights).tolist()
        weights = belief.weights[worlds]
    A, rows = belief.problem.num_actions, belief.rows
    index: dict[tuple[int, float], int] = {(state, 0.0): 0}
    listed, ahead = [(state, 0.0)], [(state, 0.0)]
    entries: list[tuple[int, int, int, int, float]] = []
    depth = 0
    while ahead and (horizon is None or depth < horizon):
        reached: list[tuple[int, float]] = []
        for pair in ahead:
            considered = rows.actions(pair[0])  # others are like the first of them
            taken = [a if a in considered else considered[0] for a in range(A)]
            for m, world in enumerate(worlds):
                for a in range(A):
                    for number, _, _, p, reward in rows.row(world, pair[0], taken[a]):
                        after = number, reward
                        if after not in index:
                            index[after] = len(listed)
                            listed.append(after)
                            if number >= 0:
                                reached.append(after)
                        entries.append((m, index[pair], a, index[after], p))
            if len(worlds) * A * len(listed) ** 2 > MOST_NUMBERS:
                raise TooManyToListError(
                    f"{who} needs tables of all worlds, and from state "
                    f"{describe_state(belief.problem, state)} "
                    f"more than {len(listed) - 1} observations can be reached, with {len(worlds)} "
                    f"worlds and {A} actions too many; a shorter horizon reaches fewer"
                )
        ahead, depth = reached, depth + 1
    S = len(listed)
    tables = np.zeros((len(worlds), S, A, S))
    for m, s, a, s_next, p in entries:
        tables[m, s, a, s_next] += p
    tables[tables.sum(axis=-1) == 0, 0] = 1  # terminal, or beyond the horizon
    ended = [s for s, (number, _) in enumerate(listed) if number < 0]
    paid = np.broadcast_to([reward for _, reward in listed], (S, A, S))
    problem = BAMDP(
        Finite(tables, weights),
        paid,
        belief.problem.discount,
        terminal=ended,
        horizon=horizon,
        start=0,
        actions=None,
    )
    return Enumerated(problem, 0)
