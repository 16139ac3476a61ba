"""The reasons of a decision: the search and its tree if the agent plans, else its action values,
else the action alone.
"""

from collections.abc import Callable, Sequence
from functools import singledispatch
from math import isfinite
from typing import Any

from bamdp.agent import Agent
from bamdp.agents.vpi import VPI
from bamdp.priors.beta_arms import has_independent_arms
from bamdp.search.plan import BoundedPlan, CertifiedPlan, Plan
from bamdp.search.planning_agent import PlanningAgent
from bamdp.search.tree import Node

MEASURES = {
    "Gittins": "Gittins index",
    "VPI": "mean value",
}  # what the values are of agents whose values aren't just that
TREE_DEPTH = 5  # steps below the root that a page gets
TREE_SHARE = 50  # a node is shown from 1/50 of the visits on: at most 50 nodes a layer


@singledispatch
def decide(agent: Agent, state: int, label: Callable[[int], str]) -> dict[str, Any]:
    """Let an agent decide as `act` does, with the same random numbers, and give its reasons, ready
    for JSON.

    Args:
        agent: the agent.
        state: where it is.
        label: names of states.

    Returns:
        `action`; the `values` of the actions, with their `measure` and the ends `low` and `high` of
        what is uncertain about them, as far as the agent has them; and the `search`, if there was
        one.
    """
    reasons: dict[str, Any] = {"measure": "", "values": [], "low": [], "high": [], "search": None}
    if type(agent).q_values is not Agent.q_values:
        values = agent.q_values(state)
        reasons |= {
            "measure": MEASURES.get(type(agent).__name__, "value"),
            "values": numbers(values.tolist()),
        }
    return {"action": agent.act(state), **reasons}


@decide.register
def _(agent: VPI, state: int, label: Callable[[int], str]) -> dict[str, Any]:
    high = agent.q_values(state) + agent.values_of_information(state)
    return {**decide.dispatch(Agent)(agent, state, label), "high": numbers(high.tolist())}


@decide.register
def _(agent: PlanningAgent, state: int, label: Callable[[int], str]) -> dict[str, Any]:
    return _planned(agent.plan(state), label)  # like `q_values`, it doesn't change what `act` does


def _planned(plan: Plan, label: Callable[[int], str]) -> dict[str, Any]:
    values, measure = plan.q_values, "mean return"
    low, high = values - plan.standard_errors, values + plan.standard_errors
    if isinstance(plan, BoundedPlan):
        low, high = plan.q_lower, plan.q_upper
        measure = "upper bound" if values is high else "lower bound"
    top = plan.tree.to_dict(TREE_DEPTH, max(1, plan.simulations // TREE_SHARE))
    arms = (
        isinstance(plan, CertifiedPlan)
        and has_independent_arms(plan.problem.prior)
        and plan.problem.horizon is None
    )
    search = {
        "visits": plan.visits.tolist(),
        "errors": numbers(plan.standard_errors.tolist()),
        "simulations": plan.simulations,
        "seconds": plan.seconds,
        "depth": plan.depth,
        "nodes": plan.tree.num_nodes,
        "decided": "indices" if arms else "tree",
        "tree": _labelled(top, label),
    }
    ends = {"low": numbers(low.tolist()), "high": numbers(high.tolist())}
    return {
        "action": plan.action,
        "measure": measure,
        "values": numbers(values.tolist()),
        **ends,
        "search": search,
    }


def _labelled(node: Node, label: Callable[[int], str]) -> Node:
    """The tree for the page: states by their names, as JavaScript's numbers end at 2⁵³; tried
    actions only.
    """
    edges = [
        {
            "action": edge["action"],
            "visits": edge["visits"],
            "value": edge["value"],
            "children": [_labelled(child, label) for child in edge["children"]],
        }
        for edge in node["actions"]
        if edge["visits"]
    ]
    return {"state": label(node["state"]), "visits": node["visits"], "actions": edges}


def numbers(values: Sequence[float]) -> list[float | None]:
    """Numbers for JSON: None for those that aren't finite."""
    return [value if isfinite(value) else None for value in values]
