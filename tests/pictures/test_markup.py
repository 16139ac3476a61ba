"""What notebooks show of plans, records and beliefs: well-formed, escaped, and with the right
numbers.
"""

import copy
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import bamdp
from bamdp.agents import BAMCP, BAUCT, Random
from bamdp.domain import UNBOUNDED
from bamdp.domains import Chain, DoubleLoop, Grid, InfiniteGrid, Maze
from bamdp.pictures.belief_tables import ARMS as COLUMNS
from bamdp.pictures.markup import Markup, curve, joined, table, tag
from bamdp.pictures.scenes import Scene, scene
from bamdp.prior import Prior
from bamdp.priors import (
    BetaArms,
    Dirichlet,
    Finite,
    GridRewards,
    NormalArms,
    SparseDirichlet,
    UnknownRewards,
)
from bamdp.runs.loop import Record
from reference.mute import Mute
from reference.problems import belief_of, shown, sized

SVG = "{http://www.w3.org/2000/svg}"


def parsed(thing: object) -> ET.Element:
    """The HTML that a notebook shows, which is well-formed XML too."""
    return ET.fromstring(f"<html>{shown(thing)}</html>")


def cells(root: ET.Element, which: int = 0) -> list[list[str]]:
    """The rows of a table, as text."""
    body = root.findall(".//tbody")[which]
    return [["".join(cell.itertext()) for cell in row] for row in body]


# Building blocks


def test_everything_is_escaped() -> None:
    evil = "<script>alert('1')</script> & \"quotes\""
    element = ET.fromstring(tag("p", evil, title=evil, data_x=None))
    assert (element.text, element.get("title"), element.get("data-x")) == (evil, evil, None)
    assert "<script" not in table([evil], [[evil, tag("b", evil)]])
    assert joined(["<", Markup("<br/>"), tag("b", "<")]) == "&lt;<br/><b>&lt;</b>"


def test_curve() -> None:
    values = np.cumsum(np.ones(5000)).tolist()
    root = ET.fromstring(curve(values))
    points = [
        tuple(map(float, point.split(",")))
        for point in root.find(f"{SVG}polyline").get("points").split()  # type: ignore[union-attr]
    ]
    assert len(points) <= 301
    assert points[0] == pytest.approx((4, 76), abs=0.1)
    assert points[-1] == pytest.approx((316, 4))
    assert [text.text for text in root.findall(f"{SVG}text")] == ["5000", "0"]
    assert [text.text for text in ET.fromstring(curve([0, -2, -1])).findall(f"{SVG}text")] == [
        "0",
        "-2",
    ]
    ET.fromstring(curve([0.0]))


# Plans


@pytest.mark.parametrize("agent", [BAMCP, BAUCT])
def test_plan(agent: type[BAMCP]) -> None:
    plan = agent(DoubleLoop().problem(), simulations=300, trees=2, seed=1).plan(0)
    root = parsed(plan)
    rows = cells(root)
    assert [row[1] for row in rows] == [f"{value:.4f}" for value in plan.q_values]
    assert [row[2] for row in rows] == [f"{error:.4f}" for error in plan.standard_errors]
    assert [row[3] for row in rows] == [str(visits) for visits in plan.visits]
    chosen = [row for row in root.find(".//tbody") or [] if row.find(".//mark") is not None]
    assert ["".join(row[0].itertext()) for row in chosen] == [str(plan.action)]
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {"s = 0", "N = 300"} <= set(texts)
    assert any(text == f"Q = {plan.q_values[0]:.3g}" for text in texts)
    assert len(shown(plan)) < 100_000


def test_a_tree_has_the_names_of_states_and_actions() -> None:
    problem = sized(
        2, 2, states=("new", "worn and torn for years"), actions=("run", "repair everything")
    )
    plan = BAMCP(problem, simulations=100, trees=2, seed=1).plan(1)
    texts = [text.text or "" for text in parsed(plan).iter(f"{SVG}text")]
    assert "s = worn and to…" in texts
    assert any(text.startswith("a = repair ever… · N = ") for text in texts)
    assert [row[0] for row in cells(parsed(plan))] == ["run", "repair everything"]


