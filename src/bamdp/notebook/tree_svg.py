"""Search trees as SVG images. Nodes are as returned by `SearchTree.to_dict`."""

from typing import Any, Protocol

from bamdp.notebook.html import Markup, svg, tag

Node = dict[str, Any]
WIDEST = 20  # characters that fit into a box


class Names(Protocol):
    """What states and actions are called: a `BAMDP`."""

    def state_name(self, state: int) -> str:
        """Of a state."""

    def action_name(self, action: int) -> str:
        """Of an action."""


def _short(text: str) -> str:
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"


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

    WIDTH, HEIGHT, GAP = 90, 34, 62

    def __init__(self, root: Node, names: Names) -> None:
        self.names = names
        self.shapes: list[Markup] = []
        self.lines: list[Markup] = []
        self.columns = 0
        self.layers = 0
        self.most = max(1, root["visits"])
        self._state(root, 0)

    def svg(self) -> str:
        width, height = self.columns * (self.WIDTH + 8) + 8, self.layers * self.GAP + self.HEIGHT + 16
        paper = tag("rect", width=width, height=height, fill="white")
        font = {"font_family": "Helvetica, Arial, sans-serif", "font_size": "11", "text_anchor": "middle"}
        return svg(width, height, paper, *self.lines, *self.shapes, **font)

    def _state(self, node: Node, layer: int) -> float:
        tried = [edge for edge in node["actions"] if edge["visits"]]
        x = self._place([self._action(edge, layer + 1) for edge in tried], layer)
        for edge in tried:
            self._line(x, layer, edge["x"], layer + 1, edge["visits"])
        self._box(x, layer, _short(f"s = {self.names.state_name(node['state'])}"), f"N = {node['visits']}", "#dce9f7", 3)
        return x

    def _action(self, edge: Node, layer: int) -> float:
        below = [self._state(child, layer + 1) for child in edge["children"]]
        x = self._place(below, layer)
        for child, child_x in zip(edge["children"], below, strict=True):
            self._line(x, layer, child_x, layer + 1, child["visits"])
        self._box(x, layer, _short(f"a = {self.names.action_name(edge['action'])} · N = {edge['visits']}"), f"Q = {edge['value']:.3g}", "#f7ecd4", 14)
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
        ends = {"x1": f"{x:.0f}", "y1": y, "x2": f"{child_x:.0f}", "y2": child_y}
        self.lines.append(tag("line", **ends, stroke="#888", stroke_width=f"{width:.1f}"))

    def _box(self, x: float, layer: int, first: str, second: str, fill: str, radius: int) -> None:
        y = layer * self.GAP + 8
        box = {"x": f"{x - self.WIDTH / 2:.0f}", "y": y, "width": self.WIDTH, "height": self.HEIGHT, "rx": radius}
        self.shapes.append(tag("rect", **box, fill=fill, stroke="#555"))
        self.shapes += [tag("text", text, x=f"{x:.0f}", y=y + down) for text, down in ((first, 14), (second, 27))]
