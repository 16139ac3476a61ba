"""Conditional exact tests: independently computed values, all histories of small trials, the level
at every null.
"""

from fractions import Fraction
from itertools import product
from math import factorial

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, chi2_contingency

from bamdp import trials
from bamdp.priors import BetaArms
from bamdp.trials import (
    AllocationPolicy,
    ConditionalTest,
    Design,
    Evaluation,
    FisherTest,
    FunctionDesign,
    Stopping,
    Trial,
    TrialEnded,
    end_counts,
)
from bamdp.trials.conditional import NAMES
from bamdp.trials.counts import Counts, grid
from bamdp.trials.designs import (
    BayesOptimalDesign,
    EqualDesign,
    ForwardGittinsDesign,
    PosteriorMeanDesign,
    RandomisedDesign,
    ThompsonDesign,
)
from bamdp.trials.distributions import null_weights
from bamdp.trials.fisher import ALTERNATIVES
from bamdp.trials.stopping import ExactStopping, PosteriorStopping
from reference.rejections import rejections
from reference.trials import Ends, ends

NULLS = np.concatenate([np.linspace(0, 1, 401), [0.001, 0.999]])


@pytest.mark.parametrize(
    ("patients", "floor", "successes", "fisher", "power", "errors"),
    [
        (30, 0.0, 13.43, 0.004, 0.063, [0.037, 0.039, 0.034]),
        (100, 0.0, 47.09, 0.035, 0.102, [0.046, 0.041, 0.036]),
        (100, 0.1, 45.84, 0.258, 0.289, [0.044, 0.047, 0.048]),
    ],
)
def test_values_that_were_computed_independently(
    patients: int, floor: float, successes: float, fisher: float, power: float, errors: list[float]
) -> None:
    """Two arms with uniform priors, the Bayes-optimal design, success probabilities 0.3 and 0.5,
    two-sided at 5 %.
    """
    trial = Trial([0.3, 0.5], patients, floor=floor)
    found = Evaluation(BayesOptimalDesign(), trial)
    assert found.end.successes(trial.arms)[0] == pytest.approx(successes, abs=0.005)
    assert found.rejection(trial.arms)[0] == pytest.approx(power, abs=0.0005)
    assert found.type_1_error([0.1, 0.3, 0.5]) == pytest.approx(errors, abs=0.00051)
    assert found.end.rejected(np.array([trial.arms]), FisherTest().rejects(found.end))[
        0
    ] == pytest.approx(fisher, abs=0.0005)


SMALL = [
    (BayesOptimalDesign(), Trial([0.3, 0.5], 6, BetaArms([2, 0.5], [1, 1.5]))),
    (ThompsonDesign(), Trial([0.3, 0.5], 6, block=2, floor=0.1)),
    (PosteriorMeanDesign(), Trial([0.3, 0.5], 5, delay=2)),
    (RandomisedDesign(), Trial([0.3, 0.5, 0.2], 4)),
]


def by_total(found: Ends) -> dict[int, Ends]:
    """The probabilities given the total of successes."""
    groups: dict[int, Ends] = {}
    for counts, p in found.items():
        groups.setdefault(sum(s for s, _ in counts), {})[counts] = p
    return {
        total: {counts: p / sum(group.values()) for counts, p in group.items()}
        for total, group in groups.items()
    }


@pytest.mark.parametrize(("design", "trial"), SMALL, ids=str)
def test_probabilities_given_the_total_are_those_of_all_histories(
    design: Design, trial: Trial
) -> None:
    end = end_counts(design, trial)
    for p in (0.2, 0.7):  # they don't depend on it
        for group in by_total(ends(design, trial, [p] * trial.num_arms)).values():
            for counts, chance in group.items():
                pulls, successes = tuple(map(sum, counts)), tuple(s for s, _ in counts)
                assert null_weights(pulls, end.counts[pulls])[successes] == pytest.approx(
                    chance, abs=1e-12
                )


