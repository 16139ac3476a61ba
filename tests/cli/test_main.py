"""The command line as a whole: its commands and their help."""

import os
import subprocess
import sys
from collections.abc import Callable
from pkgutil import iter_modules

import pytest

import bamdp
from bamdp import cli as package
from bamdp.cli import main as cli
from bamdp.config import names

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


def test_commands_are_the_modules_that_declare_one() -> None:
    found = cli.commands()
    alone = ["compare", "export", "fit", "list", "report", "reproduce", "trial"]
    assert list(found) == ["play", "regret", "tune", "watch", *alone]
    assert set(found) < {module.name for module in iter_modules(package.__path__)}, "each is called as its module"
    for name, command in found.items():
        assert command.example.startswith(f"bamdp {name}")
        assert command.about.endswith(".")


def test_help_and_version(shown: Shown) -> None:
    text = shown("--help")
    assert all(f"  {name} {command.arguments}" in text and command.summary in text for name, command in cli.commands().items())
    assert "bamdp play grid5 bamcp" in text
    assert shown("") == text
    assert shown("--version") == f"bamdp {bamdp.__version__}\n"


@pytest.mark.parametrize(("name", "setting"), [("bamcp", "depth: an integer"), ("grid5", "slip: a number; default 0.2")])
def test_list_documents_the_settings_of_a_name(name: str, setting: str, shown: Shown) -> None:
    assert setting in shown(f"list {name}")


def test_list_has_every_name_with_its_description(shown: Shown) -> None:
    text = shown("list")
    for kind in (*names.KINDS, "problem"):
        for name, line in names.listing(kind).items():
            assert line, f"{name} has no documentation"
            assert f"  {name} " in text
            assert line in text
    assert "tabular" not in text


def test_help_of_commands_has_the_names(shown: Shown) -> None:
    text = shown("play --help")
    assert "usage: bamdp play DOMAIN AGENT" in text
    assert all(name in text for kind in names.KINDS for name in names.listing(kind))
    assert "gym:<ID>: an id of gymnasium.make, as in gym:FrozenLake-v1" in text
    assert "example:" in text
    text = shown("play maze -h")
    assert "usage: bamdp play maze AGENT" in text
    assert all(name in text for name in names.listing("agent"))
    assert "bamdp play maze bamcp" in text
    assert "usage: bamdp regret DOMAIN AGENT" in shown("regret --help")
    assert "usage: bamdp tune DOMAIN AGENT" in shown("tune --help")
    assert "bamdp tune maze beb" in shown("tune maze --help")
    assert "bamdp watch infinite-grid bayes-adaptive" in shown("watch --help")
    assert "usage: bamdp watch DOMAIN [AGENT [AGENT]]" in shown("watch --help")
