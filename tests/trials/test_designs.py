"""What designs do after some responses, against what they are defined by."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import betaln
from scipy.stats import beta

from bamdp.exact import finite_gittins_index, gittins_index
from bamdp.priors import BetaArms
from bamdp.trials import Design, Trial
from bamdp.trials.counts import grid
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
from reference.arms import optimal

TWO, THREE = Trial([0.5, 0.5], 20), Trial([0.5, 0.5, 0.5], 12)


def probabilities(
    design: Design, trial: Trial, successes: list[int], failures: list[int], patient: int
) -> NDArray[np.float64]:
    s, f = ([np.array([n]) for n in counts] for counts in (successes, failures))
    return design.rule(trial).probabilities(s, f, patient)[:, 0]


def test_without_responses() -> None:
    assert probabilities(EqualDesign(), THREE, [0, 0, 1], [1, 0, 0], 5).tolist() == [0, 0, 1]
    assert probabilities(RandomisedDesign(), THREE, [0, 0, 1], [1, 0, 0], 5) == pytest.approx(
        [1 / 3] * 3
    )


def test_thompson_is_the_probability_of_being_best() -> None:
    """∫ 2x · x = 2/3 for Beta(2, 1) against a uniform arm; ∫ 2x · x² = 1/2 against two of them."""
    assert probabilities(ThompsonDesign(), TWO, [1, 0], [0, 0], 1) == pytest.approx([2 / 3, 1 / 3])
    assert probabilities(ThompsonDesign(), THREE, [1, 0, 0], [0, 0, 0], 1) == pytest.approx(
        [1 / 2, 1 / 4, 1 / 4]
    )
    jeffreys = Trial([0.5, 0.5], 20, BetaArms(0.5, 0.5))
    assert probabilities(ThompsonDesign(), jeffreys, [3, 3], [2, 2], 10) == pytest.approx(
        [1 / 2, 1 / 2]
    )


def second_better(a: float, b: float, c: int, d: float) -> float:
    """P(p_2 > p_1) for Beta(a, b) and Beta(c, d), Σ_{i<c} B(a + i, b + d)/((d + i) B(1 + i, d) B(a,
    b)) for an integer c.
    """
    i = np.arange(c)
    return float(
        np.exp(betaln(a + i, b + d) - np.log(d + i) - betaln(1 + i, d) - betaln(a, b)).sum()
    )


SMALL = [
    (30, 1, 1, 0.1),
    (0.1, 0.1, 1, 30),
    (0.01, 0.02, 3, 0.05),
    (1e-3, 1e-3, 1, 1e-3),
    (0.2, 0.2, 1, 1),
    (1e-4, 1, 2, 1e4),
]
CONCENTRATED = [
    (0.3 * n, 0.7 * n, round(0.31 * n), 0.69 * n) for n in (100, 1000, 10_000, 100_000, 10**6)
]
MIXED = [
    (0.01, 0.02, 30_000, 70_000),
    (3e5 + 0.1, 7e5, 1, 1e-3),
    (0.5, 1e6, 1, 1e5),
    (1e6, 0.5, 400_000, 0.1),
]


@pytest.mark.parametrize("patients", [4, 400])
@pytest.mark.parametrize("counts", [*SMALL, *CONCENTRATED, *MIXED], ids=str)
def test_thompson_of_small_and_large_pseudo_counts(
    counts: tuple[float, float, int, float], patients: int
) -> None:
    a, b, c, d = counts
    trial = Trial([0.5, 0.5], patients, BetaArms([a, c], [b, d]))
    right = second_better(a, b, c, d)
    error = 1e-11 * max(1, 1e-3 * max(counts))  # of the logarithms in the closed form
    assert probabilities(ThompsonDesign(), trial, [0, 0], [0, 0], 0) == pytest.approx(
        [1 - right, right], abs=error
    )
    mirrored = Trial([0.5, 0.5], patients, BetaArms([b, d], [a, c]))
    assert probabilities(ThompsonDesign(), mirrored, [0, 0], [0, 0], 0) == pytest.approx(
        [right, 1 - right], abs=error
    )
    later = second_better(a + 1, b + 1, c + 2, d)
    assert probabilities(ThompsonDesign(), trial, [1, 2], [1, 0], 4) == pytest.approx(
        [1 - later, later], abs=error
    )
    assert ThompsonDesign().rule(trial).probabilities(*grid((2, 2)), 4)[1, 1, 2] == pytest.approx(
        later, abs=error
    )


@pytest.mark.parametrize(
    "prior",
    [BetaArms([0.1, 30, 0.2], [0.1, 1, 0.2]), BetaArms([0.3, 300, 2], [0.2, 200, 0.1])],
    ids=repr,
)
def test_thompson_of_three_arms(prior: BetaArms) -> None:
    """∫ Π_j F_j(F_k⁻¹(u)) du, with an increasing integrand from 0 to 1, by the midpoint rule: it is
    right to within 1/2n.
    """
    trial, n = Trial([0.5] * 3, 6, prior), 50_000
    arms = [beta(a, b) for a, b in trial.pseudo_counts]
    at = [arm.ppf((np.arange(n) + 0.5) / n) for arm in arms]
    right = [
        np.mean([np.prod([arms[j].cdf(at[k]) for j in range(3) if j != k], axis=0)])
        for k in range(3)
    ]
    assert probabilities(ThompsonDesign(), trial, [0, 0, 0], [0, 0, 0], 0) == pytest.approx(
        right, abs=0.5 / n
    )


@pytest.mark.parametrize(
    "prior", [BetaArms(), BetaArms([2, 0.5], [1, 0.5]), BetaArms([30, 0.1], [1, 0.1])], ids=repr
)
def test_all_outcomes_of_two_arms_are_those_one_by_one(prior: BetaArms) -> None:
    rule = ThompsonDesign().rule(Trial([0.5, 0.5], 20, prior))
    together = rule.probabilities(*grid((6, 9)), 15)
    s, t = (x.ravel() for x in np.indices((7, 10)))
    assert together.reshape(2, -1) == pytest.approx(
        rule.probabilities([s, t], [6 - s, 9 - t], 15), abs=1e-12
    )


def test_tempering_begins_equal_and_ends_with_the_square_root() -> None:
    assert probabilities(TemperedThompsonDesign(), TWO, [1, 0], [0, 0], 0) == pytest.approx(
        [1 / 2, 1 / 2]
    )
    quarter = np.array([2 / 3, 1 / 3]) ** (5 / 40)
    assert probabilities(TemperedThompsonDesign(), TWO, [1, 0], [0, 0], 5) == pytest.approx(
        quarter / quarter.sum()
    )


def test_indices() -> None:
    prior = BetaArms([1, 2], [1, 2])
    trial = Trial([0.5, 0.5], 20, prior)
    assert probabilities(PosteriorMeanDesign(), trial, [0, 0], [0, 0], 0).tolist() == [0.5, 0.5]
    assert probabilities(PosteriorMeanDesign(), trial, [3, 2], [2, 1], 8).tolist() == [
        0.5,
        0.5,
    ]  # 4/7 both
    assert probabilities(PosteriorMeanDesign(), trial, [3, 2], [2, 2], 9).tolist() == [1, 0]
    for design, index in (
        (GittinsDesign(0.9), lambda a, b: gittins_index(a, b, 0.9)),
        (FiniteGittinsDesign(), lambda a, b: finite_gittins_index(a, b, 12)),
    ):
        for s, t in ((0, 0), (1, 2), (4, 3), (2, 1)):
            first, second = index(1 + s, 1 + 4 - s), index(2 + t, 2 + 4 - t)  # type: ignore[no-untyped-call]
            assert probabilities(design, trial, [s, t], [4 - s, 4 - t], 8).tolist() == [
                first > second,
                first < second,
            ]


def test_many_patients_need_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    s, t = (x.ravel() for x in np.indices((5, 4)))
    for design in (GittinsDesign(), FiniteGittinsDesign(1e-6)):
        table = design.rule(TWO)
        monkeypatch.setattr(type(design), "largest_table", 10)
        wanted = design.rule(TWO)
        assert (table.exact, wanted.exact) == (True, False)
        first, second = (rule.probabilities([s, t], [4 - s, 3 - t], 9) for rule in (table, wanted))
        assert np.array_equal(first, second)
        monkeypatch.undo()


def test_the_optimal_design_is_optimal() -> None:
    trial, twin = Trial([0.5, 0.5], 9, BetaArms([1, 2], [1, 3])), optimal([(1, 1), (2, 3)], 9)
    rule = BayesOptimalDesign().rule(trial)
    for n, m in ((0, 0), (2, 1), (3, 4)):
        table = rule.probabilities(*grid((n, m)), n + m)
        for s, t in np.ndindex(n + 1, m + 1):
            first, second = twin((s, n - s, t, m - t), 9 - n - m)
            expected = (
                [0.5, 0.5] if abs(first - second) < 1e-9 else [first > second, first < second]
            )
            assert table[:, s, t].tolist() == expected


def test_the_forward_looking_index_in_a_block_of_two() -> None:
    """After a success of either arm it is kept, after a failure left: half of each from a symmetric
    start, and the share of the second patient as the posterior mean says after one success of the
    first arm.
    """
    design = ForwardGittinsDesign(2, discount=0.9)
    assert probabilities(design, TWO, [0, 0], [0, 0], 0) == pytest.approx([0.5, 0.5])
    kept = probabilities(design, TWO, [1, 0], [0, 0], 1)
    index = {
        n: float(gittins_index(1 + n[0], 1 + n[1], 0.9)) for n in ((0, 0), (1, 0), (2, 0), (1, 1))
    }
    assert index[2, 0] > index[0, 0] > index[1, 1]
    assert kept == pytest.approx([(1 + 2 / 3) / 2, (1 / 3) / 2])


def test_draws_have_the_probabilities() -> None:
    """Within five standard errors: a false alarm of 6e-7 for each of six, had the seed been drawn
    at random.
    """
    rng, runs = np.random.default_rng(0), 4000
    s, f = ([np.full(runs, n) for n in counts] for counts in ((3, 1), (2, 2)))
    for design in (
        ThompsonDesign(),
        TemperedThompsonDesign(),
        ForwardGittinsDesign(4),
        PosteriorMeanDesign(),
        RandomisedDesign(),
        GittinsDesign(),
    ):
        rule = design.rule(TWO)
        p = float(rule.probabilities([x[:1] for x in s], [x[:1] for x in f], 8)[1, 0])
        assert abs(rule.draw(s, f, 8, rng).mean() - p) <= 5 * (p * (1 - p) / runs) ** 0.5
