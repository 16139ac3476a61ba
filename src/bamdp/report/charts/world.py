"""Figures S3 and S4 and the paper's videos: a search, a portion of the infinite grid, and a film of BAMCP exploring it."""

from __future__ import annotations

import io
from base64 import b64encode
from pathlib import Path
from tempfile import TemporaryDirectory

from bamdp.agents import BAMCP
from bamdp.domains import InfiniteGrid
from bamdp.rendering import film as pictures
from bamdp.report.claims.theory import four_simulations

WORLD_SEED = 3


def tree() -> str:
    """The tree after the four simulations of Figure S3, as SVG."""
    return four_simulations()[1].tree.to_svg(depth=2)


def picture() -> str:
    """A portion of a world, as the address of a PNG picture that holds it."""
    drawn = pictures.world_picture(InfiniteGrid(seed=WORLD_SEED))
    file = io.BytesIO()
    drawn.save(file, format="png")
    return address("image/png", file.getvalue())


def film(steps: int, simulations: int) -> tuple[str, float]:
    """BAMCP exploring that world, as the address of an animated WebP picture that holds it, and what it earned."""
    world = InfiniteGrid(seed=WORLD_SEED)
    agent = BAMCP.for_domain(world, simulations=simulations, seed=0)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "film.webp"
        total = pictures.film(agent, world, file, steps=steps)
        return address("image/webp", file.read_bytes()), total


def address(kind: str, content: bytes) -> str:
    """A data: address, which holds what it names.

    Example:
        >>> address("text/plain", b"hello")
        'data:text/plain;base64,aGVsbG8='
    """
    return f"data:{kind};base64,{b64encode(content).decode()}"
