"""Real steps of an agent in a problem: one, or columns of many; states, actions and rewards checked
where they come in.

The public `observe` and `observe_many` of agents and beliefs check a step once, by `checked_step`
and `check_rewards`; what they pass it on to trusts it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import validation
from bamdp.spaces import describe_action, describe_state
from bamdp.validation import LARGEST_REWARD, UNBOUNDED, integer, real_array, states

if TYPE_CHECKING:
    from bamdp.problem import BAMDP

ROUNDED = 1e-6, 1e-12  # relative and absolute difference of rewards that are the same but rounded


class Step(NamedTuple):
    """One real step."""

    state: int
    action: int
    reward: float | None  # None: not observed
    next_state: int
    terminated: bool | None = False  # None: not observed


class Steps(NamedTuple):
    """Columns of real steps."""

    states: NDArray[np.int64]  # [T]
    actions: NDArray[np.int64]  # [T]
    rewards: NDArray[np.float64] | None  # [T]; None: not observed
    next_states: NDArray[np.int64]  # [T]
    terminated: NDArray[np.bool_] | None  # [T]; None: not observed

    @property
    def size(self) -> int:
        """Number of steps."""
        return len(self.states)

    def rows(self) -> Iterator[Step]:
        """The steps one by one."""
        unseen: list[None] = [None] * self.size
        columns = (
            self.states.tolist(),
            self.actions.tolist(),
            unseen if self.rewards is None else self.rewards.tolist(),
            self.next_states.tolist(),
            unseen if self.terminated is None else self.terminated.tolist(),
        )
        return map(Step, *columns)

    def part(self, rows: slice) -> Steps:
        """Some of the steps."""
        parts: Any = (None if column is None else column[rows] for column in self)
        return Steps(*parts)


def learn_all(
    learn: Callable[[Step], None], steps: Steps, undo: Callable[[], None] = lambda: None
) -> None:
    """Learn from all steps, or call `undo` if one of them raises; its row is in the message.

    Example:
        >>> learned = []
        >>> steps = Steps(*map(np.array, ([0], [0], [1.0], [1], [False])))
        >>> learn_all(learned.append, steps, undo=learned.clear)
        >>> learned
        [Step(state=0, action=0, reward=1.0, next_state=1, terminated=False)]
    """
    for row, step in enumerate(steps.rows()):
        try:
            learn(step)
        except BaseException as error:
            undo()
            if type(error) in (ValueError, TypeError):
                raise type(error)(f"row {row}: {error}") from error
            raise


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
    check_not_over(problem, checked, name)
    return checked


def check_not_over(problem: BAMDP, state: int, name: str = "state") -> None:
    """Reject a terminal state; that it is a state was checked."""
    if state in problem.terminal:
        raise ValueError(
            f"{name} must not be terminal, got the terminal state {describe_state(problem, state)}"
        )


def checked_step(
    problem: BAMDP,
    state: Any,
    action: Any,
    reward: Any,
    next_state: Any,
    terminated: Any = False,
) -> Step:
    """A step whose arguments are valid; whether the problem pays its reward is left to
    `check_reward`.
    """
    return Step(
        check_state(problem, state),
        integer("action", action, 0, problem.num_actions - 1),
        None if reward is None else validation.reward(reward),
        check_state(problem, next_state, "next_state"),
        None if terminated is None else validation.boolean("terminated", terminated),
    )


def checked_rows(
    problem: BAMDP,
    before: ArrayLike,
    actions: ArrayLike,
    rewards: ArrayLike | None,
    after: ArrayLike,
    terminated: ArrayLike | None,
) -> Steps:
    """Columns of states, actions, rewards, next states and whether each step terminated, all valid
    and of the same length.
    """
    if terminated is None and problem.prior.unknown_terminal:
        raise TypeError(
            "terminated must be given, whether each step ended an episode: the prior is over "
            "terminal states too"
        )
    ended = None if terminated is None else _as_column("terminated", terminated)
    if ended is not None and ended.size and ended.dtype != np.bool_:
        raise TypeError(
            f"terminated must be True or False for each step, got values of type {ended.dtype}"
        )
    steps = Steps(
        states("states", _as_column("states", before), problem.num_states),
        states("actions", _as_column("actions", actions), problem.num_actions),
        None if rewards is None else real_array("rewards", rewards, LARGEST_REWARD),
        states("next_states", _as_column("next_states", after), problem.num_states),
        None if ended is None else ended.astype(np.bool_),
    )
    for name, column in zip(Steps._fields, steps, strict=True):
        if column is not None and column.shape != steps.states.shape:
            raise ValueError(
                f"{name} must have one entry for each of the {steps.size} states, got shape "
                f"{column.shape}"
            )
    return steps


def _as_column(name: str, value: ArrayLike) -> NDArray[Any]:
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"{name} must be an array, got rows of different lengths or no array"
        ) from None
    if array.ndim != 1:
        raise ValueError(f"{name} must be an array of one dimension, got shape {array.shape}")
    return array if array.size else array.astype(np.int64)


def rewards_known(problem: BAMDP) -> bool:
    """Whether the problem's `rewards` are those of all its worlds, or their means.

    Not where they are the prior's; nor where worlds may pay anything, as those of a user's code
    do: the range of rewards is infinite there.
    """
    prior = problem.prior
    return not prior.unknown_rewards and bool(
        np.isfinite(prior.reward_range(np.zeros((1, 1)))).all()
    )


def table_reward(problem: BAMDP, state: Any, action: Any, next_state: Any) -> Any:
    """What the problem's `rewards` have for a step, or for each of many."""
    return problem.rewards[(state, action, next_state)[: problem.rewards.ndim]]


def check_reward(problem: BAMDP, step: Step) -> None:
    """Reject a reward that differs from that of the problem's `rewards`, if these are known."""
    if step.reward is None or not problem._pays_table:
        return
    expected = float(table_reward(problem, step.state, step.action, step.next_state))
    if not math.isclose(step.reward, expected, rel_tol=ROUNDED[0], abs_tol=ROUNDED[1]):
        raise ValueError(_wrong_reward(problem, step, expected))


def check_rewards(problem: BAMDP, steps: Steps) -> None:
    """Reject steps of which one pays something else than the problem's `rewards` have."""
    if steps.rewards is None or not problem._pays_table:
        return
    expected = table_reward(problem, steps.states, steps.actions, steps.next_states)
    wrong = np.flatnonzero(~np.isclose(steps.rewards, expected, *ROUNDED))
    if wrong.size:
        row = int(wrong[0])
        step = next(steps.part(slice(row, row + 1)).rows())
        raise ValueError(f"row {row}: {_wrong_reward(problem, step, float(expected[row]))}")


def _wrong_reward(problem: BAMDP, step: Step, expected: float) -> str:
    action = describe_action(problem, step.action)
    where = f"action {action} in state {describe_state(problem, step.state)}"
    if problem.rewards.ndim == 3:
        then = f" with next_state {describe_state(problem, step.next_state)}"
    else:
        then = ""
    return (
        f"reward must be {expected:g}, which {where} pays{then}, got {step.reward:g}; "
        "if rewards are random, with these as means, give BAMDP random_rewards=True"
    )
