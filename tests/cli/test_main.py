"""The command line as a whole: its commands, their help, and what mistakes give."""

import os
import subprocess
import sys
from pkgutil import iter_modules

import pytest

import bamdp
from bamdp import cli as package
from bamdp.cli import main as cli
from bamdp.config import names


def output(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert cli.main(words) == 0
    return capsys.readouterr().out


def test_typo() -> None:
    done = subprocess.run([sys.executable, "-m", "bamdp", "play", "gird5", "random"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("bamdp: error: unknown domain 'gird5'; did you mean 'grid5'? Known: ")
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_output_into_a_closed_pipe_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-m", "bamdp", "list"], stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_commands_are_the_modules_that_declare_one() -> None:
    found = cli.commands()
    assert list(found) == ["play", "regret", "tune", "watch", "export", "list", "report", "reproduce"]
    assert set(found) < {module.name for module in iter_modules(package.__path__)}, "each is called as its module"
    for name, command in found.items():
        assert command.example.startswith(f"bamdp {name}")
        assert command.about.endswith(".")


def test_help_has_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "--help")
    assert all(f"  {name} {command.arguments}" in text and command.summary in text for name, command in cli.commands().items())


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert output(capsys) == output(capsys, "--help")
    assert "bamdp play grid5 bamcp" in output(capsys, "--help")
    assert output(capsys, "--version") == f"bamdp {bamdp.__version__}\n"


def test_list_has_every_name_with_its_description(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "list")
    for kind in names.KINDS:
        for name, line in names.listing(kind).items():
            assert line, f"{name} has no documentation"
            assert f"  {name} " in text
            assert line in text
    assert "tabular" not in text


def test_play_help_teaches_the_names(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "play", "--help")
    assert "usage: bamdp play DOMAIN AGENT" in text
    assert all(name in text for kind in names.KINDS for name in names.listing(kind))
    assert "example:" in text


def test_play_domain_help_teaches_the_agents(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "play", "maze", "-h")
    assert "usage: bamdp play maze AGENT" in text
    assert all(name in text for name in names.listing("agent"))
    assert "bamdp play maze bamcp" in text
