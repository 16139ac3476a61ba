"""What is watched: the domain, one agent or two in the same world, and the priors to choose from."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace

from bamdp.agent import Agent
from bamdp.domain import Domain, Scene
from bamdp.domains import InfiniteGrid
from bamdp.prior import Prior
from bamdp.priors import Dirichlet, SparseDirichlet
from bamdp.priors.grid_rewards import GridRewards
from bamdp.problems import Problem

MOST_AGENTS = 2


@dataclass(frozen=True)
class PriorChoice:
    """A prior to choose."""

    name: str  # its name in messages
    text: str  # its name on the page
    prior: Prior


@dataclass(frozen=True)
class AgentEntry:
    """An agent that is watched."""

    name: str  # with its settings, as on the command line
    make: Callable[[Domain, int, Prior], Agent]  # makes it from the world, its seed and its prior


@dataclass(frozen=True)
class WatchSetup:
    """What is watched."""

    domain_name: str
    domain: Domain
    agents: tuple[AgentEntry, ...]  # side by side
    priors: tuple[PriorChoice, ...]  # to choose from, the first one to begin with
    steps: int  # of a run
    seed: int  # of the first run
    settings: str = ""  # further flags of the command, which a link names
    problem: Problem | None = None  # which draws a world for each seed, if it isn't the domain itself

    def world(self, seed: int) -> Domain:
        """The world of a run: that of the problem, or the domain; of two agents, with the same outcomes for both."""
        if self.problem is not None:
            return self.problem.world(seed)
        return self.domain if len(self.agents) == 1 else Problem(self.domain, draw="fixed").world(seed)

    @property
    def description(self) -> str:
        """What it is about, in a sentence or two."""
        if self.problem is None:
            return self.domain.description
        about = (inspect.getdoc(type(self.problem)) or "").partition("\n")[0]
        return f"{about} Each seed has its own world; the goal is to collect as much reward as possible."

    @property
    def scene(self) -> Scene | None:
        """How to draw it. In a world that a problem draws, actions don't do what their names say."""
        scene = self.domain.scene()
        return scene if scene is None or self.problem is None else replace(scene, actions=())


def prior_choices(domain: Domain, asked: Prior) -> tuple[PriorChoice, ...]:
    """The prior that was chosen, then others that fit the domain.

    Example:
        >>> world = InfiniteGrid(columns=(1, 2), rows=(2, 1))
        >>> [choice.name for choice in prior_choices(world, world.prior())]
        ['right', 'wrong']
    """
    if isinstance(domain, InfiniteGrid) and isinstance(asked, GridRewards):
        right = PriorChoice("right", "right", replace(asked, columns=domain.columns, rows=domain.rows))
        wrong = PriorChoice(
            "wrong", "wrong: columns and rows swapped", replace(asked, columns=domain.rows, rows=domain.columns)
        )
        known = [right, wrong] if right.prior != wrong.prior else [right]
        same = [choice for choice in known if choice.prior == asked]
        first = same[0] if same else PriorChoice("asked", "as asked for", asked)
        return (first, *(choice for choice in known if choice is not first))
    others: list[Prior] = [Dirichlet(), SparseDirichlet()] if len(domain.rewards) else []
    chosen = PriorChoice("asked", repr(asked), asked)
    return (chosen, *(PriorChoice(type(o).__name__, repr(o), o) for o in others if repr(o) != repr(asked)))