@pytest.mark.parametrize("statistic", NAMES)
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize(("design", "trial"), SMALL, ids=str)
def test_p_values_are_those_of_all_histories(
    design: Design, trial: Trial, alternative: str, statistic: str
) -> None:
    """And the test rejects where the p-value is at most the level."""
    test = ConditionalTest(0.3, alternative, statistic)
    rejects = test.rejects(end_counts(design, trial))
    for group in by_total(ends(design, trial, [0.4] * trial.num_arms)).values():
        values = {
            counts: float(test.statistics(tuple(map(sum, counts)))[tuple(s for s, _ in counts)])
            for counts in group
        }
        for counts, value in values.items():
            p_value = sum(
                chance for other, chance in group.items() if values[other] >= value - 1e-8
            )
            successes, failures = zip(*counts, strict=True)
            found = trials.test(
                design,
                successes=successes,
                failures=failures,
                trial=trial,
                test=test,
                interval=False,
            )
            assert found.p_value == pytest.approx(p_value, abs=1e-12)
            assert rejects[tuple(map(sum, counts))][successes] == (p_value <= 0.3 * (1 + 1e-9))


@pytest.mark.parametrize(
    ("statistic", "name"), [("score", "pearson"), ("likelihood-ratio", "log-likelihood")]
)
def test_squares_are_those_of_tests_of_contingency_tables(statistic: str, name: str) -> None:
    found = ConditionalTest(alternative="greater", statistic=statistic).statistics((7, 4))
    for (s, t), value in np.ndenumerate(found):
        if 0 < s + t < 11:
            expected = chi2_contingency(
                [[s, t], [7 - s, 4 - t]], correction=False, lambda_=name
            ).statistic
            assert value * abs(value) == pytest.approx(np.sign(t / 4 - s / 7) * expected, abs=1e-7)
        else:
            assert value == 0
    assert not ConditionalTest(statistic=statistic).statistics((0, 3)).any(), (
        "an arm without patients says nothing"
    )


@pytest.mark.parametrize("statistic", NAMES)
def test_a_statistic_has_the_direction_of_the_data(statistic: str) -> None:
    """Equal shares have the smallest one, whatever the numbers of patients, and so does an arm
    without patients.
    """
    for n in [(5, 20), (1, 20), (7, 7), (0, 3)]:
        two_sided, greater = (
            ConditionalTest(alternative=one, statistic=statistic).statistics(n)
            for one in ALTERNATIVES
        )
        for (s, t), value in np.ndenumerate(greater):
            apart = t * n[0] - s * n[1]
            assert two_sided[s, t] >= 0
            assert two_sided[s, t] == 0 or apart != 0
            assert statistic == "fisher" or value * apart >= 0


@pytest.mark.parametrize("statistic", NAMES)
def test_nothing_but_successes_is_no_finding(statistic: str) -> None:
    """Complete randomisation of 30 patients leaves 8 or fewer on an arm in 1.6 % of all trials."""
    test = ConditionalTest(statistic=statistic)
    for every, none in (([8, 22], [0, 0]), ([0, 0], [8, 22])):
        found = trials.test(
            RandomisedDesign(), successes=every, failures=none, test=test, interval=False
        )
        assert found.p_value == pytest.approx(1, abs=1e-12)


def urn(successes: Counts, failures: Counts, patient: int) -> list[NDArray[np.float64]]:
    """The randomised play-the-winner rule, with one ball of each arm at first."""
    return [
        np.asarray(1.0 + s + sum(failures) - f) for s, f in zip(successes, failures, strict=True)
    ]


EVERY = [
    (BayesOptimalDesign(), Trial([0.3, 0.5], 40)),
    (BayesOptimalDesign(), Trial([0.3, 0.5], 30, BetaArms([6, 1], [2, 1]))),
    (BayesOptimalDesign(), Trial([0.3, 0.5, 0.5], 12)),
    (ThompsonDesign(), Trial([0.3, 0.5], 30, block=5, floor=0.1)),
    (PosteriorMeanDesign(), Trial([0.3, 0.5], 20, delay=3)),
    (ForwardGittinsDesign(), Trial([0.3, 0.5], 27)),
    (EqualDesign(), Trial([0.3, 0.5], 60, stopping=ExactStopping([20, 40]))),
    (
        ThompsonDesign(),
        Trial([0.3, 0.5], 40, stopping=PosteriorStopping([10, 20, 30], benefit=0.9, futility=0.1)),
    ),
    (FunctionDesign("urn", urn), Trial([0.3, 0.5], 25)),
]


