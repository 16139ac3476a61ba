"""The infinite grid as in the paper's supplement: a portion of a world, and the frames of an agent
exploring one.

`bamdp.pictures.grid` draws them. A film of any run is made by `bamdp watch … --film FILE`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bamdp.agent import Agent
from bamdp.domains import InfiniteGrid
from bamdp.pictures.grid import SCALE, Frame, Spot, belief_frame, drawing, world_frame
from bamdp.pictures.pillow import image
from bamdp.runs.loop import Run
from bamdp.validation import integer

if TYPE_CHECKING:
    from PIL.Image import Image

TRAIL = 40  # last steps shown
MOST = 100  # cells to each side


def world_picture(world: InfiniteGrid, radius: int = 12) -> Image:
    """A portion of a world around the start, with the parameters of its columns and rows.

    Args:
        world: the world, with a seed.
        radius: cells to each side of the start.

    Example:
        >>> world_picture(InfiniteGrid(seed=3), radius=2).size
        (116, 132)
    """
    if not isinstance(world, InfiniteGrid):
        raise TypeError(f"world must be an InfiniteGrid, got {world!r}")
    if world.seed is None:
        raise ValueError(
            "world must have a seed, as InfiniteGrid(seed=3) has: without one each run has a new "
            "world"
        )
    return image(drawing(world_frame(world, integer("radius", radius, 1, MOST))), SCALE)


def explore(
    agent: Agent,
    world: InfiniteGrid,
    *,
    steps: int = 200,
    every: int = 2,
    radius: int = 13,
    seed: int = 0,
) -> tuple[list[Frame], float]:
    """Let an agent with a belief of `GridRewards` explore a world with a seed; the frames, and the
    total reward.
    """
    run, frames, total = Run(agent, world, seed), list[Frame](), 0.0
    belief: Any = agent.belief
    path: list[Spot] = [world.cell(run.state)[:2]]
    centre = np.zeros(2, dtype=np.int64)
    for done in range(steps + 1):
        if done:
            step = run.step()
            total += step.reward or 0.0
            path = [*path, world.cell(step.next_state)[:2]][-TRAIL - 1 :]
        if done % every == 0 or done == steps:
            far = np.abs(np.array(path[-1]) - centre) > 2 * radius // 3
            centre = np.where(
                far, path[-1], centre
            )  # rarely: following at each step makes a file 50 % larger
            corner = int(centre[0]) - radius, int(centre[1]) - radius
            frames.append(
                belief_frame(belief, world, path, corner, radius, f"step {done}, reward {total:g}")
            )
    return frames, total
