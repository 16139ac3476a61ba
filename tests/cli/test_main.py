"""The command line as a whole: its commands and their help."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import bamdp
from bamdp import cli
from bamdp.cli.main import main
from bamdp.config import names
from reference.documents import ROOT, run_command

Shown = Callable[[str], str]


def test_a_typo_in_a_real_process() -> None:
    done = subprocess.run([sys.executable, "-m", "bamdp", "play", "gird5", "random"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("bamdp: error: unknown domain 'gird5'; did you mean 'grid5'? Known: ")
    assert "Traceback" not in done.stderr


def test_output_into_a_closed_pipe_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-m", "bamdp", "list"], stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_command_that_a_module_declares_is_found() -> None:
    found = cli.commands()
    alone = ["compare", "export", "fit", "list", "report", "reproduce", "trial"]
    assert list(found) == ["play", "regret", "tune", "watch", *alone]
    for name, command in found.items():
        assert command.example.startswith(f"bamdp {name}")
        assert command.about.endswith(".")


def test_help_and_version(shown: Shown) -> None:
    text = shown("--help")
    assert all(f"  {name} {command.arguments}" in text and command.summary in text for name, command in cli.commands().items())
    assert "bamdp play grid5 bamcp" in text
    assert shown("") == text
    assert shown("--version") == f"bamdp {bamdp.__version__}\n"


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("bamcp", "depth: an integer"),
        ("grid5", "slip: a number; default 0.2"),
        ("dirichlet", "alpha: a number or None"),
        ("gym:FrozenLake-v1", "rewards: 'table' or 'learned' or None"),
        ("grid[N]", "slip: a number; default 0.2"),
        ("grid-navi", "problem grid-navi: "),
        (
            "finite",
            "It is made in Python, bamdp.priors.Finite. Its arguments:\n  transitions: transition probabilities of each world.",
        ),
        ("random", "agent random: Acts uniformly at random and learns nothing.\nno settings"),
    ],
)
def test_list_documents_the_settings_of_a_name(name: str, setting: str, shown: Shown) -> None:
    assert setting in shown(f"list {name}")


def test_list_explains_every_name_that_it_shows(shown: Shown) -> None:
    for kind in names.KINDS:
        for name in (*names.listing(kind), *names.python_only(kind)):
            assert f"{kind} " in shown(f"list {name}"), name


def test_list_has_every_name_with_its_description(shown: Shown) -> None:
    text = shown("list")
    for kind in names.KINDS:
        for name, line in names.listing(kind).items():
            assert line, f"{name} has no documentation"
            assert f"  {name} " in text
            assert line in text
    assert "  in Python also: tabular\n" in text


def help_of(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit, match="0"):
        main([*line.split(), "--help"])
    return capsys.readouterr().out


@pytest.mark.parametrize("command", ["play", "regret", "tune", "watch", "compare"])
def test_help_has_the_names_and_says_how_to_set_something(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = help_of(command, capsys)
    assert f"usage: bamdp {command} {cli.commands()[command].arguments}\n" in text
    kinds: list[names.Kind] = ["agent", "domain", "problem" if command == "compare" else "prior"]
    assert [name for kind in kinds for name in names.listing(kind) if name not in text] == []
    assert "NAME:SETTING=VALUE,SETTING=VALUE" in text
    assert "gym:FrozenLake-v1:map_name=8x8" in text
    assert f"example:\n  {cli.commands()[command].example}\n" in text
    assert "/" in text if command == "tune" else True


@pytest.mark.parametrize("name", cli.commands())
def test_examples_of_the_help_can_be_typed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(ROOT / "examples/choices.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    run_command(cli.commands()[name].example)


def test_the_example_of_all_commands_can_be_typed(shown: Shown) -> None:
    run_command(shown("--help").strip().splitlines()[-1].strip())
