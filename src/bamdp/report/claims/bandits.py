"""Figures S1 and S2: BAMCP against the Gittins index, where that is known to be Bayes-optimal."""

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bamdp import statistics
from bamdp.report.claim import Claim, Finding, Verdict, about, all_of, beats, missing, more
from bamdp.report.query import Query
from bamdp.studies.paper.bandits import DISCOUNT, EXACT, FIGURE_S1, FIGURE_S2, PUBLISHED_INDEX, RANGE, SURE

NEAR = 0.02  # an index this close to the sure reward makes the decision hard
MARGIN = 0.05  # of the Bayes-optimal reward, that counts as near
Grid = NDArray[np.float64]  # [alpha, beta]
ALPHA, BETA = np.meshgrid(RANGE, RANGE, indexing="ij")


def indices(query: Query) -> Grid | None:
    """The Gittins indices of Figure S1. [alpha, beta]"""
    found = query.result(FIGURE_S1, EXACT, "Gittins index")
    return None if found is None else np.array(found["indices"])


def posterior_mean(index: Grid) -> Grid:
    """P(correct decision) by the posterior mean; ties are broken at random. [alpha, beta]"""
    right = (index > SURE) == (ALPHA > BETA)
    return np.where(ALPHA == BETA, 0.5, right.astype(float))


def decisions(query: Query) -> dict[str, Grid]:
    """P(correct decision) by BAMCP, by budget; nan where there is no row. [alpha, beta]"""
    found = {}
    for panel in (panel for panel in FIGURE_S1.entries if panel != EXACT):
        table = np.full((len(RANGE), len(RANGE)), np.nan)
        for measurement in query.measurements(FIGURE_S1, panel, "BAMCP"):
            alpha, beta = measurement.point.settings["alpha"], measurement.point.settings["beta"]
            table[RANGE.index(alpha), RANGE.index(beta)] = statistics.mean(measurement.point.values("correct")).value
        if not np.isnan(table).all():
            found[panel] = table
    return found


def more_simulations(query: Query) -> Finding:
    """Decisions get better from budget to budget, over all cells."""
    found = decisions(query)
    if len(found) < 2:
        return missing("two budgets")
    lines = tuple(f"{panel}: {np.nanmean(table):.3f} correct in {_count(table)} cells" for panel, table in found.items())
    first, *_, last = found.values()
    both = ~np.isnan(first) & ~np.isnan(last)
    gain = more("most minus fewest simulations, over cells", statistics.mean((last - first)[both].tolist()))
    return replace(gain, evidence=(*lines, *gain.evidence))


def edge(query: Query) -> Finding:
    """Decisions are worse where the index is near the sure reward, at every budget."""
    index = indices(query)
    if index is None:
        return missing("Gittins indices")
    near = np.abs(index - SURE) < NEAR
    findings = []
    for panel, table in decisions(query).items():
        far, close = (table[mask & ~np.isnan(table)].tolist() for mask in (~near, near))
        if far and close:
            findings.append(more(f"{panel}, correct far from {SURE} − near it", statistics.difference(far, close)))
    return all_of(findings) if findings else missing("decisions")


def everywhere(query: Query) -> Finding:
    """In the limit all decisions are correct; no finite budget refutes it, so anything less is open."""
    found, index = decisions(query), indices(query)
    if not found or index is None:
        return missing("decisions")
    panel, table = list(found.items())[-1]
    wrong = table < 0.5
    distance = np.abs(index - SURE)
    verdict: Verdict = "held" if _count(table) == table.size and (table == 1).all() else "open"
    far = f", of indices up to {distance[wrong].max():.3f} from {SURE}" if wrong.any() else ""
    sure = int((table == 1).sum())
    lines = f"{panel}: always right in {sure} of {_count(table)} cells, more often wrong than right in {int(wrong.sum())}{far}"
    return Finding(verdict, (lines,))


