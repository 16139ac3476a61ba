"""What README, docs/options.md and docs/results.md say is so: their tables are those of the code.
Code: test_documents.py.
"""

import json
import re
import runpy
import tomllib
from pathlib import Path

import pytest

import bamdp
from bamdp.comparing.store import Store
from bamdp.config import names
from reference.documents import ROOT, blocks, text
from reproduction.paper.table1 import TABLE
from reproduction.query import Query

README, OPTIONS, RESULTS = "README.md", "docs/options.md", "docs/results.md"


def rows(page: str, first: str) -> list[list[str]]:
    """The rows of the table of a page whose first header is `first`."""
    table = re.search(rf"^\| {first} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", text(page), re.MULTILINE)
    assert table is not None, f"{page} has no table of {first}"
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table[1].splitlines()]


def test_the_description_of_the_package_is_the_readme_without_links() -> None:
    """On the page of the package index, relative links and pictures would be broken."""
    project = tomllib.loads(text("pyproject.toml"))["project"]
    description = text(project["readme"])
    assert not re.search(r"\]\((?!https?:)", description)
    assert blocks(project["readme"], "python") == blocks(README, "python")
    assert rows(project["readme"], "agent") == rows(README, "agent")


@pytest.mark.heavy
def test_the_table_of_the_readme_is_what_the_demo_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`make demo`, which takes some seconds."""
    runpy.run_path(str(ROOT / "examples/demo.py"))["main"](
        ["--picture", str(tmp_path / "machines.png")]
    )
    printed = [re.split(r"\s{2,}", line) for line in capsys.readouterr().out.splitlines()]
    for row in rows(README, "agent"):
        assert [cell.strip("`") for cell in row if cell] in printed


@pytest.mark.parametrize(
    ("domain", "phrase"),
    [("maze", "the maze ({:.0f} against {:.0f})"), ("double-loop", "({:.0f} against {:.0f} in")],
)
def test_the_numbers_of_the_summary_are_those_of_the_rows(domain: str, phrase: str) -> None:
    """The tables of the page are made from the rows, its first screen, where BEB earns more than
    BAMCP, is not.
    """
    query = Query(Store(ROOT / "reproduction" / "results").rows())
    means = [
        best.mean().value
        for label in ("BEB", "BAMCP")
        if (best := query.best(TABLE, domain, label)) is not None
    ]
    assert phrase.format(*means) in " ".join(text(RESULTS).split())


def named(kind: str) -> list[str]:
    return [name for row in rows(OPTIONS, f"{kind}s") for name in re.findall(r"`([\w-]+)`", row[0])]


def test_tables_name_what_there_is() -> None:
    """Agents and domains by their names on the command line, priors by their classes: some need
    arguments.
    """
    assert sorted(named("agent")) == sorted(names.AGENTS.listing())
    assert {names.DOMAINS.find(name).target for name in named("domain")} == {
        found.target for found in names.DOMAINS.find_all()
    }
    assert sorted(named("prior")) == sorted(bamdp.priors.__all__)


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_targets_and_links_exist(document: str) -> None:
    words, makefile = text(document), text("Makefile")
    for target in re.findall(r"^make ([\w-]+)$|`make ([\w-]+)`", words, re.MULTILINE):
        assert re.search(rf"^{''.join(target)}:", makefile, re.MULTILINE), (
            f"{document}: there is no make {''.join(target)}"
        )
    for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", words):
        assert (ROOT / link).exists(), f"{document}: there is no {link}"


def test_versions_agree() -> None:
    assert f"\nversion: {bamdp.__version__}\n" in text("CITATION.cff")
    for file in ("codemeta.json", ".zenodo.json"):
        assert json.loads(text(file))["version"] == bamdp.__version__
    assert bamdp.__version__ in text("CHANGELOG.md")
    assert f'version: "{bamdp.__version__}"' in text("recipe/recipe.yaml")


def test_what_is_declared_is_tested_and_complete() -> None:
    """The versions of Python that the package names are those of the tests, and `all` has every
    extra but Ray, Jupyter and Minari.
    """
    project = tomllib.loads(text("pyproject.toml"))["project"]
    versions = [
        match[1] for words in project["classifiers"] if (match := re.search(r":: (3\.\d+)$", words))
    ]
    assert f"python: {json.dumps(versions)}" in text(".github/workflows/tests.yml")
    extras = project["optional-dependencies"]
    (every,) = extras["all"]
    assert set(every.partition("[")[2].rstrip("]").split(",")) == set(extras) - {
        "all",
        "minari",
        "ray",
        "notebooks",
    }
