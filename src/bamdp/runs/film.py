"""Images of the infinite grid: a portion of a world, and a film of an agent exploring one; `bamdp.pictures.grid` draws them.

Pillow writes WebP, APNG (.png) or GIF.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bamdp import validation
from bamdp.agent import Agent
from bamdp.domains import InfiniteGrid
from bamdp.pictures.beliefs import shows_cells
from bamdp.pictures.grid import SCALE, Frame, Spot, belief_frame, drawing, world_frame
from bamdp.pictures.pillow import OPTIONS, image, write
from bamdp.runs.loop import Run, checked_steps
from bamdp.validation import integer, positive_integer

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
    return image(drawing(world_frame(_one_world(world), integer("radius", radius, 1, MOST))), SCALE)


def film(
    agent: Agent, world: InfiniteGrid, path: str | Path, *, steps: int = 200, every: int = 2, radius: int = 13, seed: int = 0
) -> float:
    """Run an agent and write a film of the map and of its posterior over columns and rows.

    Args:
        agent: the agent, with a belief of `bamdp.priors.GridRewards`.
        world: the world, with a seed.
        path: the file; its suffix gives the format: .webp, .png (animated) or .gif.
        steps: number of steps.
        every: steps per frame.
        radius: cells to each side of the agent in the image.
        seed: seed of the run.

    Returns:
        The total reward.
    """
    file = _file(path)
    frames, total_reward = explore(agent, world, steps=steps, every=every, radius=radius, seed=seed)
    write([image(drawing(frame), SCALE) for frame in frames], file, file.suffix[1:])
    return total_reward


def explore(
    agent: Agent, world: InfiniteGrid, *, steps: int = 200, every: int = 2, radius: int = 13, seed: int = 0
) -> tuple[list[Frame], float]:
    """Let an agent explore; the frames of `film` and the total reward."""
    radius, every = integer("radius", radius, 1, MOST), positive_integer("every", every)
    world = _one_world(world)
    steps = checked_steps(steps, world)
    belief: Any = getattr(agent, "belief", None)
    if not isinstance(agent, Agent) or not shows_cells(belief):
        raise TypeError(f"agent must have a belief of GridRewards, as BAMCP has, to be shown; got {agent!r}")
    run, frames, total = Run(agent, world, seed), list[Frame](), 0.0
    path: list[Spot] = [world.cell(run.state)[:2]]
    centre = np.zeros(2, dtype=np.int64)
    for done in range(steps + 1):
        if done:
            step = run.step()
            total += step.reward
            path = [*path, world.cell(step.next_state)[:2]][-TRAIL - 1 :]
        if done % every == 0 or done == steps:
            far = np.abs(np.array(path[-1]) - centre) > 2 * radius // 3
            centre = np.where(far, path[-1], centre)  # rarely: following at each step makes a file 50 % larger
            corner = int(centre[0]) - radius, int(centre[1]) - radius
            frames.append(belief_frame(belief, world, path, corner, radius, f"step {done}, reward {total:g}"))
    return frames, total


def _one_world(world: InfiniteGrid) -> InfiniteGrid:
    if not isinstance(world, InfiniteGrid):
        raise TypeError(f"world must be an InfiniteGrid, got {world!r}")
    if world.seed is None:
        raise ValueError("world must have a seed, as InfiniteGrid(seed=3) has: without one each run has a new world")
    return world


def _file(given: str | Path) -> Path:
    path = validation.path("path", given)
    if path.suffix[1:] not in OPTIONS:
        raise ValueError(f"path must end in {', '.join(f'.{name}' for name in OPTIONS)}, got {path.name!r}")
    if not path.absolute().parent.is_dir():
        raise ValueError(f"path must be in an existing folder, got {str(path)!r}")
    return path
