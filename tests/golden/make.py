"""Writes the golden files beside it: `python tests/golden/make.py`, after a change that is meant to change them.

A change of any of them means that a seed gives something else than before. Say in the change why it must.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bamdp
from bamdp.agents import BAMCP, BAUCT

FOLDER = Path(__file__).parent
STEPS, SIMULATIONS = 60, 50


def trajectory(world: bamdp.Domain, **settings: Any) -> dict[str, Any]:
    agent = BAMCP.for_domain(world, simulations=SIMULATIONS, seed=1, **settings)
    record = bamdp.run(agent, world, STEPS, seed=2)
    return {"states": record.states.tolist(), "actions": record.actions.tolist(), "rewards": record.rewards.tolist()}


def tree(agent_class: type[BAMCP], **settings: Any) -> dict[str, Any]:
    world = bamdp.domains.Grid(5)
    agent = agent_class.for_domain(world, simulations=200, seed=3, **settings)
    agent.observe(0, 1, 0.0, 5)
    return agent.plan(5).tree.to_dict(depth=2, min_visits=5)


GOLDEN: dict[str, Callable[[], dict[str, Any]]] = {
    "double_loop": lambda: trajectory(bamdp.domains.DoubleLoop()),
    "grid5": lambda: trajectory(bamdp.domains.Grid(5)),
    "grid5_authors": lambda: trajectory(
        bamdp.domains.Grid(5), sampling="lazy", expand_after=1, first_action="random", log_term="N + 1"
    ),
    "tree_bamcp": lambda: tree(BAMCP),
    "tree_ba_uct": lambda: tree(BAUCT, sampling="resampled", trees=2),
}


if __name__ == "__main__":
    for name, make in GOLDEN.items():
        (FOLDER / f"{name}.json").write_text(json.dumps(make(), indent=None, separators=(",", ":")) + "\n", encoding="utf-8")
        print(f"wrote {name}.json")
