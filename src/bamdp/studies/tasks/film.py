"""A picture of one infinite grid and a film of BAMCP that explores it, as frames that `bamdp.pictures.grid` draws."""

from collections.abc import Mapping
from typing import Any

from bamdp.agents import BAMCP
from bamdp.domains import InfiniteGrid
from bamdp.pictures.grid import world_frame
from bamdp.priors import GridRewards
from bamdp.rendering.film import explore

RADIUS = 12  # cells to each side of the start, in the picture


def perform(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """What BAMCP earned, the cells of the picture, and the frames of the film.

    Example:
        >>> settings = {"columns": (1, 2), "rows": (2, 1), "world_seed": 3, "proposal": "paper"}
        >>> len(perform({**settings, "steps": 4, "simulations": 10}, seed=0, run=0)["frames"])
        3
    """
    world = InfiniteGrid(settings["columns"], settings["rows"], seed=settings["world_seed"])
    prior = GridRewards(settings["columns"], settings["rows"], proposal=settings["proposal"])
    agent = BAMCP(world.problem(prior), simulations=settings["simulations"], seed=seed + run)
    frames, total_reward = explore(agent, world, steps=settings["steps"], seed=seed + run)
    return {
        "total_reward": total_reward,
        "world": world_frame(world, RADIUS),
        "frames": frames,
    }
