"""The papers as data: every setting can be run, and what a study takes follows from
what is stored.
"""

import json
from pathlib import Path
from typing import Any

import pytest

import reproduction
from bamdp.comparing.rows import Row, measured
from bamdp.comparing.store import Store
from reference.rejections import rejections
from reference.stored import row_of
from reproduction.experiment import FINAL, SWEEP, Entry, Experiment, Scale
from reproduction.experiments import ALL, named
from reproduction.query import Query
from reproduction.task import Task
from reproduction.tasks.play import command, make

STORED = Store(Path(reproduction.__file__).parent / "results").rows()
MEASURED = ("agent_seconds", "cpu_seconds")  # in results, which differ from run to run
CHANGED = (
    "upper_bound",
)  # kinds whose rows are older than a change of what they compute: `limit` bounds more
AGENTS = ("bamcp", "bfs3", "sboss", "beb", "q-learning", "gittins", "bayes-adaptive")

ENTRIES = [
    pytest.param(entry, id=f"{name}-{panel}-{entry.label}".replace(" ", "_"))
    for name, experiment in ALL.items()
    for panel, entries in experiment.entries.items()
    for entry in entries
    if entry.kind == "play"
]


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES)
def test_settings_are_flags_that_exist(entry: Entry) -> None:
    settings = [*entry.points("paper"), *entry.points("quick"), *entry.points("smoke")]
    for one in {
        command(s, 0, 1): s for s in (settings[0], settings[-1], *entry.points("paper")[-1:])
    }.values():
        make(one).make_agent(0)


def row(task: Task, reward: float) -> Row:
    return row_of(
        task, {"total_reward": reward, "steps": 10, "cpu_seconds": 10 * task.settings["slow"]}
    )


def experiment(**more: Any) -> Experiment:
    entry = Entry(
        "BEB",
        {"domain": "chain", "agent": "beb"},
        ({"beta": (1, 2, 3), "slow": (0.1, 5)},),
        limit=1.0,
        **more,
    )
    return Experiment(
        "name",
        "title",
        "source",
        {"chain": (entry,)},
        {"quick": 2, "paper": 3},
        {"quick": 4, "paper": 5},
    )


def test_the_infinite_grid_names_its_chain() -> None:
    """A default that changes must not change what stored rows mean."""
    entries = [
        entry
        for experiment in ALL.values()
        for some in experiment.entries.values()
        for entry in some
    ]
    planned = [
        e
        for e in entries
        if e.settings.get("domain") == "infinite-grid" and e.settings["agent"] == "bamcp"
    ]
    assert len(planned) == 6
    assert {entry.settings.get("proposal") for entry in planned} == {"authors"}
    rows = [
        r
        for r in STORED
        if r.get("settings.domain") == "infinite-grid" and r.get("settings.agent") == "bamcp"
    ]
    assert rows
    assert all("settings.proposal" in row for row in rows)


@pytest.mark.slow
def test_stored_rows_are_found() -> None:
    """By the hash of their settings, which must not change; most are those of experiments, some of
    every kind.
    """
    assert all(Task.of(row).key == row["key"] for row in STORED)
    scales: tuple[Scale, ...] = ("quick", "paper")
    asked = {
        task.key
        for study in ALL.values()
        for scale in scales
        for task in study.tasks(scale, STORED)
    }
    found = [row for row in STORED if row["key"] in asked]
    assert len(found) > 0.9 * len(STORED)
    assert {row["kind"] for row in found} == {row["kind"] for row in STORED}


@pytest.mark.parametrize("kind", sorted({row["kind"] for row in STORED} - {*CHANGED}))
def test_stored_rows_can_be_reproduced(kind: str) -> None:
    """The quickest one of each kind, of `play` and `scores` the quickest of some agents."""
    for agent in AGENTS if kind in ("play", "scores") else (None,):
        rows = [
            row
            for row in STORED
            if row["kind"] == kind and agent in (None, row.get("settings.agent"))
        ]
        if rows:
            quickest = min(
                rows,
                key=lambda row: (row.get("seconds") or 1e9, row.get("settings.simulations") or 0),
            )
            made = json.loads(json.dumps(Task.of(quickest).perform()))
            stored = {
                name: value for name, value in measured(quickest).items() if name not in MEASURED
            }
            made = {name: made.get(name) for name in stored}
            if kind == "bounds":  # sums of exact values, whose order may change the last digit
                assert made == pytest.approx(stored, rel=1e-13)
            else:
                assert made == stored


def test_the_best_setting_within_the_limit_is_run_again_with_other_seeds() -> None:
    study = experiment()
    first = study.tasks("quick", [])
    assert len(first) == 12
    assert {task.seed for task in first} == {SWEEP}
    rows = [
        row(task, task.settings["beta"] * (2 if task.settings["slow"] > 1 else 1)) for task in first
    ]
    assert study.tasks("quick", rows[:-1]) == first  # the best is not known before all is in
    again = study.tasks("quick", rows)[12:]
    assert [(task.seed, task.run) for task in again] == [(FINAL, run) for run in range(4)]
    assert {(task.settings["beta"], task.settings["slow"]) for task in again} == {(3, 0.1)}
    assert Query(rows).best(study, "chain", "BEB") is None
    chosen = Query([*rows, *(row(task, 7) for task in again)]).best(study, "chain", "BEB")
    assert chosen is not None
    assert (chosen.values(), chosen.result["seed"], chosen.seconds_per_step) == (
        [7] * 4,
        FINAL,
        0.1,
    )


def test_what_was_run_at_a_smaller_scale_counts_at_a_larger_one() -> None:
    study = experiment()
    small, large = study.tasks("quick", []), study.tasks("paper", [])
    assert {task.key for task in small} < {task.key for task in large}


def test_scales_may_differ() -> None:
    entry = experiment(at={"quick": {"beta": (2,), "alpha": 9}}).entries["chain"][0]
    assert entry.points("quick") == [
        {"domain": "chain", "agent": "beb", "alpha": 9, "beta": 2, "slow": slow}
        for slow in (0.1, 5)
    ]
    assert len(entry.points("paper")) == 6


def test_points_are_those_with_rows() -> None:
    study = experiment()
    rows = [row(task, 1) for task in study.tasks("quick", []) if task.settings["beta"] == 2]
    assert [m.settings["beta"] for m in Query(rows).measurements(study, "chain", "BEB")] == [2, 2]


def test_all_are_named_at_once() -> None:
    assert named(["all"]) == list(ALL.values())


ENTRY = r"unknown entry of table1/grid5: 'BAMCPP'; did you mean 'BAMCP'\? Known: BAMCP; BFS3; "

test_rejected = rejections(
    (
        ValueError,
        r"unknown experiment: 'table2'; did you mean 'table1'\? Known: table1; .* or all",
        lambda: named(["table2"]),
    ),
    (ValueError, "unknown experiment: 'all'", lambda: named(["all/grid5"])),
    (
        ValueError,
        "unknown part of figure1: 'e'. Known: a: Grid5; b: Maze; ",
        lambda: named(["figure1/e"]),
    ),
    (ValueError, ENTRY, lambda: named(["table1/grid5/BAMCPP"])),
)


def test_a_part_of_an_experiment_takes_a_part_of_its_tasks() -> None:
    whole, panel, entry = (
        named([name])[0].tasks("quick", [])
        for name in ("figure1", "figure1/b", "figure1/B: maze/beb")
    )
    assert [task for task in whole if task.settings["domain"] == "maze" and task in panel] == panel
    assert [task for task in panel if task.settings["agent"] == "beb"] == entry
    assert len(whole) > len(panel) > len(entry) > 0