@pytest.mark.parametrize("statistic", NAMES)
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize(("design", "trial"), EVERY, ids=str)
def test_the_type_1_error_is_at_most_the_level_at_every_null(
    design: Design, trial: Trial, alternative: str, statistic: str
) -> None:
    exact = ConditionalTest(0.05, alternative, statistic)
    found = Evaluation(design, trial, exact)
    errors = found.type_1_error(NULLS)
    assert errors.max() <= 0.05 * (1 + 1e-8)
    assert found.largest_type_1_error()[0] >= errors.max() - 1e-12
    assert found.rejection([[p] * trial.num_arms for p in NULLS[::40]]) == pytest.approx(
        errors[::40], abs=1e-12
    )
    assert errors.max() > 0.01, "or a test that never rejects would pass"


@pytest.mark.parametrize(("design", "trial"), EVERY[:6], ids=str)
def test_a_randomised_test_has_the_level_at_every_null(design: Design, trial: Trial) -> None:
    found = Evaluation(design, trial, ConditionalTest(0.05, randomised=True))
    assert found.type_1_error(NULLS) == pytest.approx(0.05, abs=1e-12)


@pytest.mark.parametrize(
    "design", [ThompsonDesign(), BayesOptimalDesign(), RandomisedDesign()], ids=repr
)
def test_ordered_by_fisher_it_rejects_wherever_fisher_may(design: Design) -> None:
    """For each total of which Fisher's test keeps the level: it does so of all where it does not
    look at responses.
    """
    end = end_counts(design, Trial([0.3, 0.5], 40))
    fisher, conditional = (
        test.rejects(end) for test in (FisherTest(), ConditionalTest(statistic="fisher"))
    )
    kept = end.rejected_by_total(fisher)[40] <= 0.05
    assert kept.all() == (design.name == "randomised")
    for n, u in end.counts.items():
        here = (u > 0) & kept[np.broadcast_to(sum(grid(n)[0]), u.shape)]
        assert (conditional[n] >= fisher[n])[here].all()


def test_the_trial_of_ecmo() -> None:
    """Bartlett and others (1985): 11 of 11 survive on ECMO, 0 of 1 without. Wei (1988) has 0.051
    for the randomisation test.
    """
    design = FunctionDesign("urn", urn)
    rule = design.rule(Trial([0.5, 0.5], 12))
    kept = 0.0
    for failed in (
        0,
        1,
    ):  # the arm of the second patient, who died; all others were on the second arm
        chance, successes, failures = 1.0, [0, 0], [0, 0]
        for patient in range(12):
            arm = failed if patient == 1 else 1
            counts = [np.array([n]) for n in (*successes, *failures)]
            chance *= float(rule.probabilities(counts[:2], counts[2:], patient)[arm, 0])
            (failures if patient == 1 else successes)[arm] += 1
        kept += chance
    assert kept == pytest.approx(0.0513, abs=5e-5)
    found = trials.test(
        design,
        successes=[0, 11],
        failures=[1, 0],
        test=ConditionalTest(alternative="greater"),
        interval=False,
    )
    assert found.p_value == pytest.approx(0.0199, abs=5e-5)
    assert found.fisher_p_value == pytest.approx(1 / 12)


def test_fisher_does_not_keep_its_level_with_thompson_sampling() -> None:
    assert Evaluation(
        ThompsonDesign(), Trial([0.5, 0.5], 60), FisherTest()
    ).largest_type_1_error() == pytest.approx((0.0717, 0.81), abs=1e-3)


def test_fisher_conditions_on_more() -> None:
    """Fisher's test of a randomised trial is the conditional one given the patients on each arm as
    well: it has less power.
    """
    trial = Trial([0.2, 0.7], 30)
    conditional, fisher = (
        Evaluation(RandomisedDesign(), trial, test) for test in (ConditionalTest(), FisherTest())
    )
    assert conditional.rejection(trial.arms)[0] > fisher.rejection(trial.arms)[0]
    equal = end_counts(EqualDesign(), Trial([0.5, 0.5], 12))
    p = trials.test(EqualDesign(), successes=[1, 5], failures=[5, 1], interval=False)
    assert p.p_value == pytest.approx(p.fisher_p_value, abs=1e-12), (
        "with fixed numbers of patients there is no difference"
    )
    assert equal.totals() == {12: [(6, 6)]}


