"""Which runs are behind a measurement: the right scale, the right setting, and how many are
planned.
"""

from bamdp.comparing.rows import Row
from reference.stored import entry_points, played
from reproduction.experiment import FINAL, SWEEP, Experiment
from reproduction.paper.bandits import FIGURE_S2
from reproduction.paper.figure1 import EXPLORATION, FIGURE_1
from reproduction.paper.table1 import TABLE
from reproduction.query import Measurement, Query, provenance


def beb_sweep(scale: str, world: str = "grid5") -> list[Row]:
    """The best β is 2."""
    _, points = entry_points(TABLE, world, "BEB", scale)
    runs = TABLE.runs[scale]
    return [row for p in points for row in played(p, SWEEP, [70 - abs(p["beta"] - 2)] * runs)]


def best(
    stored: list[Row], label: str, panel: str = "grid5", experiment: Experiment = TABLE
) -> Measurement:
    found = Query(stored).best(experiment, panel, label)
    assert found is not None
    return found


def final(beta: float, rewards: list[float]) -> list[Row]:
    return played({"domain": "grid5", "agent": "beb", "beta": beta}, FINAL, rewards)


def test_paper_comes_before_quick() -> None:
    quick = played(
        {"domain": "grid10", "agent": "bamcp", "simulations": 1000}, FINAL, [70, 71, 72, 73, 74]
    )
    paper = played({"domain": "grid10", "agent": "bamcp", "simulations": 10_000}, FINAL, [75, 76])
    small, large = best(quick, "BAMCP", "grid10"), best(quick + paper, "BAMCP", "grid10")
    assert (small.scale, small.runs, small.planned, small.varied) == (
        "quick",
        5,
        5,
        {"simulations": 1000},
    )
    assert (large.scale, large.runs, large.planned, large.varied) == (
        "paper",
        2,
        10,
        {"simulations": 10_000},
    )
    assert large.command == "bamdp play grid10 bamcp:simulations=10000 --runs 2 --seed 1"
    assert large.rows == paper
    assert provenance(large.rows, "commit", "cpu") == ["a processor", "abc1234"]


def test_one_run_is_not_enough_to_come_first() -> None:
    quick = played({"domain": "grid5", "agent": "bamcp", "simulations": 3000}, FINAL, [70, 71])
    paper = played({"domain": "grid5", "agent": "bamcp", "simulations": 10_000}, FINAL, [75])
    assert best(quick + paper, "BAMCP").scale == "quick"


def test_the_best_setting_may_be_chosen_by_short_runs() -> None:
    trials = [
        p
        for entry in TABLE.entries["maze"]
        if entry.label == "SBOSS"
        for p in entry.points("paper", SWEEP)
    ]
    assert {p["steps"] for p in trials} == {2000}
    sweep = [row for i, p in enumerate(trials) for row in played(p, SWEEP, [20.0 - i] * 2)]
    whole = {name: value for name, value in trials[0].items() if name != "steps"}
    found = best([*sweep, *played(whole, FINAL, [700.0] * 10)], "SBOSS", "maze")
    assert (found.scale, found.runs, found.planned, found.varied) == (
        "paper",
        10,
        10,
        {"models": 2, "delta": 3},
    )


def test_the_best_of_a_part_is_not_the_best() -> None:
    sweep = beb_sweep("quick")
    stored = [*sweep, *final(2, [68, 69, 70, 71, 72])]
    found = best(stored, "BEB")
    assert (found.scale, found.varied, found.mean().value) == ("quick", {"beta": 2}, 70)
    without_one = [row for row in stored if row["key"] != sweep[0]["key"]]
    query = Query(without_one)
    assert query.best(TABLE, "grid5", "BEB") is None
    assert query.progress(TABLE, "grid5", "BEB") == (len(sweep) - 1, len(sweep))


def test_the_same_runs_count_for_the_scale_that_they_complete() -> None:
    settings = {"domain": "grid5", "agent": "random"}
    found, more = (
        best(played(settings, FINAL, rewards), "random") for rewards in ([9, 9, 10, 9, 9], [9] * 10)
    )
    assert (found.scale, found.planned) == ("quick", 5)
    assert (more.scale, more.planned) == ("paper", 10)


def test_points_of_all_scales_are_shown_once() -> None:
    settings = {"domain": "grid5", "agent": "bamcp"}
    runs = [
        row
        for k, n in ((10, 2), (100, 5), (10_000, 5))
        for row in played({**settings, "simulations": k}, SWEEP, [50] * n)
    ]
    found = Query(runs).measurements(FIGURE_1, "a: Grid5", "BAMCP")
    assert [(n.varied["simulations"], n.scale, n.runs) for n in found] == [
        (10, "quick", 2),
        (100, "paper", 5),
        (10_000, "paper", 5),
    ]


def constants(*scales: tuple[str, int]) -> list[tuple[float, int, str]]:
    """What is shown of BAMCP's exploration constants on Grid5, of which each scale has some runs:
    c, simulations, scale.
    """
    stored = []
    for scale, runs in scales:
        points = entry_points(EXPLORATION, "grid5", "BAMCP", scale)[1]
        stored += [row for p in points for row in played(p, SWEEP, [50] * runs)]
    found = Query(stored).measurements(EXPLORATION, "grid5", "BAMCP")
    return [(m.varied["exploration"], m.settings["simulations"], m.scale) for m in found]


def test_a_panel_is_shown_at_its_largest_complete_scale() -> None:
    """Whatever other panels have; each scale has its own budget."""
    small, large = (
        [(c, n, scale) for c in (0.5, 1, 3, 5)] for n, scale in ((1000, "quick"), (3000, "paper"))
    )
    assert constants(("quick", 4), ("paper", 10)) == large
    assert constants(("quick", 4), ("paper", 9)) == small
    assert constants(("quick", 3), ("paper", 9)) == large, "none is complete: the larger one"
    assert constants(("quick", 3)) == small


def test_runs_of_an_entry_come_before_those_of_the_experiment() -> None:
    settings = dict(FIGURE_S2.entries["bandit"][0].settings)
    assert best(played(settings, SWEEP, [250] * 3), "BAMCP", "bandit", FIGURE_S2).planned == 120
