"""Pictures of the infinite grid: a portion of a world, and a film of an agent that explores one.

As in the paper's supplement: black squares are rewards, the area of a blue circle is the parameter p of its column, that of
an orange one the parameter q of its row. In a film grey is what the agent hasn't seen; full circles are its posterior means,
rings the truth. Matplotlib draws, Pillow writes: WebP, APNG (.png) or GIF.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bamdp.agent import Agent
from bamdp.cells import cell_of
from bamdp.domains import InfiniteGrid
from bamdp.episode import run
from bamdp.validation import positive_integer

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PIL.Image import Image

BLUE, ORANGE, GREY, RED = "#3b75af", "#ef8636", "#e4e4e4", "#c03d3e"
_LARGEST = 0.45  # radius of the circle of 1, in cells


def world_picture(world: InfiniteGrid, radius: int = 12) -> Figure:
    """A portion of a world around the start, with the parameters of its columns and rows.

    Args:
        world: the world, with a seed.
        radius: cells to each side of the start.
    """
    reach = positive_integer("radius", radius)
    figure, axes = _canvas(2 * reach + 1)
    side = range(-reach, reach + 1)
    axes.imshow([[world.holds(x, y) for x in side] for y in side], cmap="Greys", origin="lower", extent=_extent(reach))
    _circles(axes, [(x, -reach - 1.5) for x in side], [world.column(x) for x in side], BLUE)
    _circles(axes, [(-reach - 1.5, y) for y in side], [world.row(y) for y in side], ORANGE)
    _frame(axes, reach)
    axes.set_title(f"columns Beta{_numbers(world.columns)}, rows Beta{_numbers(world.rows)}", fontsize=9)
    return figure


def film(
    agent: Agent, world: InfiniteGrid, path: str | Path, *, steps: int = 200, every: int = 2, radius: int = 11, seed: int = 0
) -> float:
    """Let an agent explore, and write a film of the map and of its posterior over columns and rows.

    Args:
        agent: who explores; its belief is one of `bamdp.priors.GridRewards`.
        world: where, with a seed.
        path: the file; its ending says what it is: .webp, .png (animated) or .gif.
        steps: how many steps.
        every: steps from one frame to the next.
        radius: cells to each side of the agent in the picture.
        seed: of the run.

    Returns:
        The total reward.
    """
    watcher = _Watcher(agent, world, positive_integer("every", every), positive_integer("radius", radius))
    record = run(watcher, world, positive_integer("steps", steps), seed)
    first, *others = watcher.frames
    first.save(path, save_all=True, append_images=others, duration=150, loop=0, **_options(Path(path).suffix))
    return record.total_reward


class _Watcher(Agent):
    """Passes everything on and takes a picture of what the agent knows now and then."""

    def __init__(self, agent: Agent, world: InfiniteGrid, every: int, radius: int) -> None:
        self.agent, self.world, self.every, self.radius = agent, world, every, radius
        self.frames: list[Image] = []
        self.steps, self.total = 0, 0.0
        self.path: list[tuple[int, int]] = []
        self.centre = np.zeros(2)

    def act(self, state: int) -> int:
        self.path.append(cell_of(state)[:2])
        if self.steps % self.every == 0:
            self.frames.append(self._frame())
        return self.agent.act(state)

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        self.steps, self.total = self.steps + 1, self.total + reward
        self.agent.observe(state, action, reward, next_state)

    def reset(self, seed: int) -> None:
        self.agent.reset(seed)

    def _frame(self) -> Image:
        here = np.array(self.path[-1])
        slack = self.radius // 2  # the camera follows only when the agent gets near the edge: still frames compress well
        self.centre = np.clip(self.centre, here - slack, here + slack)
        return _frame_image(self, (int(self.centre[0]), int(self.centre[1])))


def _frame_image(watcher: _Watcher, centre: tuple[int, int]) -> Image:
    from matplotlib.colors import ListedColormap

    # The contract of an agent has no belief; planners have one.
    reach, belief, world = watcher.radius, watcher.agent.belief, watcher.world  # type: ignore[attr-defined]
    seen = belief.cells()
    side = range(-reach, reach + 1)
    cells = [[_shade(seen.get((centre[0] + x, centre[1] + y))) for x in side] for y in side]
    figure, axes = _canvas(2 * reach + 1)
    axes.imshow(cells, cmap=ListedColormap([GREY, "white", "black"]), vmin=0, vmax=2, origin="lower", extent=_extent(reach))
    _beliefs(axes, belief, world, centre, reach)
    track = np.array(watcher.path[-40:]) - centre
    axes.plot(track[:, 0], track[:, 1], color=RED, linewidth=1.2, alpha=0.6)
    axes.plot(*track[-1], "o", color=RED, markersize=7)
    _frame(axes, reach)
    axes.set_title(f"step {watcher.steps:3d}   reward {watcher.total:3.0f}", fontsize=9, family="monospace")
    return _image(figure)


def _shade(content: bool | None) -> int:
    """Not seen, empty at first, with a reward at first."""
    return 0 if content is None else 1 + int(content)


def _beliefs(axes: Any, belief: Any, world: InfiniteGrid, centre: tuple[int, int], reach: int) -> None:
    """Posterior means as full circles, faint where nothing is known; rings are the truth."""
    means = _means(belief)
    side = range(-reach, reach + 1)
    for axis, color, prior, truth in ((0, BLUE, belief.prior.columns, world.column), (1, ORANGE, belief.prior.rows, world.row)):
        places: list[tuple[float, float]] = [(k, -reach - 1.5) if axis == 0 else (-reach - 1.5, k) for k in side]
        at = [centre[axis] + k for k in side]
        alphas = [1.0 if k in means[axis] else 0.25 for k in at]
        _circles(axes, places, [means[axis].get(k, prior[0] / sum(prior)) for k in at], color, alphas)
        _rings(axes, places, [truth(k) for k in at])


def _means(belief: Any) -> tuple[dict[int, float], dict[int, float]]:
    if not belief.cells():
        return {}, {}
    draws = belief.sample_parameters(500, np.random.default_rng(0))
    pairs = ((draws.column_coordinates, draws.columns), (draws.row_coordinates, draws.rows))
    columns, rows = (dict(zip(at.tolist(), values.mean(axis=0).tolist(), strict=True)) for at, values in pairs)
    return columns, rows


def _canvas(cells: int) -> tuple[Figure, Any]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.2, 4.4), dpi=100, layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot()


def _extent(reach: int) -> tuple[float, float, float, float]:
    return (-reach - 0.5, reach + 0.5, -reach - 0.5, reach + 0.5)


def _circles(axes: Any, places: list[tuple[float, float]], values: list[float], color: str, alphas: Any = None) -> None:
    """Area proportional to the value."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Circle

    circles = [Circle(place, _LARGEST * float(np.sqrt(value))) for place, value in zip(places, values, strict=True)]
    axes.add_collection(PatchCollection(circles, facecolor=color, linewidth=0, alpha=alphas, clip_on=False))