@pytest.mark.parametrize(
    ("design", "trial"),
    [
        (BayesOptimalDesign(), Trial([0.5, 0.5], 7)),
        (ThompsonDesign(), Trial([0.5, 0.5], 6, floor=0.1)),
        (EqualDesign(), Trial([0.5, 0.5], 10)),
        (ThompsonDesign(), Trial([0.5, 0.5], 6, stopping=ExactStopping([4], ConditionalTest(0.4)))),
    ],
    ids=str,
)
def test_intervals_cover(design: Design, trial: Trial) -> None:
    """The true difference with at least 80 % at all success probabilities of a grid, and not
    always.
    """
    end = end_counts(design, trial)
    test = ConditionalTest(0.2)
    covered: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[float, float]] = {}
    for pulls, u in end.counts.items():
        for successes in np.ndindex(u.shape):
            if u[successes] > 0:
                failures = [n - s for n, s in zip(pulls, successes, strict=True)]
                found = trials.test(
                    design, successes=successes, failures=failures, trial=trial, test=test
                )
                assert found.interval is not None
                covered[pulls, successes] = found.interval
    coverage = []
    for p_1 in np.linspace(0.015, 0.985, 14):
        for p_2 in np.linspace(0.02, 0.98, 13):
            at = end.probabilities([p_1, p_2])
            inside = [
                at[n][s] for (n, s), (low, high) in covered.items() if low <= p_2 - p_1 <= high
            ]
            coverage.append(float(np.sum(inside)))
    assert min(coverage) >= 0.8
    assert min(coverage) < 0.97, "or the interval from −1 to 1 would pass"


def test_intervals_of_95_percent_cover() -> None:
    design, trial = BayesOptimalDesign(), Trial([0.5, 0.5], 10)
    end = end_counts(design, trial)
    limits = {}
    for pulls, u in end.counts.items():
        for s in zip(*np.nonzero(u), strict=True):
            f = [n - k for n, k in zip(pulls, s, strict=True)]
            found = trials.test(design, successes=s, failures=f, trial=trial)
            limits[pulls, s] = found.interval or (1, -1)
    for arms in ((0.2, 0.5), (0.7, 0.65), (0.05, 0.9), (0.5, 0.5)):
        at, difference = end.probabilities(arms), arms[1] - arms[0]
        covered = [at[n][s] for (n, s), (low, high) in limits.items() if low <= difference <= high]
        coverage = float(np.sum(covered))
        assert 0.95 <= coverage < 1 - 1e-6


def test_an_interval_at_the_usual_level() -> None:
    found = trials.test(EqualDesign(), successes=[10, 25], failures=[40, 25])
    assert found.interval is not None
    assert found.estimate == pytest.approx(0.3)
    assert found.interval[0] == pytest.approx(0.11, abs=0.02), (
        "near that of the normal distribution, 0.123 … 0.477"
    )
    assert found.interval[1] == pytest.approx(0.48, abs=0.02)
    assert found.p_value < 0.05
    assert "95 % interval" in str(found)


@pytest.mark.parametrize("successes", [(1, 5), (2, 4), (3, 3)])
def test_an_interval_by_binomial_distributions(successes: tuple[int, int]) -> None:
    """Of six patients on each arm, by the difference of successes: each tail has half
    of the level.
    """
    test, observed = ConditionalTest(0.1, statistic="difference"), successes[1] - successes[0]
    differences, nuisance = np.linspace(-1, 1, 401), np.linspace(0, 1, 401)
    s_1, s_2 = np.meshgrid(range(7), range(7), indexing="ij")
    probable: dict[bool, list[float]] = {True: [], False: []}  # differences, by whether T is above
    for difference in differences:
        p_1 = nuisance[(nuisance + difference >= -1e-9) & (nuisance + difference <= 1 + 1e-9), None]
        one = binom.pmf(range(7), 6, p_1)
        two = binom.pmf(range(7), 6, np.clip(p_1 + difference, 0, 1))
        for above, values in probable.items():
            region = s_2 - s_1 >= observed if above else s_2 - s_1 <= observed
            if np.einsum("pi,pj,ij->p", one, two, region).max() > 0.05:
                values.append(float(difference))
    failures = [6 - s for s in successes]
    found = trials.test(EqualDesign(), successes=successes, failures=failures, test=test)
    limits = min(probable[True]), max(probable[False])
    assert found.interval == pytest.approx(limits, abs=0.0055), "the step of the differences, 0.005"


