"""Rows of worlds that are the user's function: requested once, checked once."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp.priors._worlds_states import Outcome, StateNumbers
from bamdp.validation import LARGEST_REWARD, short_repr

Array = NDArray[np.float64]
ROUNDING = 1e-8  # of a sum of probabilities


def name_of(function: Any) -> str:
    """The name of a function of the user."""
    return str(getattr(function, "__name__", type(function).__name__))


class RowOutcome(NamedTuple):
    """An outcome by numbers, as the core reads it."""

    number: int
    base: int
    end: bool
    probability: float
    reward: float


Row = list[RowOutcome]


class WorldFunction:
    """The user's function, with checks of what it returns.

    Args:
        outcomes: `outcomes(world, state, action)`; None if each world is a function of its own,
            `world(state, action)`.
        numbers: numbers of the states.
    """

    def __init__(self, outcomes: Callable[..., Any] | None, numbers: StateNumbers) -> None:
        self.outcomes, self.numbers = outcomes, numbers

    def row(self, world: Any, number: int, action: Hashable) -> Row:
        """What may happen in one world."""
        call = _Call(self.outcomes, world, self._state(number), action)
        result = call()
        self._check_unchanged(call, number)
        listed = _listed(call, result)
        row, total = [], 0.0
        for outcome in listed:
            p = _probability(call, outcome.probability)
            if p > 0:
                row.append(self._checked(call, outcome, p, outcome.reward, outcome.done))
            total += p
        if not abs(total - 1) <= ROUNDING:
            raise ValueError(f"{call}: probabilities must sum to one, they sum to {total:.9g}")
        self._check_different(call, row)
        return row

    def rows(self, worlds: Any, count: int, number: int, action: Hashable) -> list[Row]:
        """What may happen in each of all worlds at once: rewards, probabilities and `done` are
        numbers or arrays [M]. [M]
        """
        call = _Call(self.outcomes, worlds, self._state(number), action)
        result = call()
        self._check_unchanged(call, number)
        listed = _listed(call, result)
        rows: list[Row] = [[] for _ in range(count)]
        total = np.zeros(count)
        for outcome in listed:
            p = _column(call, "probability", outcome.probability, count)
            reward = _column(call, "reward", outcome.reward, count)
            done = _column(call, "done", outcome.done, count).astype(bool)
            if not (p >= -ROUNDING).all():
                raise ValueError(f"{call}: probabilities must not be negative, got {p.min():g}")
            p = np.maximum(p, 0.0)
            total += p
            for m in np.flatnonzero(p).tolist():
                rows[m].append(
                    self._checked(call, outcome, float(p[m]), float(reward[m]), bool(done[m]))
                )
        for m in np.flatnonzero(~(np.abs(total - 1) <= ROUNDING))[:1].tolist():
            raise ValueError(
                f"{call}: probabilities must sum to one, those of world {m} sum to {total[m]:.9g}"
            )
        for row in rows:
            self._check_different(call, row)
        return rows

    def _state(self, number: int) -> Hashable:
        if number < 0:
            raise ValueError(
                f"state must not be one that ended the episode, got {self.numbers.text(number)}"
            )
        return self.numbers[number].state

    def _checked(
        self, call: _Call, outcome: Outcome, probability: float, reward: Any, done: Any
    ) -> RowOutcome:
        try:
            base = self.numbers.number(outcome.state)
            number = self.numbers.number(outcome.state, outcome.seen)
        except TypeError as error:
            raise TypeError(f"{call}: {error}") from None
        if not isinstance(done, bool | np.bool_):
            raise TypeError(f"{call}: done must be True or False, got {short_repr(done)}")
        try:
            paid = float(reward)
        except (TypeError, ValueError):
            raise TypeError(f"{call}: reward must be a number, got {short_repr(reward)}") from None
        if not abs(paid) <= LARGEST_REWARD:
            accepts = f"at most {LARGEST_REWARD:g} in size" if math.isfinite(paid) else "finite"
            raise ValueError(f"{call}: reward must be {accepts}, got {paid:g}")
        return RowOutcome(~number if done else number, base, bool(done), probability, paid + 0.0)

    def _check_different(self, call: _Call, row: Row) -> None:
        """Reject a row that lists one outcome twice."""
        if len(row) == len({(outcome.number, outcome.reward) for outcome in row}):
            return
        listed = [(outcome.number, outcome.reward) for outcome in row]
        number, reward = next(outcome for outcome in listed if listed.count(outcome) > 1)
        raise ValueError(
            f"{call}: outcomes must differ in state, reward, done or what is seen, got "
            f"{self.numbers.text(number)} with reward {reward:g} twice; add up their probabilities"
        )

    def _check_unchanged(self, call: _Call, number: int) -> None:
        """Reject a function that has changed the state that it was called with."""
        base = self.numbers.base(number)
        try:
            known = self.numbers.known(call.state)
        except TypeError:
            known = None
        if known != base:
            raise ValueError(f"{call} must not change the state that it is called with")


class ConsideredActions:
    """The user's function for the actions that are considered in a state, with checks.

    Args:
        function: `actions_in(state)` lists them.
        numbers: numbers of the states.
        actions: all actions.
    """

    def __init__(
        self, function: Callable[..., Any], numbers: StateNumbers, actions: tuple[Hashable, ...]
    ) -> None:
        self._function, self._numbers = function, numbers
        self._index = {action: index for index, action in enumerate(actions)}
        self._known: dict[int, list[int]] = {}

    def __call__(self, number: int) -> list[int]:
        """Their indices, in ascending order."""
        base = self._numbers.base(~number if number < 0 else number)
        if base not in self._known:
            self._known[base] = self._checked(_Call(self._function, self._numbers[base].state))
        return self._known[base]

    def _checked(self, call: _Call) -> list[int]:
        result = call()
        if isinstance(result, str) or not isinstance(result, Iterable):
            raise TypeError(f"{call} must return a list of actions, got {short_repr(result)}")
        listed = list(result)
        try:
            indices = {self._index[action] for action in listed}
        except (KeyError, TypeError):
            accepts = f"some of the actions {short_repr(tuple(self._index))}"
            raise ValueError(f"{call} must return {accepts}, got {short_repr(listed)}") from None
        if not indices:
            raise ValueError(f"{call} must return one action at least, got none")
        return sorted(indices)


class _Call:
    """One call of the user's function, and its text for messages."""

    def __init__(self, function: Callable[..., Any] | None, *arguments: Any) -> None:
        self.state = arguments[min(1, len(arguments) - 1)]  # after the world, if there is one
        self.function = arguments[0] if function is None else function
        self.arguments = arguments[1:] if function is None else arguments

    def __call__(self) -> Any:
        try:
            return self.function(*self.arguments)
        except Exception as error:
            error.add_note(f"raised in the call {self}")
            raise

    def __str__(self) -> str:
        return f"{name_of(self.function)}({', '.join(map(short_repr, self.arguments))})"