def _rings(axes: Any, places: list[tuple[float, float]], values: list[float]) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Circle

    circles = [Circle(place, _LARGEST * float(np.sqrt(value))) for place, value in zip(places, values, strict=True)]
    axes.add_collection(PatchCollection(circles, facecolor="none", edgecolor="black", linewidth=0.6, clip_on=False))


def _frame(axes: Any, reach: int) -> None:
    axes.set(xlim=(-reach - 2.2, reach + 0.6), ylim=(-reach - 2.2, reach + 0.6), aspect="equal")
    axes.axis("off")
    low, high = -reach - 0.5, reach + 0.5
    axes.plot([low, high, high, low, low], [low, low, high, high, low], color="black", linewidth=0.8)


def _image(figure: Figure) -> Image:
    from PIL.Image import fromarray

    figure.canvas.draw()
    pixels: NDArray[np.uint8] = np.asarray(figure.canvas.buffer_rgba())  # type: ignore[attr-defined]
    return fromarray(pixels).convert("RGB").quantize(48).convert("RGB")


def _options(suffix: str) -> dict[str, Any]:
    """What keeps each kind of file small."""
    return {".webp": {"lossless": True, "quality": 100, "method": 4}}.get(suffix, {"optimize": True})


def _numbers(pair: tuple[float, float]) -> str:
    return f"({pair[0]:g}, {pair[1]:g})"
