"""The domain contract: an MDP that an agent acts in, one step at a time.

A domain is stateless: the current state and the random generator are arguments, so one object serves many runs. A domain that
must remember what happened in a run (rewards that are consumed) returns a new object for each run: `for_run`.

An episode is terminated in a terminal state, or truncated by a time limit; then the run goes on with a new one, from `reset`.
Truncation is not termination: no reward follows a terminal state, while a time limit says nothing about the MDP.

Every class in `bamdp.domains` obeys the contract; `bamdp.testing.check_domain` checks it, for your own domains too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import cos, pi, sin
from typing import Literal, Self, cast, get_args

import numpy as np
from numpy.typing import NDArray

from bamdp import validation
from bamdp.mdp import MDP
from bamdp.prior import Prior, checked_prior
from bamdp.priors import Dirichlet
from bamdp.problem import BAMDP

UNBOUNDED = validation.UNBOUNDED  # as num_states: infinitely many
MOST_NAMES = 1000  # states whose names agents are given

Place = tuple[float, float]
Kind = Literal["map", "graph", "arms"]


@dataclass(frozen=True)
class Scene:
    """How to draw a domain.

    Attributes:
        kind: "map", a grid of cells; "graph", states joined by arrows; or "arms" of a bandit.
        place: position (x, y) of a state: x to the right, y down, in cells. Several states may share a position.
        label: name of a state.
        actions: names of the actions, in order.
        marks: characters at some positions of a map: start, goal, flags.
        walls: pairs of neighbouring positions of a map with a wall between them.

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
    walls: tuple[tuple[Place, Place], ...] = ()

    def __post_init__(self) -> None:
        validation.one_of("kind", self.kind, get_args(Kind))
        for name in ("place", "label"):
            validation.function(name, getattr(self, name))
        if not isinstance(self.actions, tuple) or not all(isinstance(action, str) for action in self.actions):
            raise TypeError(f"actions must be a tuple of strings, got {self.actions!r}")
        validation.mapping("marks", self.marks)
        if not isinstance(self.walls, tuple) or not all(isinstance(wall, tuple) and len(wall) == 2 for wall in self.walls):
            raise TypeError(f"walls must be a tuple of pairs of positions, got {self.walls!r}")


COMPASS = ("up", "right", "down", "left")


def on_a_circle(num_states: int) -> Scene:
    """A scene for any small domain: its states on a circle."""
    radius = 1 + 0.32 * num_states
    angle = 2 * pi / num_states
    return Scene("graph", lambda state: (radius * cos(state * angle), radius * sin(state * angle)))


class _Steps:
    """The default of `Domain.steps`."""

    def __get__(self, domain: Domain | None, owner: type[Domain]) -> int:
        return 1000 if domain is None or domain.horizon is None else domain.horizon


class Domain(ABC):
    """A Markov decision process that can be stepped.

    Attributes:
        num_states: number of states, which are 0 … num_states − 1. `UNBOUNDED` if infinite; then a state is any 64-bit integer,
            and only agents whose prior has its own model can plan in the domain.
        num_actions: number of actions, which are 0 … num_actions − 1.
        discount: discount factor, in [0, 1); also 1 with a horizon, or where every policy ends in a terminal state.
        rewards: reward of each state and action, [S, A], or of each transition, [S, A, S]; empty, [0, A], if the domain is
            unbounded: the prior has them.
        random_rewards: whether a step pays a random reward, with `rewards` its mean.
        steps: number of steps of a run in the literature, the default of the command line; the horizon where there is one.
        horizon: number of steps of a run that count; None if there is no last one. Agents are given it and plan no further.
        terminal: terminal states: no action is taken there, and their value is zero. Agents are given them, like the rewards.
        time_limit: number of steps after which an episode is truncated; None if never. Agents are not given it.
        episode_length: number of steps of each episode, if all have the same and agents are given it; goes with a horizon and
            one `start` state. After it the run goes on from `reset`, in the same world.
        start: state that every episode starts in; None if there are several, of which `reset` draws one.
        mdp: the true tables, where they are known; agents are not given them.
    """

    num_states: int
    num_actions: int
    discount: float
    rewards: NDArray[np.float64]
    random_rewards: bool = False
    steps: int = cast(int, _Steps())
    horizon: int | None = None
    terminal: frozenset[int] = frozenset()
    time_limit: int | None = None
    episode_length: int | None = None
    start: int | None = None
    mdp: MDP | None = None

    def for_run(self) -> Self:
        """The domain for one run: itself, or a new object if the domain remembers what happens in a run."""
        return self

    @abstractmethod
    def reset(self, rng: np.random.Generator) -> int:
        """Draw the state an episode starts in; it must not be terminal."""

    @abstractmethod
    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        """Take `action` in `state`; return the next state and the reward."""

    @property
    def has_episodes(self) -> bool:
        """Whether an episode may end before the run does."""
        return bool(self.terminal) or self.time_limit is not None or self.episode_length is not None

    def truncated(self, steps: int) -> bool:
        """Whether the episode is truncated after `steps` steps."""
        limit = self.time_limit if self.episode_length is None else self.episode_length
        return limit is not None and validation.integer("steps", steps, 0) >= limit

    def prior(self) -> Prior:
        """The default prior of agents in this domain: the literature's, where there is one."""
        return Dirichlet()

    def complete(self, prior: Prior) -> Prior:
        """`prior`, extended by a prior over the rewards if they are unknown."""
        return checked_prior(prior)

    def problem(self, prior: Prior | None = None) -> BAMDP:
        """What agents are given: the rewards, the discount, the terminal states and the horizon, not the transitions.

        Args:
            prior: prior over the transitions; the domain's if not given.

        Example:
            >>> import bamdp
            >>> bamdp.domains.Grid(5).problem()
            BAMDP(SparseDirichlet(alpha=0.2, exponent=2.0), 25 states, 4 actions, discount=0.95)
        """
        complete = self.prior() if prior is None else self.complete(prior)
        states, actions = self._names()
        return BAMDP(
            complete,
            self.rewards,
            self.discount,
            terminal=() if complete.unknown_terminal else self.terminal,  # else they would tell the world
            horizon=self.horizon,
            episode_length=self.episode_length,
            start=self.start,
            states=states,
            actions=actions,
            random_rewards=self.random_rewards and not complete.unknown_rewards,
        )

    def _names(self) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
        """The names of states and actions, as they are drawn."""
        scene = self.scene()
        if scene is None:
            return None, None
        states = None
        if scene.label is not str and self.num_states <= MOST_NAMES:
            names = tuple(scene.label(state) for state in range(self.num_states))
            states = names if len(set(names)) == len(names) else None
        return states, scene.actions if len(scene.actions) == self.num_actions else None

    def as_tables(self) -> Domain:
        """The same as a `bamdp.domains.Tabular`, where tables say all that there is; else itself."""
        return self

    def scene(self) -> Scene | None:
        """How to draw the domain; None if it has no picture of its own."""
        return None

    @property
    def description(self) -> str:
        """One sentence on the world, the goal and the reward, for those who watch.

        Example:
            >>> import bamdp
            >>> bamdp.domains.Maze().description.partition(":")[0]
            'A slippery maze'
        """
        size = "infinitely many" if self.num_states == UNBOUNDED else f"{self.num_states}"
        return f"A world of {size} states and {self.num_actions} actions; the goal is to collect as much reward as possible."
