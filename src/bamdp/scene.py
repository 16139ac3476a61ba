"""How people picture a world, for those who draw it; agents know nothing of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import cos, pi, sin
from typing import Literal, get_args

from bamdp import validation

Place = tuple[float, float]
Kind = Literal["map", "graph", "arms"]


@dataclass(frozen=True)
class Scene:
    """How people picture a world.

    Attributes:
        kind: "map", cells side by side; "graph", states joined by arrows; or "arms" of a bandit.
        place: where a state is, (x, y): x to the right, y down, a cell is 1 wide. Several states may share a place.
        label: what people call a state.
        actions: what people call the actions, in their order.
        marks: a character for some places of a map: start, goal, flags.

    Example:
        >>> import bamdp
        >>> scene = bamdp.domains.Grid(5).scene()
        >>> scene.place(7), scene.label(7), scene.actions[0]
        ((1, 2), '(1, 2)', 'up')
        >>> scene.place(0), scene.label(0)
        ((0, 4), '(0, 0)')
    """

    kind: Kind
    place: Callable[[int], Place]
    label: Callable[[int], str] = str
    actions: tuple[str, ...] = ()
    marks: Mapping[Place, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        validation.one_of("kind", self.kind, get_args(Kind))
        for name in ("place", "label"):
            validation.function(name, getattr(self, name))
        if not isinstance(self.actions, tuple) or not all(isinstance(action, str) for action in self.actions):
            raise TypeError(f"actions must be a tuple of texts, got {self.actions!r}")
        validation.mapping("marks", self.marks)


COMPASS = ("up", "right", "down", "left")


def on_a_circle(num_states: int) -> Scene:
    """A picture of any small world: its states around a circle."""
    radius = 1 + 0.32 * num_states
    angle = 2 * pi / num_states
    return Scene("graph", lambda state: (radius * cos(state * angle), radius * sin(state * angle)))
