"""Commands typed in tests, within this process."""

import shlex
from collections.abc import Callable

import pytest

from reproduction.cli.main import main


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str]) -> Callable[[str], str]:
    """What a command prints that succeeds."""

    def run(line: str) -> str:
        assert main(shlex.split(line)) == 0
        return capsys.readouterr().out

    return run
