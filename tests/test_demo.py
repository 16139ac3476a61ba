"""The demo does what it says, on a small scale."""

import dataclasses
import importlib.util
import io
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import bamdp
from bamdp.runner import seeds
from bamdp.statistics import mean

EXAMPLES = Path(__file__).parent.parent / "examples"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


demo: Any = load("demo")


SMALL = [dataclasses.replace(world, simulations=10, runs=2) for world in demo.worlds()]


def console(*, terminal: bool = False) -> Console:
    return Console(file=io.StringIO(), width=80, force_terminal=terminal, color_system=None)


def text(screen: Console) -> str:
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue()


def test_it_shows_tables_and_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "worlds", lambda: SMALL)
    monkeypatch.setenv("COLUMNS", "80")
    demo.main(output=tmp_path / "new", workers=2)
    shown = capsys.readouterr().out
    for world in ("Double-loop", "Grid5"):
        assert f"{world}: BAMCP, 2 runs done" in shown  # progress where there is no terminal
        assert f"{world}: 1000 steps, 10 simulations a step, 2 runs" in shown
    for published in ("387.6 ± 1.5", "72.9 ± 3", "66 ± 5"):
        assert published in shown
    assert "learning.png" in shown
    assert (tmp_path / "new" / "learning.png").read_bytes().startswith(b"\x89PNG")


def test_bars_in_a_terminal() -> None:
    screen = console(terminal=True)
    demo.play(SMALL, 20, 0, 2, screen)
    assert "Grid5: BAMCP" in text(screen)
    assert "40/40" in text(screen)


def test_results_are_those_of_the_runs_whatever_the_workers() -> None:
    one, three = (demo.play(SMALL, 50, 7, workers, console()) for workers in (1, 3))
    assert {(world.name, contender.name) for world in SMALL for contender in demo.CONTENDERS} == set(one)
    for key, outcome in one.items():
        np.testing.assert_array_equal(outcome.rewards, three[key].rewards)
    for index in range(2):
        agent_seed, world_seed = seeds(7, index)
        agent = bamdp.agents.BAMCP.for_domain(SMALL[1].domain, simulations=10, seed=agent_seed)
        record = bamdp.run(agent, SMALL[1].domain, 50, world_seed)
        np.testing.assert_array_equal(one["grid5", "BAMCP"].rewards[index], record.rewards)


def test_the_paper_is_left_out_where_runs_are_shorter() -> None:
    results = demo.play(SMALL, 50, 0, 2, console())
    screen = console()
    screen.print(demo.table(SMALL[0], results, 50))
    assert "±" not in text(screen)


def test_bands_are_the_intervals_of_the_totals() -> None:
    rewards = np.random.default_rng(0).random((5, 30))
    centre, half = demo.band(rewards)
    for step in (1, 17, 30):
        expected = mean((rewards[:, :step].sum(axis=1) / step).tolist())
        assert expected.high is not None
        assert centre[step - 1] == pytest.approx(expected.value)
        assert centre[step - 1] + half[step - 1] == pytest.approx(expected.high)


def test_a_failing_agent_ends_it_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(world: Any, seed: int) -> bamdp.Agent:
        raise RuntimeError("broken")

    bad = dataclasses.replace(demo.CONTENDERS[1], make=broken)
    monkeypatch.setattr(demo, "CONTENDERS", [demo.CONTENDERS[2], bad])
    worlds = [dataclasses.replace(world, simulations=1000, runs=100) for world in demo.worlds()]
    with pytest.raises(RuntimeError, match="broken"):  # all of it would take ten minutes
        demo.play(worlds, None, 0, 2, console())


def test_show_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    load("show_plan")
    assert "action 1: worth" in capsys.readouterr().out
    assert (tmp_path / "demo-output" / "tree.svg").read_text(encoding="utf-8").startswith("<svg")
