"""Fisher's test for all tables at once, against SciPy's for one."""

import numpy as np
import pytest
from scipy.stats import fisher_exact

from bamdp.trials import FisherTest
from reference.rejections import rejections


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize(("control", "other"), [(0, 4), (1, 1), (6, 6), (9, 4), (3, 17)])
def test_p_values_are_those_of_scipy(control: int, other: int, alternative: str) -> None:
    found = FisherTest(alternative=alternative).p_values(control, other)
    for s in range(control + 1):
        for t in range(other + 1):
            expected = fisher_exact(
                [[t, other - t], [s, control - s]], alternative=alternative
            ).pvalue
            assert found[s, t] == pytest.approx(expected, rel=1e-9), (s, t)


def test_arms_are_compared_with_the_control() -> None:
    test = FisherTest(alpha=0.05)
    rejects = test.rejects_after((8, 8, 5))
    assert rejects.shape == (9, 9, 6)
    assert rejects[0, 7, 2] == (
        test.p_values(8, 8)[0, 7] <= 0.025 or test.p_values(8, 5)[0, 2] <= 0.025
    )
    successes, pulls = (
        np.array([[0, 4, 0], [7, 4, 0], [2, 3, 5]]),
        np.array([[8] * 3, [8] * 3, [5] * 3]),
    )
    assert test.rejects_at(successes, pulls).tolist() == [
        bool(rejects[tuple(s)]) for s in successes.T
    ]


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_many_trials_have_the_p_values_of_their_tables(alternative: str) -> None:
    """Also those of 3000 patients, by SciPy."""
    test, rng = FisherTest(alternative=alternative), np.random.default_rng(1)
    pulls = rng.integers(0, 25, (3, 300))
    successes = rng.binomial(pulls, 0.4)
    many = test.p_values_at(successes, pulls, 2)
    for n, s, p in zip(pulls.T.tolist(), successes.T.tolist(), many, strict=True):
        assert p == pytest.approx(test.p_values(n[0], n[2])[s[0], s[2]], rel=1e-12)
    large = test.p_values_at(np.array([[70], [110]]), np.array([[1400], [1600]]), 1)
    table = [[110, 1490], [70, 1330]]
    assert large[0] == pytest.approx(fisher_exact(table, alternative=alternative).pvalue, rel=1e-9)


test_rejected = rejections(
    (ValueError, "alpha must be", lambda: FisherTest(alpha=0)),
    (
        ValueError,
        "alternative must be one of 'two-sided', 'greater'",
        lambda: FisherTest(alternative="less"),
    ),
)
