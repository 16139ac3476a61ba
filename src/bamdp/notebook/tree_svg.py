"""Search trees as SVG images. Nodes are as returned by `SearchTree.to_dict`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bamdp.notebook.html import Markup, svg, tag

if TYPE_CHECKING:
    from bamdp.problem import BAMDP

Node = dict[str, Any]
LONGEST = 12  # characters of a name that are shown


def main_lines(node: Node, min_visits: int, root: bool = True) -> Node:
    """Prune nodes with fewer visits and, below the root, actions without children left."""
    edges = []
    for edge in node["actions"]:
        kept = [main_lines(child, min_visits, False) for child in edge["children"] if child["visits"] >= min_visits]
        if kept or root:
            edges.append({**edge, "children": kept})
    return {**node, "actions": edges}


class Drawing:
    """A layered drawing: leaves side by side, parents centred above their children."""

    HEIGHT, GAP = 34, 62

    def __init__(self, root: Node, problem: BAMDP | None = None) -> None:
        """Draw `root` and what is below it, with the names of states and actions of the problem; else their numbers."""
        self._state_name: Callable[[int], str] = str if problem is None else problem.state_name
        self._action_name: Callable[[int], str] = str if problem is None else problem.action_name
        named = [] if problem is None or problem.actions is None else [len(_short(name)) for name in problem.actions]
        self.width = 5.5 * (16 + max(named)) if named else 90
        self.shapes: list[Markup] = []
        self.lines: list[Markup] = []
        self.columns = 0
        self.layers = 0
        self.most = max(1, root["visits"])
        self._state(root, 0)

    def svg(self) -> str:
        width, height = self.columns * (self.width + 8) + 8, self.layers * self.GAP + self.HEIGHT + 16
        paper = tag("rect", width=width, height=height, fill="white")
        font = {"font_family": "Helvetica, Arial, sans-serif", "font_size": "11", "text_anchor": "middle"}
        return svg(width, height, paper, *self.lines, *self.shapes, **font)

    def _state(self, node: Node, layer: int) -> float:
        tried = [edge for edge in node["actions"] if edge["visits"]]
        below = [self._action(edge, layer + 1) for edge in tried]
        x = self._place(below, layer)
        for edge, edge_x in zip(tried, below, strict=True):
            self._line(x, layer, edge_x, layer + 1, edge["visits"])
        name = _short(self._state_name(node["state"]))
        self._box(x, layer, f"s = {name}", f"N = {node['visits']}", "#dce9f7", 3)
        return x

    def _action(self, edge: Node, layer: int) -> float:
        below = [self._state(child, layer + 1) for child in edge["children"]]
        x = self._place(below, layer)
        for child, child_x in zip(edge["children"], below, strict=True):
            self._line(x, layer, child_x, layer + 1, child["visits"])
        name = _short(self._action_name(edge["action"]))
        self._box(x, layer, f"a = {name} · N = {edge['visits']}", f"Q = {edge['value']:.3g}", "#f7ecd4", 14)
        return x

    def _place(self, below: list[float], layer: int) -> float:
        self.layers = max(self.layers, layer)
        if below:
            return (below[0] + below[-1]) / 2
        self.columns += 1
        return self.columns * (self.width + 8) - self.width / 2

    def _line(self, x: float, layer: int, child_x: float, child_layer: int, visits: int) -> None:
        width = 0.5 + 5 * visits / self.most
        y, child_y = layer * self.GAP + 8 + self.HEIGHT, child_layer * self.GAP + 8
        ends = {"x1": f"{x:.0f}", "y1": y, "x2": f"{child_x:.0f}", "y2": child_y}
        self.lines.append(tag("line", **ends, stroke="#888", stroke_width=f"{width:.1f}"))

    def _box(self, x: float, layer: int, first: str, second: str, fill: str, radius: int) -> None:
        y = layer * self.GAP + 8
        box = {"x": f"{x - self.width / 2:.0f}", "y": y, "width": f"{self.width:g}", "height": self.HEIGHT, "rx": radius}
        self.shapes.append(tag("rect", **box, fill=fill, stroke="#555"))
        self.shapes += [tag("text", text, x=f"{x:.0f}", y=y + down) for text, down in ((first, 14), (second, 27))]


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