def test_plan_in_words() -> None:
    for trees in (1, 2):
        plan = BAMCP(DoubleLoop().problem(), simulations=300, trees=trees, seed=1).plan(0)
        worth = (
            f"{plan.value:.4g}"
            if trees == 1
            else f"{plan.value:.2f} ± {plan.standard_errors[plan.action]:.2f}"
        )
        assert re.fullmatch(
            rf"Plan\(action={plan.action} worth {re.escape(worth)}, 300 simulations in \S+ s\)",
            repr(plan),
        )


def test_plan_with_actions_never_tried() -> None:
    plan = BAMCP(Grid(3).problem(), simulations=1, seed=1).plan(0)
    assert sorted(cells(parsed(plan)), key=lambda row: row[3])[0][1:] == ["–", "–", "0"]


# Records


def walk(domain: bamdp.Domain, steps: int = 200) -> Record:
    return bamdp.run(Random(domain.problem(), seed=1), domain, steps, seed=2)


@pytest.mark.parametrize(
    "domain", [Grid(6), Maze(), InfiniteGrid(seed=1)], ids=["grid", "maze", "infinite"]
)
def test_record_of_a_world_with_a_map(domain: bamdp.Domain) -> None:
    record = walk(domain)
    root = parsed(record)
    facts = [bold.text for bold in root.findall(".//p/b")]
    assert facts == [
        "200",
        f"{record.total_reward:g}",
        f"{record.discounted_return:.4g}",
        f"{record.seconds:.3g}",
    ]
    drawn = scene(domain)
    assert isinstance(drawn, Scene)
    places = {drawn.place(int(s)) for s in record.states}
    boxes = list(root.findall(f".//{SVG}g[@class='cell']/{SVG}rect"))
    visited = [int("".join(box.itertext()).split()[0]) for box in boxes]
    assert sum(visited) == 200
    assert sum(n > 0 for n in visited) == len(places)
    if domain.num_states < UNBOUNDED:
        assert len(boxes) == len({drawn.place(s) for s in range(domain.num_states)})


def test_record_of_a_world_without_a_map() -> None:
    root = parsed(walk(Chain()))
    assert len(list(root.iter(f"{SVG}svg"))) == 1
    assert repr(walk(Chain())).startswith("Record(200 steps, total_reward=")


def test_record_without_its_domain() -> None:
    record = walk(Grid(3))
    bare = Record(**{name: value for name, value in vars(record).items() if name != "domain"})
    assert len(list(parsed(bare).iter(f"{SVG}svg"))) == 1


def test_record_of_a_world_too_large_to_draw() -> None:
    record = walk(Grid(60), 20)
    boxes = parsed(record).findall(f".//{SVG}g[@class='cell']/{SVG}rect")
    drawn = scene(Grid(60))
    assert len(boxes) == len({drawn.place(int(s)) for s in (*record.states, record.final_state)})


def test_marks_of_a_world_of_ones_own_are_escaped() -> None:
    class Marked(Grid):
        pass

    @scene.register
    def _(domain: Marked) -> Scene:
        return Scene("map", domain.cell, marks={(0, 0): "<&>"})

    assert "<&>" in [text.text for text in parsed(walk(Marked(3))).iter(f"{SVG}text")]


# Beliefs


def test_conjugate_beliefs() -> None:
    for prior in (Dirichlet(), SparseDirichlet()):
        belief = belief_of(prior, 5, 2)
        assert parsed(belief).findall(".//table") == []
        for next_state in (1, 1, 1, 4):
            belief.observe(3, 1, None, next_state)
        belief.observe(0, 0, None, 2)
        rows = cells(parsed(belief))
        mean = belief.predictive(3, 1)
        assert [row[:3] for row in rows] == [["3", "1", "4"], ["0", "0", "1"]]
        assert rows[0][3].startswith(f"1: {mean[1]:.3f}, 4: {mean[4]:.3f}, ")
        assert "5 observations" in repr(belief)


def test_a_long_belief_is_cut() -> None:
    record = walk(Grid(6), 500)
    belief = belief_of(SparseDirichlet(), 36, 4)
    for s, a, n in zip(
        record.states, record.actions, [*record.states[1:], record.final_state], strict=True
    ):
        belief.observe(int(s), int(a), None, int(n))
    root = parsed(belief)
    rows = cells(root)
    assert len(rows) == 10
    observed = [int(row[2]) for row in rows]
    assert observed == sorted(observed, reverse=True)
    pairs = len({(int(s), int(a)) for s, a in zip(record.states, record.actions, strict=True)})
    assert root.findall("p")[-1].text == f"and {pairs - 10} rows observed less often"
    assert "too many" in shown(belief_of(SparseDirichlet(), 10**6, 4))


