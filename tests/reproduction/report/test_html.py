"""The page: well-formed, alone in the world, and with the numbers of the rows in it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bamdp.comparing.store import Store
from report.crafted import HOSTILE, small_store
from report.page_check import checked
from reproduction.elsewhere import TABLES
from reproduction.experiments import ALL
from reproduction.paper.table1 import TABLE
from reproduction.query import Query
from reproduction.report import html as page
from reproduction.report.model import ReportData, build
from reproduction.reproduce import reproduce


@pytest.fixture(scope="module")
def text(found: ReportData) -> str:
    return page.html(found)


def test_the_page_is_well_formed_and_alone(text: str) -> None:
    checker = checked(text)
    sections = set(ALL) - {table.name for table in TABLES}  # those have a page of their own
    assert {"differences", "claims", "reading", *sections} <= set(checker.ids)
    assert text.startswith("<!doctype html>")
    assert len(text) < 3_000_000


@pytest.mark.slow
def test_the_same_rows_give_the_same_page(text: str) -> None:
    assert page.html(build(small_store())) == text


def test_hostile_texts_are_only_texts(text: str) -> None:
    assert HOSTILE in "".join(checked(text).texts)


def test_all_claims_and_numbers_are_there(found: ReportData, text: str) -> None:
    cells = [cell for cell in found.table["double-loop"] if cell["run"]]
    said = [*(cell["total"] for cell in cells), *(cell["command"] for cell in cells), "abc1234"]
    said += [claim.text.replace("'", "&#39;") for claim, _ in found.claims]
    assert [part for part in said if part not in text] == []


def test_what_was_not_run_is_folded(text: str) -> None:
    for said in (
        "python -m reproduction figure2 --scale paper",
        "not finished: 1 of 30 runs",
        "grid5, BEB: not enough runs",
    ):
        shown = text[: text.rindex(said)]
        assert shown.rindex("<details>") > shown.rfind("</details>"), said


def test_how_to_cite(found: ReportData, text: str) -> None:
    root = Path(__file__).parents[3]
    assert f'title: "{page.TITLE}"' in (root / "CITATION.cff").read_text()
    cited = page.citation(found)
    assert "Results of 2026-11-01 from " in cited
    assert "commits abc1234." in cited
    assert cited in text
    assert cited in page.markdown(found)


def test_tables_in_markdown(found: ReportData) -> None:
    text = page.markdown(found)
    assert " held, " in text
    assert "tests (Holm); each by itself: " in text
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1
    assert "| BAMCP | 388.0 ± 2.0<br>paper: 387.6 ± 1.5 | not run<br>paper: 72.9 ± 3 |" in text
    assert text.count("<details>") == text.count("</details>") == 5
    assert "`bamdp play double-loop bamcp:simulations=3000 --runs 5 --seed 1`" in text
    assert "![" not in text
    assert "\n## Figure S2: eight arms\n" in page.markdown(found, "charts")
    assert "![Sum of rewards](charts/figure-s2-total.svg)" in page.markdown(found, "charts")


def test_slow_modules_are_imported_where_they_are_used() -> None:
    code = (
        "import sys, reproduction.report.html; "
        "print([m for m in ('matplotlib', 'jinja2', 'scipy') if m in sys.modules])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )


@pytest.mark.heavy
def test_everything_at_scale_smoke_from_runs_to_the_page(tmp_path: Path) -> None:
    store = Store(tmp_path)
    stages = reproduce(list(ALL.values()), "smoke", store, workers=1)
    assert [stage.failed for stage in stages] == [[]] * len(stages)
    assert stages[-1].total == 0
    found = build(store.rows(), "smoke")
    checked(page.html(found))
    assert all(section.rows for section in found.sections)
    without = {section.experiment.name for section in found.sections if not section.pictures}
    assert without == {
        "exploration",
        "bfs3-bounds",
        "lemma-1",
    }  # the first has no run of c = 3, the others no chart
    assert {
        domain for domain, cells in found.table.items() if all(cell["run"] for cell in cells)
    } == set(TABLE.entries)
    lines = [
        line
        for claim, finding in found.claims
        if claim.id.startswith("T1 ")
        for line in finding.evidence
    ]
    assert lines
    assert not [
        line for line in lines if "not enough runs" in line
    ]  # two runs have no interval, but a mean
    query = Query(store.rows(), ("smoke",))
    for study in ALL.values():
        for panel, entries in study.entries.items():
            for label in (entry.label for entry in entries):
                assert (
                    query.best(study, panel, label)
                    if study.final
                    else query.measurements(study, panel, label)
                ), label
