"""The re-randomisation test beside the exact one, where both exist."""

import numpy as np
import pytest

from bamdp import trials
from bamdp.trials import ConditionalTest, Design, Stopping, Trial, TrialLog, end_counts
from bamdp.trials.designs import EqualDesign, PermutedBlocksDesign, ThompsonDesign
from bamdp.trials.rerandomisation import RerandomisationTest
from bamdp.trials.stopping import ExactStopping, PosteriorStopping

TEST = ConditionalTest(0.2)


@pytest.mark.parametrize("statistic", ["wald", "score", "fisher"])
@pytest.mark.parametrize("missing", [(), (2, 7)])
def test_p_values_are_the_exact_ones(statistic: str, missing: tuple[int, ...]) -> None:
    """Of 20,000 trials each: five standard errors and the observed trial itself; 12 outcomes have
    a false alarm of 7e-6.
    """
    test, design = ConditionalTest(0.2, statistic=statistic), ThompsonDesign()
    trial = Trial([0.5, 0.5], 14, delay=2, floor=0.1)
    end = end_counts(design, trial, missing=missing)
    again = RerandomisationTest(design, design.rule(trial), trial, test, missing=missing)
    n = 14 - len(missing)
    for pulls, s in (((n - 4, 4), (3, 3)), ((n // 2, n - n // 2), (1, 4))):
        exact = test.p_value(end, pulls, s)
        error = 5 * (exact * (1 - exact) / 20_000) ** 0.5 + 1 / 20_000
        assert again.p_value(14, s, pulls).value == pytest.approx(exact, abs=error)


@pytest.mark.parametrize(
    ("design", "stopping"),
    [
        (ThompsonDesign(), ExactStopping([10], TEST)),
        (ThompsonDesign(), PosteriorStopping([10, 12], benefit=0.9, futility=0.1)),
        (PermutedBlocksDesign(), ExactStopping([10], TEST)),
    ],
    ids=["exact", "posterior", "permuted"],
)
def test_looks_are_the_exact_ones(design: Design, stopping: Stopping) -> None:
    """Five standard errors, and 0.02 for looks at which 1,000 trials take a probability near the
    level for one on its other side.
    """
    trial = Trial([0.2, 0.7], 14, delay=2, stopping=stopping)
    exact = trials.operating_characteristics(design, trial, test=TEST)
    again = trials.operating_characteristics(design, trial, test=TEST, runs=4000)
    assert exact.exact
    assert (again.exact, again.test) == (False, "re-randomisation test")
    for name in ("power", "type_1_error"):
        value = getattr(exact, name).value
        error = 5 * (value * (1 - value) / 4000) ** 0.5 + 0.02
        assert getattr(again, name).value == pytest.approx(value, abs=error)
    assert again.patients.value == pytest.approx(exact.patients.value, abs=5 * 2 / 4000**0.5 + 0.1)
    assert again.successes.value == pytest.approx(
        exact.successes.value, abs=5 * 3 / 4000**0.5 + 0.1
    )


def test_three_arms_with_late_responses_and_a_look_keep_the_level() -> None:
    """Six standard errors above the level at most: a false alarm of 1e-9."""
    trial = Trial([0.4, 0.4, 0.4], 30, delay=9, stopping=ExactStopping([20], TEST))
    row = trials.operating_characteristics(ThompsonDesign(), trial, test=TEST, runs=2000)
    assert row.type_1_error.value <= 0.2 + 6 * (0.16 / 2000) ** 0.5
    assert row.type_1_error.value > 0.1, "and use it"
    assert row.patients.value < 30


def test_where_nothing_is_exact_the_test_is_simulated() -> None:
    """Permuted blocks with a missing response; equal numbers have nearly the same p-value."""
    arms = (0, 1, 1, 0) * 5
    responses = [bool(arm) for arm in arms]
    responses[5] = None  # type: ignore[call-overload]
    found = trials.test("permuted-blocks:size=4", log=TrialLog(arms, tuple(responses)))
    assert found.simulated is not None
    assert found.simulated.low is not None
    assert found.simulated.low <= found.p_value <= 0.001
    assert "re-randomisation test" in str(found)
    assert "by 20,000 simulated trials" in str(found)
    assert "without an interval" in str(found)
    same = trials.test("permuted-blocks:size=4", log=TrialLog(arms, tuple(responses)))
    assert same.simulated == found.simulated, "the same simulated trials"


def test_statistics_of_many_trials_are_those_of_the_grid() -> None:
    rng = np.random.default_rng(3)
    pulls = rng.integers(0, 6, (3, 200))
    successes = rng.binomial(pulls, 0.5)
    for statistic in ("wald", "difference", "score", "likelihood-ratio", "fisher"):
        for alternative in ("two-sided", "greater"):
            test = ConditionalTest(0.1, alternative, statistic)
            many = test.statistics_at(successes, pulls)
            one = [
                test.statistics(tuple(n))[tuple(s)]
                for n, s in zip(pulls.T.tolist(), successes.T.tolist(), strict=True)
            ]
            assert many.tolist() == one


def test_permuted_blocks_have_each_arm_equally_often() -> None:
    end = end_counts(PermutedBlocksDesign(4), Trial([0.5, 0.5], 8))
    assert list(end.counts) == [(4, 4)]
    part = end_counts(PermutedBlocksDesign(4), Trial([0.5, 0.5], 6))
    uniform = part.masses(np.array([[0.5, 0.5]]))
    assert {n: pytest.approx(p[0]) for n, p in uniform.items()} == {
        (4, 2): 1 / 6,
        (3, 3): 4 / 6,
        (2, 4): 1 / 6,
    }
    equal = trials.test(EqualDesign(), successes=[1, 4], failures=[3, 0])
    permuted = trials.test(PermutedBlocksDesign(4), successes=[1, 4], failures=[3, 0])
    assert permuted.p_value == pytest.approx(equal.p_value)
