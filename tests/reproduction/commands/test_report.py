"""The command `python -m reproduction report`: what it writes, and which mistakes it names."""

import re
import sys
from pathlib import Path

import pytest

from bamdp.comparing.store import Store
from report.crafted import small_store
from report.page_check import checked
from reproduction.cli import main as cli


def stored_at(folder: Path) -> Path:
    with Store(folder) as store:
        store.append(small_store())
    return folder


@pytest.mark.slow
def test_the_command_writes_what_was_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = stored_at(tmp_path / "store")
    options = [
        "--store",
        str(store),
        "--markdown",
        str(tmp_path / "m" / "tables.md"),
        "--figures",
        str(tmp_path / "charts"),
    ]
    assert cli.main(["report", "--output", str(tmp_path / "new" / "page.html"), *options]) == 0
    checked((tmp_path / "new" / "page.html").read_text())
    tables = (tmp_path / "m" / "tables.md").read_text()
    assert tables.startswith("## Table 1")
    images = re.findall(r"!\[.*?\]\((.*?)\)", tables)
    assert images
    assert all((tmp_path / "m" / image).exists() for image in images)
    charts = {path.name for path in (tmp_path / "charts").iterdir()}
    assert {"table1-double-loop.svg", "figure-s2-total.svg"} <= charts
    assert re.search(r"page\.html: \d+ rows; claims: \d+ held", capsys.readouterr().out)
    assert cli.main(["report", "--store", str(store), "--output", str(tmp_path)]) == 0
    assert (tmp_path / "report.html").exists()


@pytest.mark.slow
def test_results_of_another_scale_are_pointed_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, page = str(tmp_path / "store"), str(tmp_path / "page.html")
    assert cli.main(["lazy", "--scale", "smoke", "--store", store, "--workers", "1"]) == 0
    assert (
        f"To see the results: python -m reproduction report --store {store} --scale smoke"
        in capsys.readouterr().out
    )
    assert cli.main(["report", "--store", store, "--output", page]) == 0
    assert (
        "None of them is of scale paper or quick. To see them: --scale smoke"
        in capsys.readouterr().out
    )
    assert cli.main(["report", "--store", store, "--output", page, "--scale", "smoke"]) == 0
    assert "To see them" not in capsys.readouterr().out


def test_a_missing_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)  # as if it were not installed
    assert cli.main(["report"]) == 2
    assert (
        "report needs jinja2, which is not installed: pip install 'bamdp[report]'"
        in capsys.readouterr().err
    )


def test_a_file_that_can_not_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    store = stored_at(tmp_path / "store")
    assert (
        cli.main(
            ["report", "--store", str(store), "--output", str(tmp_path / "file" / "page.html")]
        )
        == 2
    )
    assert str(tmp_path / "file") in capsys.readouterr().err
