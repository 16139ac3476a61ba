"""Images of the infinite grid: a portion of a world, and a film of an agent exploring one.

As in the paper's supplement: black squares are rewards, the area of a blue circle is the parameter p of its column, that of
an orange one the parameter q of its row. In a film unseen cells are grey; filled circles are posterior means, paler where less
is known; rings are the true parameters. Pillow writes WebP, APNG (.png) or GIF.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bamdp import _validation
from bamdp._validation import integer, positive_integer
from bamdp.agent import Agent
from bamdp.domains import InfiniteGrid
from bamdp.prior import Belief
from bamdp.priors.grid_rewards import GridBelief
from bamdp.rendering.canvas import EMPTY, OPTIONS, REWARD, UNSEEN, CellMap, Circle, draw, write_film
from bamdp.runs.loop import Run, checked_steps

if TYPE_CHECKING:
    from PIL.Image import Image

Cell = tuple[int, int]

DRAWS = 500  # posterior samples per frame
TRAIL = 40  # last steps shown
MOST = 100  # cells to each side
SHADE = {None: UNSEEN, False: EMPTY, True: REWARD}  # by whether a cell held a reward


def world_picture(world: InfiniteGrid, radius: int = 12) -> Image:
    """A portion of a world around the start, with the parameters of its columns and rows.

    Args:
        world: the world, with a seed.
        radius: cells to each side of the start.

    Example:
        >>> world_picture(InfiniteGrid(seed=3), radius=2).size
        (116, 132)
    """
    return draw(world_scene(_one_world(world), integer("radius", radius, 1, MOST)))


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
    write_film(frames, file, file.suffix[1:])
    return total_reward


def explore(
    agent: Agent, world: InfiniteGrid, *, steps: int = 200, every: int = 2, radius: int = 13, seed: int = 0
) -> tuple[list[CellMap], float]:
    """Let an agent explore; the frames of `film` and the total reward."""
    radius, every = integer("radius", radius, 1, MOST), positive_integer("every", every)
    steps, world = checked_steps(steps, world), _one_world(world)
    if not shows_cells(agent.belief):
        raise TypeError(f"agent must have a belief of GridRewards, as BAMCP has, to be shown; got {agent!r}")
    run = Run(agent, world, seed)
    walk, frames = Walk(world, run.state, radius), []
    for left in range(steps, -1, -1):
        if walk.steps % every == 0 or not left:
            frames.append(walk.scene(agent.belief))
        if left:
            step = run.step()
            walk.step(step.reward, step.next_state)
    return frames, walk.total


def shows_cells(belief: Belief | None) -> bool:
    """Whether a belief is one over the cells, columns and rows of an infinite grid, which can be drawn."""
    return hasattr(belief, "cells") and hasattr(belief, "sample_parameters")


def world_scene(world: InfiniteGrid, radius: int) -> CellMap:
    """The cells of `world_picture`."""
    side = range(-radius, radius + 1)
    cells = np.array([[REWARD if world.holds(x, y) else EMPTY for x in side] for y in side], dtype=np.int8)
    columns, rows = [Circle(world.column(x)) for x in side], [Circle(world.row(y)) for y in side]
    return CellMap(cells, columns, rows, f"columns Beta{_numbers(world.columns)}, rows Beta{_numbers(world.rows)}")


def belief_scene(belief: GridBelief, world: InfiniteGrid, path: list[Cell], corner: Cell, radius: int, title: str) -> CellMap:
    """A frame: the agent's knowledge of the cells from `corner`, the lower left one."""
    across, up = (range(first, first + 2 * radius + 1) for first in corner)
    seen = belief.cells()
    cells = np.array([[SHADE[seen.get((x, y))] for x in across] for y in up], dtype=np.int8)
    draws = belief.sample_parameters(DRAWS, np.random.default_rng(0))
    columns = _circles(across, belief.prior.columns, world.column, draws.column_coordinates, draws.columns)
    rows = _circles(up, belief.prior.rows, world.row, draws.row_coordinates, draws.rows)
    return CellMap(cells, columns, rows, title, _within([(x - corner[0], y - corner[1]) for x, y in path], 2 * radius + 1))


class Walk:
    """A run in an infinite grid so far: its path and total reward, and the part of the world that is shown."""

    def __init__(self, world: InfiniteGrid, state: int, radius: int) -> None:
        self._world, self._radius = world, radius
        self._path: list[Cell] = [world.cell(state)[:2]]
        self._centre = np.zeros(2, dtype=np.int64)
        self.steps, self.total = 0, 0.0

    def step(self, reward: float, next_state: int) -> None:
        """Go on to `next_state`."""
        self.steps, self.total = self.steps + 1, self.total + reward
        self._path = [*self._path, self._world.cell(next_state)[:2]][-TRAIL - 1 :]

    def scene(self, belief: GridBelief) -> CellMap:
        """A frame with what is known now."""
        far = np.abs(np.array(self._path[-1]) - self._centre) > 2 * self._radius // 3
        self._centre = np.where(far, self._path[-1], self._centre)  # rarely: following at each step makes a file 50 % larger
        corner = (int(self._centre[0]) - self._radius, int(self._centre[1]) - self._radius)
        title = f"step {self.steps}, reward {self.total:g}"
        return belief_scene(belief, self._world, self._path, corner, self._radius, title)


def _within(path: list[Cell], side: int) -> list[Cell]:
    """The end of `path`, since it last entered the image."""
    outside = [i for i, cell in enumerate(path) if not all(0 <= k < side for k in cell)]
    return path[outside[-1] + 1 :] if outside else path


def _circles(
    shown: range,
    prior: tuple[float, float],
    truth: Callable[[int], float],
    coordinates: NDArray[np.int64],
    draws: NDArray[np.float64],
) -> list[Circle]:
    """Posterior means, the reduction of variance from the prior, and the true parameters; `draws` [n, coordinates]."""
    mean = prior[0] / sum(prior)
    variance = mean * (1 - mean) / (sum(prior) + 1)
    means, gone = draws.mean(axis=0).tolist(), np.clip(1 - draws.var(axis=0) / variance, 0, 1).tolist()
    places = {k: i for i, k in enumerate(coordinates.tolist())}
    return [Circle(means[places[k]], gone[places[k]], truth(k)) if k in places else Circle(mean, 0.0, truth(k)) for k in shown]


def _one_world(world: InfiniteGrid) -> InfiniteGrid:
    if not isinstance(world, InfiniteGrid):
        raise TypeError(f"world must be an InfiniteGrid, got {world!r}")
    if world.seed is None:
        raise ValueError("world must have a seed, as InfiniteGrid(seed=3) has: without one each run has a new world")
    return world


def _file(given: str | Path) -> Path:
    path = _validation.path("path", given)
    if path.suffix[1:] not in OPTIONS:
        raise ValueError(f"path must end in {', '.join(f'.{name}' for name in OPTIONS)}, got {path.name!r}")
    if not path.absolute().parent.is_dir():
        raise ValueError(f"path must be in an existing folder, got {str(path)!r}")
    return path


def _numbers(pair: tuple[float, float]) -> str:
    return f"({pair[0]:g}, {pair[1]:g})"
