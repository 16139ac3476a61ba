"""Reading pictures back: what a pixel shows of a scene."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.rendering.canvas import CELL, LARGEST, RED, SHADES, CellMap, centre

Pixels = NDArray[np.int64]  # [height, width, 3]


def pixels(image: Any) -> Pixels:
    return np.asarray(image.convert("RGB"), dtype=np.int64)


def at(picture: Pixels, scene: CellMap, x: int, y: int, right: float = 0, down: float = 0) -> tuple[int, ...]:
    across, below = centre(scene, x, y)
    return tuple(picture[int(below + down), int(across + right)].tolist())


def shades(picture: Pixels, scene: CellMap) -> NDArray[np.int64]:
    """What the picture shows of each cell, by a pixel near its upper left corner, where neither path nor dot comes."""
    height, width = scene.cells.shape
    off = -CELL / 2 + 2
    found = [[SHADES.index(at(picture, scene, x, y, off, off)) for x in range(width)] for y in range(height)]
    return np.array(found)


def area(picture: Pixels, scene: CellMap, x: int, y: int, colour: tuple[int, int, int]) -> float:
    """Of the circle of a column (y = -1) or row (x = -1), in units of the circle of 1; smooth edges count in part."""
    across, below = (round(k) for k in centre(scene, x, y))
    box = picture[below - 8 : below + 8, across - 8 : across + 8]
    share = (255 - box) @ (255 - np.array(colour)) / ((255 - np.array(colour)) ** 2).sum()
    return float(share.sum() / (np.pi * LARGEST**2))


def is_red(colour: tuple[int, ...]) -> bool:
    return bool(np.abs(np.array(colour) - RED).max() < 60)  # edges are smooth
