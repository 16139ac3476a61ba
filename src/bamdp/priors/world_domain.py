"""A world to act in, of a prior of worlds that are functions."""

from __future__ import annotations

import copy
import zlib
from bisect import bisect_right
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bamdp import validation
from bamdp.domain import Domain
from bamdp.priors._worlds_rows import Row, WorldFunction
from bamdp.priors._worlds_states import EndedStates
from bamdp.problem import considered_actions

if TYPE_CHECKING:
    from bamdp.prior import Prior
    from bamdp.problem import BAMDP


class WorldDomain(Domain):
    """One world of a problem, by the user's function.

    Attributes:
        world: the world.
    """

    def __init__(self, problem: BAMDP, world: Any, function: WorldFunction) -> None:
        if problem.start is None:
            raise ValueError("problem must have a start, the state that runs start in, got none")
        self.world, self._problem, self._function = world, problem, function
        self._rows: dict[tuple[int, int], tuple[Row, list[float]]] = {}
        self._seed: int | None = None
        self._streams: dict[tuple[int, int], np.random.Generator] = {}
        self.num_states, self.num_actions = problem.num_states, problem.num_actions
        self.discount, self.rewards, self.horizon = (
            problem.discount,
            problem.rewards,
            problem.horizon,
        )
        self.start = int(problem.start)
        self.time_limit = problem.episode_length
        self.terminal = EndedStates()

    def with_common_outcomes(self, seed: int) -> Self:
        """The same world, in which the n-th outcome of a state and action is the same in every run.

        Args:
            seed: seed of all outcomes.
        """
        made = copy.copy(self)
        made._seed = validation.seed(seed)
        return made

    def __copy__(self) -> Self:
        """The same world, from the first outcome of everything."""
        twin = object.__new__(type(self))
        vars(twin).update(vars(self))
        twin._streams = {}
        return twin

    def reset(self, rng: np.random.Generator) -> int:
        return self.start

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        row, cumulative = self._row(state, action)
        if self._seed is not None:
            rng = self._stream(self._seed, state, action)
        drawn = bisect_right(cumulative, rng.random() * cumulative[-1])
        outcome = row[min(drawn, len(row) - 1)]
        return outcome.number, outcome.reward

    def _stream(self, seed: int, state: int, action: int) -> np.random.Generator:
        """The outcomes of a state and action. It goes by the text of the state: its number depends
        on what was met before.
        """
        base = self._function.numbers.base(state)
        if (base, action) not in self._streams:
            name = zlib.crc32(self._function.numbers.text(base).encode())
            self._streams[base, action] = np.random.default_rng([seed, name, action])
        return self._streams[base, action]

    def _row(self, state: int, action: int) -> tuple[Row, list[float]]:
        """What may happen, with cumulative probabilities."""
        known = self._rows.get((state, action))
        if known is None:
            number = self._function.numbers.checked(state)
            action = validation.integer("action", action, 0, self.num_actions - 1)
            actions = self._problem.actions
            assert actions is not None
            considered = considered_actions(self._problem, number)
            if action not in considered:
                names = tuple(actions[a] for a in considered)
                raise ValueError(
                    f"action must be one of {validation.short_repr(names)}, those of actions_in "
                    f"in state {self._function.numbers.text(number)}, got {actions[action]!r}"
                )
            row = self._function.row(self.world, number, actions[action])
            known = row, list(accumulate(outcome.probability for outcome in row))
            self._rows[state, action] = known
        return known

    def request(self, world: int, state: int, action: int) -> Row:
        """What may happen, for the core: the only world is this one."""
        return self._row(state, action)[0]

    def problem(self, prior: Prior | None = None, **changes: Any) -> BAMDP:
        if prior is not None and prior is not self._problem.prior:
            raise TypeError(
                "prior must be None for a world of bamdp.priors.Worlds, whose states have the "
                f"numbers of its own prior, got {prior!r}"
            )
        return replace(self._problem, **changes) if changes else self._problem

    def __repr__(self) -> str:
        return f"WorldDomain({validation.short_repr(self.world)} of {self._problem.prior!r})"
