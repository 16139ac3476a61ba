"""States and actions: how many there are, and their names in messages and pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol


class StateNumbering(Protocol):
    """Numbers of states that are the user's own objects."""

    @property
    def ended(self) -> frozenset[int]:
        """The numbers of terminal states, which need not be listed."""

    def number(self, state: Any, seen: Any = None) -> int:
        """The number of a state, and of what is seen there."""

    def start(self, state: Any) -> int:
        """The number of a start state; itself if it is such a number already."""

    def text(self, number: int) -> str:
        """A state as people read it."""

    def checked(self, value: Any, name: str = "state") -> int:
        """`value`, if it is the number of a state."""


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Spaces:
    """The states and actions of a problem.

    Attributes:
        num_states: number of states; `bamdp.domain.UNBOUNDED` if infinite.
        num_actions: number of actions.
        states: names of the states; None if they have none.
        actions: names of the actions; None if they have none.
    """

    num_states: int = field(init=False)
    num_actions: int = field(init=False)
    states: tuple[str, ...] | None
    actions: tuple[Any, ...] | None
    _numbers: StateNumbering | None = field(init=False)  # of states that are the user's objects


def state_name(spaces: Spaces, state: int) -> str:
    """The name of a state, its number if it has none."""
    if spaces._numbers is not None:
        return spaces._numbers.text(state)
    return str(state) if spaces.states is None else spaces.states[state]


def action_name(spaces: Spaces, action: int) -> str:
    """The name of an action, its number if it has none."""
    return str(action if spaces.actions is None else spaces.actions[action])


def arm_names(number: int) -> tuple[str, ...]:
    """Names of arms: letters, which can't be taken for indices from 0 or numbers from 1.

    Example:
        >>> arm_names(3)
        ('A', 'B', 'C')
        >>> arm_names(28)[25:]
        ('Z', 'AA', 'AB')
    """
    names = []
    for number_before in range(number):
        name, rest = "", number_before
        while rest >= 0:
            name, rest = chr(ord("A") + rest % 26) + name, rest // 26 - 1
        names.append(name)
    return tuple(names)


def describe_state(spaces: Spaces, state: int) -> str:
    """A state as messages show it: its number, and its name if it has one."""
    named = spaces.states is not None or spaces._numbers is not None
    return f"{state} ({state_name(spaces, state)})" if named else str(state)


def describe_action(spaces: Spaces, action: int) -> str:
    """An action as messages show it: its number, and its name if it has one."""
    return str(action) if spaces.actions is None else f"{action} ({spaces.actions[action]})"
