"""The scoreboard from rows made by hand: scores, intervals, who is best, and the page."""

from collections.abc import Sequence
from typing import Any

import pytest

from bamdp.comparing.rows import Row
from bamdp.comparing.store import Store
from reference.documents import ROOT
from reference.stored import entry_points, rows
from report.page_check import checked
from reproduction.benchmark import BENCHMARK, BOUND, EXPECTED_OF, OPTIMUM, ORACLE, SMALL
from reproduction.experiment import FINAL, SWEEP
from reproduction.query import Query
from reproduction.report import html as page
from reproduction.report.model import ReportData, build
from reproduction.report.scoreboard import best, scaled, scoreboard

PROBLEM = "bbrl-gc"
NOISE = [
    (-1.0) ** i * (1 + i % 5) / 10 for i in range(50)
]  # of a block of worlds: mean 0, and the same for every agent


def block(values: Sequence[float], **more: Any) -> dict[str, Any]:
    rest = {
        "total_reward": [0] * len(values),
        "steps": 180 * len(values),
        "agent_seconds": 0.9,
        "cpu_seconds": 1.0,
    }
    return {"discounted_return": list(values), **rest, **more}


def scored(
    label: str, values: Sequence[float], problem: str = PROBLEM, seed: int = FINAL, point: int = 0
) -> list[Row]:
    """All blocks of worlds at scale quick of an agent at one of its settings, which are alike."""
    entry, points = entry_points(BENCHMARK, problem, label, "quick")
    blocks = (entry.final if seed == FINAL else entry.runs)["quick"]
    return rows(
        entry.kind, points[point], seed, [{**block(values), entry.measure: list(values)}] * blocks
    )


def shifted(mean: float, wobble: float = 0.0) -> list[float]:
    """Returns of an agent: luck of the world, and a little of its own."""
    return [mean + 10 * noise + wobble * (i % 5 - 2) for i, noise in enumerate(NOISE)]


def small_board() -> list[Row]:
    found = scored("random", shifted(30)) + scored("oracle", shifted(70))
    found += (
        scored("posterior-mean", shifted(50, 1))
        + scored("index-policy", shifted(50.08, -1))
        + scored("boss", shifted(40, 1))
    )
    found += scored("beb", shifted(45, 1))
    for point in range(len(entry_points(BENCHMARK, PROBLEM, "beb, tuned", "quick")[1])):
        found += scored("beb, tuned", shifted(40 + point), seed=SWEEP, point=point)
    return found + scored("beb, tuned", shifted(60, 1), point=9)


@pytest.fixture(scope="module")
def report() -> ReportData:
    return build(small_board())


def bounded(problem: str, result: dict[str, float]) -> str:
    """What the page says of the scale."""
    entry, points = entry_points(BENCHMARK, problem, BOUND, "quick")
    found = scored("random", shifted(30), problem) + rows(entry.kind, points[0], FINAL, [result])
    return page.scoreboard(build(found))


def test_the_page_says_how_much_there_is_to_win() -> None:
    text = bounded(PROBLEM, {"most": 64.39, "knowing": 73.2, "delay": 7})
    assert "can earn more than 64.4 on average" in text
    assert "told the world after 7 steps. Knowing it at once is worth 73.2." in text
    assert "The exact optimum is 37.21:" in bounded("grid-navi", {"most": 37.2142857})
    assert BOUND not in text, "it is no agent"


def test_a_score_by_hand() -> None:
    """a − r = 1, 2, 3, 2, 2 of 4: the mean of a − r is 2 ± 2.776 · √(0.5 / 5), a quarter of which
    is the score's.
    """
    low = dict(enumerate([5.0, 1.0, 7.0, 2.0, 0.0]))
    agent = {world: low[world] + gain for world, gain in enumerate([1.0, 2.0, 3.0, 2.0, 2.0])}
    high = {world: value + 4 for world, value in low.items()}
    score = scaled(agent, low, high)
    assert score is not None
    assert score.value == 0.5
    assert score.half == pytest.approx(2.7764 * (0.5 / 5) ** 0.5 / 4, abs=1e-4)
    assert scaled(agent, low, high | {9: 1000.0}) == score  # a world that not all have been in


def test_an_exact_optimum_is_the_same_in_all_worlds() -> None:
    low = dict(enumerate([1.0, 1.5, 0.5, 1.0, 1.0]))
    score = scaled(dict.fromkeys(low, 1.5), low, 2.0)
    assert score is not None
    assert score.value == 0.5
    errors = [(1.5 - r) - 0.5 * (2 - r) for r in low.values()]  # over mean(2 − r) = 1
    assert score.half == pytest.approx(
        2.7764 * (sum(e**2 for e in errors) / 4 / 5) ** 0.5, abs=1e-4
    )


def test_there_is_no_scale_without_a_range() -> None:
    values = dict(enumerate([1.0, 2.0, 3.0, 4.0, 5.0]))
    assert scaled(values, values, values) is None
    assert (
        scaled(values, values, {world: value + (-1) ** world for world, value in values.items()})
        is None
    )
    assert scaled(values, {}, values) is None


def test_several_may_be_best_and_the_worse_is_not() -> None:
    agents = {"a": shifted(50, 1), "b": shifted(50.1, -1), "c": shifted(49, 1)}
    assert best({name: dict(enumerate(values)) for name, values in agents.items()}) == {"a", "b"}
    assert best({}) == set()


