"""A run that was saved between two steps and goes on elsewhere is the run that nobody disturbed."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp.agents import BAMCP, Random
from bamdp.cli.main import main
from bamdp.domains import DoubleLoop, InfiniteGrid
from bamdp.runs.loop import EndRun, Record, Run, proceed
from bamdp.saving import archive
from bamdp.saving.archive import SavedFileError
from bamdp.saving.run_file import resume_run, save_run
from cli.test_interrupt import interrupted


def played(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["play", *words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return {name: found[name] for name in ("total_rewards", "mean") if name in found} | {"settings": found.get("settings")}


@pytest.mark.parametrize(
    "words",
    [
        ["double-loop", "bamcp:simulations=20,reuse_tree=yes"],
        ["infinite-grid", "bamcp:simulations=10"],
        ["grid3", "bayesian-dp"],
        ["chain", "q-learning:half_life=20", "--prior", "dirichlet"],
        ["chain:horizon=60,discount=1,episode_length=16", "posterior-mean"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_on_the_command_line(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "run")
    undisturbed = played(capsys, *words, "--steps", "60", "--seed", "3")
    played(capsys, *words, "--steps", "25", "--seed", "3", "--save", file)
    played(capsys, *words, "--steps", "40", "--seed", "3", "--resume", file, "--save", file)
    resumed = played(capsys, *words, "--steps", "60", "--seed", "3", "--resume", file)
    assert resumed == undisturbed


def test_the_whole_record(tmp_path: Path) -> None:
    def new() -> Run:
        world = InfiniteGrid()  # without a seed: each run has a world of its own
        return Run(BAMCP(world.problem(), simulations=10, seed=1), world, seed=4)

    undisturbed = proceed(new(), 40)
    course = new()
    save_run(tmp_path / "run", {"seed": 4}, course, proceed(course, 15))
    other = new()
    before = Record.of(resume_run(tmp_path / "run", {"seed": 4}, other), other)
    record = proceed(other, 40, before=before)
    for found, expected in zip(record.columns, undisturbed.columns, strict=True):
        assert np.array_equal(found, expected)
    assert record.seconds > before.seconds


def test_another_command_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "run")
    played(capsys, "chain", "random", "--steps", "5", "--save", file)
    assert main(["play", "chain", "random", "--steps", "9", "--seed", "1", "--resume", file]) == 2
    assert f"error: {file} was saved by another command: seed was 0 then and is 1 now" in capsys.readouterr().err
    assert main(["play", "chain", "random", "--steps", "4", "--resume", file]) == 2
    assert f"steps must be at least the 5 that {file} has, got 4" in capsys.readouterr().err


def test_end_run_keeps_the_record() -> None:
    def stop(steps: int, total: float) -> None:
        if steps == 7:
            raise EndRun

    record = bamdp.run(Random(DoubleLoop().problem()), DoubleLoop(), steps=50, on_step=stop)
    assert len(record.rewards) == len(record.states) == 7


@pytest.mark.slow
def test_control_c_saves_the_run_and_it_goes_on(tmp_path: Path) -> None:
    words = ["play", "double-loop", "mine:Planner:simulations=500", "--steps", "1500", "--seed", "1", "--json"]
    code, out = interrupted(tmp_path, [*words, "--save", "run"])
    assert code == 130
    assert json.loads(out)["mean"] is None
    _, arrays = archive.read(tmp_path / "run", "run")
    assert 0 < len(arrays["actions"]) < 1500, "it must have been interrupted between two of its steps"

    def done(*more: str) -> Any:
        line = [sys.executable, "-m", "bamdp", *words, *more]
        return json.loads(subprocess.run(line, capture_output=True, check=True, cwd=tmp_path).stdout)["total_rewards"]

    assert done("--resume", "run") == done()


def test_a_record_that_does_not_fit(tmp_path: Path) -> None:
    course = Run(Random(DoubleLoop().problem()), DoubleLoop())
    save_run(tmp_path / "run", {}, course, proceed(course, 5))
    header, arrays = archive.read(tmp_path / "run", "run")
    arrays["actions"] = arrays["actions"][:3]
    archive.write(tmp_path / "run", "run", header, arrays)
    with pytest.raises(SavedFileError, match="its record must have one entry for each step"):
        resume_run(tmp_path / "run", {}, Run(Random(DoubleLoop().problem()), DoubleLoop()))
