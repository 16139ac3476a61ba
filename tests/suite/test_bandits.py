"""The bandits of RL² and of banditbench: what means are drawn from, and what agents are told."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from bamdp.domains import Tabular
from bamdp.suite import BanditBench, RL2Arms
from bamdp.suite.benchmark import Benchmark
from reference.comparison import FALSE_ALARM


def means(benchmark: Benchmark, worlds: int = 60) -> NDArray[np.float64]:
    """The means of the arms in some worlds. [worlds, arms]"""
    drawn = [benchmark.world(seed) for seed in range(worlds)]
    assert all(isinstance(world, Tabular) for world in drawn)
    return np.array([world.transitions[0, :, 1] for world in drawn])  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("benchmark", "distribution"),
    [
        (RL2Arms(arms=7), stats.uniform()),
        (BanditBench(), stats.uniform()),
        (BanditBench(means="middle"), stats.uniform(0.25, 0.5)),
        (BanditBench(means="low"), stats.beta(1, 8)),
        (BanditBench(means="high", told=True), stats.beta(8, 1)),
    ],
    ids=lambda value: getattr(value, "means", ""),
)
def test_means_have_the_distribution_of_the_table(
    benchmark: Benchmark, distribution: stats.rv_continuous
) -> None:
    """Kolmogorov–Smirnov, 420 to 600 means."""
    drawn = means(benchmark)
    assert stats.kstest(drawn.ravel(), distribution.cdf).pvalue > FALSE_ALARM
    assert len(np.unique(drawn)) == drawn.size


def test_equal_arms_but_one() -> None:
    drawn = means(BanditBench(means="equal"))
    assert np.allclose(np.sort(drawn, axis=1), [0.5] * 9 + [0.51])
    assert len(set(drawn.argmax(axis=1).tolist())) == 10, "in any place"


def test_what_agents_are_told() -> None:
    known, unknown = BanditBench(means="low", told=True), BanditBench(means="low")
    assert known.problem.belief().predictive(0, 3)[1] == pytest.approx(1 / 9)
    assert unknown.problem.belief().predictive(0, 3)[1] == pytest.approx(1 / 2)
    assert unknown.world(0).problem().horizon == 500
    with pytest.raises(ValueError, match="means must be a Beta distribution"):
        BanditBench(means="middle", told=True)
