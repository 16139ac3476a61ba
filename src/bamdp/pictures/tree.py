"""Search trees as drawings. Nodes are as returned by `SearchTree.to_dict`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from bamdp.pictures.shapes import Cell, Drawing, Label, Line, Shape
from bamdp.problem import BAMDP
from bamdp.search.tree import Node, SearchTree
from bamdp.spaces import action_name, state_name

WIDTH = 1000  # pixels that fit a notebook
LONGEST = 12  # characters of a name that are shown


def tree_svg(tree: SearchTree, depth: int = 2, min_visits: int = 1) -> str:
    """The top of a search tree as an SVG picture; the width of an edge shows its visits.

    Args:
        tree: the tree of a plan.
        depth: number of steps below the root.
        min_visits: leave out nodes with fewer visits.

    Example:
        >>> import bamdp
        >>> agent = bamdp.agents.BAMCP(bamdp.domains.DoubleLoop().problem(), simulations=100)
        >>> tree_svg(agent.plan(state=0).tree)[:4]
        '<svg'
    """
    return TreePicture(tree.to_dict(depth, min_visits), tree.problem).svg()


def main_lines(node: Node, min_visits: int, root: bool = True) -> Node:
    """Prune nodes with fewer visits and, below the root, actions without children left."""
    edges = []
    for edge in node["actions"]:
        kept = [
            main_lines(child, min_visits, False)
            for child in edge["children"]
            if child["visits"] >= min_visits
        ]
        if kept or root:
            edges.append({**edge, "children": kept})
    return {**node, "actions": edges}


class TreePicture:
    """A layered picture: leaves side by side, parents centred above their children; lengths in
    pixels.
    """

    HEIGHT, GAP = 34, 62

    def __init__(self, root: Node, problem: BAMDP | None = None) -> None:
        """Draw `root` and what is below it, with the names of states and actions of the problem;
        else their numbers.
        """
        self._state_name: Callable[[int], str] = (
            str if problem is None else partial(state_name, problem)
        )
        self._action_name: Callable[[int], str] = (
            str if problem is None else partial(action_name, problem)
        )
        named = (
            []
            if problem is None or problem.actions is None
            else [len(_shortened(str(name))) for name in problem.actions]
        )
        self.width = 5.5 * (16 + max(named)) if named else 90
        self._boxes: list[Shape] = []
        self._lines: list[Shape] = []
        self.columns, self._layers, self._most = 0, 0, max(1, root["visits"])
        self._state(root, 0)

    def svg(self) -> str:
        """As an SVG image."""
        box = 0, 0, self.columns * (self.width + 8) + 8, self._layers * self.GAP + self.HEIGHT + 16
        return Drawing(box, [Cell(*box, role="paper"), *self._lines, *self._boxes]).svg(1)

    def _state(self, node: Node, layer: int) -> float:
        tried = [edge for edge in node["actions"] if edge["visits"]]
        below = [(self._action(edge, layer + 1), edge["visits"]) for edge in tried]
        lines = f"s = {_shortened(self._state_name(node['state']))}", f"N = {node['visits']}"
        return self._place(below, layer, "state", lines)

    def _action(self, edge: Node, layer: int) -> float:
        below = [(self._state(child, layer + 1), child["visits"]) for child in edge["children"]]
        name = _shortened(self._action_name(edge["action"]))
        return self._place(
            below,
            layer,
            "action",
            (f"a = {name} · N = {edge['visits']}", f"Q = {edge['value']:.3g}"),
        )

    def _place(
        self, below: list[tuple[float, int]], layer: int, role: str, lines: tuple[str, str]
    ) -> float:
        """A box with two lines of text above what is below it; its middle."""
        self._layers = max(self._layers, layer)
        if not below:
            self.columns += 1
        x = (
            (below[0][0] + below[-1][0]) / 2
            if below
            else self.columns * (self.width + 8) - self.width / 2
        )
        y = layer * self.GAP + 8
        for child, visits in below:
            ends = [(x, y + self.HEIGHT), (child, y + self.GAP)]
            self._lines.append(Line(ends, 0.5 + 5 * visits / self._most, role="branch"))
        self._boxes.append(Cell(x - self.width / 2, y, self.width, self.HEIGHT, role=role))
        self._boxes += [
            Label(x, y + 10 + 13 * i, text, 11, role="name") for i, text in enumerate(lines)
        ]
        return x


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
