"""A film of the runs so far, one frame per step or, of long runs, at even distances; two runs are
side by side.

The recorded steps are played again, in pictures of the world itself (`bamdp.pictures.views`) as
environments show them; the infinite grid is shown as the agent knows it.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from bamdp.pictures.beliefs import shows_cells
from bamdp.pictures.pillow import beside, image, write_animation
from bamdp.pictures.shapes import Drawing
from bamdp.validation import require

if TYPE_CHECKING:
    from bamdp.viewer.stage import Stage, WatchedRun

FORMATS = ("webp", "gif")
MOST_FRAMES = 120


def film(stage: Stage, format: str = "webp") -> bytes:
    """The runs of a stage as an animated picture of one of the `FORMATS`; a `StoppedWatchingError`
    if it is stopped.
    """
    require("PIL", "a film needs Pillow", "viewer")
    steps = min(len(run.recording) for run in stage.runs)
    shown = {round(k) for k in np.linspace(0, steps, min(steps + 1, MOST_FRAMES))}
    where = "" if len(stage.runs) > 1 else f" in {stage.setup.domain_name}"
    frames = []
    for step, drawings in enumerate(
        zip(*(_replayed(run, steps, run.name + where, shown) for run in stage.runs), strict=True)
    ):
        stage.check()
        if step in shown:
            frames.append(beside([image(drawing) for drawing in drawings if drawing is not None]))
    buffer = io.BytesIO()
    write_animation(frames, buffer, format)
    return buffer.getvalue()


def _replayed(
    run: WatchedRun, steps: int, caption: str, shown: set[int]
) -> Iterator[Drawing | None]:
    """The run once more: before the first step and after each a drawing, if it is shown."""
    belief = run.agent.problem.belief() if shows_cells(run.agent.belief) else None
    view = run.picture(belief, truth=belief is None)
    yield view.whole(run.start, None, caption)
    for count, step in enumerate(run.recording[:steps], 1):
        view.observe(step.state, step.action, step.reward or 0.0, step.next_state)
        if belief is not None:
            belief.observe(*step[:4])
        yield view.whole(step.next_state, None, caption) if count in shown else None
