"""Operating characteristics of a design: what a trial with it does on average, for its patients and for its conclusion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import statistics, validation
from bamdp.statistics import Mean
from bamdp.trials import recursion
from bamdp.trials.design import Array, Design, Rule
from bamdp.trials.designs.agent import AgentDesign
from bamdp.trials.fisher import FisherTest
from bamdp.trials.simulation import Simulated, simulate
from bamdp.trials.trial import Trial, success_probabilities
from bamdp.validation import positive_integer

RUNS, AGENT_RUNS = 10_000, 200  # simulated trials, of a function of the counts and of an agent


@dataclass(frozen=True)
class OperatingCharacteristics:
    """Operating characteristics of one design in one trial. Exact values have no interval, simulated ones that of 95 %.

    Attributes:
        design: name of the design.
        successes: expected number of successes at the trial's success probabilities.
        successes_sd: standard deviation of the number of successes.
        share_best: expected share of the patients on the best arm; None if all arms are equally good.
        share_best_sd: its standard deviation.
        power: probability that the test rejects, at the trial's success probabilities.
        type_1_error: the same under the null hypothesis.
        prior_successes: expected number of successes if the success probabilities are drawn from the prior.
        exact: whether the values are exact, up to rounding.
        runs: number of simulated trials for each value; None if exact.
    """

    design: str
    successes: Mean
    successes_sd: float
    share_best: Mean | None
    share_best_sd: float | None
    power: Mean
    type_1_error: Mean
    prior_successes: Mean
    exact: bool
    runs: int | None


def operating_characteristics(
    design: Design,
    trial: Trial,
    *,
    null: ArrayLike | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    runs: int | None = None,
    seed: int = 0,
    on_tick: Callable[[float], None] | None = None,
) -> OperatingCharacteristics:
    """Expected successes, share on the best arm, type I error and power of a design, by Fisher's exact test.

    They are exact, by recursion over the counts, where the design is a function of the counts, responses are not late, and the
    trial is small enough (about 300 patients on two arms, 70 on three); otherwise simulated.

    Args:
        design: the design; see `bamdp.trials.designs`.
        trial: the trial.
        null: success probabilities under the null hypothesis; that of the control for all arms, if not given.
        alpha: level of significance of the test.
        alternative: "two-sided", or "greater" to reject only if an arm is better than the control.
        runs: number of simulated trials, where they must be: 10,000, or 200 of an agent, if not given. If given, even designs
            that have exact characteristics are simulated.
        seed: seed of the simulations.
        on_tick: called now and then with the share of the work that is done.

    Example:
        >>> from bamdp.trials import Trial
        >>> from bamdp.trials.designs import ThompsonDesign
        >>> row = operating_characteristics(ThompsonDesign(), Trial([0.3, 0.5], patients=60))
        >>> f"{row.successes.value:.2f} successes, {row.share_best.value:.1%} on the better arm, power {row.power.value:.3f}"
        '26.90 successes, 74.2% on the better arm, power 0.121'
    """
    if not isinstance(design, Design):
        raise TypeError(f"design must be one of bamdp.trials.designs, or a Design of your own, got {design!r}")
    if not isinstance(trial, Trial):
        raise TypeError(f"trial must be a Trial, got {trial!r}")
    under = (trial.arms[0],) * trial.num_arms if null is None else success_probabilities("null", null)
    if len(under) != trial.num_arms:
        raise ValueError(f"null must be for the {trial.num_arms} arms of the trial, got {len(under)}")
    test, seed = FisherTest(alpha, alternative), validation.seed(seed)
    runs = None if runs is None else positive_integer("runs", runs, 10**7)
    rule = None if isinstance(design, AgentDesign) else design.rule(trial)
    given = (design, trial, under, test)
    if runs is None and rule is not None and rule.exact and recursion.possible(design, trial):
        return _exact(*given, recursion.EndCounts(design, rule, trial, _of(trial.patients, on_tick)))
    count = runs or (AGENT_RUNS if rule is None else RUNS)
    return _simulated(*given, rule, count, np.random.default_rng(seed), _of(3 * count, on_tick))


def _of(total: int, on_tick: Callable[[float], None] | None) -> Callable[[int], None] | None:
    return None if on_tick is None else lambda done: on_tick(done / total)


def _exact(
    design: Design, trial: Trial, null: tuple[float, ...], test: FisherTest, end: recursion.EndCounts
) -> OperatingCharacteristics:
    at = end.at(trial.arms, trial.best, test)
    differ = len(trial.best) < trial.num_arms
    return OperatingCharacteristics(
        design.label(trial),
        _certain(at.successes),
        at.successes_sd,
        _certain(at.share) if differ else None,
        at.share_sd if differ else None,
        _certain(at.rejected),
        _certain(end.at(null, (), test).rejected),
        _certain(end.on_average(trial.pseudo_counts, (), test).successes),
        exact=True,
        runs=None,
    )


def _simulated(
    design: Design,
    trial: Trial,
    null: tuple[float, ...],
    test: FisherTest,
    rule: Rule | None,
    runs: int,
    rng: np.random.Generator,
    tick: Callable[[int], None] | None,
) -> OperatingCharacteristics:
    drawn = _from_prior(trial, runs, rng)
    worlds: list[Array] = [np.broadcast_to(trial.arms, drawn.shape), np.broadcast_to(null, drawn.shape), drawn]
    results: list[Simulated] = []
    for number, (chances, own) in enumerate(zip(worlds, rng.spawn(3), strict=True)):
        part = None if tick is None else lambda done, number=number: tick(number * runs + done)
        results.append(simulate(design, rule, trial, chances, own, part))
    at, under, averaged = results
    totals, shares = at.successes.sum(axis=0), at.pulls[list(trial.best)].sum(axis=0) / trial.patients
    differ = len(trial.best) < trial.num_arms
    return OperatingCharacteristics(
        design.label(trial),
        _mean(totals),
        float(totals.std()),
        _mean(shares) if differ else None,
        float(shares.std()) if differ else None,
        _share(test.rejects_at(at.successes, at.pulls)),
        _share(test.rejects_at(under.successes, under.pulls)),
        _mean(averaged.successes.sum(axis=0)),
        exact=False,
        runs=runs,
    )


def _from_prior(trial: Trial, runs: int, rng: np.random.Generator) -> Array:
    """Success probabilities drawn from the prior; an arm with a count of 0 is known. [runs, A]"""
    a, b = trial.pseudo_counts.T
    known = (a == 0) | (b == 0)
    drawn = rng.beta(np.where(known, 1, a), np.where(known, 1, b), size=(runs, trial.num_arms))
    return np.where(known, a / (a + b), drawn)


def _certain(value: float) -> Mean:
    return Mean(value, None, None)


def _mean(values: NDArray[np.int64] | Array) -> Mean:
    return statistics.mean(values.tolist())


def _share(rejected: NDArray[np.bool_]) -> Mean:
    return statistics.proportion(int(rejected.sum()), len(rejected))
