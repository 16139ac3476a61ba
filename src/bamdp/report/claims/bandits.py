"""Figures S1 and S2: BAMCP against the Gittins index, where that is known to be Bayes-optimal."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from bamdp import statistics
from bamdp.exact import gittins_index
from bamdp.report.claim import Claim, Outcome, Verdict, about, all_of, beats, missing, more
from bamdp.report.query import Stored
from bamdp.studies.paper.bandits import DISCOUNT, EIGHT_ARMS, PUBLISHED_INDEX, RANGE, SURE, TABLE

NEAR = 0.02  # an index so close to the sure reward that the decision is hard
MARGIN = 0.05  # of the Bayes-optimal reward, that counts as near
Table = NDArray[np.float64]


@cache
def indices() -> Table:
    """The Gittins indices of Figure S1. [alpha, beta]"""
    side = np.array(RANGE)
    return np.asarray(gittins_index(side[:, None], side[None, :], DISCOUNT, 1e-8))


def posterior_mean() -> Table:
    """P(correct decision) by the posterior mean; a tie is broken at random. [alpha, beta]"""
    alpha, beta = np.meshgrid(RANGE, RANGE, indexing="ij")
    right = (indices() > SURE) == (alpha > beta)
    return np.where(alpha == beta, 0.5, right.astype(float))


def tables(stored: Stored) -> dict[str, Table]:
    """P(correct decision) by BAMCP, by budget; not a number where there is no row. [alpha, beta]"""
    found = {}
    for panel in TABLE.entries:
        table = np.full((len(RANGE), len(RANGE)), np.nan)
        for number in stored.numbers(TABLE, panel, "BAMCP"):
            alpha, beta = number.point.settings["alpha"], number.point.settings["beta"]
            table[RANGE.index(alpha), RANGE.index(beta)] = statistics.mean(number.point.values("correct")).value
        if not np.isnan(table).all():
            found[panel] = table
    return found


def more_simulations(stored: Stored) -> Outcome:
    """Decisions get better from budget to budget, over all cells."""
    found = tables(stored)
    if len(found) < 2:
        return missing("two budgets")
    lines = tuple(f"{panel}: {np.nanmean(table):.3f} correct in {_count(table)} cells" for panel, table in found.items())
    first, *_, last = found.values()
    both = ~np.isnan(first) & ~np.isnan(last)
    gain = more("most less fewest simulations, over cells", statistics.mean((last - first)[both].tolist()))
    return all_of([Outcome(gain.verdict, lines), gain])


def edge(stored: Stored) -> Outcome:
    """An index near the sure reward makes it slow: fewer right decisions there, at every budget."""
    near = np.abs(indices() - SURE) < NEAR
    outcomes = []
    for panel, table in tables(stored).items():
        far, close = (table[mask & ~np.isnan(table)].tolist() for mask in (~near, near))
        if far and close:
            outcomes.append(more(f"{panel}, correct far from {SURE} − near it", statistics.difference(far, close)))
    return all_of(outcomes) if outcomes else missing("decisions")


def everywhere(stored: Stored) -> Outcome:
    """In the limit all decisions are right; no finite budget refutes it, so less is open."""
    found = tables(stored)
    if not found:
        return missing("decisions")
    panel, table = list(found.items())[-1]
    wrong = table < 0.5
    distance = np.abs(indices() - SURE)
    verdict: Verdict = "held" if _count(table) == table.size and (table == 1).all() else "open"
    far = f", of indices up to {distance[wrong].max():.3f} from {SURE}" if wrong.any() else ""
    sure = int((table == 1).sum())
    lines = f"{panel}: always right in {sure} of {_count(table)} cells, more often wrong than right in {int(wrong.sum())}{far}"
    return Outcome(verdict, (lines,))


def rule(stored: Stored) -> Outcome:
    """When the arm is worth more than the sure reward, exactly."""
    alpha, beta = np.meshgrid(RANGE, RANGE, indexing="ij")
    said = (beta <= alpha + 1) | ((beta == alpha + 2) & (alpha >= 6))
    others = int(((indices() > SURE) != said).sum())
    first = next((f", the first α = {a}, β = {b}" for a, b in np.argwhere((indices() > SURE) != said) + 1), "")
    return Outcome(
        "not held" if others else "held",
        (f"{said.size - others} of {said.size} cells are as said (α, β = {RANGE[0]} … {RANGE[-1]}){first}",),
    )


def published_index(stored: Stored) -> Outcome:
    """The index that the paper prints."""
    lines, same = [], True
    for (alpha, beta), index in PUBLISHED_INDEX.items():
        ours = float(gittins_index(alpha, beta, DISCOUNT))
        same = same and round(ours, 4) == index
        lines.append(f"index of ({alpha}, {beta}): {ours:.5f}, published: {index}")
        arm = index / (1 - DISCOUNT)
        lines.append(f"as published, {index} / (1 − γ) = {arm:.3f} and {SURE} + γ · {arm:.3f} = {SURE + DISCOUNT * arm:.4f}")
    return Outcome("held" if same else "not held", tuple(lines))


def mean_is_not_optimal(stored: Stored) -> Outcome:
    """Where the posterior mean decides otherwise than the index: exactly where the paper says."""
    alpha, beta = np.meshgrid(RANGE, RANGE, indexing="ij")
    said = (beta >= alpha) & (indices() > SURE)
    errs = posterior_mean() < 1
    lines = f"wrong, or a tie, in {int(errs.sum())} of {said.size} cells; the paper's rule gives {int(said.sum())}"
    return Outcome("held" if (errs == said).all() else "not held", (lines,))


def arms(other: str, near: bool, stored: Stored) -> Outcome:
    """BAMCP on eight arms: above another agent, or near it."""
    ours, theirs = (stored.best(EIGHT_ARMS, "bandit", label) for label in ("BAMCP", other))
    outcomes = []
    for measure, name in (("total_reward", "sum"), ("discounted_return", "discounted sum")):
        if not near or ours is None or theirs is None:
            outcomes.append(beats(name, ("BAMCP", other), (ours, theirs), measure))
            continue
        first, second = ours.point.values(measure), theirs.point.values(measure)
        margin = MARGIN * statistics.mean(second).value
        what = f"{name}, BAMCP − {other} ({ours.scale})"
        outcomes.append(about(what, statistics.difference(first, second), margin, (ours, theirs)))
    return all_of(outcomes)


def _count(table: Table) -> int:
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
