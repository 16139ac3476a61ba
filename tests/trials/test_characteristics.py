"""Operating characteristics: exact ones against all histories of small trials and closed forms,
simulated ones against them.
"""

import numpy as np
import pytest
from scipy.stats import binom

from bamdp.exact import optimal_arms
from bamdp.priors import BetaArms
from bamdp.trials import (
    Design,
    FisherTest,
    FunctionDesign,
    OperatingCharacteristics,
    Trial,
    operating_characteristics,
)
from bamdp.trials.designs import (
    BayesOptimalDesign,
    EqualDesign,
    FiniteGittinsDesign,
    ForwardGittinsDesign,
    GittinsDesign,
    PosteriorMeanDesign,
    RandomisedDesign,
    TemperedThompsonDesign,
    ThompsonDesign,
)
from reference.rejections import rejections
from reference.trials import ends, rejected

DESIGNS = [
    EqualDesign(),
    RandomisedDesign(),
    ThompsonDesign(),
    TemperedThompsonDesign(),
    PosteriorMeanDesign(),
    GittinsDesign(0.9),
    FiniteGittinsDesign(),
    BayesOptimalDesign(),
    ForwardGittinsDesign(3, 0.9),
]
PRIOR = BetaArms([2, 0.5], [1, 1.5])


@pytest.mark.parametrize("design", DESIGNS, ids=repr)
@pytest.mark.parametrize(
    "trial",
    [
        Trial([0.3, 0.8], 5, PRIOR),
        Trial([0.3, 0.8], 5, PRIOR, block=3, floor=0.1),
        Trial([0.3, 0.8], 5, PRIOR, delay=2),
        Trial([0.3, 0.8], 6, PRIOR, block=3, delay=1),
        Trial([0.3, 0.8], 5, PRIOR, block=3, delay=3),
        Trial([0.3, 0.8], 6, PRIOR, block=3, delay=4, floor=0.2),
        Trial([0.2, 0.9, 0.5], 3, BetaArms([1, 2, 1], [1, 1, 3])),
    ],
    ids=str,
)
def test_exact_values_are_those_of_all_histories(design: Design, trial: Trial) -> None:
    trial = trial if design.adaptive else Trial(trial.arms, trial.patients, trial.prior)
    null = [0.5] * trial.num_arms
    row = operating_characteristics(design, trial, test=FisherTest(0.4, "greater"), null=null)
    assert row.exact
    at, under = ends(design, trial, trial.arms), ends(design, trial, [0.5] * trial.num_arms)
    assert sum(at.values()) == pytest.approx(1, abs=1e-12)
    totals = {counts: sum(s for s, _ in counts) for counts in at}
    mean = sum(p * totals[counts] for counts, p in at.items())
    assert row.successes.value == pytest.approx(mean, abs=1e-12)
    assert row.successes_sd == pytest.approx(
        sum(p * (totals[c] - mean) ** 2 for c, p in at.items()) ** 0.5, abs=1e-9
    )
    share = sum(p * sum(counts[1]) for counts, p in at.items()) / trial.patients
    assert row.share_best is not None
    assert row.share_best.value == pytest.approx(share, abs=1e-12)
    for found, where in ((row.power, at), (row.type_1_error, under)):
        assert found.value == pytest.approx(
            sum(p for counts, p in where.items() if rejected(counts, 0.4, "greater")), abs=1e-12
        )


def test_equal_allocation_has_a_closed_form() -> None:
    """Two binomial distributions, 74 patients each: the trial of Villar, Bowden
    and Wason (2015).
    """
    row = operating_characteristics(EqualDesign(), Trial([0.3, 0.5], 148), test=FisherTest())
    significant = FisherTest().p_values(74, 74) <= 0.05
    control, other = (binom.pmf(np.arange(75), 74, p) for p in (0.3, 0.5))
    assert row.power.value == pytest.approx(float(control @ significant @ other), abs=1e-12)
    assert row.type_1_error.value == pytest.approx(
        float(control @ significant @ control), abs=1e-12
    )
    assert row.successes.value == pytest.approx(59.2)
    assert row.prior_successes.value == pytest.approx(74)
    assert row.successes_sd == pytest.approx((74 * (0.21 + 0.25)) ** 0.5)


