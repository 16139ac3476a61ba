"""How a person values actions: the games that they play, and the contract of `bamdp.fit.models`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp.choice_rule import NO_ACTION
from bamdp.fit.parameters import FreeParameter
from bamdp.problem import BAMDP
from bamdp.steps import Step

Array = NDArray[np.float64]
# Values at the free choices of a game, [R, n, A] from R draws, and their standard errors [n, A].
Values = tuple[Array, Array]
Seed = Callable[[int, int], int]  # of a trial and a draw


@dataclass(frozen=True, eq=False)
class Game:
    """The trials of a person in one world, in order, without those that were missed.

    Attributes:
        subject: the person.
        game: name of the game.
        steps: number of each trial, as in the data. [n]
        rows: the trials, as a belief or an agent observes them: `terminated` is None where the
            episode was truncated, as the data don't tell what the state is.
        ends: whether an episode ended after each trial. [n]
        counted: whether the choice was free, and so counts for the likelihood. [n]
        elapsed: number of steps of the task before each trial, time-outs included. [n]
        conditions: columns that are constant in the game and that the model reads.
        places: row of the table of each trial, counted from 1; none of a simulated game.
    """

    subject: Any
    game: Any
    steps: Sequence[int]
    rows: Sequence[Step]
    ends: NDArray[np.bool_]
    counted: NDArray[np.bool_]
    elapsed: NDArray[np.int64]
    conditions: Mapping[str, Any] = field(default_factory=dict)
    places: Sequence[int] = ()

    @cached_property
    def actions(self) -> NDArray[np.int64]:
        """The choices. [n]"""
        return np.array([row.action for row in self.rows], np.int64)

    @cached_property
    def rewards(self) -> Array:
        """What they paid. [n]"""
        return np.array([row.reward for row in self.rows], np.float64)

    @property
    def last_actions(self) -> NDArray[np.int64]:
        """The action before each choice; `NO_ACTION` before the first. [n]"""
        return np.concatenate([[NO_ACTION], self.actions[:-1]])

    @property
    def has_timeouts(self) -> bool:
        """Whether steps of the task passed without a trial."""
        return int(self.elapsed[-1]) >= len(self.rows)

    def before(self, measure: Array, num_actions: int) -> Array:
        """The sum over earlier trials of a measure of each trial, of each action. [n, A]"""
        by_action = np.zeros((len(self.rows) + 1, num_actions))
        by_action[np.arange(1, len(self.rows) + 1), self.actions] = measure
        return np.asarray(by_action.cumsum(axis=0)[:-1])

    def where(self, index: int) -> str:
        """The trial, to begin an error with."""
        row = f"row {self.places[index]}, " if len(self.places) else ""
        return f"{row}subject {self.subject}, game {self.game}, step {self.steps[index]}"


class Valuation:
    """How a person values actions along a game, in place of an agent: each model of
    `bamdp.fit.models` is one.

    A subclass is a frozen dataclass whose fields may be parameters of a `Model`, and says how a
    game is valued: `values`, or `evaluator` where what is solved for one game serves the others.

    Attributes:
        free: bounds of the fields that are free in its usual model.
        rule: parameters of the choice rule that are free in its usual model.
    """

    free: ClassVar[Mapping[str, FreeParameter]] = {}
    rule: ClassVar[tuple[str, ...]] = ("temperature",)

    def values(self, problem: BAMDP, game: Game) -> Array:
        """The value of each action before each trial. [n, A]"""
        raise NotImplementedError

    def evaluator(self, problem: BAMDP) -> Callable[[Game, Seed], Values]:
        """A function of a game: values at its free choices [R, n, A], from R draws, and their
        standard errors [n, A].
        """

        def value(game: Game, seed: Seed) -> Values:
            values = np.asarray(self.values(problem, game), float)[game.counted]
            return values[None], np.zeros_like(values)

        return value
