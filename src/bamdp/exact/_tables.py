"""Tables for exact solutions: those of a problem, or made where its worlds have none."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bamdp.prior import Prior
    from bamdp.problem import BAMDP


@singledispatch
def with_tables(
    prior: Prior, problem: BAMDP, state: Any, horizon: int | None, belief: Any, who: str
) -> tuple[BAMDP, Any, Any]:
    """A problem, a state and a belief that have tables.

    Args:
        prior: the prior of the problem.
        problem: the problem.
        state: the current state.
        horizon: number of steps; the problem's if None.
        belief: the belief; that of the prior if None.
        who: who needs tables, for messages.
    """
    return problem, state, belief
