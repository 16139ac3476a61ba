"""The studies of the bandits run, write their rows, and do not run again what is there."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
EXAMPLES = Path(__file__).parents[1] / "examples"


def study(name: str, out: Path, *words: str) -> list[dict[str, object]]:
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), "--out", str(out), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert (out / f"{name}.png").stat().st_size > 1000
    return [json.loads(line) for line in (out / f"{name}.jsonl").read_text().splitlines()]


def test_bandit_table(tmp_path: Path) -> None:
    rows = study("bandit_table", tmp_path, "--most", "100", "--runs", "2")
    assert len(rows) == 400
    assert rows == study("bandit_table", tmp_path, "--most", "100", "--runs", "2")


def test_eight_arms(tmp_path: Path) -> None:
    rows = study("eight_arms", tmp_path, "--scale", "0.003")
    assert {row["agent"] for row in rows} == {"gittins", "posterior-mean"}


def test_convergence(tmp_path: Path) -> None:
    rows = study("convergence", tmp_path, "--most", "100")
    assert {row["problem"] for row in rows} == {"dirichlet", "sparse-dirichlet", "finite", "arms"}
