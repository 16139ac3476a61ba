"""What the README says is so: its code runs, its commands run, its tables are those of the code."""

import inspect
import re
import shlex
import sys
from pathlib import Path

import pytest

import bamdp
from bamdp import cli, discovery
from bamdp.published import TABLE_1
from bamdp.viewer.watch import WatchRequest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def rows(first: str) -> list[list[str]]:
    """The rows of the table whose first header is `first`."""
    table = re.search(rf"^\| {first} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", README, re.MULTILINE)
    assert table is not None, f"the README has no table of {first}"
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table[1].splitlines()]


COMMANDS = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("bamdp ")]
FIRST, OWN, CHECKS = blocks("python")


@pytest.fixture
def own_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The README's file in the current folder, where a command line finds it."""
    (tmp_path / "own_parts.py").write_text(OWN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    monkeypatch.delitem(sys.modules, "own_parts", raising=False)


def test_first_example(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    exec(FIRST, names)
    record, plan = names["record"], names["plan"]
    assert isinstance(record, bamdp.Record)
    assert record.rewards.sum() == record.total_reward > 0
    promised = ["visits", "standard_errors", "simulations", "tree"]
    assert all(hasattr(plan, name) for name in promised)
    assert str(record.total_reward) in capsys.readouterr().out


@pytest.mark.usefixtures("own_parts")
def test_checks_of_own_parts() -> None:
    exec(CHECKS, {})


def test_own_parts_are_the_example() -> None:
    assert (ROOT / "examples" / "own_parts.py").read_text(encoding="utf-8") == OWN


@pytest.mark.usefixtures("own_parts")
@pytest.mark.parametrize("command", COMMANDS)
def test_commands(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(re.sub(r"--steps \d+", "", command))[1:]
    if words[0] == "watch":  # would serve for ever; the real command is tested in tests/viewer
        assert WatchRequest(words[1], words[2], words[3:]).show().priors
        return
    short = ["--steps", "20"] if words[0] == "play" else []
    assert cli.main([*words, *short]) == 0
    assert capsys.readouterr().out


def test_commands_behind_the_numbers_name_their_worlds() -> None:
    for world, _, _, paper, command in rows("world"):
        name = world.lower()
        assert command.startswith(f"`bamdp play {name} bamcp ")
        assert paper == "{:g} ± {:g}".format(*TABLE_1[name]["bamcp"])


def named(kind: str) -> list[str]:
    return [name for row in rows(f"{kind}s") for name in re.findall(r"`([\w-]+)`", row[0])]


def test_tables_name_what_there_is() -> None:
    """Agents and domains by their names on the command line, priors by their classes: some need arguments."""
    assert sorted(named("agent")) == sorted(discovery.listing("agent"))
    assert {discovery.find("domain", name).target for name in named("domain")} == {
        found.target for found in discovery.find_all("domain")
    }
    assert sorted(named("prior")) == sorted(bamdp.priors.__all__)


def test_options_are_those_of_bamcp() -> None:
    parameters = inspect.signature(bamdp.agents.BAMCP).parameters.values()
    options = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
    table = {name.strip("`"): eval(default.strip("`"), {}) for name, default, _ in rows("option")}
    assert list(table) == list(options), "the table has other options than BAMCP, or another order"
    assert table == options


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_targets_and_links_exist(document: str) -> None:
    words = (ROOT / document).read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make ([\w-]+)$|`make ([\w-]+)`", words, re.MULTILINE):
        assert re.search(rf"^{''.join(target)}:", makefile, re.MULTILINE), f"{document}: there is no make {''.join(target)}"
    for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", words):
        assert (ROOT / link).exists(), f"{document}: there is no {link}"


def test_versions_agree() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {bamdp.__version__}\n" in citation
    assert bamdp.__version__ in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
