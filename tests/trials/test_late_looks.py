"""Looks while responses are late or missing, beside every history of small trials."""

from math import comb
from typing import Any

import numpy as np
import pytest

from bamdp.trials import ConditionalTest, Design, Trial, end_counts
from bamdp.trials.designs import EqualDesign, RandomisedDesign, ThompsonDesign
from bamdp.trials.stopping import ExactStopping
from reference.late_looks import analysed, counts

LEVEL = ConditionalTest(0.7)
ONE_SIDED = ConditionalTest(0.8, "greater", "difference", spending=0.5)

EAGER = ConditionalTest(0.8, spending=0)


def late(
    patients: int, looks: list[int], delay: int, test: ConditionalTest = LEVEL, **more: Any
) -> Trial:
    arms = [0.5] * more.pop("arms", 2)
    return Trial(arms, patients, delay=delay, stopping=ExactStopping(looks, test), **more)


@pytest.mark.parametrize(
    ("design", "trial", "test", "missing"),
    [
        (ThompsonDesign(), late(6, [3, 5], 1), LEVEL, ()),
        (ThompsonDesign(), late(6, [4, 5], 2, EAGER, floor=0.2), LEVEL, ()),
        (ThompsonDesign(), late(6, [4], 1, ONE_SIDED, block=2), ONE_SIDED, ()),
        (ThompsonDesign(), late(6, [4], 1, ONE_SIDED), LEVEL, ()),
        (ThompsonDesign(), late(6, [4], 0), LEVEL, (1, 4)),
        (ThompsonDesign(), late(6, [5], 1, EAGER), EAGER, (1, 4)),
        (ThompsonDesign(), late(4, [3], 1, EAGER, arms=3), EAGER, ()),
        (EqualDesign(), late(8, [6, 7], 2), LEVEL, ()),
        (EqualDesign(), late(8, [6], 0), LEVEL, (0, 3)),
        (EqualDesign(), late(9, [7], 2), LEVEL, (2,)),
        (EqualDesign(), late(9, [6, 8], 3, EAGER), EAGER, (0,)),
        (RandomisedDesign(), late(5, [3, 4], 2, EAGER), EAGER, ()),
        (RandomisedDesign(), late(6, [4], 1, ONE_SIDED), ONE_SIDED, (5,)),
    ],
)
def test_late_looks_are_those_of_all_histories(
    design: Design, trial: Trial, test: ConditionalTest, missing: tuple[int, ...]
) -> None:
    """Where a trial ends, how probable that is, the p-value and the decision."""
    assert trial.stopping is not None
    stopping = trial.stopping
    assert isinstance(stopping, ExactStopping)
    every = analysed(design, trial, test, stopping.test, missing)
    ends: dict[tuple[tuple[int, ...], tuple[int, ...]], float] = {}
    p_values, rejects = {}, {}
    for path in every:
        assert path.ended is not None
        table = counts(path.history, path.ended, trial.num_arms, missing)
        n, s = tuple(table.sum(axis=0).tolist()), tuple(table[1].tolist())
        later = 2 ** sum(patient not in missing for patient in range(path.ended, trial.patients))
        ends[n, s] = ends.get((n, s), 0) + path.weight / later
        p_values[n, s], rejects[n, s] = path.p_value, path.rejects
    assert len({path.ended for path in every}) > 1, "some end at a look, some do not"
    end = end_counts(design, trial, missing=missing)
    decisions = test.rejects(end)
    positive = {(n, s) for n, u in end.counts.items() for s in zip(*np.nonzero(u), strict=True)}
    assert positive == set(ends)
    for (n, s), weight in ends.items():
        uniform = np.prod([1 / ((k + 1) * comb(k, x)) for k, x in zip(n, s, strict=True)])
        assert end.counts[n][s] == pytest.approx(weight * uniform, rel=1e-9)
        assert test.p_value(end, n, s) == pytest.approx(p_values[n, s], rel=1e-9)
        assert (decisions[n][s] == 1) == rejects[n, s]
    nulls = np.linspace(0, 1, 201)[:, None].repeat(trial.num_arms, axis=1)
    assert end.rejected(nulls, decisions).max() <= test.alpha * (1 + 1e-9)