def test_stopping_is_that_of_all_histories() -> None:
    """A trial that ends after two patients if both have succeeded has the probabilities of the
    longer one otherwise.
    """
    trial = Trial([0.3, 0.6], 4, stopping=PosteriorStopping([2], benefit=0.8))
    end = end_counts(EqualDesign(), trial)
    stopped = end.probabilities(trial.arms)[
        1, 1
    ]  # P(best) = 5/6 after a success and a failure, 1/2 otherwise
    assert stopped == pytest.approx(np.array([[0, 0.7 * 0.6], [0.3 * 0.4, 0]]))
    rest = end.probabilities(trial.arms)[2, 2]
    assert rest.sum() + stopped.sum() == pytest.approx(1)
    assert rest[2, 2] == pytest.approx(0.3**2 * 0.6**2)
    assert rest[1, 1] == pytest.approx(2 * 0.3 * 0.6 * 0.7 * 0.4)
    row = trials.operating_characteristics(EqualDesign(), trial)
    assert row.patients.value == pytest.approx(4 - 2 * stopped.sum())
    assert row.successes.value == pytest.approx(row.patients.value * 0.45)  # Wald's identity


def test_a_trial_is_given_up_where_no_arm_is_likely_to_beat_the_control() -> None:
    """P(the second is the best) = 1/6 after a success of the control and a failure of the other,
    5/6 the other way round.
    """
    trial = Trial([0.3, 0.6], 4, stopping=PosteriorStopping([2], benefit=1, futility=0.2))
    stopped = end_counts(EqualDesign(), trial).probabilities(trial.arms)[1, 1]
    assert stopped == pytest.approx(np.array([[0, 0], [0.3 * 0.4, 0]]))


def first_better(s: tuple[int, ...], f: tuple[int, ...]) -> Fraction:
    """The probability that the first of two arms is better, of uniform priors, as a fraction."""

    def beta(a: int, b: int) -> Fraction:
        return Fraction(factorial(a - 1) * factorial(b - 1), factorial(a + b - 1))

    a, b, c, d = s[0] + 1, f[0] + 1, s[1] + 1, f[1] + 1
    parts = [beta(c + i, b + d) / ((b + i) * beta(1 + i, b)) for i in range(a)]
    return sum(parts, Fraction(0)) / beta(c, d)


def test_a_probability_of_exactly_the_threshold_is_benefit_and_no_futility() -> None:
    """Accepted from it on, given up below it, whichever way it is rounded."""

    def goes_on(s: tuple[int, ...], f: tuple[int, ...], benefit: float, futility: float) -> bool:
        n = sum(s) + sum(f)
        trial = Trial([0.5, 0.5], n + 1, stopping=PosteriorStopping([n], benefit, futility))
        policy = AllocationPolicy("randomised", trial)
        try:
            policy.next(s, f)
        except TrialEnded:
            return False
        return True

    for pulls in ((3, 0), (0, 4), (2, 3), (1, 6)):
        for s in np.ndindex(*(n + 1 for n in pulls)):
            f = tuple(n - k for n, k in zip(pulls, s, strict=True))
            first = first_better(s, f)
            best, other = float(max(first, 1 - first)), float(1 - first)
            assert not goes_on(s, f, best, 0)
            assert goes_on(s, f, best + 1e-6, 0)
            if other <= 0.5 - 1e-6:
                assert goes_on(s, f, 1, other)
                assert not goes_on(s, f, 1, other + 1e-6)


