"""What a Gymnasium environment's own table says of its rewards and ends.

    table[state][action] = [(probability, next_state, reward, terminated), …]

A next state may occur several times, and probabilities may not sum to one in the last digit: entries are merged and normalised.
Where an episode always ends in states that none passes through, those are the terminal states. Else, where the state doesn't
tell whether it is over, there is one more state, the last, which every end leads to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bamdp._validation import fits_memory

Entry = tuple[float, int, float, bool]
Rows = list[list[list[Entry]]]  # [S][A] entries
Table = Mapping[int, Mapping[int, Sequence[Entry]]]


@dataclass(frozen=True)
class EnvTable:
    """A table as arrays; terminal states stay as they are and pay nothing.

    Attributes:
        successors: the next states that each row can lead to, padded with the first. [S, A, k]
        probabilities: of each of them, 0 in the padding. [S, A, k]
        rewards: of every state and action, [S, A], or of every transition, [S, A, S]; the mean, if it is left to chance.
        by_chance: whether some transition pays sometimes this and sometimes that.
        values: the rewards there are, in order.
        terminal: the states in which an episode ends.
    """

    successors: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    rewards: NDArray[np.float64]
    by_chance: bool
    values: tuple[float, ...]
    terminal: frozenset[int]


def read_table(table: Table, num_states: int, num_actions: int, starts: Iterable[int]) -> EnvTable:
    """Read the table of an environment.

    Args:
        table: as above; next states may be integers of any kind.
        num_states: how many states it is of.
        num_actions: how many actions it is of.
        starts: the states an episode can start in.

    Example:
        >>> rows = {0: {0: [(0.5, 0, 0.0, False), (0.5, 1, 1.0, True)]}, 1: {0: [(1.0, 1, 9.0, True)]}}
        >>> read = read_table(rows, num_states=2, num_actions=1, starts=[0])
        >>> sorted(read.terminal), read.values, read.rewards[0].tolist()
        ([1], (0.0, 1.0), [[0.0, 1.0]])
    """
    rows: Rows = [[_entries(table[s][a]) for a in range(num_actions)] for s in range(num_states)]
    ends, passed = _ends_and_passed(rows, starts)
    if ends & passed:
        rows = [[[(p, num_states if over else t, r, over) for p, t, r, over in row] for row in actions] for actions in rows]
        rows.append([])
        ends = {num_states}
    for end in ends:
        rows[end] = [[(1.0, end, 0.0, True)]] * num_actions
    successors, probabilities = _transitions(rows)
    rewards, by_chance = _rewards(rows)
    values = sorted({r for s in passed for row in rows[s] for _, _, r, _ in row})
    return EnvTable(successors, probabilities, rewards, by_chance, tuple(values), frozenset(ends))


def _entries(row: Sequence[Entry]) -> list[Entry]:
    return [(float(p), int(next_state), float(r), bool(over)) for p, next_state, r, over in row if p > 0]


def _ends_and_passed(rows: Rows, starts: Iterable[int]) -> tuple[set[int], set[int]]:
    """The states in which an episode from a start can end, and those in which it goes on."""
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
    """Rewards [S, A] if they don't depend on the next state, else [S, A, S]; and whether they are left to chance."""
    S, A = len(rows), len(rows[0])
    if all(len({r for _, _, r, _ in row}) == 1 for actions in rows for row in actions):
        return np.array([[row[0][2] for row in actions] for actions in rows]), False
    fits_memory("the environment's rewards, which depend on the next state,", S * A * S)
    rewards, by_chance = np.zeros((S, A, S)), False
    for s, a in np.ndindex(S, A):
        paid: dict[int, list[tuple[float, float]]] = {}
        for p, next_state, r, _ in rows[s][a]:
            paid.setdefault(next_state, []).append((r, p))
        for next_state, some in paid.items():
            values, weights = zip(*some, strict=True)
            by_chance = by_chance or len(set(values)) > 1
            rewards[s, a, next_state] = values[0] if len(set(values)) == 1 else np.average(values, weights=weights)
    return rewards, by_chance
