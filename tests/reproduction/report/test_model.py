"""What the report says of a small store made by hand, as data."""

import shlex

import pytest

from bamdp.cli import main as cli
from report.crafted import small_store
from reproduction.elsewhere import TABLES
from reproduction.experiments import ALL
from reproduction.report.model import ReportData, build


def test_the_numbers_are_those_of_the_rows(found: ReportData) -> None:
    cells = {cell["label"]: cell for cell in found.table["double-loop"]}
    bamcp, beb = cells["BAMCP"], cells["BEB"]
    # The mean is 388 ± 2.776 · √(2.5 / 5), and 0.4 / √(0.5 + (1.5 / 1.96)²) = 0.38 standard errors
    # above the published one.
    expected = {
        "total": "388.0 (386.0 … 390.0)",
        "published": "387.6 ± 1.5",
        "bootstrap": "386.8 … 389.2",
        "errors": "+0.4",
    }
    assert (expected | {"runs": "5", "scale": "quick", "time": "1 ms"}).items() <= bamcp.items()
    assert ("smaller scale" in bamcp["why"], bamcp["differs"]) == (True, False)
    expected = {"errors": "+∞", "setting": "beta = 0.5", "time": "500 ms, above the limit"}
    assert expected.items() <= beb.items()
    assert found.differences == [beb]
    assert "keeps BEB's β as a whole number" in beb["why"]


def test_what_was_not_run_is_said(found: ReportData) -> None:
    cells = {cell["label"]: cell["state"] for cell in found.table["double-loop"]}
    assert (cells["BFS3"], cells["SBOSS"], cells["BAMCP"]) == (
        "not run",
        "not finished: 1 of 30 runs",
        "",
    )


def test_claims_are_counted(found: ReportData) -> None:
    assert sum(found.counts.values()) == sum(found.plain_counts.values()) == len(found.claims)
    tested = [
        finding
        for _, finding in found.claims
        if any(" tested claims, p " in line for line in finding.evidence)
    ]
    assert found.tested == len(tested) > 0
    assert all(finding.evidence for _, finding in found.claims)
    assert "−5.00 (" in next(
        finding.evidence[0] for claim, finding in found.claims if claim.id == "T18 Gittins"
    )


def test_the_date_is_that_of_the_newest_row(found: ReportData) -> None:
    assert found.date == "2026-11-01"
    rows = small_store()
    newer = {**rows[3], "date": "2026-12-24"}
    assert build([*rows[:3], newer, *rows[4:]]).date == "2026-12-24"
    assert build([{**row, "date": None} for row in rows]).date is None


def test_every_experiment_has_a_section(found: ReportData) -> None:
    elsewhere = {table.name for table in TABLES}  # on a page of their own
    shown = ["table1", *(section.experiment.name for section in found.sections)]
    assert shown == [name for name in ALL if name not in elsewhere]
    assert all(section.heading for section in found.sections)
    assert [section.experiment.name for section in found.sections if section.rows] == ["figure-s2"]


def test_commands_behind_numbers_can_be_typed(
    found: ReportData, capsys: pytest.CaptureFixture[str]
) -> None:
    for cell in (cell for cell in found.table["double-loop"] if cell["run"]):
        words = shlex.split(cell["command"])[1:]
        assert cli.main([*words, "--steps", "5"]) == 0
    assert capsys.readouterr().out
