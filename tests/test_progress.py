"""The one progress display: lines where there is no terminal, a bar where there is one."""

import io
import sys

import pytest

from bamdp.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 5.0, 10.0, 12.0])
    monkeypatch.setattr("bamdp.progress.monotonic", lambda: next(clock))
    with progress("steps") as show:
        show("reward 1", 20, 100)  # after 5 s: too soon
        show("reward 2.5", 40, 100)
        show("reward 3", 50, 100)
    assert capsys.readouterr().err == "40/100 steps, reward 2.5, 4 steps/s, 15 s left\n"


def test_time_left_may_be_known(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bamdp.progress.PLAIN_SECONDS", 0)
    with progress("tasks") as show:
        show("", 0, 8, 7260.0)
    assert capsys.readouterr().err == "0/8 tasks, 0 tasks/s, 2 h 01 min left\n"
    with progress("report") as show:
        show("[film]")
    assert capsys.readouterr().err == "report: [film]\n"


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("COLUMNS", "120")
    with progress("steps") as show:
        show("reward [2]", 40, 100)
    assert "40/100 steps, reward [2], " in terminal.getvalue()