def test_arms() -> None:
    belief = belief_of(BetaArms(), 2, 3)
    for state, action, next_state in ((0, 2, 1), (1, 2, 1), (1, 0, 0)):
        belief.observe(state, action, None, next_state)
    assert [cell.text for cell in parsed(belief).findall(".//thead//th")] == list(COLUMNS)
    assert cells(parsed(belief)) == [
        ["0", "1", "0", "0.333"],
        ["1", "0", "0", "0.500"],
        ["2", "2", "2", "0.750"],
    ]
    assert parsed(belief_of(BetaArms(), 2, 130)).findall("p")[-1].text == "and 30 more arms"
    assert repr(belief) == "<belief over 3 Bernoulli arms after 3 observations>"


TWO = np.array([[[[1, 0]], [[1, 0]]], [[[0.5, 0.5]], [[0.5, 0.5]]]])
SUMMARIES: list[
    tuple[Prior, tuple[int, int], tuple[int, int, float | None, int], list[str]]
] = [  # sizes, a step, the first row
    (Finite(TWO, weights=[1, 3]), (2, 1), (0, 0, None, 0), ["1", f"{1.5 / 2.5:.4f}"]),
    (
        Finite(TWO, weights=[1, 3], names=["sure", "fair"]),
        (2, 1),
        (0, 0, None, 0),
        ["fair", f"{1.5 / 2.5:.4f}"],
    ),
    (UnknownRewards(Dirichlet()), (3, 2), (0, 1, 1.0, 2), ["0", "1", "1"]),
]


@pytest.mark.parametrize(
    ("prior", "sizes", "step", "row"), SUMMARIES, ids=[repr(case[0])[:20] for case in SUMMARIES]
)
def test_other_beliefs(
    prior: Prior, sizes: tuple[int, int], step: tuple[int, int, float | None, int], row: list[str]
) -> None:
    belief = belief_of(prior, *sizes)
    belief.observe(*step)
    assert cells(parsed(belief))[0][: len(row)] == row


def test_unknown_rewards() -> None:
    normal = belief_of(NormalArms(noise=2.0, deviation=2.0), 1, 2)
    normal.observe(0, 1, 3.0, 0)
    assert "<td>1.5</td><td>1.41</td><td>2</td>" in shown(normal)
    unknown = belief_of(UnknownRewards(Dirichlet()), 3, 2)
    unknown.observe(0, 1, 1.0, 2)
    assert cells(parsed(unknown))[0][:3] == ["0", "1", "1"]


def test_grid_belief() -> None:
    """The means shown are those of a chain; 400 draws of 8 cells are within 0.15 of the exact
    posterior mean.
    """
    world = copy.copy(InfiniteGrid(seed=3))
    belief = belief_of(GridRewards(), world.num_states, 4)
    assert parsed(belief).findall(".//table") == []
    state = world.reset(np.random.default_rng(0))
    for action in (0, 0, 0, 1, 1, 2, 2, 2):
        after, _ = world.step(state, action, np.random.default_rng(0))
        belief.observe(state, action, None, after)
        state = after
    root = parsed(belief)
    columns, rows = cells(root, 0), cells(root, 1)
    assert [(row[0], row[1]) for row in columns] == [("0", "4"), ("2", "4"), ("1", "1")]
    assert {(row[0], row[1]) for row in rows} == {("3", "3"), ("2", "2"), ("1", "2"), ("0", "2")}
    draws = belief.sample_parameters(20_000, np.random.default_rng(1))
    expected = dict(
        zip(draws.column_coordinates.tolist(), draws.columns.mean(axis=0).tolist(), strict=True)
    )
    for name, _, value in columns:
        assert float(value.split()[0]) == pytest.approx(expected[int(name)], abs=0.15)


def test_a_belief_of_ones_own() -> None:
    belief = Mute(sized(2, 1))
    assert repr(belief) == "<Mute over 2 states and 1 actions>"
    assert parsed(belief).findtext("p") == repr(belief)
