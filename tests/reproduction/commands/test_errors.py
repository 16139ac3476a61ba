"""Mistakes on the command line of the rerun: one line that says what to do."""

import pytest

from reproduction.cli.main import main

MISTAKES = {
    "report results": "report takes flags only, got 'results'",
    "report --scale big --store .": "scale must be one of 'smoke', 'quick', 'paper', got 'big'",
    "report --store nowhere": "there is no store nowhere",
    "lazy --on slurm": "--on must be local, ray or ray://HOST:PORT, got 'slurm'",
    "lazy --scale smoke --strore x": (
        "unknown flag '--strore'; did you mean '--store'? See python -m reproduction --help"
    ),
    "tabel1": "unknown experiment: 'tabel1'; did you mean 'table1'?",
    "--scale quick": "needs NAME..., got nothing; for example: python -m reproduction table1",
    "export": "export needs FILE, got nothing",
    "export rows.txt": "the file's ending must be one of '.csv', '.gz', got '.txt'",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_is_one_line(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("bamdp: error: ")
    assert shown.err.count("\n") == 1
    assert MISTAKES[line] in shown.err


@pytest.mark.parametrize("line", ["", "--help", "report --help", "export --help"])
def test_help(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"^0$"):
        main(line.split())
    assert "example:\n  python -m reproduction " in capsys.readouterr().out
