"""What is drawn of worlds and beliefs: what the agent has seen, what its belief says, and the truth
beside it.
"""

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp.pictures.beliefs import Rows
from bamdp.pictures.grid import LARGEST
from bamdp.pictures.maps import Map
from bamdp.pictures.scenes import scene
from bamdp.pictures.shapes import Arrow, Cell, Circle, Label
from bamdp.pictures.views import Arms
from bamdp.viewer.stage import WatchedRun
from reference.mute import Mute
from reference.problems import belief_of, sized
from viewer.serving import played


def run_of(words: str, steps: int = 0) -> WatchedRun:
    return played(words, steps).runs[0]


def shapes(run: WatchedRun, kind: type[Any]) -> list[Any]:
    drawing = run.view.moment(run.state)
    assert drawing is not None
    return [shape for shape in drawing.shapes if isinstance(shape, kind)]


# Beliefs


def test_transitions_are_the_posterior_mean() -> None:
    run = run_of("grid5 bamcp:simulations=50", 200)
    belief, label = run.agent.belief, scene(bamdp.domains.Grid(5)).label
    drawn = run.view.expected(run.state)
    assert len(drawn) == 4
    for action, row in enumerate(run.view.rows.from_state(run.state)):
        mean = belief.predictive(run.state, action)
        assert row.count == sum(belief.counts(run.state, action).values())
        listed = {name: estimate.mean for name, estimate in row.next.items()}
        assert listed == (
            {label(s): p for s, p in enumerate(mean) if p >= 0.02} if row.count else {}
        )
        assert row.rest == pytest.approx(1 - sum(listed.values()), abs=1e-12)
        assert row.others == 25 - len(listed)
        assert all(f"{name}: mean {p:.3f}" in drawn[action].words for name, p in listed.items())


def test_intervals_hold_nine_tenths_of_the_posterior() -> None:
    """Of 200 draws of a Beta posterior: the share below a true quantile is off by 5.8 standard
    deviations with p < 10⁻⁵.
    """
    from scipy.stats import beta

    belief = belief_of(bamdp.priors.BetaArms(), 2, 2)
    rows = Rows(belief, bamdp.domains.Bandit([0.3, 0.8]), str)
    for outcome in (1, 1, 0, 1, 0, 1, 1):
        belief.observe(0, 1, None, outcome)
    low, high = rows.intervals(0)[:, 1, 1]  # type: ignore[index]
    ranks = beta(1 + 5, 1 + 2).cdf([low, high])
    assert abs(ranks[0] - 0.05) < 5.8 * math.sqrt(0.05 * 0.95 / 200)
    assert abs(ranks[1] - 0.95) < 5.8 * math.sqrt(0.05 * 0.95 / 200)
    assert rows.mean(0, 1)[1] == pytest.approx(6 / 9)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (
            "random-mdp4:rows=flat,rewards=normal,horizon=40,episode_length=10 posterior-mean",
            "graph",
        ),
        ("normal-bandit posterior-mean", "plain"),
    ],
)
def test_unknown_rewards_are_shown_as_they_are_believed(words: str, kind: str) -> None:
    """The MDPs of RL² and normal arms: beside each action what it is expected to pay; a single
    state is no graph.
    """
    run = run_of(words, 30)
    belief, state = run.agent.belief, run.state
    paid = [belief.mean_reward(state, action) for action in range(run.domain.num_actions)]
    assert run.view.kind == kind
    assert [row.reward for row in run.view.rows.from_state(state)] == paid
    drawn = run.view.expected(state)
    assert all(
        f"pays {p:.3f} on average".replace("-", "−") in drawing.words
        for p, drawing in zip(paid, drawn, strict=True)
    )
    assert belief.mean().rewards[state].tolist() == paid
    assert kind == "graph" or not any(
        "any of" in drawing.words or ": mean" in drawing.words for drawing in drawn
    )


def test_a_finite_set_of_worlds_is_shown_by_its_weights_and_names() -> None:
    run = run_of("grid-navi posterior-mean", 6)
    weights = run.agent.belief.weights
    first = run.view.worlds()
    assert first is not None
    most, goals = int(np.argmax(weights)), bamdp.domains.GridNavi().goals
    assert first.words.startswith(
        f"the most probable worlds; goal {divmod(goals[most], 5)}: {weights[most]:.3f}; "
    )
    assert first.words.count(";") == min(8, np.count_nonzero(weights))
    assert len(run.view.expected(run.state)) == 5
    assert run_of("grid5 posterior-mean").view.worlds() is None


def test_beliefs_that_tell_no_probabilities_show_none() -> None:
    run = run_of("grid5 q-learning", 3)
    assert run.view.expected(run.state) == []
    assert not run.init()["believes"]
    assert not Rows(Mute(sized(5, 2)), bamdp.domains.Chain(), str).known


# Worlds


def spot(shape: Cell | Circle) -> tuple[int, int]:
    return math.floor(shape.x), -math.floor(shape.y)


def test_the_endless_map_shows_what_was_seen() -> None:
    stage = played("infinite-grid:seed=5 bamcp:simulations=50", 0)
    run, world = stage.runs[0], bamdp.domains.InfiniteGrid(seed=5)
    taken: set[tuple[int, int]] = set()
    visited: set[tuple[int, int]] = set()
    last = None
    for step in range(60):
        here = world.cell(run.state)[:2]
        visited.add(here)
        if last is not None and world.holds(*last):
            taken.add(last)
        last = here
        boxes = {spot(s): s.role for s in shapes(run, Cell) if "seen" in s.role}
        discs = {
            spot(s): s.role for s in shapes(run, Circle) if s.role in ("taken", "reward", "truth")
        }
        assert here in boxes
        assert len(boxes) == 17**2
        for cell, role in boxes.items():
            assert (role == "seen") == (cell in visited), f"cell {cell} at step {step}"
            kind = "taken" if cell in taken else "reward" if cell in visited else "truth"
            assert discs.get(cell) == (kind if world.holds(*cell) else None), (
                f"cell {cell} at step {step}"
            )
        stage.step()
    assert taken