def test_a_randomised_test_ends_a_trial_only_where_it_rejects_with_certainty() -> None:
    """By all orders of six responses, three on each arm: under the null, those with the same total
    of successes are equally probable."""
    level = 0.4 * 6 / 12  # that may be spent by then
    orders = list(product((0, 1), repeat=6))
    outcomes = [(sum(order[:3]), sum(order[3:])) for order in orders]
    test = ConditionalTest(0.4, statistic="difference", randomised=True)
    policy = AllocationPolicy("equal", Trial([0.5, 0.5], 12, stopping=ExactStopping([6], test)))
    kinds = set()
    for s in set(outcomes):
        same = [abs(a - b) for a, b in outcomes if a + b == sum(s)]
        apart = abs(s[0] - s[1])
        larger, as_large = (float(np.mean([x >= apart + more for x in same])) for more in (1, 0))
        ends = as_large <= level + 1e-12
        kinds.add("certain" if ends else "at random" if larger < level else "never")
        counts = list(s), [3 - s[0], 3 - s[1]]
        if ends:
            with pytest.raises(TrialEnded):
                policy.next(*counts)
        else:
            assert policy.next(*counts).patient == 7
    assert {"certain", "at random"} <= kinds


@pytest.mark.parametrize(
    ("design", "stopping", "successes", "failures"),
    [
        ("randomised", ExactStopping([10], ConditionalTest(0.3)), [5, 0], [0, 15]),
        ("randomised", ExactStopping([10]), [0, 6], [14, 0]),
        ("thompson", None, [6, 0], [0, 14]),
        ("thompson", ExactStopping([10]), [5, 0], [0, 5]),
    ],
)
def test_an_outcome_that_is_improbable_at_every_difference_has_an_interval_too(
    design: str, stopping: ExactStopping | None, successes: list[int], failures: list[int]
) -> None:
    """Not a point, but half as wide at least as in a trial with fixed numbers of patients, where
    nothing but successes on one arm and failures on the other has probability p_1^n (1 − p_2)^m."""
    trial = Trial([0.5, 0.5], 20, stopping=stopping)
    test = ConditionalTest() if stopping is None else stopping.test
    found = trials.test(design, successes=successes, failures=failures, trial=trial, test=test)
    low, high = found.interval or (0, 0)
    n, m = max(successes), max(failures)
    p = np.linspace(0, 1, 2001)
    probable = p[:, None] ** n * (1 - p) ** m > test.alpha
    smallest = np.where(probable, p[:, None] - p, 1).min()
    assert high - low > 0.5 * (1 - smallest) > 0.05
    assert max(-low, high) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(
    ("design", "stopping"),
    [
        (EqualDesign(), ExactStopping([6, 8], ConditionalTest(0.2))),
        (ThompsonDesign(), ExactStopping([4, 8], ConditionalTest(0.2, spending=2))),
        (ThompsonDesign(), PosteriorStopping([4, 8], benefit=0.8, futility=0.2)),
    ],
    ids=str,
)
def test_p_values_after_looks_keep_every_level_up_to_that_of_the_test(
    design: Design, stopping: Stopping, alternative: str
) -> None:
    """And are at most the level where the test rejects, and only there."""
    trial = Trial([0.3, 0.5], 12, stopping=stopping)
    test = ConditionalTest(0.2, alternative, spending=2)
    end = end_counts(design, trial)
    p_values = {n: np.ones(u.shape) for n, u in end.counts.items()}
    for pulls, u in end.counts.items():
        for successes in zip(*np.nonzero(u), strict=True):
            p_values[pulls][successes] = test.p_value(end, pulls, successes)
    for level in (0.02, 0.05, 0.1, 0.15, 0.2):
        small = {n: (p <= level * (1 + 1e-9)).astype(float) for n, p in p_values.items()}
        assert end.rejected(np.stack([NULLS, NULLS], axis=1), small).max() <= level * (1 + 1e-8)
    rejects = test.rejects(end)
    assert all((small[n] == rejects[n])[u > 0].all() for n, u in end.counts.items())


