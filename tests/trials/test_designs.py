"""What designs do after some responses, against what they are defined by."""

import numpy as np
import pytest
from numpy.typing import NDArray

from bamdp.exact import finite_gittins_index, gittins_index
from bamdp.priors import BetaArms
from bamdp.trials import Design, Trial
from bamdp.trials.design import grid
from bamdp.trials.designs import (
    BayesOptimal,
    Equal,
    FiniteGittins,
    ForwardGittins,
    Gittins,
    PosteriorMean,
    Randomised,
    TemperedThompson,
    Thompson,
)
from reference.arms import optimal

TWO, THREE = Trial([0.5, 0.5], 20), Trial([0.5, 0.5, 0.5], 12)


def probabilities(design: Design, trial: Trial, successes: list[int], failures: list[int], patient: int) -> NDArray[np.float64]:
    s, f = ([np.array([n]) for n in counts] for counts in (successes, failures))
    return design.rule(trial).probabilities(s, f, patient)[:, 0]


def test_without_responses() -> None:
    assert probabilities(Equal(), THREE, [0, 0, 1], [1, 0, 0], 5).tolist() == [0, 0, 1]
    assert probabilities(Randomised(), THREE, [0, 0, 1], [1, 0, 0], 5) == pytest.approx([1 / 3] * 3)


def test_thompson_is_the_probability_of_being_best() -> None:
    """∫ 2x · x = 2/3 for Beta(2, 1) against a uniform arm; ∫ 2x · x² = 1/2 against two of them."""
    assert probabilities(Thompson(), TWO, [1, 0], [0, 0], 1) == pytest.approx([2 / 3, 1 / 3])
    assert probabilities(Thompson(), THREE, [1, 0, 0], [0, 0, 0], 1) == pytest.approx([1 / 2, 1 / 4, 1 / 4])
    jeffreys = Trial([0.5, 0.5], 20, BetaArms(0.5, 0.5))
    assert probabilities(Thompson(), jeffreys, [3, 3], [2, 2], 10) == pytest.approx([1 / 2, 1 / 2])


@pytest.mark.parametrize("prior", [BetaArms(), BetaArms([2, 0.5], [1, 0.5])], ids=repr)
def test_all_outcomes_of_two_arms_are_those_one_by_one(prior: BetaArms) -> None:
    rule = Thompson().rule(Trial([0.5, 0.5], 20, prior))
    together = rule.probabilities(*grid((6, 9)), 15)
    s, t = (x.ravel() for x in np.indices((7, 10)))
    assert together.reshape(2, -1) == pytest.approx(rule.probabilities([s, t], [6 - s, 9 - t], 15), abs=1e-12)


def test_tempering_begins_equal_and_ends_with_the_square_root() -> None:
    assert probabilities(TemperedThompson(), TWO, [1, 0], [0, 0], 0) == pytest.approx([1 / 2, 1 / 2])
    quarter = np.array([2 / 3, 1 / 3]) ** (5 / 40)
    assert probabilities(TemperedThompson(), TWO, [1, 0], [0, 0], 5) == pytest.approx(quarter / quarter.sum())


def test_indices() -> None:
    prior = BetaArms([1, 2], [1, 2])
    trial = Trial([0.5, 0.5], 20, prior)
    assert probabilities(PosteriorMean(), trial, [0, 0], [0, 0], 0).tolist() == [0.5, 0.5]
    assert probabilities(PosteriorMean(), trial, [3, 2], [2, 1], 8).tolist() == [0.5, 0.5]  # 4/7 both
    assert probabilities(PosteriorMean(), trial, [3, 2], [2, 2], 9).tolist() == [1, 0]
    for design, index in (
        (Gittins(0.9), lambda a, b: gittins_index(a, b, 0.9)),
        (FiniteGittins(), lambda a, b: finite_gittins_index(a, b, 12)),
    ):
        for s, t in ((0, 0), (1, 2), (4, 3), (2, 1)):
            first, second = index(1 + s, 1 + 4 - s), index(2 + t, 2 + 4 - t)  # type: ignore[no-untyped-call]
            assert probabilities(design, trial, [s, t], [4 - s, 4 - t], 8).tolist() == [first > second, first < second]


def test_many_patients_need_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    s, t = (x.ravel() for x in np.indices((5, 4)))
    for design in (Gittins(), FiniteGittins(1e-6)):
        table = design.rule(TWO)
        monkeypatch.setattr("bamdp.trials.designs.index.TABLE", 10)
        monkeypatch.setattr("bamdp.trials.designs.index.LONG_TABLE", 10)
        wanted = design.rule(TWO)
        assert (table.exact, wanted.exact) == (True, False)
        first, second = (rule.probabilities([s, t], [4 - s, 3 - t], 9) for rule in (table, wanted))
        assert np.array_equal(first, second)
        monkeypatch.undo()


def test_the_optimal_design_is_optimal() -> None:
    trial, twin = Trial([0.5, 0.5], 9, BetaArms([1, 2], [1, 3])), optimal([(1, 1), (2, 3)], 9)
    rule = BayesOptimal().rule(trial)
    for n, m in ((0, 0), (2, 1), (3, 4)):
        table = rule.probabilities(*grid((n, m)), n + m)
        for s, t in np.ndindex(n + 1, m + 1):
            first, second = twin((s, n - s, t, m - t), 9 - n - m)
            expected = [0.5, 0.5] if abs(first - second) < 1e-9 else [first > second, first < second]
            assert table[:, s, t].tolist() == expected


def test_the_forward_looking_index_in_a_block_of_two() -> None:
    """After a success of either arm it is kept, after a failure left: half of each from a symmetric start, and the share of the
    second patient as the posterior mean says after one success of the first arm."""
    design = ForwardGittins(2, discount=0.9)
    assert probabilities(design, TWO, [0, 0], [0, 0], 0) == pytest.approx([0.5, 0.5])
    kept = probabilities(design, TWO, [1, 0], [0, 0], 1)
    index = {n: float(gittins_index(1 + n[0], 1 + n[1], 0.9)) for n in ((0, 0), (1, 0), (2, 0), (1, 1))}
    assert index[2, 0] > index[0, 0] > index[1, 1]
    assert kept == pytest.approx([(1 + 2 / 3) / 2, (1 / 3) / 2])


def test_draws_have_the_probabilities() -> None:
    """Within five standard errors: a false alarm of 6e-7 for each of six, had the seed been drawn at random."""
    rng, runs = np.random.default_rng(0), 4000
    s, f = ([np.full(runs, n) for n in counts] for counts in ((3, 1), (2, 2)))
    for design in (Thompson(), TemperedThompson(), ForwardGittins(4), PosteriorMean(), Randomised(), Gittins()):
        rule = design.rule(TWO)
        p = float(rule.probabilities([x[:1] for x in s], [x[:1] for x in f], 8)[1, 0])
        assert abs(rule.draw(s, f, 8, rng).mean() - p) <= 5 * (p * (1 - p) / runs) ** 0.5