@pytest.mark.slow
def test_columns_and_rows_are_the_agents_posterior() -> None:
    """Against a long chain of the agent's own belief; the bound of 0.1 is five standard errors of
    the means.
    """
    run = run_of("infinite-grid bamcp:simulations=50 --seed 4", 25)
    draws = run.agent.belief.sample_parameters(20_000, np.random.default_rng(1), thin=50)
    for role, at, values in (
        ("columns", draws.column_coordinates, draws.columns),
        ("rows", draws.row_coordinates, draws.rows),
    ):
        expected = dict(zip(at.tolist(), values.mean(axis=0).tolist(), strict=True))
        circles = [shape for shape in shapes(run, Circle) if shape.role == role]
        assert len(circles) == 17
        for circle in circles:
            line, mean = int(circle.title.split()[1][:-1]), (circle.radius / LARGEST) ** 2
            assert circle.title.endswith(f"mean {mean:.3f}")
            assert line in expected or circle.opacity == 0.25, "nothing was seen of it"
            assert mean == pytest.approx(
                expected.get(line, 1 / 3 if role == "columns" else 2 / 3), abs=0.1
            )


@pytest.mark.slow
def test_a_map_shows_visits_and_the_most_probable_moves() -> None:
    run = run_of("grid5 bamcp:simulations=20", 300)
    view, belief = run.view, run.agent.belief
    assert isinstance(view, Map)
    assert sorted(view.places) == [(x, y) for x in range(5) for y in range(5)]
    assert sum(view.visits.values()) == 300
    arrows = [arrow for arrow in shapes(run, Arrow) if arrow.role in ("a0", "a1", "a2", "a3")]
    assert len(arrows) > 20
    for arrow in arrows:
        (x, y), (end_x, end_y) = arrow.points
        step = round((end_x - x) / 0.3), round((end_y - y) / 0.3)
        assert abs(step[0]) + abs(step[1]) == 1, "none is diagonal"
        place = math.floor(x), math.floor(y)
        likely = int(np.argmax(belief.predictive(view.places[place], int(arrow.role[1:]))))
        assert view.scene.place(likely) == (place[0] + step[0], place[1] + step[1])
    truth = [shape for shape in view.ground().shapes if shape.role.startswith("truth")]
    assert len(truth) == 100
    assert sum(isinstance(shape, Circle) for shape in truth) == 4 * 5 - 2 + 4, (
        "moves against the edge, and those from the goal"
    )


@pytest.mark.slow
def test_a_graph_shows_the_mean_of_what_was_tried() -> None:
    assert shapes(run_of("double-loop bamcp:simulations=50"), Arrow) == []
    run = run_of("double-loop bamcp:simulations=50", 60)
    belief, arrows = run.agent.belief, shapes(run, Arrow)
    expected = {
        f"action {a} in {s} leads to {n} with probability {p:.3g}, tried "
        f"{sum(belief.counts(s, a).values())} times"
        for s in range(9)
        for a in range(2)
        for n, p in enumerate(belief.predictive(s, a))
        if belief.counts(s, a) and p >= 0.12
    }
    assert {arrow.title for arrow in arrows} == expected
    assert all(arrow.role in ("a0", "a1") for arrow in arrows)
    truth = run.view.ground()
    assert truth is not None
    assert [shape.role for shape in truth.shapes] == ["truth-0", "truth-1"] * 9
    assert truth.svg().count("stroke-dasharray") == 18, "told apart from what is believed"


@pytest.mark.parametrize("words", ["riverswim random", "double-loop random", "chain random"])
def test_no_two_arrows_of_a_graph_coincide(words: str) -> None:
    """There and back, by any two actions, believed and true."""
    run = run_of(words, 60)
    truth = run.view.ground()
    assert truth is not None
    arrows = [shape for shape in [*shapes(run, Arrow), *truth.shapes] if isinstance(shape, Arrow)]
    bends = [
        np.mean(arrow.points[1:-1], axis=0) for arrow in arrows
    ]  # by the control points between the ends
    assert min(math.dist(a, b) for a, b in combinations(bends, 2)) > 0.1


def test_arms_show_their_posterior() -> None:
    run = run_of("bandit bamcp:simulations=100", 80)
    assert isinstance(run.view, Arms)
    estimates, belief = (
        [e for e in run.view.estimates(run.state) if e is not None],
        run.agent.belief,
    )
    assert [e.mean for e in estimates] == [belief.predictive(0, a)[1] for a in range(8)]
    assert sum(map(len, run.view.outcomes)) == 80
    assert [e.truth for e in estimates] == pytest.approx([0.6] * 7 + [0.9])
    assert all(e.interval is not None and e.interval[0] < e.mean < e.interval[1] for e in estimates)
    texts = [label.text for label in shapes(run, Label)]
    assert all(f"{e.mean:.3f}" in texts for e in estimates)


@pytest.mark.parametrize("words", ["grid60 random", "random-mdp50 random"])
def test_worlds_too_large_to_draw_are_plain(words: str) -> None:
    assert run_of(words).view.kind == "plain"
