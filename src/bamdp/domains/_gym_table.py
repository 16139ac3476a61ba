"""The rewards and terminal states in a Gymnasium environment's transition table.

    table[state][action] = [(probability, next_state, reward, terminated), …]

A next state may occur several times, and probabilities may be off from one by rounding: entries are merged and normalised.
If episodes end only in states from which none continues, those are the terminal states. Otherwise one more state is added, the
last, to which every terminating transition leads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bamdp.validation import fits_memory

Entry = tuple[float, int, float, bool]
Rows = list[list[list[Entry]]]  # [S][A] entries
Table = Mapping[int, Mapping[int, Sequence[Entry]]]


@dataclass(frozen=True)
class EnvTable:
    """A table as arrays; terminal states are absorbing and pay nothing."""

    successors: NDArray[np.int64]  # possible next states of each row, padded with the first. [S, A, k]
    probabilities: NDArray[np.float64]  # their probabilities, 0 in the padding. [S, A, k]
    rewards: NDArray[np.float64]  # of each state and action, [S, A], or transition, [S, A, S]; the mean if it is random
    random_rewards: bool  # whether the reward of some transition is random
    values: tuple[float, ...]  # the distinct rewards, sorted
    terminal: frozenset[int]


def read_table(table: Table, num_states: int, num_actions: int, starts: Iterable[int]) -> EnvTable:
    """Read the table of an environment with these possible start states; next states may be integers of any type.

    Example:
        >>> rows = {0: {0: [(0.5, 0, 0.0, False), (0.5, 1, 1.0, True)]}, 1: {0: [(1.0, 1, 9.0, True)]}}
        >>> read = read_table(rows, num_states=2, num_actions=1, starts=[0])
        >>> sorted(read.terminal), read.values, read.rewards[0].tolist()
        ([1], (0.0, 1.0), [[0.0, 1.0]])
    """
    rows: Rows = [[_entries(table[s][a]) for a in range(num_actions)] for s in range(num_states)]
    terminal, passed = _terminal_and_passed(rows, starts)
    if terminal & passed:
        rows = [[[(p, num_states if over else t, r, over) for p, t, r, over in row] for row in actions] for actions in rows]
        rows.append([])
        terminal = {num_states}
    for state in terminal:
        rows[state] = [[(1.0, state, 0.0, True)]] * num_actions
    successors, probabilities = _transitions(rows)
    rewards, is_random = _rewards(rows)
    values = sorted({r for s in passed for row in rows[s] for _, _, r, _ in row})
    return EnvTable(successors, probabilities, rewards, is_random, tuple(values), frozenset(terminal))


def _entries(row: Sequence[Entry]) -> list[Entry]:
    return [(float(p), int(next_state), float(r), bool(over)) for p, next_state, r, over in row if p > 0]


def _terminal_and_passed(rows: Rows, starts: Iterable[int]) -> tuple[set[int], set[int]]:
    """The states in which an episode can end, and those in which it continues."""
    terminal, passed = set(), set(starts)
    waiting = list(passed)
    while waiting:
        for row in rows[waiting.pop()]:
            for _, next_state, _, over in row:
                if over:
                    terminal.add(next_state)
                elif next_state not in passed:
                    passed.add(next_state)
                    waiting.append(next_state)
    return terminal, passed


def _transitions(rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Successors and probabilities, [S, A, k]."""
    merged = [[_merged(row) for row in actions] for actions in rows]
    width = max(len(row) for actions in merged for row in actions)
    successors = np.zeros((len(rows), len(rows[0]), width), dtype=np.int64)
    probabilities = np.zeros(successors.shape)
    for s, a in np.ndindex(successors.shape[:2]):
        row = merged[s][a]
        successors[s, a] = next(iter(row))
        successors[s, a, : len(row)] = list(row)
        probabilities[s, a, : len(row)] = list(row.values())
    return successors, probabilities / probabilities.sum(axis=2, keepdims=True)


def _merged(row: list[Entry]) -> dict[int, float]:
    found: dict[int, float] = {}
    for p, next_state, _, _ in row:
        found[next_state] = found.get(next_state, 0.0) + p
    return found


def _rewards(rows: Rows) -> tuple[NDArray[np.float64], bool]:
    """Rewards [S, A] if they don't depend on the next state, else [S, A, S]; and whether they are random."""
    S, A = len(rows), len(rows[0])
    if all(len({r for _, _, r, _ in row}) == 1 for actions in rows for row in actions):
        return np.array([[row[0][2] for row in actions] for actions in rows]), False
    fits_memory("the environment's rewards, which depend on the next state,", S * A * S)
    rewards, is_random = np.zeros((S, A, S)), False
    for s, a in np.ndindex(S, A):
        paid: dict[int, list[tuple[float, float]]] = {}
        for p, next_state, r, _ in rows[s][a]:
            paid.setdefault(next_state, []).append((r, p))
        for next_state, outcomes in paid.items():
            values, weights = zip(*outcomes, strict=True)
            is_random = is_random or len(set(values)) > 1
            rewards[s, a, next_state] = values[0] if len(set(values)) == 1 else np.average(values, weights=weights)
    return rewards, is_random
