"""How often the Markov chain behind the infinite grid's beliefs accepts a proposal, while BAMCP explores."""

from collections.abc import Mapping
from typing import Any

from bamdp.agents import BAMCP
from bamdp.domains import InfiniteGrid
from bamdp.priors import GridRewards
from bamdp.runs.loop import run as run_episode


def perform(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """The share of accepted updates in one world.

    Example:
        >>> settings = {"columns": (1, 2), "rows": (2, 1), "proposal": "authors", "steps": 5, "simulations": 10}
        >>> 0 < perform(settings, seed=0, run=0)["acceptance"] < 1
        True
    """
    world_seed = seed + run
    world = InfiniteGrid(settings["columns"], settings["rows"], seed=world_seed)
    prior = GridRewards(settings["columns"], settings["rows"], proposal=settings["proposal"])
    agent: Any = BAMCP(world.problem(prior), simulations=settings["simulations"], seed=world_seed)
    run_episode(agent, world, settings["steps"], world_seed)
    return {"acceptance": agent.belief.acceptance_rate}
