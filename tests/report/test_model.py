"""The page: well-formed, alone in the world, and with the numbers of the rows in it."""

import re
import shlex
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from bamdp.cli import main as cli
from bamdp.report import html as page
from bamdp.report.chart import draw
from bamdp.report.model import DRAWN, Report, report
from bamdp.studies.experiment import FINAL, SWEEP
from bamdp.studies.paper import ALL
from bamdp.studies.paper.bandits import EIGHT_ARMS
from bamdp.studies.paper.table1 import TABLE
from bamdp.studies.reproduce import reproduce
from bamdp.studies.store import Row, Store
from reference.stored import entry_points, played

VOID = {"meta", "link", "br", "img", "source", "hr", "input"}
HOSTILE = '<script>alert("1 & 2")</script>'


class Checker(HTMLParser):
    """Every element is closed, in order; names are unique; nothing is loaded from elsewhere; links lead somewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: set[str] = set()
        self.loads: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        assert len(values) == len(attributes), f"<{tag}> has an attribute twice"
        if tag not in VOID:
            self.open.append(tag)
        if values.get("id"):
            self.ids.append(str(values["id"]))
        for name in ("src", "srcset", "href", "xlink:href", "data", "poster", "action"):
            target = values.get(name) or ""
            if target.startswith("#"):
                self.links.add(target[1:])
            elif name in values:
                self.loads.append(target)
        self.loads += re.findall(r"url\((?!#)[^)]*\)", values.get("style") or "")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def checked(text: str) -> Checker:
    checker = Checker()
    checker.feed(text)
    checker.close()
    assert checker.open == []
    assert len(set(checker.ids)) == len(checker.ids), {i for i in checker.ids if checker.ids.count(i) > 1}
    assert checker.links <= set(checker.ids)
    assert all(load.startswith("data:") for load in checker.loads), [load[:60] for load in checker.loads]
    assert "http" not in text
    assert "<script" not in text
    assert "@import" not in text
    return checker


def crafted() -> list[Row]:
    """BAMCP and BEB on Double-loop, one unfinished sweep, eight arms; a processor with a hostile name."""
    _, betas = entry_points(TABLE, "double-loop", "BEB", "quick")
    rows = played({"domain": "double-loop", "agent": "bamcp", "simulations": 3000}, FINAL, [386.0, 387, 388, 389, 390])
    rows += [row for p in betas for row in played(p, SWEEP, [391 - p["beta"]] * 2)]
    rows += played(betas[0], FINAL, [391.0] * 5, seconds=0.5)
    rows += played(entry_points(TABLE, "double-loop", "SBOSS", "quick")[1][0], SWEEP, [370.0])
    for entry, mean in zip(EIGHT_ARMS.entries["bandit"], (255, 260, 215), strict=True):
        rows += played(entry.settings, SWEEP, [mean - 1.0, mean - 0.5, mean, mean + 0.5, mean + 1.0])
    rows[0] = {**rows[0], "made": {"commit": "abc1234", "cpu": HOSTILE}}
    return rows


@pytest.fixture(scope="module")
def found() -> Report:
    return report(crafted())


@pytest.fixture(scope="module")
def text(found: Report) -> str:
    return page.html(found, page.media("smoke"))


def test_the_page_is_well_formed_and_alone(text: str) -> None:
    checker = checked(text)
    assert {"table1", "differences", "claims", "search", "world", "reading", *DRAWN} <= set(checker.ids)
    assert text.startswith("<!doctype html>")
    assert len(text) < 3_000_000


def test_hostile_texts_are_only_texts(text: str) -> None:
    assert HOSTILE in "".join(checked(text).texts)


def test_the_numbers_are_those_of_the_rows(found: Report, text: str) -> None:
    cells = {cell.label: cell for cell in found.table["double-loop"]}
    bamcp, beb = cells["BAMCP"], cells["BEB"]
    assert bamcp.line is not None
    assert bamcp.line.measures == {"total reward": "388.0 (386.0 … 390.0)"}  # 388 ± 2.776 · √(2.5 / 5)
    assert (bamcp.line.runs, bamcp.line.scale, bamcp.published) == ("5", "quick", "387.6 ± 1.5")
    assert bamcp.line.time == "1 ms"
    assert (bamcp.errors, bamcp.differs) == ("+0.4", False)  # 0.4 / √(0.5 + (1.5 / 1.96)²) = 0.38
    assert bamcp.bootstrap == "386.8 … 389.2"
    assert beb.line is not None
    assert (beb.errors, beb.differs, beb.line.setting) == ("+∞", True, "beta = 0.5")
    assert beb.line.time == "500 ms, above the limit"
    for line in (bamcp.line, beb.line):
        assert line.measures["total reward"] in text
        assert line.command in text
        assert all(key in text for key in line.keys)
        assert len(line.keys) == 5
    assert "abc1234" in text


def test_what_was_not_run_is_said(found: Report, text: str) -> None:
    cells = {cell.label: cell.state for cell in found.table["double-loop"]}
    assert cells["BFS3"] == "not run"
    assert cells["SBOSS"] == "not finished: 1 of 30 runs"
    assert cells["BAMCP"] == ""
    assert "not finished: 1 of 30 runs" in text
    assert "bamdp reproduce figure2 --scale paper" in text


def test_differences_have_their_reasons(found: Report, text: str) -> None:
    assert [(cell.world, cell.label) for cell in found.differences] == [("double-loop", "BEB")]
    assert "keeps BEB&#39;s β as a whole number" in text


def test_a_smaller_scale_is_a_reason_to_wait(found: Report) -> None:
    cell = next(cell for cell in found.table["double-loop"] if cell.label == "BAMCP")
    assert "smaller scale" in cell.why


def test_claims_are_counted(found: Report, text: str) -> None:
    assert sum(found.counts.values()) == len(found.claims)
    for claim, outcome in found.claims:
        assert claim.text.replace("'", "&#39;") in text
        assert outcome.evidence
    assert "−5.00 (" in next(o.evidence[0] for c, o in found.claims if c.id == "T18 Gittins")


def test_commands_behind_numbers_can_be_typed(found: Report, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [cell.line for cell in found.table["double-loop"] if cell.line]
    for line in lines:
        words = shlex.split(line.command)[1:]
        assert cli.main([*words, "--steps", "5"]) == 0
    assert capsys.readouterr().out


def test_tables_in_markdown(found: Report) -> None:
    text = page.markdown(found)
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1
    assert "| BAMCP | 388.0 (386.0 … 390.0); paper 387.6 ± 1.5 | not run; paper 72.9 ± 3 |" in text
    assert "`bamdp play double-loop bamcp --simulations 3000 --runs 5 --seed 1`" in text


def test_a_chart_is_a_file_or_a_part_of_a_page(tmp_path: Path) -> None:
    chart = draw("name", "title", "what it shows", lambda axes: axes.plot([1, 2], [3, 4], color="#0f6cbd"))
    page.write_charts([chart], tmp_path / "deep" / "folder")
    svg = (tmp_path / "deep" / "folder" / "name.svg").read_text()
    assert svg.startswith("<?xml")
    assert "#0f6cbd" in svg
    assert (tmp_path / "deep" / "folder" / "name.png").read_bytes().startswith(b"\x89PNG")
    inline = chart.inline()
    assert inline.startswith('<svg role="img" aria-label="what it shows"')
    assert "var(--series-1)" in inline
    assert "#0f6cbd" not in inline
    assert "currentColor" in inline
    assert inline == chart.inline()


def stored_at(folder: Path) -> Path:
    with Store(folder) as store:
        store.append(crafted())
    return folder


def test_the_command_writes_what_was_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    monkeypatch.setattr(page, "FILM", dict.fromkeys(page.FILM, (2, 10)))
    store = stored_at(tmp_path / "store")
    options = ["--store", str(store), "--markdown", str(tmp_path / "m" / "tables.md"), "--figures", str(tmp_path / "charts")]
    assert cli.main(["report", "--output", str(tmp_path / "new" / "page.html"), *options]) == 0
    checked((tmp_path / "new" / "page.html").read_text())
    assert (tmp_path / "m" / "tables.md").read_text().startswith("## Table 1")
    assert {"table1-double-loop.svg", "table1-double-loop.png", "figure-s2-total.svg"} <= {
        p.name for p in (tmp_path / "charts").iterdir()
    }
    assert re.search(r"page\.html: \d+ rows; claims: \d+ held", capsys.readouterr().out)
    assert cli.main(["report", "--store", str(store), "--output", str(tmp_path)]) == 0
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["report", "results"], "report takes flags only, got 'results'"),
        (["report", "--scale", "big"], "scale must be one of 'smoke', 'quick', 'paper', got 'big'"),
        (["report", "--store", "nowhere"], "there is no store nowhere"),
    ],
)
def test_mistakes_are_said(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(words) == 2
    assert says in capsys.readouterr().err


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)  # as if it were not installed
    assert cli.main(["report"]) == 2
    assert "report needs jinja2, which is not installed: pip install 'bamdp[report]'" in capsys.readouterr().err


def test_a_file_that_can_not_be_written(tmp_path: Path, monkeypatch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(page, "FILM", dict.fromkeys(page.FILM, (2, 10)))
    (tmp_path / "file").write_text("")
    store = stored_at(tmp_path / "store")
    assert cli.main(["report", "--store", str(store), "--output", str(tmp_path / "file" / "page.html")]) == 2
    assert str(tmp_path / "file") in capsys.readouterr().err


def test_help_is_quick_to_import() -> None:
    """What is slow to import is imported where it is used."""
    import subprocess

    code = "import sys, bamdp.report.html; print([m for m in ('matplotlib', 'jinja2', 'scipy') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.heavy
@pytest.mark.slow
def test_every_figure_from_a_store_at_scale_smoke(tmp_path: Path) -> None:
    store = Store(tmp_path)
    reproduce(list(ALL.values()), "smoke", store, workers=1)
    found = report(store.rows(), "smoke")
    checked(page.html(found, page.media("smoke")))
    assert all(section.lines for section in found.sections)
    drawn = {section.experiment.name for section in found.sections if section.charts}
    assert drawn == set(DRAWN) - {"exploration"}  # which has no run of c = 3 there
    assert {world for world, cells in found.table.items() if all(cell.line for cell in cells)} == set(TABLE.entries)
    assert not [o for c, o in found.claims if c.id.startswith("T1 ") and o.verdict == "not enough data"]
