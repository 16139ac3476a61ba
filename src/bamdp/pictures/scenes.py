"""How domains are drawn, and one sentence on each for those who watch.

`scene` and `description` are asked of every domain. For one of your own:

    @scene.register
    def _(domain: MyDomain) -> Scene:
        return Scene("map", domain.cell)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import singledispatch
from math import cos, pi, sin
from typing import Literal, get_args

from bamdp import validation
from bamdp.domain import UNBOUNDED, Domain

Place = tuple[float, float]
Kind = Literal["map", "graph", "arms"]


@dataclass(frozen=True)
class Scene:
    """How to draw a domain.

    Attributes:
        kind: "map", a grid of cells; "graph", states joined by arrows; or "arms" of a bandit.
        place: position (x, y) of a state: x to the right, y down, in cells. Several states may
            share a position.
        label: name of a state.
        actions: names of the actions, in order.
        marks: characters at some positions of a map: start, goal, flags.
        walls: pairs of neighbouring positions of a map with a wall between them.

    Example:
        >>> import bamdp
        >>> drawn = scene(bamdp.domains.Grid(5))
        >>> drawn.place(7), drawn.label(7), drawn.actions[0]
        ((1, 2), '(1, 2)', 'up')
        >>> drawn.place(0), drawn.label(0)
        ((0, 4), '(0, 0)')
    """

    kind: Kind
    place: Callable[[int], Place]
    label: Callable[[int], str] = str
    actions: tuple[str, ...] = ()
    marks: Mapping[Place, str] = field(default_factory=dict)
    walls: tuple[tuple[Place, Place], ...] = ()

    def __post_init__(self) -> None:
        validation.one_of("kind", self.kind, get_args(Kind))
        for name in ("place", "label"):
            validation.function(name, getattr(self, name))
        if not isinstance(self.actions, tuple) or not all(
            isinstance(action, str) for action in self.actions
        ):
            raise TypeError(f"actions must be a tuple of strings, got {self.actions!r}")
        validation.mapping("marks", self.marks)
        if not isinstance(self.walls, tuple) or not all(
            isinstance(wall, tuple) and len(wall) == 2 for wall in self.walls
        ):
            raise TypeError(f"walls must be a tuple of pairs of positions, got {self.walls!r}")


@singledispatch
def scene(domain: Domain) -> Scene:
    """How to draw a domain: without a picture of its own, its states on a circle."""
    return Scene("graph", on_circle(domain.num_states))


@singledispatch
def description(domain: Domain) -> str:
    """One sentence on the world, the goal and the reward, for those who watch.

    Example:
        >>> import bamdp
        >>> description(bamdp.domains.Maze()).partition(":")[0]
        'A slippery maze'
    """
    size = "infinitely many" if domain.num_states == UNBOUNDED else f"{domain.num_states}"
    return (
        f"A world of {size} states and {domain.num_actions} actions; the goal is to collect as "
        "much reward as possible."
    )


def on_circle(num_states: int) -> Callable[[int], Place]:
    """The places of states on a circle."""
    radius, angle = 1 + 0.32 * num_states, 2 * pi / num_states
    return lambda state: (radius * cos(state * angle), radius * sin(state * angle))