@pytest.mark.parametrize(("arms", "patients"), [([0.3, 0.5], 30), ([0.3, 0.5, 0.6], 9)])
def test_over_the_prior_the_optimal_design_earns_the_optimal_value(
    arms: list[float], patients: int
) -> None:
    prior = BetaArms([1, 2, 1][: len(arms)], [1, 3, 0.5][: len(arms)])
    trial = Trial(arms, patients, prior)
    best = optimal_arms(trial.problem).value
    found = operating_characteristics(BayesOptimalDesign(), trial).prior_successes.value
    assert found == pytest.approx(best, abs=1e-9)
    for other in (
        FiniteGittinsDesign(),
        GittinsDesign(),
        PosteriorMeanDesign(),
        ThompsonDesign(),
        EqualDesign(),
    ):
        assert operating_characteristics(other, trial).prior_successes.value < best


def standard_scores(
    design: Design, trial: Trial, exact: OperatingCharacteristics, runs: int = 2000
) -> list[float]:
    """Differences of simulated to exact values in standard errors."""
    simulated = operating_characteristics(design, trial, runs=runs, seed=1)
    assert not simulated.exact
    assert simulated.runs == runs
    assert exact.share_best is not None
    assert simulated.share_best is not None
    errors = {
        "successes": exact.successes_sd / runs**0.5,
        "power": (exact.power.value * (1 - exact.power.value) / runs) ** 0.5,
        "type_1_error": (exact.type_1_error.value * (1 - exact.type_1_error.value) / runs) ** 0.5,
    }
    scores = [
        (getattr(simulated, name).value - getattr(exact, name).value) / error
        for name, error in errors.items()
    ]
    if exact.share_best_sd:
        scores.append(
            (simulated.share_best.value - exact.share_best.value)
            / (exact.share_best_sd / runs**0.5)
        )
    return scores


@pytest.mark.parametrize("design", DESIGNS, ids=repr)
def test_simulated_values_are_the_exact_ones(design: Design) -> None:
    """Within five standard errors: a false alarm of 6e-7 for each of 36 comparisons, had the seeds
    been drawn at random.
    """
    trial = Trial([0.2, 0.7], 16, block=1 if design.block else 2, floor=0.05)
    exact = operating_characteristics(design, trial, test=FisherTest())
    assert np.abs(standard_scores(design, trial, exact)).max() < 5


def test_a_wrong_rule_is_seen() -> None:
    """The comparison of the last test fails if the simulation ignores blocks."""
    trial = Trial([0.2, 0.7], 24, block=12)
    exact = operating_characteristics(PosteriorMeanDesign(), trial, test=FisherTest())
    assert np.abs(standard_scores(PosteriorMeanDesign(), Trial([0.2, 0.7], 24), exact)).max() > 20


def first_of_three(successes, failures, patient):  # type: ignore[no-untyped-def]
    """By successes for patients 0, 3, 6, …, the first of their blocks; by failures for others."""
    return [1 + 9 * (failures, successes)[patient % 3 == 0][arm] for arm in range(2)]


def test_a_simulated_block_is_allocated_as_its_first_patient() -> None:
    """By hand, and against all histories: five standard errors, with a false alarm of 6e-7."""
    leading = FunctionDesign("leading", lambda s, f, n: np.array([n % 3 == 0, n % 3 > 0]))
    row = operating_characteristics(leading, Trial([1.0, 0.0], 9, block=3), runs=10)
    assert row.successes.value == 9, "patients 0, 3 and 6 decide for their blocks"
    design = FunctionDesign("first of three", first_of_three)
    trial, runs = Trial([0.2, 0.9], 6, block=3), 20_000
    row = operating_characteristics(design, trial, runs=runs, seed=2)
    at = ends(design, trial, trial.arms)
    mean = sum(p * sum(s for s, _ in counts) for counts, p in at.items())
    assert abs(row.successes.value - mean) < 5 * row.successes_sd / runs**0.5


def test_late_responses() -> None:
    """Simulated against all histories: five standard errors, with a false alarm of 6e-7."""
    trial = Trial([0.2, 0.9], 5, delay=2)
    row = operating_characteristics(PosteriorMeanDesign(), trial, runs=20_000, seed=3)
    expected = sum(
        p * sum(s for s, _ in counts)
        for counts, p in ends(PosteriorMeanDesign(), trial, trial.arms).items()
    )
    assert abs(row.successes.value - expected) < 5 * row.successes_sd / 20_000**0.5
    without_delay = operating_characteristics(
        PosteriorMeanDesign(), Trial([0.2, 0.9], 5)
    ).successes.value
    assert without_delay - expected > 20 * row.successes_sd / 20_000**0.5, (
        "or the delay would not be seen"
    )


