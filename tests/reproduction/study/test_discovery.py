"""A dropped file is a task or an experiment; an entry of a table is a chart, a claim, or how
results are shown.
"""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from reference.stored import rows
from reproduction import tasks
from reproduction.experiment import SWEEP
from reproduction.experiments import experiments
from reproduction.report import html
from reproduction.report.chart import CHARTS
from reproduction.report.claim import CLAIMS, Claim
from reproduction.report.model import build
from reproduction.report.picture import drawing
from reproduction.report.tables import KINDS
from reproduction.report.verdict import Finding

DROPPED = {
    "reproduction.tasks": """
from reproduction.tasks import kind

@kind
def dropped(settings, seed, run):
    return {"square": settings["number"] ** 2}
""",
    "reproduction.paper": """
from reproduction.experiment import Entry, Experiment

DROPPED = Experiment(
    name="dropped",
    title="Squares of numbers",
    source="a test",
    entries={"panel": (Entry("label", {}, ({"number": (2, 3)},), kind="dropped"),)},
    runs={"smoke": 1, "quick": 1, "paper": 1},
    heading="A dropped heading",
    text="A dropped text.",
    order=15,
)
""",
}


@pytest.fixture
def _dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for package, text in DROPPED.items():
        folder = tmp_path / package
        folder.mkdir()
        (folder / "dropped.py").write_text(text)
        module = import_module(package)
        monkeypatch.setattr(module, "__path__", [*module.__path__, str(folder)])
    picture = drawing("dropped", "A dropped picture", "nothing", "<svg></svg>")
    claim = Claim(
        "T9 dropped",
        "a test",
        "A dropped claim",
        lambda query: Finding("held", ("a dropped line",)),
    )
    monkeypatch.setitem(CHARTS, "dropped", lambda experiment, query: iter([picture]))
    monkeypatch.setitem(KINDS, "dropped", lambda measurement: {"a dropped column": "1"})
    monkeypatch.setattr("reproduction.report.model.CLAIMS", [*CLAIMS, claim])
    yield
    for package in DROPPED:
        sys.modules.pop(f"{package}.dropped", None)
        vars(import_module(package)).pop("dropped", None)
    tasks.KINDS.pop("dropped", None)


@pytest.mark.usefixtures("_dropped")
def test_a_dropped_file_is_enough() -> None:
    experiment = experiments()["dropped"]
    assert list(experiments()).index("dropped") == 1, "after table1, by its order"
    wanted = experiment.tasks("paper", [])
    assert [task.perform() for task in wanted] == [{"square": 4}, {"square": 9}]
    made = [
        row for task in wanted for row in rows(task.kind, task.settings, SWEEP, [task.perform()])
    ]
    found = build(made)
    text = html.html(found)
    for said in (
        "A dropped heading",
        "A dropped text.",
        "A dropped picture",
        "A dropped claim",
        "a dropped column",
        "Squares",
    ):
        assert said in text, said
