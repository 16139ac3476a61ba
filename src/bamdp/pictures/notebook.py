"""What a notebook shows of a belief, a plan, a search tree and a record of a run.

Importing this module, as `bamdp` does, gives their classes the methods that notebooks call; what
they are needs no HTML. `shown` is the HTML of a value. For a class of your own:

    @shown.register
    def _(belief: MyBelief) -> Markup: ...
"""

from __future__ import annotations

from collections import Counter
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.pictures.belief_tables import SummaryTable, summary
from bamdp.pictures.maps import visits_map
from bamdp.pictures.markup import Markup, curve, facts, joined, side_by_side, table, tag
from bamdp.pictures.scenes import scene
from bamdp.pictures.tree import WIDTH, TreePicture, main_lines
from bamdp.prior import Belief
from bamdp.priors.parametric import ParametricBelief
from bamdp.runs.loop import Record
from bamdp.search.plan import BoundedPlan, CertifiedPlan, Plan
from bamdp.search.tree import SearchTree
from bamdp.spaces import action_name, describe_action

MOST_POINTS = 2000  # of a posterior that is drawn
MOST_CELLS = 2500  # of a map that is drawn, and most states searched for them
TRAIL = 60  # last steps that are drawn
FREQUENT = 20  # most frequent actions of a record, which are listed


@singledispatch
def shown(value: Any) -> Markup:
    """What a notebook shows of a value."""
    return tag("p", repr(value))


@shown.register
def _(belief: Belief) -> Markup:
    parts = [repr(belief), *summary(belief)]
    return joined(
        [table(*part) if isinstance(part, SummaryTable) else tag("p", part) for part in parts]
    )


@shown.register
def _(belief: ParametricBelief) -> Markup:
    text = shown.dispatch(Belief)(belief)
    if belief.parameters.ndim > 1 or not 1 < len(belief.parameters) <= MOST_POINTS:
        return text
    return joined([text, curve(belief.weights[np.argsort(belief.parameters)].tolist())])


@shown.register
def _(tree: SearchTree) -> Markup:
    """The main lines: as many nodes as fit the width of a notebook."""
    least = max(1, tree.to_dict(depth=0)["visits"] // 50)
    top = tree.to_dict(depth=2, min_visits=least)
    tried = sum(edge["visits"] > 0 for edge in top["actions"])
    while (picture := TreePicture(main_lines(top, least), tree.problem)).columns > max(
        tried, WIDTH // (picture.width + 8)
    ):
        least += 1 + least // 5
    return Markup(picture.svg())


@shown.register
def _(plan: Plan) -> Markup:
    values = np.where(plan.visits > 0, plan.q_values, np.nan)
    return _decision(plan, {"value": values, "± s.e.": plan.standard_errors})


@shown.register
def _(plan: CertifiedPlan) -> Markup:
    bracket = {"Bayes-optimal value": f"{plan.lower:.4g} … {plan.upper:.4g}"}
    columns = {"value": plan.q_values, "± s.e.": plan.standard_errors}
    return joined([_decision(plan, columns), facts(**bracket)])


@shown.register
def _(plan: BoundedPlan) -> Markup:
    return _decision(plan, {"lower bound": plan.q_lower, "upper bound": plan.q_upper})


def _decision(plan: Plan, columns: dict[str, NDArray[np.float64]]) -> Markup:
    """The action, a table of all actions with these columns, and the tree."""
    about = facts(
        action=describe_action(plan.problem, plan.action),
        simulations=plan.simulations,
        seconds=f"{plan.seconds:.3g}",
        depth=plan.depth,
        **({"memory": "full"} if plan.full else {}),
    )
    rows = [
        [
            action_name(plan.problem, action),
            *(
                f"{x:.4f}" if np.isfinite(x := column[action]) else "–"
                for column in columns.values()
            ),
            int(plan.visits[action]),
        ]
        for action in range(len(plan.q_values))
    ]
    rows[plan.action] = [tag("mark", cell) for cell in rows[plan.action]]
    return joined([about, table(["action", *columns, "visits"], rows), shown(plan.tree)])


@shown.register
def _(record: Record) -> Markup:
    about = facts(
        steps=len(record.rewards),
        total_reward=f"{record.total_reward:g}",
        discounted_return=f"{record.discounted_return:.4g}",
        seconds=f"{record.seconds:.3g}",
    )
    times = Counter(record.actions.tolist()).most_common(FREQUENT)
    actions = table(["action", "times"], [(record.action_name(action), n) for action, n in times])
    places = _visited(record)
    rewards = curve([0.0, *np.cumsum(record.rewards)])
    return joined([about, side_by_side(rewards, *([] if places is None else [places]), actions)])


def _visited(record: Record) -> Markup | None:
    """A map of the visited states, if the domain is drawn as a map."""
    if record.domain is None or (drawn := scene(record.domain)).kind != "map":
        return None
    trail = [drawn.place(int(state)) for state in (*record.states, record.final_state)]
    visits = Counter(trail[:-1])
    S = record.domain.num_states
    cells = {*visits, trail[-1], *(drawn.place(s) for s in range(S if S <= MOST_CELLS else 0))}
    if len(cells) > MOST_CELLS:
        return None
    return visits_map(sorted(cells), visits, drawn.marks, trail[-TRAIL:]).svg()


kinds: tuple[type, ...] = (Belief, Plan, Record)
for kind in kinds:
    kind._repr_html_ = shown  # type: ignore[attr-defined]
SearchTree._repr_svg_ = shown  # type: ignore[attr-defined]
