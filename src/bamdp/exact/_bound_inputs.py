"""The inputs of an upper bound: its worlds as tables of transitions, and what each is worth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.exact._augmented_states import AugmentedStates
from bamdp.mdp import MDP, annuity
from bamdp.prior import Belief
from bamdp.validation import distribution_rows, fits_memory

PRECISION = 1e-10  # of the values of worlds, relative to the largest possible one

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class BoundInputs(NamedTuple):
    """Validated inputs of the bound, and the worlds that it is computed for."""

    belief: Belief
    augmented: AugmentedStates | None  # where worlds differ in rewards or terminal states
    rewards: Array  # [S, A] or [S, A, S]
    discount: float
    state: int
    horizon: int | None
    terminal: list[int]
    restart: int | None

    @property
    def num_cells(self) -> int:
        """Number of transitions (s, a, s')."""
        S, A = self.rewards.shape[:2]
        return int(S * A * S)

    @property
    def arrival(self) -> Indices:
        """The state that the agent is in after each next state. [S]"""
        states = np.arange(len(self.rewards))
        if self.restart is not None:
            states[self.terminal] = self.restart
        return states

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest possible return."""
        ends = bool(self.terminal) and self.restart is None
        steps = annuity(self.discount, self.horizon)
        least, most = float(self.rewards.min()), float(self.rewards.max())
        return (min(least, 0.0) if ends else least) * steps, (
            max(most, 0.0) if ends else most
        ) * steps

    @property
    def rounding(self) -> float:
        """What the values of known worlds may be too low by."""
        return PRECISION * max(map(abs, self.range))

    def all_worlds(self, most: int) -> tuple[Array, Array] | None:
        """All worlds [M, S, A, S] and their weights [M], if these are at most `most`; else None."""
        worlds = self.belief.particles
        if worlds is None or worlds.weights is None:
            return None
        possible = np.flatnonzero(worlds.weights)
        if len(possible) > most:
            return None
        fits_memory(f"{len(possible)} worlds", len(possible) * self.num_cells)
        return self._tables(worlds.take(possible)), worlds.weights[possible]

    def draw(self, worlds: int, rng: np.random.Generator) -> Array:
        """Worlds from the posterior. [M, S, A, S]"""
        try:
            return distribution_rows(
                "the prior's sample()", self._tables(self.belief.sample(worlds, rng))
            )
        except TypeError as error:
            raise TypeError(
                f"prior must be one that can sample whole transition tables: {error}"
            ) from error

    def _tables(self, worlds: MDP) -> Array:
        return worlds.transitions if self.augmented is None else self.augmented.tables(worlds)


def known_values(inputs: BoundInputs, tables: Array, delay: int) -> tuple[Array, Array]:
    """The optimal values of all actions in known worlds, at the last step before each is revealed
    and now. [M, S, A]
    """
    paid = np.vecdot(tables, inputs.rewards) if inputs.rewards.ndim == 3 else inputs.rewards
    paid = np.array(np.broadcast_to(paid, tables.shape[:3]))
    paid[:, inputs.terminal] = 0
    moves = tables
    if inputs.terminal and inputs.restart is not None:
        moves = tables.copy()
        moves[..., inputs.restart] += moves[..., inputs.terminal].sum(axis=-1)
        moves[..., inputs.terminal] = 0
        moves[:, inputs.terminal, :, inputs.restart] = 1  # a state that is never reached
    if inputs.horizon is None:
        scale = max(float(np.abs(paid).max()), 1e-300) / (1 - inputs.discount)
        rounding = PRECISION * scale
        values = np.stack(
            [
                _infinite_horizon_values(inputs, *world, rounding)
                for world in zip(moves, paid, strict=True)
            ]
        )
        return values, values
    later = values = paid
    for steps in range(2, inputs.horizon + 1):
        best = values.max(axis=2)
        best[:, inputs.terminal] = 0
        values = paid + inputs.discount * np.einsum("wsan,wn->wsa", moves, best)
        later = values if steps == inputs.horizon - max(delay, 1) + 1 else later
    return later, values


def _infinite_horizon_values(
    inputs: BoundInputs, moves: Array, paid: Array, tolerance: float
) -> Array:
    """The optimal values of a known world without a horizon. [S, A]"""
    solver = _core.Solver(paid, inputs.discount, inputs.terminal)
    solver.load_tables(moves[None])
    solver.solve(tolerance)
    return solver.q_table().reshape(paid.shape)
