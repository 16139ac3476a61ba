"""Tuning: every setting is tried, the best is run again with other seeds."""

import itertools

from bamdp.agents import BayesianDP
from bamdp.comparing.tune import points, tune
from bamdp.config import names
from bamdp.domains import Chain


def test_points_are_all_combinations_once() -> None:
    grids: list[dict[str, tuple[int, ...]]] = [{"a": (1, 2), "b": (3,)}, {"b": (3,), "a": (2,)}, {}]
    assert points(grids) == [{"a": 1, "b": 3}, {"a": 2, "b": 3}]
    assert points(grids, fixed=["a", "b"]) == []


def test_the_best_is_run_again_with_other_seeds() -> None:
    def make(seed: int, period: int = 0) -> BayesianDP:
        return BayesianDP(Chain().problem(), seed=seed, period=period)

    tuning = tune(Chain(), make, [{"period": 1}, {"period": 9}], steps=30, runs=2, workers=1)
    assert [trial.setting["period"] for trial in tuning.trials] == [1, 9]
    assert tuning.best is max(
        tuning.trials, key=lambda trial: trial.done.values("total_reward").mean()
    )
    assert tuning.again is not None
    assert tuning.again.setting == tuning.best.setting
    assert (
        tuning.again.done.values("total_reward").tolist()
        != tuning.best.done.values("total_reward").tolist()
    )
    assert not tuning.interrupted


def test_every_grid_can_be_made() -> None:
    """Each setting of each agent's grid is one that its constructor takes."""
    for found in names.AGENTS.find_all():
        for grid in found.target.grid:
            for point in itertools.product(*grid.values()):
                found.target(Chain().problem(), **dict(zip(grid, point, strict=True)))
