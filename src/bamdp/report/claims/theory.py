"""Figure S3, Lemma 1 and Theorem 1: the arithmetic of the search, root sampling, and convergence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from itertools import count, pairwise
from math import isclose, log, sqrt
from typing import Any

import numpy as np

from bamdp.agents import BAMCP, BAUCT
from bamdp.domains import DoubleLoop
from bamdp.priors import Dirichlet
from bamdp.report.claim import Claim, Outcome, Verdict, all_of, missing, short
from bamdp.report.query import Number, Stored
from bamdp.search.plan import Plan
from bamdp.statistics import t_quantile
from bamdp.studies.paper import figure_s3
from bamdp.studies.paper.convergence import CONVERGENCE, FIXED

DRAWS = 1000
CHANCE = 0.001  # of a false alarm
COVERED = {12: "large enough for the theorem", 1: "below what the theorem asks for"}
FALL = 0.9  # of the fall of log N / N, that counts as the same
LEAST = 0.02  # what counts as no bias: a fiftieth of the largest reward


@cache
def four_simulations() -> tuple[int, Plan]:
    """The first seed whose chances go as in Figure S3, and its plan."""
    search: dict[str, Any] = figure_s3.SEARCH
    prior = Dirichlet(np.eye(5)[figure_s3.GOES_TO])
    for seed in count():
        plan = BAMCP(prior, figure_s3.REWARDS, figure_s3.DISCOUNT, seed=seed, **search).plan(figure_s3.S_T)
        children = plan.tree.to_dict()["actions"][0]["children"]
        below = children[0]["actions"][1]["value"] if children else None
        if isclose(plan.values[0], figure_s3.ROOT, abs_tol=1e-12) and below and isclose(below, figure_s3.BELOW, abs_tol=1e-12):
            break
    return seed, plan


def arithmetic(stored: Stored) -> Outcome:
    """The values after four simulations."""
    seed, plan = four_simulations()
    below = plan.tree.to_dict()["actions"][0]["children"][0]["actions"][1]["value"]
    return Outcome(
        "held",
        (
            f"Q(root, a1) = {plan.values[0]:.6f}, 2(γ + γ³)/3 = {figure_s3.ROOT:.6f}",
            f"Q(s', a2) = {below:.6f}, 2γ² = {figure_s3.BELOW:.6f} (γ = {figure_s3.DISCOUNT}, seed {seed})",
        ),
    )


def same_histories(stored: Stored) -> Outcome:
    """Returns of single simulations have one distribution, whether a model is drawn at the root or the belief is updated."""
    from scipy import stats

    world = DoubleLoop()
    returns: list[list[float]] = []
    for agent_class, sampling in ((BAMCP, "lazy"), (BAUCT, "resampled")):
        agent = agent_class.for_domain(world, simulations=1, rollouts="uniform", sampling=sampling, seed=len(returns))
        returns.append([plan.value for plan in (agent.plan(0) for _ in range(DRAWS))])
    found = stats.ks_2samp(*returns)
    line = f"mean returns {np.mean(returns[0]):.3f} and {np.mean(returns[1]):.3f} of {DRAWS:,} simulations each"
    test = f"Kolmogorov–Smirnov: largest distance {found.statistic:.4f}, p = {found.pvalue:.2f}"
    return Outcome("held" if found.pvalue > CHANCE else "not held", (line, test))


def converges(label: str, stored: Stored) -> Outcome:
    """The bias shrinks from budget to budget until it is none to speak of, and the decision gives nothing away."""
    return all_of([_converges(problem, label, stored) for problem in CONVERGENCE.entries])


def _converges(problem: str, label: str, stored: Stored) -> Outcome:
    rows = biases(stored.numbers(CONVERGENCE, problem, label))
    if len(rows) < 2:
        return missing(f"{problem}, {label}")
    (n, bias, error, regret), first = rows[-1], rows[0]
    smaller = abs(bias) + error < abs(first[1])
    line = (
        f"{problem}, {label}: bias {short(first[1])} after {first[0]:,} simulations, {short(bias)} ± {short(error)} after {n:,}"
    )
    verdict: Verdict = "held" if smaller and regret == 0 and abs(bias) + error < LEAST else "open" if smaller else "not held"
    return Outcome(verdict, (f"{line}; regret of the decision {short(regret)}: {verdict}",))


def rate(label: str, stored: Stored) -> Outcome:
    """The bias falls as log N / N in the end, within a tenth; a slower or uncertain fall at finite N leaves it open."""
    outcomes = []
    for problem in CONVERGENCE.entries:
        rows = biases(stored.numbers(CONVERGENCE, problem, label))
        if len(rows) < 2:
            outcomes.append(missing(f"{problem}, {label}"))
            continue
        falls = [f"{abs(a[1] / b[1]):.1f}" for a, b in pairwise(rows)]
        last, end = rows[-2:]
        promised = (log(last[0]) / last[0]) / (log(end[0]) / end[0])
        # The fall of the last step, with both biases at the end of their intervals that speaks against the claim.
        least = max(abs(last[1]) - last[2], 0) / (abs(end[1]) + end[2])
        verdict: Verdict = "held" if least >= FALL * promised else "open"
        steps = f"{problem}, {label}: from budget to budget the bias falls by {', '.join(falls)}"
        outcomes.append(Outcome(verdict, (f"{steps}; log N / N would fall by {promised:.1f} in the last: {verdict}",)))
    return all_of(outcomes)


def biases(numbers: Sequence[Number]) -> list[tuple[int, float, float, float]]:
    """Simulations, bias, half-width of its 95 % interval, and regret of what is stored, by budget."""
    runs = FIXED["seeds"]
    wider = t_quantile(runs - 1) * sqrt(runs / (runs - 1))  # the stored error divides by n, not n − 1
    results = [(number.varied.get("simulations", 0), number.point.rows[0]["result"]) for number in numbers]
    return sorted((n, r["bias"], wider * r["error"], r["regret"]) for n, r in results if "bias" in r)


CLAIMS = (
    Claim(
        "T19",
        "Figure S3",
        "Four simulations back up 2(γ + γ³)/3 at the root and 2γ² below",
        arithmetic,
        "tests/search/test_figure_s3.py",
    ),
    Claim(
        "T20",
        "Lemma 1",
        "BAMCP and BA-UCT simulate the same histories, in distribution",
        same_histories,
        "tests/search/test_lemma_1.py",
    ),
    *(
        Claim(
            f"T21 value, c = {c}",
            "Theorem 1",
            f"The value of the root tends to the Bayes-optimal one, c = {c}, {why}",
            partial(converges, f"BAMCP, c = {c}"),
            "tests/search/test_theorem_1.py",
        )
        for c, why in COVERED.items()
    ),
    *(
        Claim(
            f"T21 rate, c = {c}",
            "Theorem 1",
            f"The bias is of order log N / N, c = {c}, {why}",
            partial(rate, f"BAMCP, c = {c}"),
            "tests/search/test_theorem_1.py",
        )
        for c, why in COVERED.items()
    ),
)
