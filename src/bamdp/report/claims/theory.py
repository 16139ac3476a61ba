"""Figure S3, Lemma 1 and Theorem 1: the arithmetic of the search, root sampling, and convergence."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from math import isclose, log, sqrt

from bamdp.report.claim import Claim, Finding, Verdict, all_of, missing, short
from bamdp.report.query import Measurement, Query
from bamdp.statistics import Mean, t_quantile
from bamdp.studies.paper import figure_s3
from bamdp.studies.paper.convergence import CONVERGENCE, FIXED
from bamdp.studies.paper.figure_s3 import FIGURE_S3
from bamdp.studies.paper.lemma_1 import LEMMA_1

FALSE_ALARM = 0.001  # probability that equal distributions are found to differ
COVERED = {12: "large enough for the theorem", 1: "smaller than the theorem assumes"}
FALL = 0.9  # of the decrease of log N / N, that counts as the same
LEAST = 0.02  # a bias that counts as negligible: a fiftieth of the largest reward


def arithmetic(query: Query) -> Finding:
    """The values after four simulations."""
    found = query.result(FIGURE_S3, "known MDP", "BAMCP")
    if found is None:
        return missing("four simulations")
    if "tree" not in found:
        return Finding("not held", ("no seed gives the values of the figure",))
    pairs = ((found["root"], figure_s3.ROOT), (found["below"], figure_s3.BELOW))
    return Finding(
        "held" if all(isclose(*pair, abs_tol=1e-9) for pair in pairs) else "not held",
        (
            "Q(root, a1) = {:.6f}, 2(γ + γ³)/3 = {:.6f}".format(*pairs[0]),
            "Q(s', a2) = {:.6f}, 2γ² = {:.6f}".format(*pairs[1]) + f" (γ = {figure_s3.DISCOUNT}, seed {found['agent_seed']})",
        ),
    )


def same_histories(query: Query) -> Finding:
    """Returns of single simulations have one distribution, whether a model is sampled at the root or the belief is updated."""
    from scipy import stats

    found = [query.result(LEMMA_1, "double-loop", label) for label in ("BAMCP", "BA-UCT")]
    if found[0] is None or found[1] is None:
        return missing("returns of single simulations")
    test = stats.ks_2samp(found[0]["returns"], found[1]["returns"])
    means = f"mean returns {found[0]['mean_return']:.3f} and {found[1]['mean_return']:.3f}"
    differ = bool(test.pvalue <= FALSE_ALARM)
    return Finding(
        "not held" if differ else "held",
        (
            f"{means} of {len(found[0]['returns']):,} simulations each",
            f"Kolmogorov–Smirnov: largest distance {test.statistic:.4f}, p = {test.pvalue:.2f}",
        ),
        float(test.pvalue) if differ else None,
    )


def converges(label: str, query: Query) -> Finding:
    """The bias shrinks until it is negligible, and the decision has no regret.

    Not held if the bias neither shrinks nor is negligible.
    """
    return all_of([_converges(problem, label, query) for problem in CONVERGENCE.entries])


def _converges(problem: str, label: str, query: Query) -> Finding:
    rows = biases(query.measurements(CONVERGENCE, problem, label))
    if len(rows) < 2:
        return missing(f"{problem}, {label}")
    (n, bias, error, regret), first = rows[-1], rows[0]
    size = Mean(abs(bias), abs(bias) - error, abs(bias) + error, FIXED["seeds"] - 1)
    smaller, negligible = size.side(abs(first[1])) == -1, size.side(LEAST) == -1
    line = (
        f"{problem}, {label}: bias {short(first[1])} after {first[0]:,} simulations, {short(bias)} ± {short(error)} after {n:,}"
    )
    held, failed = smaller and negligible and regret == 0, not smaller and size.side(LEAST) == 1
    verdict: Verdict = "held" if held else "not held" if failed else "open"
    p = size.p_value(LEAST) if failed else max(size.p_value(abs(first[1])) or 0.0, size.p_value(LEAST) or 0.0)
    return Finding(verdict, (f"{line}; regret of the decision {short(regret)}: {verdict}",), p)


def rate(label: str, query: Query) -> Finding:
    """The bias falls as log N / N in the end, within a tenth; a slower or uncertain fall at finite N leaves it open."""
    findings = []
    for problem in CONVERGENCE.entries:
        rows = biases(query.measurements(CONVERGENCE, problem, label))
        if len(rows) < 2:
            findings.append(missing(f"{problem}, {label}"))
            continue
        falls = [f"{abs(a[1] / b[1]):.1f}" for a, b in pairwise(rows)]
        last, end = rows[-2:]
        promised = (log(last[0]) / last[0]) / (log(end[0]) / end[0])
        # The fall of the last step, with both biases at the end of their intervals that speaks against the claim.
        wanted = FALL * promised
        surplus, half = abs(last[1]) - wanted * abs(end[1]), last[2] + wanted * end[2]
        fall = Mean(surplus, surplus - half, surplus + half, FIXED["seeds"] - 1)
        verdict: Verdict = "held" if surplus >= half else "open"
        steps = f"{problem}, {label}: from budget to budget the bias falls by {', '.join(falls)}"
        findings.append(
            Finding(verdict, (f"{steps}; log N / N would fall by {promised:.1f} in the last: {verdict}",), fall.p_value())
        )
    return all_of(findings)


def biases(measurements: Sequence[Measurement]) -> list[tuple[int, float, float, float]]:
    """Simulations, bias, half-width of its 95 % interval, and regret, by budget."""
    runs = FIXED["seeds"]
    wider = t_quantile(runs - 1) * sqrt(runs / (runs - 1))  # the stored error divides by n, not n − 1
    results = [(m.varied.get("simulations", 0), m.point.rows[0]["result"]) for m in measurements]
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
            f"T21 {what}, c = {c}",
            "Theorem 1",
            f"{text}, c = {c}, {why}",
            partial(check, f"BAMCP, c = {c}"),
            "tests/search/test_theorem_1.py",
        )
        for what, text, check in (
            ("value", "The value of the root tends to the Bayes-optimal one", converges),
            ("rate", "The bias is of order log N / N", rate),
        )
        for c, why in COVERED.items()
    ),
)
