"""reuse_tree keeps the statistics of the branch that was really played, and of no other."""

from typing import Any

import pytest

from bamdp.agents import BAMCP
from bamdp.domains import Grid
from bamdp.search.plan import Plan

WORLD = Grid(4)
K = 500


def agent(**settings: Any) -> BAMCP:
    return BAMCP(WORLD.problem(), simulations=K, reuse_tree=True, **settings)


def child(plan: Plan, action: int, state: int) -> dict[str, Any]:
    children: list[dict[str, Any]] = plan.tree.to_dict(depth=3)["actions"][action]["children"]
    return next(node for node in children if node["state"] == state)


def likely_step(plan: Plan) -> tuple[int, int]:
    """The action and next state whose node has most visits."""
    edges = plan.tree.to_dict(depth=1)["actions"]
    visits, action, state = max(
        (node["visits"], e["action"], node["state"]) for e in edges for node in e["children"]
    )
    assert visits > 10
    return action, state


@pytest.mark.parametrize("nodes", ["histories", "counts"])
@pytest.mark.parametrize("trees", [1, 3])
def test_the_played_branch_is_kept(nodes: str, trees: int) -> None:
    planner = agent(nodes=nodes, trees=trees)
    first = planner.plan(0)
    action, state = likely_step(first)
    old = child(first, action, state)
    shown = first.tree.to_dict(depth=3)
    planner.observe(0, action, 0.0, state)
    second = planner.plan(state)
    assert second.simulations == K
    assert second.visits.sum() == old["visits"] + K == second.tree.to_dict(depth=0)["visits"]
    assert first.tree.to_dict(depth=3) == shown, "a plan must not change when the agent goes on"
    for edge, n in zip(old["actions"], second.visits, strict=True):
        assert n >= edge["visits"]


def test_two_steps_without_a_search_between_them() -> None:
    planner = agent()
    first = planner.plan(0)
    action, state = likely_step(first)
    edges = child(first, action, state)["actions"]
    visits, next_action, next_state = max(
        (n["visits"], e["action"], n["state"]) for e in edges for n in e["children"]
    )
    planner.observe(0, action, 0.0, state)
    planner.observe(state, next_action, 0.0, next_state)
    assert planner.plan(next_state).visits.sum() == visits + K


@pytest.mark.parametrize("nodes", ["histories", "counts"])
def test_what_the_tree_did_not_foresee_starts_anew(nodes: str) -> None:
    planner = agent(nodes=nodes)
    action, state = likely_step(planner.plan(0))
    planner.observe(5, action, 0.0, state)  # the same action and next state, but from elsewhere
    assert planner.plan(state).visits.sum() == K

    planner = agent(nodes=nodes)
    action, state = likely_step(planner.plan(0))
    planner.observe(0, action, 0.0, state)
    assert planner.plan(state + 1).visits.sum() == K
