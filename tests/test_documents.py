"""What the pages say can be done can be done: their Python and their commands run, and Sphinx
builds them without complaint.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import bamdp
from reference.documents import PAGES, ROOT, blocks, commands, run_blocks, run_command, text

GENERATED = [str(page.relative_to(ROOT)) for page in sorted((ROOT / "docs/results").glob("*.md"))]
COMMANDS = list(dict.fromkeys(command for page in PAGES for command in commands(page)))


@pytest.fixture(autouse=True)
def _reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody in a folder of their own, with the examples that the pages speak of."""
    for example in [*(ROOT / "examples").glob("*.py"), *(ROOT / "examples").glob("*.csv")]:
        shutil.copy(example, tmp_path)
        monkeypatch.delitem(sys.modules, example.stem, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES[1:] if blocks(page, "python")])
def test_code(page: str) -> None:
    run_blocks(page)


@pytest.mark.slow
@pytest.mark.parametrize("page", ["docs/your_own_world.md", "docs/exact.md"])
def test_code_says_what_the_page_shows(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Line by line; a block of text after one of Python is what that prints."""
    after = re.compile(
        r"^```python\n(?:(?!^```).*\n)*```\n\n```text\n((?:(?!^```).*\n)*)```", re.MULTILINE
    )
    shown = [line for block in after.findall(text(page)) for line in block.splitlines()]
    run_blocks(page)
    said = capsys.readouterr().out.splitlines()
    assert len(shown) > 8
    assert [line for line in shown if line not in said] == []


def test_code_of_the_readme(capsys: pytest.CaptureFixture[str]) -> None:
    """It says what the README shows: the posterior mean services a worn machine,
    the planner tries.
    """
    run_blocks("README.md")
    assert capsys.readouterr().out == blocks("README.md", "text")[0]


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_command(command: str) -> None:
    run_command(command)


@pytest.mark.parametrize("page", PAGES)
def test_blocks_have_a_language(page: str) -> None:
    """So that none is missed: a fence that opens a block says what is in it."""
    fences = re.findall(r"^ *(?:```|~~~)(.*)$", text(page), re.MULTILINE)
    assert all(fences[::2]), "a block without a language: say text"
    assert not any(fences[1::2])


@pytest.mark.parametrize("page", [*PAGES, *GENERATED, "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_have_a_text(page: str) -> None:
    """Sphinx would fill in the title of the page, but nobody else who shows Markdown does."""
    prose = re.sub(r"^ *```.*?^ *```$", "", text(page), flags=re.DOTALL | re.MULTILINE)
    assert re.findall(r"\[\s*\]\(.*?\)", prose) == []


@pytest.mark.parametrize("page", [*PAGES, "CONTRIBUTING.md"])
def test_files_that_are_named_exist(page: str) -> None:
    named = re.findall(
        r"\b(?:tests|reproduction|examples|benchmarks|core|src/bamdp|docs)/[\w/]+\.(?:py|cpp|hpp|md|ipynb)\b",
        text(page),
    )
    assert [path for path in named if "/my_" not in path and not (ROOT / path).exists()] == []


def test_contributing_names_files_that_exist() -> None:
    """But for those that are to be written, `my_agent.py`; within the package by its own paths."""
    named = re.findall(r"`([\w./-]+\.(?:py|pyi|hpp|cpp|md))`", text("CONTRIBUTING.md"))
    written = [name for name in named if "my_" not in name]
    assert len(written) > 30
    missing = [
        name for name in written if not any((ROOT / at / name).exists() for at in ("", "src/bamdp"))
    ]
    assert missing == []


@pytest.mark.heavy
def test_sphinx_builds_the_pages(tmp_path: Path) -> None:
    pytest.importorskip("sphinx", reason="the documentation needs Sphinx: make docs")
    build = [
        "sphinx",
        "--fail-on-warning",
        "--keep-going",
        "-q",
        str(ROOT / "docs"),
        str(tmp_path / "docs"),
    ]
    done = subprocess.run(
        [sys.executable, "-m", *build], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert {page.stem for page in (ROOT / "docs").glob("*.md")} <= {
        page.stem for page in (tmp_path / "docs").glob("*.html")
    }
    problems = (tmp_path / "docs" / "api" / "problems.html").read_text(encoding="utf-8")
    assert 0 < problems.index('id="bamdp.BAMDP"') < problems.index('id="bamdp.MDP"')
    assert (tmp_path / "docs" / "llms.txt").exists()


def test_the_page_for_programs_shows_what_there_is() -> None:
    """Every dotted name of docs/llms.txt exists, and every page."""
    page = text("docs/llms.txt")
    for name in re.findall(r"\bbamdp((?:\.[A-Za-z_]+)+)", page):
        value: object = bamdp
        for part in name.split(".")[1:]:
            value = getattr(value, part)
    pages = re.findall(r"\((\w+)\.html\)", page)
    assert len(pages) > 8
    assert all((ROOT / "docs" / f"{name}.md").exists() for name in pages)
