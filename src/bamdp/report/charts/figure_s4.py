"""Figure S4 and the paper's videos: a portion of one infinite grid, and a film of BAMCP that explores it."""

import io
from collections.abc import Sequence
from typing import Any

from bamdp.pictures.grid import SCALE, drawing
from bamdp.pictures.pillow import image, write
from bamdp.report.picture import Picture, WebpPicture
from bamdp.report.query import Query
from bamdp.studies.experiment import Experiment
from bamdp.studies.paper.figure_s4 import FIGURE_S4

EXPERIMENTS = (FIGURE_S4,)


def pictures(experiment: Experiment, query: Query) -> list[Picture]:
    """A picture of the world, and the film."""
    found = query.measurements(experiment, "one world", "film of BAMCP")
    if not found:
        return []
    result, settings = found[0].point.rows[0]["result"], found[0].point.settings
    world = _webp([result["world"]])
    run = f"{settings['steps']} steps of {settings['simulations']:,} simulations, total reward {result['total_reward']:g}"
    return [
        WebpPicture(
            "figure-s4-world", "A portion of one world", "A map of black squares, with a circle for each column and row", world
        ),
        WebpPicture("figure-s4-film", f"BAMCP, {run}", "Film: the agent explores the map", _webp(result["frames"]), world),
    ]


def _webp(frames: Sequence[dict[str, Any]]) -> bytes:
    file = io.BytesIO()
    write([image(drawing(frame), SCALE) for frame in frames], file, "webp")
    return file.getvalue()
