"""A small domain as a graph, drawn with Pillow: states as circles, transitions as curves bent to the left."""

from __future__ import annotations

from math import hypot
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bamdp.domain import Domain, Scene
from bamdp.mdp import MDP
from bamdp.rendering.canvas import BETWEEN, BLACK, FINE, RED, WHITE, Point, around, canvas_of, letters

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_NODES = 40
UNIT, RADIUS, MARGIN, TOP, LEAST = 44, 13, 34, 34, 200  # pixels
LEAST_SHOWN = 0.12  # least probability of a transition that is drawn
BEND = 0.22  # of a curve, in units of its length


def draw_graph(domain: Domain, scene: Scene, states: list[int], title: str) -> Image:
    """Draw the graph after the last `states`; transitions are shown if its tables are known."""
    shown = domain.num_states <= MOST_NODES
    places = np.array([scene.place(s) for s in range(domain.num_states if shown else 1)]) * UNIT
    low, high = places.min(axis=0), places.max(axis=0)
    # Room for curves, which leave the bounding box of the states.
    bulge = BEND / 2 * float(np.max(high - low)) * (high - low < UNIT)
    width, height = (int(n) for n in np.maximum(high - low + 2 * (MARGIN + bulge), LEAST))
    shift = (np.array([width, height + 2 * TOP]) - (low + high)) / 2
    image, canvas = canvas_of(width, height + TOP)
    if shown:
        _transitions(canvas, domain.mdp, places + shift, states[-2:])
        for state, (x, y) in enumerate((places + shift).tolist()):
            here = state == states[-1]
            canvas.ellipse(around((x, y), RADIUS), fill=RED if here else WHITE, outline=BLACK, width=FINE)
            letters(canvas, (x, y), scene.label(state), 13, 2 * RADIUS - 6)
    letters(canvas, (width / 2, TOP / 2), title, 20, width - 10)
    return image.reduce(FINE)


def _transitions(canvas: Any, mdp: MDP | None, places: NDArray[np.float64], last: list[int]) -> None:
    """Draw the likely transitions of all actions, and the last one in red."""
    if mdp is not None:
        nexts = np.arange(mdp.num_states) if mdp.successors is None else mdp.successors
        likely = mdp.probabilities >= LEAST_SHOWN
        arrows = np.unique(np.stack([np.nonzero(likely)[0], np.broadcast_to(nexts, likely.shape)[likely]]), axis=1)
        for s, t in arrows.T:
            _arrow(canvas, tuple(places[s]), tuple(places[t]), BETWEEN)
    if len(last) == 2:
        _arrow(canvas, tuple(places[last[0]]), tuple(places[last[1]]), RED)


def _arrow(canvas: Any, start: Point, end: Point, colour: tuple[int, int, int]) -> None:
    if start == end:
        canvas.ellipse(around((start[0], start[1] - 1.3 * RADIUS), 0.7 * RADIUS), outline=colour, width=2 * FINE)
        return
    along = np.subtract(end, start)
    middle = np.add(start, end) / 2 + 2 * BEND * np.array([along[1], -along[0]])
    t = np.linspace(0, 1, 40)[:, None]
    curve = (1 - t) ** 2 * start + 2 * t * (1 - t) * middle + t**2 * np.array(end)
    outside = [(x, y) for x, y in curve.tolist() if min(hypot(x - a, y - b) for a, b in (start, end)) > RADIUS]
    if len(outside) < 2:
        return
    canvas.line([(FINE * x, FINE * y) for x, y in outside], fill=colour, width=2 * FINE, joint="curve")
    _head(canvas, np.array(outside[-1]), np.subtract(outside[-1], outside[-2]), colour)


def _head(canvas: Any, tip: NDArray[np.float64], direction: NDArray[np.float64], colour: tuple[int, int, int]) -> None:
    forward = 7 * direction / hypot(*direction)
    aside = np.array([-forward[1], forward[0]]) / 2
    corners = [tip, tip - forward + aside, tip - forward - aside]
    canvas.polygon([(FINE * x, FINE * y) for x, y in corners], fill=colour)
