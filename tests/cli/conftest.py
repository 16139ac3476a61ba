"""Commands typed in tests, within this process."""

import json
import shlex
from collections.abc import Callable
from typing import Any

import pytest

from bamdp.cli.main import main


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str]) -> Callable[[str], str]:
    """What a command prints that succeeds."""

    def run(line: str) -> str:
        assert main(shlex.split(line)) == 0
        return capsys.readouterr().out

    return run


@pytest.fixture
def result(shown: Callable[[str], str]) -> Callable[[str], Any]:
    """What it prints with --json, parsed."""
    return lambda line: json.loads(shown(f"{line} --json"), parse_constant=pytest.fail)
