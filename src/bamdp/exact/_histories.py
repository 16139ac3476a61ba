"""Histories of a problem in some worlds, and the value of acting along them before the world is
known.

Histories with the same transitions have the same weights, and are one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bamdp.exact._bound_inputs import Array, BoundInputs, Indices, known_values
from bamdp.validation import integer

DEEPEST = 1000  # steps of the default delay


class Level(NamedTuple):
    """The histories of equally many steps, and their continuations by one step."""

    states: Indices  # [N]
    parents: Indices  # history that each continuation continues [E]
    cells: Indices  # its transition, (s A + a) S + s' [E]
    children: Indices  # its index in the next level [E]
    first: Indices  # one of the continuations to each history of the next level [N']


class Histories:
    """The histories of a problem in some worlds, level by level; those with the same transitions
    are one.
    """

    def __init__(self, inputs: BoundInputs, tables: Array) -> None:
        S, A = inputs.rewards.shape[:2]
        possible = np.any(tables > 0, axis=0)
        possible[inputs.terminal] = False  # no steps from there
        self.cells = np.flatnonzero(possible)
        self.counts = possible.sum(axis=(1, 2))  # [S]
        self.starts = np.cumsum(self.counts) - self.counts
        # A history is known by the sum of the random codes of its transitions, and by its state: 64
        # bits are enough for 10⁶ histories to differ except with a probability below 10⁻⁷. A
        # transition that is certain says nothing.
        codes = np.random.default_rng(0).integers(2**64, size=inputs.num_cells + S, dtype=np.uint64)
        self.codes, self.places = (
            codes[: inputs.num_cells].reshape(S, A, S),
            codes[inputs.num_cells :],
        )
        if (
            not inputs.terminal and (tables == tables[:, :1]).all()
        ):  # arms: the same rows in all states
            self.codes = np.broadcast_to(self.codes[:1], (S, A, S))
            if (inputs.rewards == inputs.rewards[:1]).all():
                self.places = np.zeros(S, np.uint64)
        self.codes = np.where((tables == 1).all(axis=0), np.uint64(0), self.codes).ravel()
        self.arrival = inputs.arrival
        self.states, self.keys = np.array([inputs.state]), np.zeros(1, np.uint64)

    @property
    def continuations(self) -> int:
        """Number of continuations of the current histories, before equal ones become one."""
        return int(self.counts[self.states].sum())

    def next_level(self) -> Level:
        """Expand one level: the histories of one more step."""
        counts = self.counts[self.states]
        parents = np.repeat(np.arange(len(counts)), counts)
        places = np.arange(len(parents)) - np.repeat(np.cumsum(counts) - counts, counts)
        cells = self.cells[self.starts[self.states[parents]] + places]
        arrived = self.arrival[cells % len(self.arrival)]
        keys = self.keys[parents] + self.codes[cells]
        _, first, children = np.unique(
            keys + self.places[arrived], return_index=True, return_inverse=True
        )
        level = Level(self.states, parents, cells, children, first)
        self.states, self.keys = arrived[first], keys[first]
        return level


def checked_delay(inputs: BoundInputs, tables: Array, delay: int | None, limit: int) -> int:
    """The delay, checked; by default the largest that fits. The histories of delay − 1 steps need
    weights.
    """
    longest = DEEPEST if inputs.horizon is None else min(inputs.horizon, DEEPEST)
    wanted = (
        longest
        if delay is None
        else integer("delay", delay, 0, DEEPEST if inputs.horizon is None else inputs.horizon)
    )
    histories, needed, steps = Histories(inputs, tables), len(tables), 1
    if wanted == 0:
        return 0
    held = 0  # continuations, which take more memory than the weights of a few worlds
    while (
        steps < wanted
        and needed + histories.continuations <= limit
        and held + histories.continuations <= limit
    ):
        held += histories.continuations
        histories.next_level()
        needed += len(tables) * len(histories.states)
        if needed > limit:
            break
        steps += 1
    if delay is not None and steps < wanted:
        raise ValueError(
            f"delay must be at most {steps} for limit={limit:,} and {len(tables)} worlds, got "
            f"{delay}"
        )
    return steps


def delayed_value(
    inputs: BoundInputs, tables: Array, weights: Array, delay: int
) -> tuple[float, Array]:
    """The bound for `delay`, with the average over some worlds in place of the expectation, and the
    worlds' values. [M]
    """
    later, now = known_values(inputs, tables, delay)
    known = np.asarray(now[:, inputs.state].max(axis=1))
    if delay == 0:
        return float(weights @ known), known
    histories, levels, masses = Histories(inputs, tables), [], []
    S, A = inputs.rewards.shape[:2]
    likelihoods = np.ascontiguousarray(tables.reshape(len(tables), -1).T)  # [cells, M]
    weights = weights[None]  # [N, M]
    for _ in range(delay - 1):
        level = histories.next_level()
        weights = weights[level.parents[level.first]] * likelihoods[level.cells[level.first]]
        levels.append(level)
        masses.append(weights.sum(axis=1))
    values = np.zeros(len(weights))
    for s in set(histories.states.tolist()) - set(inputs.terminal):
        here = histories.states == s
        values[here] = (weights[here] @ later[:, s]).max(axis=1)
    for level, mass in zip(reversed(levels), reversed(masses), strict=True):
        paid = inputs.rewards.ravel()[level.cells if inputs.rewards.ndim == 3 else level.cells // S]
        backed_up = paid * mass[level.children] + inputs.discount * values[level.children]
        pairs = level.parents * A + level.cells // S % A
        values = np.bincount(pairs, backed_up, len(level.states) * A).reshape(-1, A).max(axis=1)
    return float(values[0]), known
