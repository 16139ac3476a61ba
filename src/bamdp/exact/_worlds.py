"""Exact solutions of worlds that are functions: by tables of the states that can be reached."""

from __future__ import annotations

from typing import Any

from bamdp.exact._tables import with_tables
from bamdp.priors._worlds_tables import enumerated
from bamdp.priors.worlds import Worlds
from bamdp.problem import BAMDP, resolve_belief
from bamdp.steps import check_nonterminal


@with_tables.register(Worlds)  # annotations here are for type checkers alone
def _(
    prior: Worlds, problem: BAMDP, state: Any, horizon: int | None, belief: Any, who: str
) -> tuple[BAMDP, Any, Any]:
    current: Any = resolve_belief(problem, belief)
    steps = problem.horizon if horizon is None else horizon
    tables = enumerated(current, check_nonterminal(problem, state), steps, who)
    return tables.problem, tables.state, None