def test_the_forward_looking_index_is_in_the_published_range() -> None:
    """Villar, Wason and Bowden (2015, Biometrics), Table 1, as quoted in the tests of the R package
    RARtrials: 30 patients, discount 0.7, expected successes 7.7 in blocks of 2 and 7.56 in blocks
    of 1 at (0.1, 0.3), and 22.67 at (0.7, 0.8). They are simulated, with standard errors below 0.1.
    """
    for arms, block, published in (
        ([0.1, 0.3], 2, 7.7),
        ([0.1, 0.3], 1, 7.56),
        ([0.7, 0.8], 2, 22.67),
    ):
        row = operating_characteristics(ForwardGittinsDesign(block, discount=0.7), Trial(arms, 30))
        assert row.exact
        assert row.successes.value == pytest.approx(published, abs=0.3)


def test_arms_that_are_equally_good_have_no_best() -> None:
    row = operating_characteristics(ThompsonDesign(), Trial([0.4, 0.4], 12))
    assert row.share_best is None
    assert row.power.value == pytest.approx(row.type_1_error.value, abs=1e-12)


def wrong(successes, failures, patient):  # type: ignore[no-untyped-def]
    return [-1.0, 2.0]


def three(successes, failures, patient):  # type: ignore[no-untyped-def]
    return [1.0] * 3


TRIAL = Trial([0.3, 0.5], 10)
test_rejected = rejections(
    (TypeError, "design must be", lambda: operating_characteristics("equal", TRIAL)),  # type: ignore[arg-type]
    (
        TypeError,
        "trial must be a Trial",
        lambda: operating_characteristics(EqualDesign(), [0.3, 0.5]),  # type: ignore[arg-type]
    ),
    (
        ValueError,
        "null must be for the 2 arms",
        lambda: operating_characteristics(EqualDesign(), TRIAL, null=[0.3] * 3),
    ),
    (ValueError, "at least two arms", lambda: Trial([0.3], 10)),
    (ValueError, "probabilities from 0 to 1, got 1.5", lambda: Trial([0.3, 1.5], 10)),
    (ValueError, "patients must be", lambda: Trial([0.3, 0.5], 0)),
    (ValueError, "block must be", lambda: Trial([0.3, 0.5], 10, block=11)),
    (ValueError, "delay must be", lambda: Trial([0.3, 0.5], 10, delay=-1)),
    (ValueError, "floor must be", lambda: Trial([0.3, 0.5], 10, floor=0.6)),
    (TypeError, "prior must be BetaArms", lambda: Trial([0.3, 0.5], 10, 1.0)),  # type: ignore[arg-type]
    (
        ValueError,
        "prior must be for the 2 arms",
        lambda: Trial([0.3, 0.5], 10, BetaArms([1, 2, 3])),
    ),
    (
        ValueError,
        "positive pseudo-counts",
        lambda: operating_characteristics(ThompsonDesign(), Trial([0.3, 0.5], 10, BetaArms(1, 0))),
    ),
    (
        MemoryError,
        "at most .* patients on 2 arms",
        lambda: operating_characteristics(BayesOptimalDesign(), Trial([0.3, 0.5], 5000)),
    ),
    (
        MemoryError,
        "at most 6 arms",
        lambda: operating_characteristics(BayesOptimalDesign(), Trial([0.3] * 7, 5)),
    ),
    (
        ValueError,
        "must give probabilities",
        lambda: operating_characteristics(FunctionDesign("wrong", wrong), TRIAL),
    ),
    (
        ValueError,
        "must give 2 probabilities",
        lambda: operating_characteristics(FunctionDesign("three", three), TRIAL),
    ),
)


@pytest.mark.parametrize(
    "prior", [BetaArms([30, 0.1], [1, 0.1]), BetaArms([0.1, 0.3], [2, 0.05])], ids=repr
)
def test_thompson_with_small_pseudo_counts_is_as_simulated(prior: BetaArms) -> None:
    """Simulation draws from the posteriors; 5.5 standard errors: false alarms 4·10⁻⁸ each."""
    trial = Trial([0.3, 0.6], 10, prior)
    exact = operating_characteristics(ThompsonDesign(), trial)
    simulated = operating_characteristics(ThompsonDesign(), trial, runs=100_000, seed=1)
    assert exact.exact
    for name in ("successes", "share_best", "prior_successes"):
        value, mean = getattr(exact, name).value, getattr(simulated, name)
        assert abs(value - mean.value) < 5.5 / 1.96 * mean.half
