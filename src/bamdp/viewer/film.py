"""A film of the runs so far, one frame per step or, of long runs, at even distances; two runs are side by side.

The recorded steps are played again, in pictures of `bamdp.rendering`: maps, arms and graphs as Gymnasium environments of
`bamdp` draw them, the infinite grid with the agent's posterior as in `bamdp.rendering.film`.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from bamdp._optional import require
from bamdp.domains import InfiniteGrid
from bamdp.rendering.canvas import FINE, canvas_of, draw, letters, write_images
from bamdp.rendering.film import Walk, shows_cells
from bamdp.rendering.view import View
from bamdp.viewer.beliefs import grid_belief
from bamdp.viewer.stage import Stage
from bamdp.viewer.watched import WatchedRun

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("webp", "gif")
MOST_FRAMES = 120
RADIUS = 10  # cells of the infinite grid to each side
CAPTION = 26  # pixels above the picture


def film(stage: Stage, format: str, check: Callable[[], None] = lambda: None) -> bytes:
    """The runs of a stage as an animated picture.

    Args:
        stage: the runs.
        format: that of the file, one of `FORMATS`.
        check: called before each frame; an exception raised there ends it.
    """
    require("PIL", "a film needs Pillow", "viewer")
    steps = min(len(run.recording) for run in stage.runs)
    shown = {round(k) for k in np.linspace(0, steps, min(steps + 1, MOST_FRAMES))}
    captions = [
        run.contender.name if len(stage.runs) > 1 else f"{run.contender.name} in {stage.show.domain_name}" for run in stage.runs
    ]
    frames = []
    for step, pictures in enumerate(zip(*(_replayed(run, steps) for run in stage.runs), strict=True)):
        check()
        if step in shown:
            frames.append(_joined([_captioned(image(), text) for image, text in zip(pictures, captions, strict=True)]))
    buffer = io.BytesIO()
    write_images(frames, buffer, format)
    return buffer.getvalue()


def _replayed(run: WatchedRun, steps: int) -> Iterator[Callable[[], Image]]:
    """The run once more: before the first step and after each, how to draw that moment."""
    on_grid = isinstance(run.domain, InfiniteGrid) and shows_cells(run.agent.belief)
    scenes = _GridScenes(run) if on_grid else _Scenes(run)
    yield scenes.draw
    taken = run.recording
    for step in range(steps):
        scenes.step(taken.states[step], taken.actions[step], taken.rewards[step], taken.next_states[step])
        if step + 1 < len(taken):
            scenes.arrive(taken.states[step + 1])
        yield scenes.draw


class _Scenes:
    """The domain as its environments render it."""

    def __init__(self, run: WatchedRun) -> None:
        self._view = View(run.show.domain)  # the run's own world may be a table without a picture, but has the transitions
        self._view.domain = run.domain
        self._view.reset(run.start)

    def step(self, state: int, action: int, reward: float, next_state: int) -> None:
        self._view.step(action, reward, next_state)

    def arrive(self, state: int) -> None:
        """Go on from `state`, another one if an episode has ended."""
        if self._view.states[-1] != state:
            self._view.states.append(state)

    def draw(self) -> Image:
        from PIL import Image

        return Image.fromarray(self._view.picture())


class _GridScenes:
    """The infinite grid as the agent knows it."""

    def __init__(self, run: WatchedRun) -> None:
        self._belief, self._walk = grid_belief(run.agent.problem), Walk(run.domain, run.start, RADIUS)

    def step(self, state: int, action: int, reward: float, next_state: int) -> None:
        self._belief.observe(state, action, reward, next_state)
        self._walk.step(reward, next_state)

    def arrive(self, state: int) -> None:
        """The grid has no episodes."""

    def draw(self) -> Image:
        return draw(self._walk.scene(self._belief))


def _captioned(image: Image, text: str) -> Image:
    """The image below a line of text."""
    from PIL import Image

    strip, canvas = canvas_of(image.width, CAPTION)
    letters(canvas, (image.width / 2, CAPTION / 2), text, 14, image.width - 10)
    caption = strip.reduce(FINE)
    whole = Image.new("RGB", (image.width, CAPTION + image.height), "white")
    whole.paste(caption, (0, 0))
    whole.paste(image, (0, CAPTION))
    return whole


def _joined(images: list[Image]) -> Image:
    """The images side by side."""
    from PIL import Image

    if len(images) == 1:
        return images[0]
    whole = Image.new("RGB", (sum(image.width for image in images), max(image.height for image in images)), "white")
    left = 0
    for image in images:
        whole.paste(image, (left, 0))
        left += image.width
    return whole
