"""States and actions of a problem: checks of them, and their names in messages and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bamdp.validation import UNBOUNDED, integer

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


def state_range(num_states: int) -> tuple[int, int]:
    """The lowest and the highest state."""
    return (0, num_states - 1) if num_states < UNBOUNDED else (-(2**63), 2**63 - 1)


def check_state(problem: BAMDP, state: Any, name: str = "state") -> int:
    """`state`, if it is one of the problem's."""
    if isinstance(state, str) and problem.states is not None and state in problem.states:
        raise TypeError(
            f"{name} must be an integer, got {state!r}, the name of state "
            f"{problem.states.index(state)}"
        )
    if problem._numbers is not None:
        return problem._numbers.checked(state, name)
    return integer(name, state, *state_range(problem.num_states))


def check_nonterminal(problem: BAMDP, state: Any, name: str = "state") -> int:
    """`state`, if it is one of the problem's and not terminal."""
    checked = check_state(problem, state, name)
    if checked in problem.terminal:
        raise ValueError(
            f"{name} must not be terminal, got the terminal state "
            f"{describe_state(problem, checked)}"
        )
    return checked
