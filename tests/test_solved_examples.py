"""The examples that solve something: small tables and pictures, help that teaches, and what can be checked exactly."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from bamdp.domains import Bandit, Gymnasium
from bamdp.exact import bayes_optimal
from bamdp.priors import BetaArms
from bamdp.testing import check_domain

EXAMPLES = Path(__file__).parent.parent / "examples"

# Those with a command line: the arguments of a small run, and rows of the table that it prints.
TABLES = {
    "clinical_trial": ("--trials 3 --patients 9 --simulations 20", ["Gittins index", "BAMCP", "Thompson", "equal"]),
    "fit_choices": ("--subjects 2 --games 2 --steps 3 --simulations 50", ["0.20", "0.80", "of 2 subjects"]),
    "frozen_lake": (
        "--runs 2 --tuning-runs 1 --steps 30 --simulations 10",
        ["BAMCP", "PSRL", "Q-learning", "posterior mean", "knows the lake", "learning_rate 0.03"],
    ),
    "minigrid_lava": (
        "--runs 2 --steps 60 --simulations 10 --environment MiniGrid-LavaGapS5-v0",
        ["MiniGrid-LavaGapS5-v0, 60 steps", "BAMCP", "Q-learning", "random"],
    ),
    "machine_repair": ("--machines 3 --years 1 --simulations 20", ["knows the rates", "BAMCP", "PSRL", "posterior mean"]),
    "wind": ("--winds 2 --steps 6 --simulations 20", ["knows the wind", "BAMCP, one wind", "PSRL, one wind", "mean wind"]),
}


def _needs(name: str) -> None:
    if name == "minigrid_lava":
        pytest.importorskip("minigrid", reason="the example needs MiniGrid: pip install minigrid")


@pytest.mark.parametrize("name", TABLES)
def test_example_with_a_table(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _needs(name)
    arguments, rows = TABLES[name]
    path = tmp_path / "new" / "picture.png"
    monkeypatch.setattr("sys.argv", [name, *arguments.split(), "--picture", str(path)])
    monkeypatch.setenv("COLUMNS", "120")
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    shown = capsys.readouterr().out
    assert [row for row in rows if row not in shown] == []
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", TABLES)
def test_help_teaches(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    _needs(name)
    monkeypatch.setattr("sys.argv", [name, "--help"])
    with pytest.raises(SystemExit, match="0"):
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    shown = capsys.readouterr().out
    assert f"python examples/{name}.py --help" in shown
    assert shown.count("(default ") >= 4


def test_the_values_that_choices_are_fitted_with_are_those_of_the_plan() -> None:
    """Against the exact solution; the error of 20,000 simulations is about 0.03, the values are about 5."""
    example = runpy.run_path(str(EXAMPLES / "fit_choices.py"))
    prior, rewards = BetaArms([1 + 2, 1], [1 + 1, 0]), Bandit([0.5, 1], payoffs=[1, example["SURE"]]).rewards
    exact = bayes_optimal(prior, rewards, example["DISCOUNT"], state=0, tolerance=0.01).values
    found = example["values"](0.5, 2, 1, 20_000, 0)
    np.testing.assert_allclose(found - found[1], exact - exact[1], atol=0.2)


def test_softmax_of_the_fit() -> None:
    example = runpy.run_path(str(EXAMPLES / "fit_choices.py"))
    logs = example["log_softmax"](np.array([1.0, 2.0]), 0.5)
    np.testing.assert_allclose(np.exp(logs), [1 / (1 + np.exp(2)), 1 / (1 + np.exp(-2))])


def test_equal_allocation_takes_turns() -> None:
    agent = runpy.run_path(str(EXAMPLES / "clinical_trial.py"))["EqualAllocation"]()
    taken = []
    for _ in range(7):
        taken.append(agent.act(0))
        agent.observe(0, taken[-1], 0.0, 0)
    assert taken == [0, 1, 2, 0, 1, 2, 0]


def test_the_wrapper_of_minigrid_tells_where_the_agent_is() -> None:
    """Step by step beside the environment itself; the map is the same in every episode."""
    pytest.importorskip("minigrid")
    example = runpy.run_path(str(EXAMPLES / "minigrid_lava.py"))
    wrapped = example["environment"]("MiniGrid-LavaGapS5-v0", 3)
    check_domain(Gymnasium(lambda: example["environment"]("MiniGrid-LavaGapS5-v0", 3), values=(0, 1)))
    maps = set()
    for episode in range(3):
        assert wrapped.reset(seed=episode)[0] == (1, 1, 0)
        maps.add(str(wrapped.unwrapped.grid.encode().tolist()))
        observation, *_ = wrapped.step(1)
        assert observation == (1, 1, 1), "turned right: it looks down"
        observation, reward, *_ = wrapped.step(2)
        assert (observation, reward) == ((1, 2, 1), 0.0)
    assert len(maps) == 1
