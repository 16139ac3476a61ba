"""Reading pictures back: what a pixel shows of a drawing."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.pictures.pillow import rgb
from bamdp.pictures.shapes import Drawing

Pixels = NDArray[np.int64]  # [height, width, 3]


def pixels(image: Any) -> Pixels:
    return np.asarray(image.convert("RGB"), dtype=np.int64)


def at(picture: Pixels, drawing: Drawing, x: float, y: float) -> tuple[int, ...]:
    """The colour of a point of a drawing."""
    left, top, width, _ = drawing.box
    scale = picture.shape[1] / width
    return tuple(picture[int((y - top) * scale), int((x - left) * scale)].tolist())


def shows(colour: tuple[int, ...], name: str, off: int = 60) -> bool:
    """Whether it is nearly a colour of `bamdp.pictures.shapes.COLOURS`: edges are smooth."""
    return bool(np.abs(np.array(colour) - rgb(name)).max() < off)


def area(picture: Pixels, drawing: Drawing, x: float, y: float, name: str) -> float:
    """Of what has a colour in the cell around a point, in cells; smooth edges count in part."""
    left, top, width, _ = drawing.box
    scale = picture.shape[1] / width
    across, down = round((x - 0.5 - left) * scale), round((y - 0.5 - top) * scale)
    box, colour = (
        picture[down : down + round(scale), across : across + round(scale)],
        np.array(rgb(name)),
    )
    share = (255 - box) @ (255 - colour) / ((255 - colour) ** 2).sum()
    return float(share.sum() / scale**2)
