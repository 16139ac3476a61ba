"""Which rows a claim is about, and which test of them: the checks of the claims of
`reproduction.report.claim`.

Rows are named by experiment, panel and label. The few kinds of tests are `ordered`, `published`,
`slope`, `at_largest_budget`, `paired` and `eight_arms`; below them are the checks of single
computations, each made for one claim.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from math import exp, isclose, log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp import statistics
from bamdp.statistics import Mean, t_quantile
from reproduction.experiment import Experiment
from reproduction.paper import figure_s3
from reproduction.paper.bandits import (
    DISCOUNT,
    EXACT,
    FIGURE_S1,
    FIGURE_S2,
    PUBLISHED_INDEX,
    RANGE,
    SURE,
)
from reproduction.paper.convergence import CONVERGENCE, LEMMA_1
from reproduction.paper.figure1 import BFS3_BOUNDS, EXPLORATION, LAZY
from reproduction.paper.figure_s4 import CELLS, FIGURE_S4
from reproduction.paper.table1 import SECONDS, TABLE
from reproduction.query import Measurement, Query
from reproduction.report.paper import agrees
from reproduction.report.verdict import (
    Finding,
    Verdict,
    about,
    all_of,
    computed,
    interval,
    less,
    missing,
    more,
    short,
    tenfold,
)

Rows = tuple[Experiment, str, str]  # experiment, panel, label
Grid = NDArray[np.float64]  # [alpha, beta]

MEASURES = {"total_reward": "sum", "discounted_return": "discounted sum"}
SIMILAR = 0.1  # of the reward, that counts as similar
NEAR_OPTIMUM = 0.05  # of the Bayes-optimal reward, that counts as near
NEAR = 0.02  # an index this close to the sure reward makes the decision hard
COUNTED = 0.05  # rewards a step along a column or row that count as equal
FALSE_ALARM = 0.001  # probability that equal distributions are found to differ
FALL = 0.9  # of the decrease of log N / N, that counts as the same
STUCK = 0.05  # level of the test whether chains get stuck
NEGLIGIBLE = 0.02  # a bias that counts as none: a fiftieth of the largest reward
ALPHA, BETA = np.meshgrid(RANGE, RANGE, indexing="ij")


def ordered(
    experiment: Experiment, panel: str, pairs: Sequence[tuple[str, str]], query: Query
) -> Finding:
    """The first agent of each pair earns more than the second, each at its best setting."""
    best = partial(query.best, experiment, panel)
    return all_of([_beats(panel, pair, (best(pair[0]), best(pair[1]))) for pair in pairs])


def published(cells: Mapping[str, tuple[str, str]], query: Query) -> Finding:
    """Results of Table 1 are the published ones, within a margin; `cells` are domain and label by
    the name to show.
    """
    return all_of([agrees(name, query.best(TABLE, *cell)) for name, cell in cells.items()])


def slope(
    rows: Rows,
    parts: Mapping[str, Mapping[str, Any]],
    query: Query,
    x: str = "seconds",
    sign: int = 1,
    together: Callable[[Sequence[Finding]], Finding] = all_of,
) -> Finding:
    """Rewards grow with log `x`, a setting or the time of a step, or fall if `sign` is −1, by a
    line fitted to all runs.

    `parts` are tested each: by the name to show, the `measure` and settings of its points.
    """
    findings = []
    for name, part in parts.items():
        of = {setting: value for setting, value in part.items() if setting != "measure"}
        points = [m for m in query.measurements(*rows) if of.items() <= m.varied.items()]
        change = tenfold(name, points, x, part.get("measure", "total_reward"))
        findings.append(missing(name) if change is None else more(*change, sign, points))
    return together(findings)


def no_gain(rows: Rows, name: str, query: Query) -> Finding:
    """No setting turns time into reward: ten times the time earns less than the margin more."""
    points = query.measurements(*rows)
    times = [m.seconds_per_step for m in points if m.seconds_per_step > 0]
    change = tenfold(f"{name} against planning time", points, "seconds")
    if change is None:
        return missing(name)
    ratio = max(times) / min(times)
    spread = (
        f"{name}: the slowest of {len(times)} settings takes {ratio:.2g} times as long as the "
        "fastest"
    )
    margin = SIMILAR * statistics.mean([abs(m.mean().value) for m in points]).value
    gain = more(f"{change[0]}, less {short(margin)}", less(change[1], margin), -1, points)
    return all_of([Finding("held", (spread,)), gain])


def at_largest_budget(
    experiment: Experiment, panel: str, pair: tuple[str, str], query: Query
) -> Finding:
    """The first of two earns more than the second, at the largest budget that both have."""
    both = _common(query, experiment, panel, pair)
    return (
        missing(panel)
        if both is None
        else _beats(f"{panel}, {both[0]:,} simulations", pair, both[1])
    )


def paired(experiment: Experiment, panel: str, pair: tuple[str, str], query: Query) -> Finding:
    """The first earns more in the worlds that both have been in, at the largest budget, by sums and
    discounted sums.

    Runs of the same number have the same world; the second may have no budget.
    """
    both = _common(query, experiment, panel, pair)
    if both is None:
        return missing(experiment.name)
    (first, second), budget, findings = pair, f"{both[0]:,} simulations", []
    alike = "simulations" in both[1][1].varied
    what = (
        f"{first.removesuffix(' prior')} − {second}, {budget}"
        if alike
        else f"{first}, {budget} − {second}"
    )
    for measure, name in MEASURES.items():
        earned = [
            dict(zip((row["run"] for row in m.rows), m.values(measure), strict=True))
            for m in both[1]
        ]
        apart = [
            value - earned[1][world] for world, value in earned[0].items() if world in earned[1]
        ]
        text = f"{name}, {what} ({len(apart)} worlds, {both[1][0].scale})"
        findings.append(
            more(text, statistics.mean(apart), 1, both[1]) if apart else missing(f"{name}, {what}")
        )
    return all_of(findings)


def eight_arms(other: str, margin: float | None, query: Query) -> Finding:
    """BAMCP on eight arms earns more than another agent, or, with a margin, as much within that
    share of the other's.
    """
    ours, theirs = (query.best(FIGURE_S2, "bandit", label) for label in ("BAMCP", other))
    findings = []
    for measure, name in MEASURES.items():
        if margin is None or ours is None or theirs is None:
            findings.append(_beats(name, ("BAMCP", other), (ours, theirs), measure))
            continue
        apart = statistics.difference(ours.values(measure), theirs.values(measure))
        allowed = margin * theirs.mean(measure).value
        findings.append(
            about(f"{name}, BAMCP − {other} ({ours.scale})", apart, allowed, (ours, theirs))
        )
    return all_of(findings)


def accepts(where: str, bound: float, query: Query) -> Finding:
    """The Markov chain of the infinite grid accepts a larger share of its
    proposals, over worlds.
    """
    measurements = query.measurements(FIGURE_S4, "Markov chain", f"proposal of the {where}")
    if not measurements:
        return missing(f"acceptance, proposal of the {where}")
    mean = measurements[0].mean("acceptance")
    line = (
        f"accepted: {interval(mean)} of the updates ({measurements[0].runs} worlds, "
        f"{measurements[0].settings['steps']} steps)"
    )
    return more("", less(mean, bound), line=line)


def same_for_all_constants(domains: Sequence[str], query: Query) -> Finding:
    """Other exploration constants earn as much as c = 3, in each of the domains."""
    findings = []
    for domain in domains:
        points = {
            m.varied["exploration"]: m for m in query.measurements(EXPLORATION, domain, "BAMCP")
        }
        if 3 not in points or len(points) < 2:
            findings.append(missing(domain))
            continue
        usual = points.pop(3)
        for c, m in sorted(points.items()):
            name, apart = (
                f"{domain}, c = {c} minus c = 3 ({m.runs} runs each, {m.scale})",
                (m.values(), usual.values()),
            )
            findings.append(
                about(name, statistics.difference(*apart), SIMILAR * abs(usual.mean().value), [m])
            )
    return all_of(findings)


def lazy_speedup(factor: float, text: str, query: Query) -> Finding:
    """Lazy sampling is `factor` times as fast as full sampling, or faster; `text` shows by how
    much.
    """
    points = [m for label in ("full", "lazy") for m in query.measurements(LAZY, "maze", label)[:1]]
    if len(points) < 2:
        return missing("time of a simulation")
    ratio = statistics.difference(*([log(t) for t in seconds_per_simulation(m)] for m in points))
    low, high = (None if end is None else exp(end) for end in (ratio.low, ratio.high))
    return more(
        "", less(ratio, log(factor)), line=text.format(interval(Mean(exp(ratio.value), low, high)))
    )


def seconds_per_simulation(measurement: Measurement) -> list[float]:
    """Processor time of a simulation, in each run."""
    pairs = zip(measurement.values("cpu_seconds"), measurement.values("simulations"), strict=True)
    return [seconds / simulations for seconds, simulations in pairs]


def bonus(query: Query) -> Finding:
    """No β of BEB is best everywhere: each is significantly worse than another one in some domain.

    Not held if one β is the best in all domains, and each other one is significantly worse in some.
    The p-value of being worse in some domain is that of the clearest one, times their number.
    """
    sweeps = {domain: query.measurements(TABLE, domain, "BEB") for domain in SECONDS}
    few = [
        domain
        for domain, points in sweeps.items()
        if not points or any(m.runs < statistics.FEWEST for m in points)
    ]
    if few:
        return missing(" and ".join(few))
    lines, common = (
        [],
        set.intersection(*({m.varied["beta"] for m in points} for points in sweeps.values())),
    )
    p_values = dict.fromkeys(common, 1.0)  # of being worse somewhere
    fit = common.copy()
    tops = {domain: max(points, key=lambda m: m.mean().value) for domain, points in sweeps.items()}
    for domain, points in sweeps.items():
        top = tops[domain]
        apart = {m.varied["beta"]: statistics.difference(m.values(), top.values()) for m in points}
        fit &= {beta for beta, difference in apart.items() if difference.side() != -1}
        for beta in common:
            p = apart[beta].p_value() if apart[beta].value < 0 else 1.0
            p_values[beta] = min(p_values[beta], len(sweeps) * (1.0 if p is None else p))
        best = f"best β = {top.varied['beta']:g}, {short(top.mean().value)}"
        lines.append(f"{domain}: {best} ({top.runs} runs per setting, {top.scale})")
    betas = ", ".join(f"{beta:g}" for beta in sorted(fit))
    lines.append(
        f"not significantly worse than the best in any domain: β = {betas}"
        if fit
        else "no β fits all domains"
    )
    one = fit == {top.varied["beta"] for top in tops.values()}
    verdict: Verdict = "held" if not fit else "not held" if one else "open"
    worse = [p for beta, p in p_values.items() if beta not in fit]
    return Finding(verdict, tuple(lines), 1.0 if verdict == "open" else max(worse, default=1.0))


def bounds(query: Query) -> Finding:
    """In a maze that it knows, BFS3's upper bounds at the start are above the true value, at every
    budget tried.
    """
    lines, above = [], True
    for m in query.measurements(BFS3_BOUNDS, "maze", "BFS3"):
        least, most, lower, value = (
            m.result[n] for n in ("least_upper", "greatest_upper", "greatest_lower", "value")
        )
        above = above and least > value
        upper = (
            f"upper bounds {short(least)} … {short(most)}, lower bounds up to {short(lower)}; true "
            f"value {value:.3f}"
        )
        lines.append(
            f"{m.settings['trajectories']:,} trajectories of {m.settings['depth']} steps: {upper}"
        )
    return computed(above, *lines) if lines else missing("bounds in the maze")


def along(query: Query) -> Finding:
    """What following a column and a row pays, counted in one world, against the closed form."""
    counts = query.result(FIGURE_S4, "one world", "best column and row")
    if counts is None:
        return missing("cells of a column and a row")
    p, q, parts = counts["p"], counts["q"], []
    for what, count, expected in (
        (f"column with p = {p:.3f}, 2p/3", counts["in_column"], 2 * p / 3),
        (f"row with q = {q:.3f}, q/3", counts["in_row"], q / 3),
    ):
        share = statistics.mean([1.0] * count + [0.0] * (CELLS - count))
        line = f"{what} = {expected:.3f}; {CELLS:,} cells hold {interval(share)} a step"
        parts.append(about(what, less(share, expected), COUNTED, line=line))
    return all_of(parts)


def indices(query: Query) -> Grid | None:
    """The Gittins indices of Figure S1. [alpha, beta]"""
    row = query.result(FIGURE_S1, EXACT, "Gittins index")
    return None if row is None else np.array(row["indices"])


def posterior_mean(index: Grid) -> Grid:
    """P(correct decision) by the posterior mean; ties are broken at random. [alpha, beta]"""
    return np.where(ALPHA == BETA, 0.5, ((index > SURE) == (ALPHA > BETA)).astype(float))


def decisions(query: Query) -> dict[str, Grid]:
    """P(correct decision) by BAMCP, by budget; nan where there is no row. [alpha, beta]"""
    tables = {}
    for panel in (panel for panel in FIGURE_S1.entries if panel != EXACT):
        table = np.full((len(RANGE), len(RANGE)), np.nan)
        for m in query.measurements(FIGURE_S1, panel, "BAMCP"):
            table[RANGE.index(m.settings["alpha"]), RANGE.index(m.settings["beta"])] = m.mean(
                "correct"
            ).value
        if not np.isnan(table).all():
            tables[panel] = table
    return tables


def more_simulations(query: Query) -> Finding:
    """Decisions get better from budget to budget, over all cells."""
    tables = decisions(query)
    if len(tables) < 2:
        return missing("two budgets")
    lines = tuple(
        f"{panel}: {np.nanmean(table):.3f} correct in {_count(table)} cells"
        for panel, table in tables.items()
    )
    first, *_, last = tables.values()
    both = ~np.isnan(first) & ~np.isnan(last)
    gain = more(
        "most minus fewest simulations, over cells", statistics.mean((last - first)[both].tolist())
    )
    return replace(gain, evidence=(*lines, *gain.evidence))


def edge(query: Query) -> Finding:
    """Decisions are worse where the index is near the sure reward, at every budget."""
    if (index := indices(query)) is None:
        return missing("Gittins indices")
    near, findings = np.abs(index - SURE) < NEAR, []
    for panel, table in decisions(query).items():
        far, close = (table[mask & ~np.isnan(table)].tolist() for mask in (~near, near))
        if far and close:
            findings.append(
                more(
                    f"{panel}, correct far from {SURE} − near it", statistics.difference(far, close)
                )
            )
    return all_of(findings) if findings else missing("decisions")


def everywhere(query: Query) -> Finding:
    """In the limit all decisions are correct; no finite budget refutes it, so anything less is
    open.
    """
    tables, index = decisions(query), indices(query)
    if not tables or index is None:
        return missing("decisions")
    panel, table = list(tables.items())[-1]
    wrong, sure = table < 0.5, int((table == 1).sum())
    far = (
        f", of indices up to {np.abs(index - SURE)[wrong].max():.3f} from {SURE}"
        if wrong.any()
        else ""
    )
    line = (
        f"{panel}: always right in {sure} of {_count(table)} cells, more often wrong than right in "
        f"{int(wrong.sum())}{far}"
    )
    return Finding("held" if sure == table.size else "open", (line,))


def rule(query: Query) -> Finding:
    """Where the arm is worth more than the sure reward, exactly."""
    if (index := indices(query)) is None:
        return missing("Gittins indices")
    said = (BETA <= ALPHA + 1) | ((BETA == ALPHA + 2) & (ALPHA >= 6))
    others = np.argwhere((index > SURE) != said) + RANGE[0]
    first = next((f", the first exception is α = {a}, β = {b}" for a, b in others), "")
    cells = (
        f"{said.size - len(others)} of {said.size} cells are as said (α, β = {RANGE[0]} … "
        f"{RANGE[-1]})"
    )
    return computed(not len(others), cells + first)


def published_index(query: Query) -> Finding:
    """The index that the paper prints."""
    if (index := indices(query)) is None:
        return missing("Gittins indices")
    lines, same = [], True
    for (alpha, beta), printed in PUBLISHED_INDEX.items():
        ours, arm = float(index[RANGE.index(alpha), RANGE.index(beta)]), printed / (1 - DISCOUNT)
        same = same and round(ours, 4) == printed
        lines.append(f"index of ({alpha}, {beta}): {ours:.5f}, published: {printed}")
        sure = f"{SURE} + γ · {arm:.3f} = {SURE + DISCOUNT * arm:.4f}"
        lines.append(f"as published, {printed} / (1 − γ) = {arm:.3f} and {sure}")
    return computed(same, *lines)


def mean_is_not_optimal(query: Query) -> Finding:
    """The posterior mean decides otherwise than the index exactly where the paper says."""
    if (index := indices(query)) is None:
        return missing("Gittins indices")
    said, errs = (BETA >= ALPHA) & (index > SURE), posterior_mean(index) < 1
    line = (
        f"wrong, or a tie, in {int(errs.sum())} of {said.size} cells; the paper's rule gives "
        f"{int(said.sum())}"
    )
    return computed(bool((errs == said).all()), line)


def arithmetic(query: Query) -> Finding:
    """The values after four simulations."""
    row = query.result(figure_s3.FIGURE_S3, "known MDP", "BAMCP")
    if row is None:
        return missing("four simulations")
    if "tree" not in row:
        return computed(False, "no seed gives the values of the figure")
    pairs = ((row["root"], figure_s3.ROOT), (row["below"], figure_s3.BELOW))
    return computed(
        all(isclose(*pair, abs_tol=1e-9) for pair in pairs),
        "Q(root, a1) = {:.6f}, 2(γ + γ³)/3 = {:.6f}".format(*pairs[0]),
        "Q(s', a2) = {:.6f}, 2γ² = {:.6f}".format(*pairs[1])
        + f" (γ = {figure_s3.DISCOUNT}, seed {row['agent_seed']})",
    )


def same_histories(query: Query) -> Finding:
    """Returns of single simulations have one distribution, whether a model is sampled at the root
    or the belief is updated.
    """
    from scipy import stats

    rows = [
        r
        for label in ("BAMCP", "BA-UCT")
        if (r := query.result(LEMMA_1, "double-loop", label)) is not None
    ]
    if len(rows) < 2:
        return missing("returns of single simulations")
    test = stats.ks_2samp(rows[0]["returns"], rows[1]["returns"])
    differ = bool(test.pvalue <= FALSE_ALARM)
    means = f"mean returns {rows[0]['mean_return']:.3f} and {rows[1]['mean_return']:.3f}"
    lines = (
        f"{means} of {len(rows[0]['returns']):,} simulations each",
        f"Kolmogorov–Smirnov: largest distance {test.statistic:.4f}, p = {test.pvalue:.2f}",
    )
    return computed(not differ, *lines, p=float(test.pvalue) if differ else None)


class Bias(NamedTuple):
    """The bias of a root value."""

    simulations: int
    value: float
    half: float  # of its 95 % interval
    regret: float  # of the decision
    freedom: int  # searches, less one


def biases(measurements: Sequence[Measurement]) -> list[Bias]:
    """The biases that were measured, by budget."""
    measured = []
    for m in (m for m in measurements if "bias" in m.result):
        runs = m.settings["seeds"]
        wider = t_quantile(runs - 1) * sqrt(
            runs / (runs - 1)
        )  # the stored error divides by n, not n − 1
        size = (
            m.varied.get("simulations", 0),
            m.result["bias"],
            wider * m.result["error"],
            m.result["regret"],
        )
        measured.append(Bias(*size, runs - 1))
    return sorted(measured)


def theorem(label: str, part: Callable[[str, list[Bias]], Finding], query: Query) -> Finding:
    """What the theorem says of the biases, `converges` or `rate`, in all problems that the search
    is tried on.
    """
    tried = [
        p
        for p, entries in CONVERGENCE.entries.items()
        if any(entry.label == label for entry in entries)
    ]
    by_name = {
        f"{panel}, {label}": biases(query.measurements(CONVERGENCE, panel, label))
        for panel in tried
    }
    return all_of(
        [missing(name) if len(rows) < 2 else part(name, rows) for name, rows in by_name.items()]
    )


def converges(name: str, rows: list[Bias]) -> Finding:
    """The bias shrinks until it is negligible, and the decision has no regret; not held if it does
    neither.
    """
    first, last = rows[0], rows[-1]
    size = Mean(
        abs(last.value), abs(last.value) - last.half, abs(last.value) + last.half, last.freedom
    )
    smaller, negligible = size.side(abs(first.value)) == -1, size.side(NEGLIGIBLE) == -1
    before, after = (f"after {of.simulations:,}" for of in (first, last))
    line = (
        f"{name}: bias {short(first.value)} {before} simulations, {short(last.value)} ± "
        f"{short(last.half)} {after}"
    )
    failed = not smaller and size.side(NEGLIGIBLE) == 1
    verdict: Verdict = (
        "held" if smaller and negligible and last.regret == 0 else "not held" if failed else "open"
    )
    p = size.p_value(NEGLIGIBLE) or 0.0
    p = p if failed else max(size.p_value(abs(first.value)) or 0.0, p)
    return Finding(verdict, (f"{line}; regret of the decision {short(last.regret)}: {verdict}",), p)


def converges_by_chain(name: str, rows: list[Bias]) -> Finding:
    """`converges`, where samples are a Markov chain's. Not held if chains get stuck.

    That is, if over the last two budgets the spread of root values between searches shrinks by less
    than half the factor that independent samples would give, √(N'/N), by an F-test.
    """
    from scipy import stats

    finding = converges(name, rows)
    if finding.verdict == "held" or len(rows) < 3:
        return finding
    before, _, last = rows[-3:]
    promised, shrunk = sqrt(last.simulations / before.simulations), before.half / last.half
    p = float(stats.f.sf((promised / 2 / shrunk) ** 2, last.freedom, before.freedom))
    if p >= STUCK:
        return finding
    line = (
        f"{name}: from {before.simulations:,} to {last.simulations:,} simulations the spread "
        "between searches falls by a factor"
    )
    exact = (
        f"of {shrunk:.1f}, with independent samples by {promised:.0f}: chains get stuck, not held"
    )
    return Finding("not held", (*finding.evidence, f"{line} {exact}"), p)


def rate(name: str, rows: list[Bias]) -> Finding:
    """The bias falls as log N / N in the end, within a tenth; a slower or uncertain fall at finite
    N leaves it open.
    """
    falls = ", ".join(f"{abs(a.value / b.value):.1f}" for a, b in pairwise(rows))
    last, end = rows[-2:]
    promised = (log(last.simulations) / last.simulations) / (log(end.simulations) / end.simulations)
    # The fall of the last step, with both biases at the end of their intervals that speaks against
    # the claim.
    wanted = FALL * promised
    surplus, half = abs(last.value) - wanted * abs(end.value), last.half + wanted * end.half
    fall = Mean(surplus, surplus - half, surplus + half, end.freedom)
    verdict: Verdict = "held" if surplus >= half else "open"
    line = (
        f"from budget to budget the bias falls by {falls}; log N / N would fall by {promised:.1f} "
        "in the last"
    )
    return Finding(verdict, (f"{name}: {line}: {verdict}",), fall.p_value())


def _beats(
    where: str,
    names: tuple[str, str],
    pair: tuple[Measurement | None, Measurement | None],
    measure: str = "total_reward",
) -> Finding:
    """The first of two earns more than the second, by their independent runs."""
    first, second = pair
    if first is None or second is None:
        return missing(
            f"{where}, "
            f"{' and '.join(name for name, m in zip(names, pair, strict=True) if m is None)}"
        )
    difference = statistics.difference(first.values(measure), second.values(measure))
    scales = ", ".join(sorted({first.scale, second.scale}))
    runs = f"({first.runs} and {second.runs} runs, {scales})"
    return more(f"{where}, {names[0]} − {names[1]} {runs}", difference, 1, (first, second))


def _common(
    query: Query, experiment: Experiment, panel: str, pair: tuple[str, str]
) -> tuple[int, tuple[Measurement, Measurement]] | None:
    """The largest budget that both have, and their runs; the second may have none, and then is the
    same for all.
    """
    by_budget = [
        {m.varied.get("simulations"): m for m in query.measurements(experiment, panel, label)}
        for label in pair
    ]
    first, second = by_budget
    largest = max(
        (n for n in first if n is not None and (n in second or None in second)), default=None
    )
    return (
        None
        if largest is None
        else (largest, (first[largest], second.get(largest) or second[None]))
    )


def _count(table: Grid) -> int:
    return int((~np.isnan(table)).sum())
