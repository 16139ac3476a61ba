"""A plan's tree as dictionary and SVG: complete, cut off as asked, readable by other programs."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

import pytest

from bamdp.agents import BAMCP
from bamdp.domains import Bandit, Grid
from bamdp.pictures.tree import tree_svg
from bamdp.search.plan import Plan
from reference.problems import shown as html


@pytest.fixture(scope="module", params=[1, 3])
def trees(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(scope="module")
def plan(trees: int) -> Plan:
    return BAMCP(Grid(4).problem(), simulations=400, trees=trees, seed=1).plan(0)


def walk(node: dict[str, Any], depth: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
    yield depth, node
    for edge in node["actions"]:
        for child in edge["children"]:
            yield from walk(child, depth + 1)


def test_dictionary(plan: Plan, trees: int) -> None:
    top = plan.tree.to_dict(depth=100)
    assert json.loads(json.dumps(top)) == top
    assert (top["state"], top["visits"]) == (0, 400)
    assert [edge["visits"] for edge in top["actions"]] == plan.visits.tolist()
    assert [edge["value"] for edge in top["actions"]] == pytest.approx(plan.q_values.tolist())
    for _, node in walk(top):
        assert sum(edge["visits"] for edge in node["actions"]) == node["visits"] >= 1
        assert [edge["action"] for edge in node["actions"]] == [0, 1, 2, 3]
        for edge in node["actions"]:
            below = [child["visits"] for child in edge["children"]]
            assert below == sorted(below, reverse=True)
            assert len({child["state"] for child in edge["children"]}) == len(below)
            # Each tree's first visit of an edge, if it is the node's first, ends in a roll-out.
            assert edge["visits"] - trees <= sum(below) <= edge["visits"]
            assert (edge["standard_error"] is None) == (edge["visits"] < 2)
    if trees == 1:
        assert sum(1 for _ in walk(top)) == plan.tree.num_nodes


def test_svg(plan: Plan) -> None:
    for depth, min_visits in ((0, 1), (2, 1), (3, 10)):
        root = ET.fromstring(tree_svg(plan.tree, depth, min_visits))
        space = "{http://www.w3.org/2000/svg}"
        assert root.tag == f"{space}svg"
        nodes = [node for _, node in walk(plan.tree.to_dict(depth, min_visits))]
        tried = sum(edge["visits"] > 0 for node in nodes for edge in node["actions"])
        boxes = list(root.iter(f"{space}rect"))[1:]
        assert len(boxes) == len(nodes) + tried
        assert len(list(root.iter(f"{space}polyline"))) == len(boxes) - 1
        width, height = float(root.get("width", "0")), float(root.get("height", "0"))
        corners = [
            [float(box.get(key, "-1")) for key in ("x", "y", "width", "height")] for box in boxes
        ]
        assert all(
            x >= 0 and y >= 0 and x + w <= width and y + h <= height for x, y, w, h in corners
        )
        assert len({(x, y) for x, y, _, _ in corners}) == len(corners), "no box hides another"


def test_svg_for_notebooks_is_not_too_wide(plan: Plan) -> None:
    wide = BAMCP(Bandit([0.5] * 30).problem(), simulations=2000, seed=1).plan(0)
    for shown, widest in (
        (plan, 1000),
        (wide, 30 * 129 + 8),
    ):  # all actions of the root are there, however many
        root = ET.fromstring(html(shown.tree))
        assert float(root.get("width", "0")) <= widest
        texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
        assert f"N = {shown.simulations}" in texts
        assert (
            sum(text is not None and text.startswith("a = ") for text in texts)
            >= (shown.visits > 0).sum()
        )
        if shown is plan:
            assert sum(text is not None and text.startswith("s = ") for text in texts) > 1


def test_cut_off_by_depth_and_visits(plan: Plan) -> None:
    for depth in range(4):
        for min_visits in (1, 5, 50):
            nodes = list(walk(plan.tree.to_dict(depth, min_visits)))
            every = list(walk(plan.tree.to_dict(depth=10)))
            assert len(nodes) == sum(
                1 for d, node in every if d <= depth and (d == 0 or node["visits"] >= min_visits)
            )
    assert len(list(walk(plan.tree.to_dict(depth=0)))) == 1
