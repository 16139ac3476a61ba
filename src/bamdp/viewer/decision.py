"""The reasons of a decision: the search and its tree if the agent plans, else its action values, else the action alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

from bamdp.agent import Agent
from bamdp.pictures.tree import Node
from bamdp.search.plan import BoundedPlan, CertifiedPlan, Plan

MEASURES = {"Gittins": "Gittins index", "VPI": "mean value"}  # what the values are of agents whose values aren't just that
TREE_DEPTH = 5  # steps below the root that a page gets
TREE_SHARE = 50  # a node is shown from 1/50 of the visits on: at most 50 nodes a layer


@dataclass(frozen=True)
class Decision:
    """One decision."""

    action: int  # what will be done
    measure: str = ""  # what the values are; "" if there are none
    values: Sequence[float] = ()  # of each action. [A]
    low: Sequence[float] = ()  # lower end of what is uncertain about each value. [A]
    high: Sequence[float] = ()  # upper end. [A]
    plan: Plan | None = None  # the search, if there was one

    def to_json(self, label: Callable[[int], str], *, boundable: bool = True) -> dict[str, Any]:
        """Ready for JSON; `label` names states, `boundable` says whether an upper bound may be asked for."""
        return {
            "action": self.action,
            "measure": self.measure,
            "values": numbers(self.values),
            "low": numbers(self.low),
            "high": numbers(self.high),
            "search": None if self.plan is None else _search(self.plan, label),
            "bounds": _bounds(self.plan, boundable) if isinstance(self.plan, CertifiedPlan) else None,
        }


def decide(agent: Agent, state: int) -> Decision:
    """Let an agent decide as `act` does, with the same random numbers, and give its reasons."""
    plan = getattr(agent, "plan", None)  # planners have it; like `q_values`, it doesn't change what `act` does
    if plan is not None:
        return _planned(plan(state))
    if type(agent).q_values is Agent.q_values:
        return Decision(agent.act(state))
    values = agent.q_values(state)
    high: Sequence[float] = ()
    if hasattr(agent, "values_of_information"):
        high = (values + agent.values_of_information(state)).tolist()
    return Decision(agent.act(state), MEASURES.get(type(agent).__name__, "value"), values.tolist(), (), high)


def _planned(plan: Plan) -> Decision:
    values, measure = plan.q_values, "mean return"
    low, high = values - plan.standard_errors, values + plan.standard_errors
    if isinstance(plan, BoundedPlan):
        low, high = plan.q_lower, plan.q_upper
        measure = "upper bound" if values is high else "lower bound"
    return Decision(plan.action, measure, values.tolist(), low.tolist(), high.tolist(), plan)


def _bounds(plan: CertifiedPlan, boundable: bool) -> dict[str, Any]:
    """What the Bayes-optimal value is between; the upper bound takes time and is only there if it was computed before."""
    computed = "upper" in vars(plan)
    lower, upper = numbers([plan.lower, plan.upper if computed else inf])
    return {"lower": lower, "upper": upper, "computed": computed or not boundable}


def _search(plan: Plan, label: Callable[[int], str]) -> dict[str, Any]:
    top = plan.tree.to_dict(TREE_DEPTH, max(1, plan.simulations // TREE_SHARE))
    return {
        "visits": plan.visits.tolist(),
        "errors": numbers(plan.standard_errors.tolist()),
        "simulations": plan.simulations,
        "seconds": plan.seconds,
        "depth": plan.depth,
        "nodes": plan.tree.num_nodes,
        "tree": _labelled(top, label),
    }


def _labelled(node: Node, label: Callable[[int], str]) -> Node:
    """The tree for the page: states by their names, as JavaScript's numbers end at 2⁵³; tried actions only."""
    edges = [
        {
            "action": edge["action"],
            "visits": edge["visits"],
            "value": edge["value"],
            "error": edge["standard_error"],
            "children": [_labelled(child, label) for child in edge["children"]],
        }
        for edge in node["actions"]
        if edge["visits"]
    ]
    return {"state": label(node["state"]), "visits": node["visits"], "actions": edges}


def numbers(values: Sequence[float]) -> list[float | None]:
    """Numbers for JSON: None for those that aren't finite."""
    return [value if isfinite(value) else None for value in values]
