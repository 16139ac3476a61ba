"""The contract of a domain: a world that an agent acts in, one step at a time.

A domain is stateless: the current state and the random generator are arguments, so one object serves many runs. A world that
must remember what was done in it (rewards that are consumed) hands out an object of its own for each run: `for_run`.

An episode ends in a terminal state, or it is cut off after some steps; then the run goes on with a new one, from `reset`. The
two are different things to an agent: after a terminal state nothing is earned, while a time limit says nothing about the world.

Every class in `bamdp.domains` obeys it and `bamdp.testing.check_domain` checks it, for yours too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import cos, pi, sin
from typing import TYPE_CHECKING, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from bamdp import _validation

if TYPE_CHECKING:
    from bamdp.prior import Prior

UNBOUNDED = _validation.UNBOUNDED  # as a number of states: there is no end to them

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
        _validation.one_of("kind", self.kind, get_args(Kind))
        for name in ("place", "label"):
            _validation.function(name, getattr(self, name))
        if not isinstance(self.actions, tuple) or not all(isinstance(action, str) for action in self.actions):
            raise TypeError(f"actions must be a tuple of texts, got {self.actions!r}")
        _validation.mapping("marks", self.marks)


COMPASS = ("up", "right", "down", "left")


def on_a_circle(num_states: int) -> Scene:
    """A picture of any small world: its states around a circle."""
    radius = 1 + 0.32 * num_states
    angle = 2 * pi / num_states
    return Scene("graph", lambda state: (radius * cos(state * angle), radius * sin(state * angle)))


class Domain(ABC):
    """A Markov decision process that can be stepped.

    Attributes:
        num_states: how many states there are; they are 0 … num_states − 1. `UNBOUNDED` if there is no end to them; then a state
            is any 64-bit integer, and only agents whose prior brings a model of its own can plan in the world.
        num_actions: how many actions there are; they are 0 … num_actions − 1.
        discount: what a reward is worth one step later, in [0, 1).
        rewards: the reward of every state and action, [S, A], or of every transition, [S, A, S]; without entries, [0, A], if
            the world is unbounded: the prior brings them.
        steps: how many steps one run has in the literature; the default of the command line.
        terminal: the states in which an episode ends: no action is taken there, and what comes after is worth nothing. Agents
            are told them, as they are told the rewards.
        time_limit: steps after which an episode is cut off wherever it is; None if never. Agents are not told.
        learned: for saving a run: the attributes in which the object of `for_run` remembers what was done in it.
    """

    learned: ClassVar[tuple[str, ...]] = ()
    learned_in: ClassVar[str] = "for_run"

    num_states: int
    num_actions: int
    discount: float
    rewards: NDArray[np.float64]
    steps: int = 1000
    terminal: frozenset[int] = frozenset()
    time_limit: int | None = None

    def for_run(self) -> Self:
        """The object that one run acts in: itself, unless the world remembers what was done in it; then a fresh one."""
        return self

    @abstractmethod
    def reset(self, rng: np.random.Generator) -> int:
        """The state an episode starts in; it isn't a terminal one."""

    @abstractmethod
    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        """Take `action` in `state`: the next state and the reward of this step."""

    def truncated(self, steps: int) -> bool:
        """Whether the episode is cut off now, `steps` steps after it began."""
        return self.time_limit is not None and _validation.integer("steps", steps, 0) >= self.time_limit

    def prior(self) -> Prior:
        """The prior that the literature uses for this world; agents that are given none use it."""
        from bamdp.priors import Dirichlet

        return Dirichlet()

    def complete(self, prior: Prior) -> Prior:
        """`prior` with what it needs beside the transitions to plan in this world: itself, unless rewards are to be learned."""
        return prior

    def scene(self) -> Scene | None:
        """How people picture this world, for those who draw it; None if there is no such picture."""
        return None
