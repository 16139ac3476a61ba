"""Search trees as dictionaries, Graphviz DOT and SVG pictures, cut off by depth and visits.

A node is a state and the history before it; an edge is an action taken there. Root-parallel trees are shown as one, merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import count
from math import inf, sqrt
from typing import Any

from bamdp import _core
from bamdp.validation import integer, positive_integer

Node = dict[str, Any]


class SearchTree:
    """The tree behind a plan.

    Example:
        >>> import bamdp
        >>> world = bamdp.domains.DoubleLoop()
        >>> agent = bamdp.agents.BAMCP(world.prior(), world.rewards, world.discount, simulations=100, seed=0)
        >>> tree = agent.plan(state=0).tree
        >>> top = tree.to_dict(depth=1)
        >>> top["state"], top["visits"], len(top["actions"])
        (0, 100, 2)
    """

    def __init__(self, trees: list[_core.Tree]) -> None:
        self._trees = trees

    @property
    def num_nodes(self) -> int:
        """State nodes in all trees together."""
        return sum(tree.num_nodes for tree in self._trees)

    @property
    def bytes(self) -> int:
        """Memory that the trees take."""
        return sum(tree.bytes for tree in self._trees)

    def to_dict(self, depth: int = 3, min_visits: int = 1) -> Node:
        """The top of the tree as nested dictionaries, ready for JSON.

        Args:
            depth: how many steps below the root to show.
            min_visits: leave out nodes with fewer visits.

        Returns:
            A node: state, visits, and actions; each with action, visits, value, standard_error (None below two visits) and
            children, which are nodes again, most visited first.
        """
        depth, min_visits = integer("depth", depth, 0), positive_integer("min_visits", min_visits)
        return _finish(self._top(depth), min_visits)

    def to_dot(self, depth: int = 3, min_visits: int = 1) -> str:
        """The top of the tree in Graphviz' DOT language."""
        lines = ["digraph search {", '  node [shape=box, fontname="Helvetica", fontsize=10];', "  edge [fontsize=9];"]
        names = count()

        def add(node: Node) -> int:
            name = next(names)
            lines.append(f'  n{name} [label="s = {node["state"]}\\nN = {node["visits"]}"];')
            for edge in node["actions"]:
                if edge["visits"] == 0:
                    continue
                middle = next(names)
                label = f"N = {edge['visits']}\\nQ = {edge['value']:.3f}"
                lines.append(f'  n{middle} [shape=ellipse, label="{label}"];')
                lines.append(f'  n{name} -> n{middle} [label="a = {edge["action"]}"];')
                lines.extend(f"  n{middle} -> n{add(child)};" for child in edge["children"])
            return name

        add(self.to_dict(depth, min_visits))
        return "\n".join([*lines, "}", ""])

    def to_svg(self, depth: int = 2, min_visits: int = 1) -> str:
        """The top of the tree as an SVG picture; edges are as wide as they are visited."""
        return _Drawing(self.to_dict(depth, min_visits)).svg()

    def _top(self, depth: int) -> Node:
        return _merge([_nested(tree, depth) for tree in self._trees])

    def _repr_svg_(self) -> str:
        return self.to_svg(depth=2, min_visits=max(1, self.num_nodes // 50))

    def __repr__(self) -> str:
        return f"<search tree of {self.num_nodes} nodes>"


class RootAlone(SearchTree):
    """Only the root, of a search that keeps no tree."""

    num_nodes = 1
    bytes = 0

    def __init__(self, state: int, visits: Sequence[int], values: Sequence[float]) -> None:
        super().__init__([])
        edges = [
            {"action": a, "visits": n, "value": value, "squares": inf, "children": []}
            for a, (n, value) in enumerate(zip(visits, values, strict=True))
        ]
        self._root = {"state": state, "visits": sum(visits), "actions": edges}

    def _top(self, depth: int) -> Node:
        return self._root


def _nested(tree: _core.Tree, depth: int) -> Node:
    keys, parents, actions, visits, values, squares, edge_visits = tree.top(depth, 1)
    nodes: list[Node] = []
    for i, key in enumerate(keys.tolist()):
        rows = zip(edge_visits[i].tolist(), values[i].tolist(), squares[i].tolist(), strict=True)
        edges = [
            {"action": a, "visits": n, "value": value, "squares": square, "children": []}
            for a, (n, value, square) in enumerate(rows)
        ]
        nodes.append({"state": key, "visits": int(visits[i]), "actions": edges})
        if parents[i] >= 0:
            nodes[parents[i]]["actions"][actions[i]]["children"].append(nodes[i])
    return nodes[0]


def _merge(nodes: list[Node]) -> Node:
    """One node of several trees as one: counts add up, means and squares are those of the union (Chan's formula)."""
    if len(nodes) == 1:
        return nodes[0]
    merged: Node = {"state": nodes[0]["state"], "visits": sum(node["visits"] for node in nodes), "actions": []}
    for edges in zip(*(node["actions"] for node in nodes), strict=True):
        n, value, squares = 0, 0.0, 0.0
        same: dict[int, list[Node]] = {}
        for edge in edges:
            m, off = edge["visits"], edge["value"] - value
            if m:
                value += off * m / (n + m)
                squares += edge["squares"] + off * off * n * m / (n + m)
                n += m
            for child in edge["children"]:
                same.setdefault(child["state"], []).append(child)
        children = [_merge(group) for group in same.values()]
        merged["actions"].append(
            {"action": edges[0]["action"], "visits": n, "value": value, "squares": squares, "children": children}
        )
    return merged


def _finish(node: Node, min_visits: int) -> Node:
    edges = []
    for edge in node["actions"]:
        n = edge["visits"]
        error = sqrt(edge["squares"] / (n * (n - 1))) if n > 1 else None
        children = [_finish(child, min_visits) for child in edge["children"] if child["visits"] >= min_visits]
        children.sort(key=lambda child: -child["visits"])
        edges.append(
            {
                "action": edge["action"],
                "visits": n,
                "value": edge["value"],
                "standard_error": error if error != inf else None,
                "children": children,
            }
        )
    return {"state": node["state"], "visits": node["visits"], "actions": edges}


class _Drawing:
    """A layered drawing: leaves side by side, parents above the middle of their children."""

    WIDTH, HEIGHT, GAP = 74, 34, 62

    def __init__(self, root: Node) -> None:
        self.shapes: list[str] = []
        self.lines: list[str] = []
        self.columns = 0
        self.layers = 0
        self.most = max(1, root["visits"])
        self._state(root, 0)

    def svg(self) -> str:
        width, height = self.columns * (self.WIDTH + 8) + 8, self.layers * self.GAP + self.HEIGHT + 16
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            'font-family="Helvetica, Arial, sans-serif" font-size="11" text-anchor="middle">'
            f'<rect width="{width}" height="{height}" fill="white"/>' + "".join(self.lines + self.shapes) + "</svg>"
        )

    def _state(self, node: Node, layer: int) -> float:
        tried = [edge for edge in node["actions"] if edge["visits"]]
        x = self._place([self._action(edge, layer + 1) for edge in tried], layer)
        for edge in tried:
            self._line(x, layer, edge["x"], layer + 1, edge["visits"])
        self._box(x, layer, f"s = {node['state']}", f"N = {node['visits']}", "#dce9f7", 3)
        return x

    def _action(self, edge: Node, layer: int) -> float:
        below = [self._state(child, layer + 1) for child in edge["children"]]
        x = self._place(below, layer)
        for child, child_x in zip(edge["children"], below, strict=True):
            self._line(x, layer, child_x, layer + 1, child["visits"])
        self._box(x, layer, f"a = {edge['action']} · N = {edge['visits']}", f"Q = {edge['value']:.3g}", "#f7ecd4", 14)
        edge["x"] = x
        return x

    def _place(self, below: list[float], layer: int) -> float:
        self.layers = max(self.layers, layer)
        if below:
            return (below[0] + below[-1]) / 2
        self.columns += 1
        return self.columns * (self.WIDTH + 8) - self.WIDTH / 2

    def _line(self, x: float, layer: int, child_x: float, child_layer: int, visits: int) -> None:
        width = 0.5 + 5 * visits / self.most
        y, child_y = layer * self.GAP + 8 + self.HEIGHT, child_layer * self.GAP + 8
        self.lines.append(
            f'<line x1="{x:.0f}" y1="{y}" x2="{child_x:.0f}" y2="{child_y}" stroke="#888" stroke-width="{width:.1f}"/>'
        )

    def _box(self, x: float, layer: int, first: str, second: str, fill: str, radius: int) -> None:
        y = layer * self.GAP + 8
        self.shapes.append(
            f'<rect x="{x - self.WIDTH / 2:.0f}" y="{y}" width="{self.WIDTH}" height="{self.HEIGHT}" rx="{radius}" '
            f'fill="{fill}" stroke="#555"/>'
            f'<text x="{x:.0f}" y="{y + 14}">{escape(first)}</text><text x="{x:.0f}" y="{y + 27}">{escape(second)}</text>'
        )
