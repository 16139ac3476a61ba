"""How the domains of the package are drawn, and one sentence on each; `import bamdp` registers
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import cos, pi, sin

import numpy as np

from bamdp.domains._gym_map import END
from bamdp.domains.bandit import Bandit
from bamdp.domains.chain import Chain
from bamdp.domains.double_loop import DoubleLoop
from bamdp.domains.grid import Grid
from bamdp.domains.grid_navi import FOUND, STEP, GridNavi
from bamdp.domains.gymnasium import Gymnasium
from bamdp.domains.infinite_grid import InfiniteGrid
from bamdp.domains.maze import MAP, Maze
from bamdp.domains.normal_bandit import NormalBandit
from bamdp.domains.random_mdp import RandomMDP
from bamdp.domains.tabular import Tabular
from bamdp.pictures.scenes import Kind, Place, Scene, description, on_circle, scene


def _named_scene(
    domain: Tabular,
    kind: Kind,
    place: Callable[[int], Place],
    marks: Mapping[Place, str] | None = None,
) -> Scene:
    """A scene with the names that agents are told."""
    return Scene(kind, place, domain.state_name, domain.action_names or (), marks or {})


@scene.register
def _(domain: Tabular) -> Scene:
    return _named_scene(domain, "graph", on_circle(domain.num_states))


@scene.register
def _(domain: Chain) -> Scene:
    return _named_scene(domain, "graph", lambda state: (2 * state, 0))


@description.register
def _(domain: Chain) -> str:
    return (
        "A chain of five states: go forward to its end, where each step pays 10, or take 2 at "
        "once by going back to the start; with probability "
        f"{domain.probabilities[0, 0, 1]:g} the other action is executed."
    )


@scene.register
def _(domain: DoubleLoop) -> Scene:
    def place(state: int) -> Place:
        """On the left or the right loop, which touch at state 0."""
        side, along = (-1, state) if state < 5 else (1, state - 4)
        angle = 2 * pi * along / 5
        return side * 2 * (1 - cos(angle)), 2 * sin(-angle)

    return _named_scene(domain, "graph", place)


@description.register
def _(domain: DoubleLoop) -> str:
    return (
        "Two loops of five steps from one state: find and keep to the one that pays 2 per "
        "round, which a wrong action leaves; the other pays 1."
    )


@scene.register
def _(domain: Grid) -> Scene:
    last = domain.size - 1

    def place(state: int) -> Place:
        x, y = domain.cell(state)
        return x, last - y

    return _named_scene(domain, "map", place, {(0, last): "S", (last, 0): "G"})


@description.register
def _(domain: Grid) -> str:
    slip = float(1 - domain.probabilities[0, 0, 0])
    return (
        f"A slippery grid of {domain.size} by {domain.size} cells: walk from S to G, where every "
        f"action pays 1 and leads back to S; with probability {slip:g} a move is turned by a "
        "quarter."
    )


@scene.register
def _(domain: Maze) -> Scene:
    marks: dict[Place, str] = {
        (x, y): s.upper()
        for y, row in enumerate(MAP.splitlines())
        for x, s in enumerate(row)
        if s in "sFG"
    }
    return _named_scene(domain, "map", lambda state: domain.cell(state)[:2], marks)


@description.register
def _(domain: Maze) -> str:
    return (
        "A slippery maze: take the flags F on the way from S to G; every action in G pays the "
        "number of flags taken, at most 3, and leads back to S without flags."
    )


@scene.register
def _(domain: GridNavi) -> Scene:
    size = domain.size
    marks: dict[Place, str] = {(0, 0): "S", (domain.goal % size, domain.goal // size): "G"}
    return _named_scene(domain, "map", lambda s: (s % size, s // size), marks)


@description.register
def _(domain: GridNavi) -> str:
    episodes = (domain.horizon or 0) // (domain.time_limit or 1)
    return (
        f"A grid of {domain.size} by {domain.size} cells with an unknown goal: find it and go "
        f"there in all {episodes} episodes of {domain.time_limit} steps; a step that ends there "
        f"pays {FOUND:g}, any other costs {-STEP:g}."
    )


@scene.register
def _(domain: InfiniteGrid) -> Scene:
    def place(state: int) -> Place:
        x, y, _ = domain.cell(state)
        return x, -y

    def label(state: int) -> str:
        x, y, content = domain.cell(state)
        return f"({x}, {y})" + " with a reward" * content

    return Scene("map", place, label, domain.action_names)


@description.register
def _(domain: InfiniteGrid) -> str:
    return (
        "An endless grid with rewards along good columns and good rows: find those worth "
        "following; a cell's reward of 1 is paid once, on leaving it."
    )


@scene.register
def _(domain: Bandit) -> Scene:
    return _named_scene(domain, "arms", lambda state: (state, 0))


@description.register
def _(domain: Bandit) -> str:
    paid = np.unique(domain.rewards[:, :, 1])
    success = f"{paid[0]:g}" if len(paid) == 1 else "what that arm pays"
    return (
        f"{domain.num_actions} arms that succeed with unknown probabilities: find the best one "
        f"while you pull; a success pays {success}, a failure nothing."
    )


@scene.register
def _(domain: NormalBandit) -> Scene:
    return _named_scene(domain, "graph", lambda state: (0, 0))


@description.register
def _(domain: NormalBandit) -> str:
    return (
        f"{domain.num_actions} arms with unknown mean rewards: find the best one while you pull; "
        "a pull pays a normally distributed reward around the arm's mean."
    )


@description.register
def _(domain: RandomMDP) -> str:
    paid = domain.rewards[:, 0]
    paying = np.flatnonzero(paid)
    some = " and ".join(f"{paid[s]:g} in state {s}" for s in paying)
    return (
        f"A random world of {domain.num_states} states and {domain.num_actions} actions: find the "
        "way to its rewards; an action pays "
        f"{some if len(paying) <= 2 else 'what its state pays, from 0 to 1'}."
    )


@scene.register
def _(domain: Gymnasium) -> Scene:
    """The map of FrozenLake, CliffWalking and Taxi; else a circle."""
    if domain.map is None:
        return Scene("graph", on_circle(domain.num_states), domain.state_name)
    plan, last = domain.map, domain.num_states - 1
    end: dict[Place, str] = {plan.place(last): "end"} if domain.state_name(last) == END else {}
    return Scene(
        "map", plan.place, domain.state_name, plan.actions, {**plan.marks, **end}, plan.walls
    )


@description.register
def _(domain: Gymnasium) -> str:
    if domain.map is not None:
        return domain.map.sentence
    return (
        f"The Gymnasium environment {domain.name}; the goal is to collect as much of its reward "
        "as possible."
    )
