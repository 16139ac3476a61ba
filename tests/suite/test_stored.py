"""`bamdp.results()` is the scoreboard that the documentation shows."""

import re
from pathlib import Path

import pytest

import bamdp
from bamdp.config.names import AGENTS, BENCHMARKS

PAGE = Path(__file__).parents[2] / "docs" / "results" / "scoreboard.md"


def test_it_is_what_the_page_shows() -> None:
    """Every score of the page, as it is printed there."""
    table = bamdp.results()
    shown = PAGE.read_text(encoding="utf-8")
    rows = [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]
    assert len(rows) > 200
    for title, settings in (
        ("## Agents as given", "given"),
        ("## Agents at their best settings", "tuned"),
    ):
        lines = shown.split(title + "\n")[1].strip().split("\n\n")[0].splitlines()
        agents = [cell.strip() for cell in lines[0].split("|")[2:-1]]
        for line in lines[2:]:
            benchmark, *cells = (cell.strip() for cell in line.split("|")[1:-1])
            for agent, cell in zip(agents, cells, strict=True):
                where = {"benchmark": benchmark, "settings": settings, "agent": agent}
                found = [row for row in rows if where.items() <= row.items()]
                assert len(found) == bool(cell), where
                if cell:
                    number = float(re.sub(r"[^-\d.±]", "", cell.replace("−", "-")).split("±")[0])
                    value = found[0]["mean_return" if "(" in cell else "score"]
                    assert value == pytest.approx(number, abs=10 ** -min(2, _digits(cell)))
                    assert found[0]["best"] == ("**" in cell)


def _digits(cell: str) -> int:
    """Digits after the point."""
    return len((re.findall(r"\d+\.(\d+)", cell) or [""])[0])


def test_names_are_those_of_the_command_line() -> None:
    table = bamdp.results()
    assert set(table["benchmark"]) <= set(BENCHMARKS.classes)
    heuristics = {"infotaxis", "space-aware infotaxis"}  # of the olfactory search alone
    assert set(table["agent"]) - heuristics <= set(AGENTS.classes)
    assert {len(column) for column in table.values()} == {len(table["agent"])}