def test_a_p_value_after_a_look_by_hand() -> None:
    """Twelve patients, a look at six: the trial ends with 0 and 3 successes, of which 2 of 20
    orders are, half of the level.
    """
    trial = Trial([0.5, 0.5], 12, stopping=ExactStopping([6], ConditionalTest(0.2)))
    test = ConditionalTest(0.2)
    at_look = trials.test(EqualDesign(), successes=[0, 3], failures=[3, 0], trial=trial, test=test)
    assert at_look.p_value == pytest.approx(0.1 / 0.5)
    at_end = trials.test(EqualDesign(), successes=[1, 5], failures=[5, 1], trial=trial, test=test)
    ended, left = (
        0.1 * 20 * 20,
        2 * (36 - 9),
    )  # of 924 orders; those of 0 and 6 have all ended, of 1 and 5 a quarter
    assert at_end.p_value == pytest.approx((ended + left) / 924)


def test_exact_stopping_saves_patients_and_keeps_the_level() -> None:
    full, sequential = (
        trials.operating_characteristics(EqualDesign(), Trial([0.2, 0.6], 60, stopping=stopping))
        for stopping in (None, ExactStopping([20, 40]))
    )
    assert sequential.patients.value < 50
    assert abs(full.power.value - sequential.power.value) < 0.03
    late = ConditionalTest(spending=3)
    trial = Trial([0.2, 0.6], 60, stopping=ExactStopping([20, 40], late))
    row = trials.operating_characteristics(EqualDesign(), trial, test=late)
    assert row.patients.value > sequential.patients.value, "little is spent at first"
    assert row.type_1_max is not None
    assert row.type_1_max <= 0.05


def test_wrong_numbers_of_patients_are_refused_before_the_design_is_computed() -> None:
    def never(successes: Counts, failures: Counts, patient: int) -> list[NDArray[np.float64]]:
        raise AssertionError

    design = FunctionDesign("never", never)
    for stopping, after in ((None, "80"), (ExactStopping([40, 60]), "40, 60, 80")):
        trial = Trial([0.5, 0.5], 80, stopping=stopping)
        words = f"are of 78 patients, and the trial may end after {after}$"
        with pytest.raises(ValueError, match=words):
            trials.test(design, successes=[20, 30], failures=[18, 10], trial=trial)


def ended(successes: list[int], failures: list[int]) -> trials.TrialAnalysis:
    return trials.test("equal", successes=successes, failures=failures, trial=STOPPING)


STOPPING = Trial([0.3, 0.5], 20, stopping=ExactStopping([10]))
test_rejected = rejections(
    (ValueError, "statistic must be one of 'wald'", lambda: ConditionalTest(statistic="wold")),
    (
        ValueError,
        "Bayes-optimal never has them",
        lambda: trials.test("bayes-optimal", successes=[1, 29], failures=[0, 0]),
    ),
    (
        ValueError,
        "for the 2 arms of the trial, got 3",
        lambda: trials.test("equal", successes=[1] * 3, failures=[1] * 3, trial=STOPPING),
    ),
    (
        ValueError,
        "are of 8 patients, and the trial may end after 10, 20",
        lambda: ended([1, 3], [3, 1]),
    ),
    (
        ValueError,
        "it continues after this look, or equal never has them",
        lambda: ended([1, 3], [4, 2]),
    ),
    (
        ValueError,
        "same two arms or more, got 2 and 1",
        lambda: trials.test(EqualDesign(), successes=[1, 2], failures=[0]),
    ),
    (
        ValueError,
        "looks must be multiples of the block, 9",
        lambda: end_counts(ForwardGittinsDesign(), STOPPING),
    ),
    (
        ValueError,
        "looks must be below the number of patients, 10",
        lambda: Trial([0.3, 0.5], 10, stopping=ExactStopping([10])),
    ),
    (
        ValueError,
        "looks must be numbers of patients in ascending order",
        lambda: ExactStopping([20, 10]),
    ),
    (
        ValueError,
        "looks must be after more patients than the delay, 10",
        lambda: Trial([0.3, 0.5], 20, delay=10, stopping=ExactStopping([10])),
    ),
    (
        TypeError,
        "stopping must be one of bamdp.trials.stopping",
        lambda: Trial([0.3, 0.5], 20, stopping=[10]),  # type: ignore[arg-type]
    ),
)