def checked_value(function: Callable[..., Any], world: Any, state: Hashable) -> float:
    """What the user's `value(world, state)` returns, a finite number."""
    call = _Call(function, world, state)
    result = call()
    try:
        value = float(result)
    except (TypeError, ValueError):
        value = math.nan
    if not abs(value) <= LARGEST_REWARD:
        raise ValueError(f"{call} must return a finite number, got {short_repr(result)}")
    return value


def _listed(call: _Call, result: Any) -> Sequence[Outcome]:
    """What a call has returned, as a list."""
    listed = [result] if isinstance(result, Outcome) else result
    if isinstance(listed, Iterable) and not isinstance(listed, str | bytes):
        listed = list(listed)
        if listed and all(isinstance(outcome, Outcome) for outcome in listed):
            return listed
        wrong = next((outcome for outcome in listed if not isinstance(outcome, Outcome)), listed)
    else:
        wrong = listed
    raise TypeError(
        f"{call} must return a bamdp.Outcome or a list of them, got {short_repr(wrong)}"
    )


def _probability(call: _Call, value: Any) -> float:
    try:
        p = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{call}: probability must be a number, got {short_repr(value)}") from None
    if not -ROUNDING <= p <= 1 + ROUNDING:
        raise ValueError(f"{call}: probability must be from 0 to 1, got {p:g}")
    return max(p, 0.0)


def _column(call: _Call, name: str, value: Any, count: int) -> Array:
    """A number, or one for each world. [M]"""
    try:
        column = np.asarray(value, dtype=np.float64)
        return np.broadcast_to(column, (count,))
    except (TypeError, ValueError):
        raise ValueError(
            f"{call}: {name} must be a number, or one for each of the {count} worlds, got "
            f"{short_repr(value)}"
        ) from None
