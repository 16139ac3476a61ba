"""The transition table of a Gymnasium environment as an MDP.

    table[state][action] = [(probability, next_state, reward, terminated), …]

A next state may occur several times, and probabilities may be off from one by rounding: entries are
merged and normalised. If episodes end only in states from which none continues, those are the
terminal states. Otherwise one more state is added, the last, to which every terminating transition
leads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from bamdp.mdp import MDP, unchecked_mdp
from bamdp.validation import fits_memory

Entry = tuple[float, int, float, bool]
Rows = list[list[list[Entry]]]  # [S][A] entries
Table = Mapping[int, Mapping[int, Sequence[Entry]]]


def read_table(
    table: Table, num_states: int, num_actions: int, starts: Iterable[int]
) -> tuple[MDP, tuple[float, ...], bool]:
    """The MDP, with mean rewards; the distinct rewards; and whether the reward of some transition
    is random.

    Args:
        table: the table; next states may be integers of any type.
        num_states: number of states of the environment.
        num_actions: number of actions.
        starts: possible start states.

    Example:
        >>> rows = {0: {0: [(0.5, 0, 0.0, False), (0.5, 1, 1.0, True)]}, 1: {0: [(1.0, 1, 9.0,
        ...     True)]}}
        >>> mdp, values, is_random = read_table(rows, num_states=2, num_actions=1, starts=[0])
        >>> mdp.terminal, values, mdp.rewards[0].tolist(), is_random
        (array([False,  True]), (0.0, 1.0), [[0.0, 1.0]], False)
    """
    rows: Rows = [
        [_row_entries(table[s][a]) for a in range(num_actions)] for s in range(num_states)
    ]
    ends, passed = _ends_and_passed(rows, starts)
    values = sorted({r for s in passed for row in rows[s] for _, _, r, _ in row})
    if ends & passed:
        rows = [
            [[(p, num_states if over else t, r, over) for p, t, r, over in row] for row in actions]
            for actions in rows
        ]
        rows.append([])
        ends = {num_states}
    for state in ends:
        rows[state] = [[(1.0, state, 0.0, True)]] * num_actions
    mdp, is_random = _mdp(rows, ends)
    return mdp, tuple(values), is_random


def _row_entries(row: Sequence[Entry]) -> list[Entry]:
    return [
        (float(p), int(next_state), float(r), bool(over)) for p, next_state, r, over in row if p > 0
    ]


def _ends_and_passed(rows: Rows, starts: Iterable[int]) -> tuple[set[int], set[int]]:
    """The states in which an episode can end, and those in which it continues."""
    ends, passed = set(), set(starts)
    waiting = list(passed)
    while waiting:
        for row in rows[waiting.pop()]:
            for _, next_state, _, over in row:
                if over:
                    ends.add(next_state)
                elif next_state not in passed:
                    passed.add(next_state)
                    waiting.append(next_state)
    return ends, passed


def _mdp(rows: Rows, ends: set[int]) -> tuple[MDP, bool]:
    """Terminal states absorb and pay nothing; rewards are [S, A] if they don't depend on the next
    state, else [S, A, S].
    """
    S, A, width = (
        len(rows),
        len(rows[0]),
        max(len({t for _, t, _, _ in row}) for actions in rows for row in actions),
    )
    successors, probabilities = np.zeros((S, A, width), dtype=np.int64), np.zeros((S, A, width))
    depends, is_random = (
        any(len({r for _, _, r, _ in row}) > 1 for actions in rows for row in actions),
        False,
    )
    if depends:
        fits_memory("the environment's rewards, which depend on the next state,", S * A * S)
    rewards = np.zeros((S, A, S) if depends else (S, A))
    for s, a in np.ndindex(S, A):
        outcomes: dict[
            int, list[tuple[float, float]]
        ] = {}  # probabilities and rewards by next state
        for p, next_state, r, _ in rows[s][a]:
            outcomes.setdefault(next_state, []).append((p, r))
        successors[s, a] = next(iter(outcomes))  # the padding
        successors[s, a, : len(outcomes)] = list(outcomes)
        for i, (next_state, entries) in enumerate(outcomes.items()):
            weights, paid = zip(*entries, strict=True)
            probabilities[s, a, i] = sum(weights)
            mean = paid[0] if len(set(paid)) == 1 else np.average(paid, weights=weights)
            rewards[(s, a, next_state) if depends else (s, a)] = mean
            is_random = is_random or len(set(paid)) > 1
    terminal = np.isin(np.arange(S), sorted(ends))
    return unchecked_mdp(
        probabilities / probabilities.sum(axis=2, keepdims=True), rewards, terminal, successors
    ), is_random
