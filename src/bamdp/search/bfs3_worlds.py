"""BFS3 over a set of worlds with weights, for beliefs without independent rows; see core/search/bfs3.hpp for the search.

    w        weights of the worlds in a node: those of the belief times the likelihood of the planned history
    (s', r, e)   outcome of an action: next state, reward, whether the episode ends; drawn from a world drawn by w

A finite set of worlds is searched as it is. 256 worlds, drawn again for each decision, stand for other beliefs that can
sample tables. The search is in Python: about 0.1 ms for each node that is opened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp.mdp import MDP
from bamdp.prior import Belief
from bamdp.search.solver import particles

Array = NDArray[np.float64]

GROUP = 400  # bytes of an outcome
TICK = 0.05  # seconds


class WorldsPlan(NamedTuple):
    """Bounds and visits of the actions at the root."""

    action: int
    lower: list[float]
    upper: list[float]
    visits: list[int]
    trajectories: int
    full: bool


class _Outcome(NamedTuple):
    """What follows an action."""

    state: int
    reward: float
    ended: bool


@dataclass(slots=True)
class _Group:
    """Equal ones among the C outcomes of an action."""

    outcome: _Outcome
    count: int
    at_depth: bool
    child: _Node | None = None


@dataclass(slots=True)
class _Node:
    """A state and the weights of the worlds after the planned history."""

    state: int
    weights: Array
    groups: list[list[_Group]] = field(default_factory=list)  # [A][…]
    lower: list[float] = field(default_factory=list)  # [A]
    upper: list[float] = field(default_factory=list)  # [A]


class Worlds:
    """Worlds with weights, as outcomes are drawn from them.

    Args:
        models: the worlds.
    """

    def __init__(self, models: MDP) -> None:
        assert models.weights is not None
        self.weights, self._paid, self._terminal = models.weights, models.rewards, models.terminal
        self._rows, self._cumulative = models.transitions, np.cumsum(models.transitions, axis=3)

    def draw(
        self, weights: Array, state: int, actions: NDArray[np.int64], count: int, rng: np.random.Generator
    ) -> list[list[_Outcome]]:
        """So many outcomes of each of the actions."""
        cumulative = np.cumsum(weights)
        shape, action = (len(actions), count), actions[:, None]
        world = np.minimum(cumulative.searchsorted(rng.random(shape) * cumulative[-1], side="right"), len(weights) - 1)
        rows = self._cumulative[world, state, action]  # [A, C, S]
        states = (rows <= (rng.random(shape) * rows[..., -1])[..., None]).sum(axis=2)
        where = (world, state, action)
        paid = self._paid[where] if self._paid.ndim == 3 else self._paid[(*where, states)]
        ends = self._terminal[world, states]
        columns = (np.broadcast_to(column, shape).tolist() for column in (states, paid, ends))
        return [[_Outcome(*one) for one in zip(*of_action, strict=True)] for of_action in zip(*columns, strict=True)]

    def after(self, weights: Array, state: int, action: int, outcome: _Outcome) -> Array:
        """The weights after an outcome, up to a factor."""
        later = weights * self._rows[:, state, action, outcome.state]
        paid = self._paid[:, state, action]
        later = later * ((paid if paid.ndim == 1 else paid[:, outcome.state]) == outcome.reward)
        later = later * (self._terminal[:, outcome.state] == outcome.ended)
        return np.asarray(later / later.sum())


class WorldsSettings(NamedTuple):
    """Settings of the search, as those of the native one."""

    discount: float
    branching: int
    depth: int
    trajectories: int
    v_min: float
    v_max: float
    shared: bool
    closed: bool
    by_lower: bool
    memory: int


class WorldsSearch:
    """BFS3 over the worlds of a belief.

    Args:
        belief: the belief.
        settings: settings of the search.
        seed: seed of the random generator.
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_rng",)

    def __init__(self, belief: Belief, settings: WorldsSettings, seed: list[int]) -> None:
        self._belief, self._settings = belief, settings
        self._actions = np.arange(belief.num_actions)
        self._rng = np.random.default_rng(seed)
        particles(belief, 1, np.random.default_rng(0))  # one that can't sample is rejected here

    def limit(self, depth: int, closed: bool, v_min: float, v_max: float) -> None:
        """For the next searches, of a run that ends."""
        self._settings = self._settings._replace(depth=depth, closed=closed, v_min=v_min, v_max=v_max)

    def plan(self, state: int, on_tick: Callable[[], None] | None = None) -> WorldsPlan:
        """Search from `state`."""
        self._on_tick, self._ticked = on_tick, perf_counter()
        self._worlds = Worlds(particles(self._belief, None, self._rng))
        self._nodes, self._done, self._full = 0, 0, False
        try:
            lower, upper, visits = self._together(state) if self._settings.shared else self._separately(state)
        finally:
            del self._worlds  # may be large
        scores = lower if self._settings.by_lower else upper
        return WorldsPlan(self._best(scores), lower, upper, visits, self._done, self._full)

    def _together(self, state: int) -> tuple[list[float], list[float], list[int]]:
        """One tree from the current state."""
        root, visits = self._opened(state, self._worlds.weights, 0), [0] * len(self._actions)
        for _ in range(self._settings.trajectories):
            if self._is_full():
                break
            visits[self._trajectory(root)] += 1
        return root.lower, root.upper, visits

    def _separately(self, state: int) -> tuple[list[float], list[float], list[int]]:
        """A tree for each of C outcomes of each action, even if they are equal."""
        lower, upper, visits = [], [], []
        drawn = self._worlds.draw(self._worlds.weights, state, self._actions, self._settings.branching, self._rng)
        for action, outcomes in enumerate(drawn):
            before, sums = self._done, [0.0, 0.0]
            for outcome in outcomes:
                ahead = (0.0, 0.0)
                if self._settings.depth > 0 and not outcome.ended:
                    ahead = self._after(outcome, self._worlds.after(self._worlds.weights, state, action, outcome))
                for which in (0, 1):
                    sums[which] += outcome.reward + self._settings.discount * ahead[which]
            lower.append(sums[0] / len(outcomes))
            upper.append(sums[1] / len(outcomes))
            visits.append(self._done - before)
        return lower, upper, visits

    def _after(self, outcome: _Outcome, weights: Array) -> tuple[float, float]:
        """The bounds of a tree from an outcome, for its share of the trajectories."""
        self._nodes = 0
        root = self._opened(outcome.state, weights, 0)
        for _ in range(max(1, self._settings.trajectories // self._settings.branching)):
            if self._is_full():
                break
            self._trajectory(root)
        return max(root.lower), max(root.upper)

    def _trajectory(self, root: _Node) -> int:
        """From the root down to depth D and back; the first action."""
        path: list[tuple[_Node, int]] = []
        node = root
        while True:
            action = self._best(node.upper)
            groups = node.groups[action]
            widths = [(upper - lower) * group.count for group in groups for lower, upper in [self._bounds(group)]]
            group = groups[self._best(widths)]
            path.append((node, action))
            if len(path) == self._settings.depth or group.outcome.ended or (group.child is None and self._is_full()):
                break
            if group.child is None:
                weights = self._worlds.after(node.weights, node.state, action, group.outcome)
                group.child = self._opened(group.outcome.state, weights, len(path))
            node = group.child
        for node, action in reversed(path):
            self._back_up(node, action)
        self._done += 1
        self._tick()
        return path[0][1]

    def _opened(self, state: int, weights: Array, depth: int) -> _Node:
        """A new node: C outcomes of every action, equal ones counted together."""
        self._nodes += 1
        node = _Node(state, weights)
        at_depth = depth + 1 == self._settings.depth
        for outcomes in self._worlds.draw(weights, state, self._actions, self._settings.branching, self._rng):
            counts = Counter(outcomes)
            node.groups.append([_Group(outcome, count, at_depth) for outcome, count in counts.items()])
        for action in self._actions.tolist():
            node.lower.append(0.0)
            node.upper.append(0.0)
            self._back_up(node, action)
        return node

    def _back_up(self, node: _Node, action: int) -> None:
        lower = upper = 0.0
        for group in node.groups[action]:
            low, high = self._bounds(group)
            lower += group.count * (group.outcome.reward + self._settings.discount * low)
            upper += group.count * (group.outcome.reward + self._settings.discount * high)
        node.lower[action], node.upper[action] = lower / self._settings.branching, upper / self._settings.branching

    def _bounds(self, group: _Group) -> tuple[float, float]:
        """Of the value of what follows."""
        if group.outcome.ended or (group.at_depth and self._settings.closed):
            return 0.0, 0.0
        if group.child is None:
            return self._settings.v_min, self._settings.v_max
        return max(group.child.lower), max(group.child.upper)

    def _best(self, scores: list[float]) -> int:
        """The index of the largest, ties at random."""
        largest = max(scores)
        ties = [index for index, score in enumerate(scores) if score == largest]
        return ties[0] if len(ties) == 1 else ties[int(self._rng.integers(len(ties)))]

    def _is_full(self) -> bool:
        """Whether a tree has used up its memory; an estimate from above."""
        each = 8 * len(self._worlds.weights) + GROUP * self._settings.branching * len(self._actions)
        full = self._nodes * each > self._settings.memory
        self._full = self._full or full
        return full

    def _tick(self) -> None:
        if self._on_tick is not None and perf_counter() - self._ticked > TICK:
            self._ticked = perf_counter()
            self._on_tick()