def rule(query: Query) -> Finding:
    """Where the arm is worth more than the sure reward, exactly."""
    index = indices(query)
    if index is None:
        return missing("Gittins indices")
    said = (BETA <= ALPHA + 1) | ((BETA == ALPHA + 2) & (ALPHA >= 6))
    others = np.argwhere((index > SURE) != said) + RANGE[0]
    first = next((f", the first exception is α = {a}, β = {b}" for a, b in others), "")
    return Finding(
        "not held" if len(others) else "held",
        (f"{said.size - len(others)} of {said.size} cells are as said (α, β = {RANGE[0]} … {RANGE[-1]}){first}",),
    )


def published_index(query: Query) -> Finding:
    """The index that the paper prints."""
    index = indices(query)
    if index is None:
        return missing("Gittins indices")
    lines, same = [], True
    for (alpha, beta), published in PUBLISHED_INDEX.items():
        ours = float(index[RANGE.index(alpha), RANGE.index(beta)])
        same = same and round(ours, 4) == published
        lines.append(f"index of ({alpha}, {beta}): {ours:.5f}, published: {published}")
        arm = published / (1 - DISCOUNT)
        lines.append(
            f"as published, {published} / (1 − γ) = {arm:.3f} and {SURE} + γ · {arm:.3f} = {SURE + DISCOUNT * arm:.4f}"
        )
    return Finding("held" if same else "not held", tuple(lines))


def mean_is_not_optimal(query: Query) -> Finding:
    """The posterior mean decides otherwise than the index exactly where the paper says."""
    index = indices(query)
    if index is None:
        return missing("Gittins indices")
    said = (BETA >= ALPHA) & (index > SURE)
    errs = posterior_mean(index) < 1
    lines = f"wrong, or a tie, in {int(errs.sum())} of {said.size} cells; the paper's rule gives {int(said.sum())}"
    return Finding("held" if (errs == said).all() else "not held", (lines,))


def arms(other: str, near: bool, query: Query) -> Finding:
    """BAMCP on eight arms earns more than another agent, or about as much."""
    ours, theirs = (query.best(FIGURE_S2, "bandit", label) for label in ("BAMCP", other))
    findings = []
    for measure, name in (("total_reward", "sum"), ("discounted_return", "discounted sum")):
        if not near or ours is None or theirs is None:
            findings.append(beats(name, ("BAMCP", other), (ours, theirs), measure))
            continue
        first, second = ours.point.values(measure), theirs.point.values(measure)
        margin = MARGIN * statistics.mean(second).value
        what = f"{name}, BAMCP − {other} ({ours.scale})"
        findings.append(about(what, statistics.difference(first, second), margin, (ours, theirs)))
    return all_of(findings)


def _count(table: Grid) -> int:
    return int((~np.isnan(table)).sum())


CLAIMS = (
    Claim("T14", "Figure S1", "More simulations decide better between a sure 0.5 and an unknown arm", more_simulations),
    Claim(
        "T15",
        "Figure S1",
        "The unknown arm is the better one for β ≤ α + 1, and for β = α + 2 from α = 6 on",
        rule,
        "tests/exact/test_gittins.py",
    ),
    Claim("T16", "Figure S1", "The Gittins index of (17, 19) is 0.5044", published_index, "tests/exact/test_gittins.py"),
    Claim("T17 mean", "Figure S1", "The posterior mean errs where β ≥ α and the index is above 0.5", mean_is_not_optimal),
    Claim("T17 slow", "Figure S1", "Decisions are hard where the index is near 0.5", edge),
    Claim("T17 all", "Figure S1", "BAMCP comes to decide right in every cell", everywhere, "tests/search/test_theorem_1.py"),
    Claim(
        "T18 mean", "Figure S2", "Eight arms: BAMCP earns more than the posterior mean", partial(arms, "posterior mean", False)
    ),
    Claim(
        "T18 Gittins",
        "Figure S2",
        f"Eight arms: BAMCP comes near the Bayes-optimal reward, within {MARGIN:.0%}",
        partial(arms, "Gittins index", True),
    ),
)
