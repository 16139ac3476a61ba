"""Search trees as dictionaries, cut off by depth and visits; drawn by `bamdp.pictures.tree`.

A node is a state and the history before it; an edge is an action taken there. Root-parallel trees
are shown as one, merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, sqrt
from typing import TYPE_CHECKING, Any

from bamdp import _core
from bamdp.validation import integer, positive_integer

if TYPE_CHECKING:
    from bamdp.problem import BAMDP

Node = dict[str, Any]


class SearchTree:
    """The tree of a plan.

    Attributes:
        trees: the native trees, one for each of the agent's.
        problem: the problem, which names states and actions.

    Example:
        >>> import bamdp
        >>> domain = bamdp.domains.DoubleLoop()
        >>> agent = bamdp.agents.BAMCP(domain.problem(), simulations=100, seed=0)
        >>> tree = agent.plan(state=0).tree
        >>> top = tree.to_dict(depth=1)
        >>> top["state"], top["visits"], len(top["actions"])
        (0, 100, 2)
    """

    def __init__(self, trees: list[_core.Tree], problem: BAMDP) -> None:
        self.trees, self.problem = trees, problem

    @property
    def num_nodes(self) -> int:
        """Number of state nodes in all trees."""
        return sum(tree.num_nodes for tree in self.trees)

    @property
    def bytes(self) -> int:
        """Memory of all trees, in bytes."""
        return sum(tree.bytes for tree in self.trees)

    def to_dict(self, depth: int = 3, min_visits: int = 1) -> Node:
        """The top of the tree as nested dictionaries, ready for JSON.

        Args:
            depth: number of steps below the root.
            min_visits: leave out nodes with fewer visits.

        Returns:
            A node: state, visits, and actions; each with action, visits, value, standard_error and
            children, which are nodes again, most visited first. The standard error assumes
            independent returns, so it is a lower bound; None below two visits. See
            `Plan.standard_errors`.
        """
        depth, min_visits = (
            integer("depth", depth, 0, 2**31 - 1),
            positive_integer("min_visits", min_visits, 2**31 - 1),
        )
        least = min_visits if len(self.trees) == 1 else 1  # a node's visits are summed over trees
        return _finish(self._top(depth, least), min_visits)

    def _top(self, depth: int, min_visits: int) -> Node:
        return _merge([_nested(tree, depth, min_visits) for tree in self.trees])

    def __repr__(self) -> str:
        return f"<search tree of {self.num_nodes} nodes>"


class RootOnlyTree(SearchTree):
    """The root of a search that keeps no tree."""

    num_nodes = 1
    bytes = 0

    def __init__(
        self, state: int, visits: Sequence[int], values: Sequence[float], problem: BAMDP
    ) -> None:
        super().__init__([], problem)
        edges = [
            {"action": a, "visits": n, "value": value, "squares": inf, "children": []}
            for a, (n, value) in enumerate(zip(visits, values, strict=True))
        ]
        self._root = {"state": state, "visits": sum(visits), "actions": edges}

    def _top(self, depth: int, min_visits: int) -> Node:
        return self._root


def _nested(tree: _core.Tree, depth: int, min_visits: int) -> Node:
    keys, parents, actions, visits, values, squares, edge_visits = tree.top(depth, min_visits)
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
    """Merge the same node of several trees: visits are summed, means and squares combined (Chan's
    formula).
    """
    if len(nodes) == 1:
        return nodes[0]
    merged: Node = {
        "state": nodes[0]["state"],
        "visits": sum(node["visits"] for node in nodes),
        "actions": [],
    }
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
            {
                "action": edges[0]["action"],
                "visits": n,
                "value": value,
                "squares": squares,
                "children": children,
            }
        )
    return merged


def _finish(node: Node, min_visits: int) -> Node:
    edges = []
    for edge in node["actions"]:
        n = edge["visits"]
        error = sqrt(edge["squares"] / (n * (n - 1))) if n > 1 else None
        children = [
            _finish(child, min_visits)
            for child in edge["children"]
            if child["visits"] >= min_visits
        ]
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
