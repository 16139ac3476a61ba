"""States and actions of a problem as messages and pictures show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bamdp.problem import BAMDP


def state_name(problem: BAMDP, state: int) -> str:
    """The name of a state, its number if it has none."""
    if problem._numbers is not None:
        return problem._numbers.text(state)
    return str(state) if problem.states is None else problem.states[state]


def action_name(problem: BAMDP, action: int) -> str:
    """The name of an action, its number if it has none."""
    return str(action if problem.actions is None else problem.actions[action])


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


def describe_state(problem: BAMDP, state: int) -> str:
    """A state as messages show it: its number, and its name if it has one."""
    named = problem.states is not None or problem._numbers is not None
    return f"{state} ({state_name(problem, state)})" if named else str(state)


def describe_action(problem: BAMDP, action: int) -> str:
    """An action as messages show it: its number, and its name if it has one."""
    return str(action) if problem.actions is None else f"{action} ({problem.actions[action]})"
