"""A film of the runs so far, one frame per step or, of long runs, at even distances; two runs are side by side.

The recorded steps are played again, in pictures of the world itself (`bamdp.pictures.views`) as environments show them; the
infinite grid is shown as the agent knows it.
"""

import io
from collections.abc import Callable, Iterator

import numpy as np

from bamdp.pictures.beliefs import shows_cells
from bamdp.pictures.pillow import beside, image, write
from bamdp.pictures.shapes import Drawing
from bamdp.validation import require
from bamdp.viewer.stage import Stage
from bamdp.viewer.watched import WatchedRun

FORMATS = ("webp", "gif")
MOST_FRAMES = 120


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
            frames.append(beside([image(picture(caption)) for picture, caption in zip(pictures, captions, strict=True)]))
    buffer = io.BytesIO()
    write(frames, buffer, format)
    return buffer.getvalue()


def _replayed(run: WatchedRun, steps: int) -> Iterator[Callable[[str], Drawing]]:
    """The run once more: before the first step and after each, how to draw that moment with a caption."""
    known = shows_cells(run.agent.belief)
    view = run.picture(run.agent.belief if known else None, truth=not known)
    yield lambda caption: view.whole(run.start, None, caption)
    for step in run.recording[:steps]:
        view.observe(*step[:4])
        yield lambda caption, state=step.next_state: view.whole(state, None, caption)  # type: ignore[misc]  # binds the step