def test_many_comparisons_take_more_evidence() -> None:
    """A difference of p = 0.03 decides between two agents, but not as one of ten differences."""
    difference = [0.32 + (-1) ** i for i in range(50)]
    agents = {"a": dict.fromkeys(range(50), 0.0), "b": dict(enumerate(difference))}
    assert best(agents) == {"b"}
    others = {
        name: {world + 100: 0.0 for world in range(50)} for name in "cde"
    }  # in other worlds: nothing to compare
    assert best(agents | others) == {*"abcde"}


def test_few_equal_differences_prove_little() -> None:
    for n, expected in ((5, {"a", "b"}), (6, {"a"})):  # p = 1/16 and 1/32
        assert (
            best({"a": dict.fromkeys(range(n), 2.0), "b": dict.fromkeys(range(n), 1.0)}) == expected
        )


def test_the_standing_of_a_problem() -> None:
    (standing,) = scoreboard(Query(small_board()))
    assert {agent: score.text.split(" ")[0] for agent, score in standing.given.items()} == {
        "random": "0.00",
        "oracle": "1.00",
        "posterior-mean": "0.500",
        "index-policy": "0.502",
        "boss": "0.250",
        "beb": "0.375",
    }
    assert {agent for agent, score in standing.given.items() if score.best} == {
        "posterior-mean",
        "index-policy",
    }
    assert list(standing.tuned) == ["random", "oracle", "posterior-mean", "index-policy", "beb"], (
        "boss has not been tuned"
    )
    assert {agent for agent, score in standing.tuned.items() if score.best} == {"beb"}
    assert standing.tuned["beb"].text == "0.750 ± 0.007"
    assert standing.given["beb"].seconds == pytest.approx(1e-4)
    assert not standing.exact


def test_the_exact_optimum_is_the_scale_where_it_is_stored() -> None:
    entry, (point,) = entry_points(BENCHMARK, "two-arms", OPTIMUM, "quick")
    stored = rows(entry.kind, point, FINAL, [{"value": 2.0, "belief_states": 1}])
    stored += scored("random", shifted(-50, 1), "two-arms") + scored(
        "gittins", [2.0] * 50, "two-arms"
    )
    (standing,) = scoreboard(Query(stored))
    assert standing.exact
    assert standing.given["gittins"].text == "1.00"


def test_scores_near_the_optimum_have_the_digits_of_their_interval() -> None:
    """Of 0.5 ± 0.1 apart from random play, an agent that gives away 2e-6 or 4e-6."""
    entry, (point,) = entry_points(BENCHMARK, "two-arms", OPTIMUM, "quick")
    stored = rows(entry.kind, point, FINAL, [{"value": 2.0, "belief_states": 1}])
    stored += scored("random", [1.5 + 0.1 * (-1) ** i for i in range(50)], "two-arms")
    losses = [2e-6 if i % 4 < 2 else 4e-6 for i in range(50)]
    stored += scored("gittins", [2 - loss for loss in losses], "two-arms")
    (standing,) = scoreboard(Query(stored))
    assert standing.given["gittins"].text == "0.9999941 ± 0.0000002"


def test_no_stored_score_is_above_the_exact_optimum() -> None:
    """Beyond its interval, of agents that have to learn the world; where returns are those of the
    worlds drawn, whose luck counts, beyond twice its half.
    """
    rows = Store(ROOT / "reproduction" / "results").rows()
    board = [standing for standing in scoreboard(Query(rows)) if standing.exact]
    bought = {"signposts", "rooms-and-map", "rare-losses", "informative-arms"}
    assert {standing.problem for standing in board} == {*SMALL, *bought}
    for standing in board:
        for agent, score in [*standing.given.items(), *standing.tuned.items()]:
            assert score.scaled is not None
            above = score.scaled.side(1 + 1e-9) == 1
            if standing.problem not in EXPECTED_OF:
                above = score.scaled.value > 1 + 2 * (score.scaled.half or 0)
            assert agent == ORACLE or not above, f"{standing.problem}: {agent} has {score.text}"


def test_returns_are_not_called_scores() -> None:
    """Where no agent knows the world, and where knowing it gains nothing."""
    returns = "Numbers in brackets are discounted returns, not scores: {}."
    unknown = page.scoreboard(build(scored("random", shifted(30), "endless-corridor")))
    assert returns.format("no agent knows the world") in unknown
    assert "0 is random play" not in unknown
    same = page.scoreboard(build(scored("random", shifted(30)) + scored("oracle", shifted(30, 1))))
    assert returns.format("knowing the world is not significantly better than random play") in same
    assert "0 is random play" not in same


def test_the_page_shows_it(report: ReportData) -> None:
    text = page.html(report)
    checked(text)
    assert '<td class="number best">0.750 ± 0.007</td>' in text
    assert "0 for random actions, 1 for knowing the world" in text, "the picture"
    assert "beta = 20" in text


def test_markdown_for_the_documentation(report: ReportData) -> None:
    text = page.scoreboard(report, "results")
    assert "Made by `python -m reproduction benchmark --scale quick`." in text
    caption = "Agents as given, 1 to 6 of 6: score of each agent on each problem; "
    caption += "darker is better, a frame marks the best"
    assert f"![{caption}](results/scoreboard-given.svg)\\\n*{caption}*" in text
    assert "paper: " not in text, "Table 1 is on the page of the paper's results alone"
    assert "| beb | 0.375 ± 0.007 | **0.750 ± 0.007** | beta = 20 |" in text
    assert "Scoreboard" not in page.markdown(report, "results")
    assert (
        page.scoreboard(build([]))
        == "Not run yet: `python -m reproduction benchmark --scale paper`.\n"
    )
