"""The command line as a whole: its commands and their help."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import bamdp
from bamdp.cli import COMMANDS
from bamdp.cli.main import load_command, main
from bamdp.config import names
from reference.documents import ROOT, run_command

Shown = Callable[[str], str]


def test_a_typo_in_a_real_process() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bamdp", "play", "gird5", "random"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "bamdp: error: unknown domain 'gird5'; did you mean 'grid5'? Known: "
    )
    assert "Traceback" not in done.stderr


def test_help_imports_no_command() -> None:
    code = (
        "import sys; from bamdp.cli.main import main; main(['--help']);"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = set(done.stderr.split())
    assert "bamdp.cli.main" in imported
    assert not imported & {f"bamdp.cli.{name}" for name in COMMANDS}
    assert not imported & {"bamdp.studies", "bamdp.fit", "bamdp.trials", "scipy", "matplotlib"}


def test_output_into_a_closed_pipe_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "bamdp", "list"], stdout=writer, stderr=subprocess.PIPE, text=True
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_declared_by_the_module_of_its_name(name: str) -> None:
    command = load_command(name)
    assert command.usage is COMMANDS[name]
    assert command.example.startswith(f"bamdp {name}")
    assert command.about.endswith(".")


def test_help_and_version(shown: Shown) -> None:
    text = shown("--help")
    for name, usage in COMMANDS.items():
        assert f"  {name} {usage.arguments}" in text
        assert usage.summary in text
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
        ("grid-navi", "benchmark grid-navi: "),
        (
            "finite",
            "It is made in Python, bamdp.priors.Finite. Its arguments:\n  transitions: transition "
            "probabilities of each world.",
        ),
        ("random", "agent random: Acts uniformly at random and learns nothing.\nno settings"),
    ],
)
def test_list_documents_the_settings_of_a_name(name: str, setting: str, shown: Shown) -> None:
    assert setting in shown(f"list {name}")


def test_list_explains_every_name_that_it_shows(shown: Shown) -> None:
    for registry in names.REGISTRIES:
        for name in (*registry.listing(), *registry.python_only()):
            assert f"{registry.kind} " in shown(f"list {name}"), name


def test_list_has_every_name_with_its_description(shown: Shown) -> None:
    text = shown("list")
    for registry in names.REGISTRIES:
        for name, line in registry.listing().items():
            assert line, f"{name} has no documentation"
            assert f"  {name} " in text
            assert line in text
    assert "  in Python also: tabular\n" in text


def help_of(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit, match="0"):
        main([*line.split(), "--help"])
    return capsys.readouterr().out


@pytest.mark.parametrize("command", ["play", "regret", "tune", "watch", "compare"])
def test_help_has_the_names_and_says_how_to_set_something(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = help_of(command, capsys)
    assert f"usage: bamdp {command} {COMMANDS[command].arguments} [flags]\n" in text
    third = names.BENCHMARKS if command == "compare" else names.PRIORS
    for registry in (names.AGENTS, names.DOMAINS, third):
        assert [name for name in registry.listing() if name not in text] == []
    assert "NAME:SETTING=VALUE,SETTING=VALUE" in text
    assert "gym:FrozenLake-v1:map_name=8x8" in text
    assert f"example:\n  {load_command(command).example}\n" in text
    assert "/" in text if command == "tune" else True


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_of_the_help_can_be_typed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(ROOT / "examples/choices.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    run_command(load_command(name).example)


def test_the_example_of_all_commands_can_be_typed(shown: Shown) -> None:
    run_command(shown("--help").strip().splitlines()[-1].strip())
