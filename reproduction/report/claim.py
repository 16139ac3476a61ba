"""What Guez, Silver, Dayan, 2012, claim: one table. A new claim is an entry here, with a check of
`reproduction.report.checks`.
"""

import re
from dataclasses import dataclass
from functools import partial
from math import inf

from reproduction.paper.convergence import PROPOSALS
from reproduction.paper.figure1 import EXPLORATION, FIGURE_1
from reproduction.paper.figure2 import FIGURE_2, FIGURE_S5A, FIGURE_S5B
from reproduction.paper.published import ACCEPTANCE, LAZY_SPEEDUP
from reproduction.paper.table1 import PUBLISHED, TABLE
from reproduction.report import checks
from reproduction.report.checks import MEASURES, NEAR_OPTIMUM, SIMILAR
from reproduction.report.paper import MARGIN
from reproduction.report.verdict import Check, any_of


@dataclass(frozen=True)
class Claim:
    """A statement of the paper."""

    id: str  # of the claim; claims are listed by the number in it
    source: str  # where in the paper
    text: str  # what it says, in our words
    check: Check  # which rows, and which test of them
    test: str | None = None  # a test that establishes it beyond the numbers shown, if there is one
    unsettled: str = ""  # if it is open: why more runs don't settle it

    @property
    def number(self) -> float:
        """The number in its id, as 12 in "T12 prior"; infinite if there is none."""
        digits = re.search(r"\d+", self.id)
        return float(digits[0]) if digits else inf


DOMAINS = {"double-loop": "Double-loop", "grid5": "Grid5", "grid10": "Grid10", "maze": "the maze"}
BASELINES = {  # agents with a published number, other than BAMCP
    domain: [entry.label for entry in entries if entry.published and entry.label in PUBLISHED[1:]]
    for domain, entries in TABLE.entries.items()
}
ORDER = {  # of the published numbers below BAMCP: pairs, the better agent first
    "grid10": [("SBOSS", "BFS3"), ("SBOSS", "BEB")],
    "maze": [
        ("Bayes VPI+MIX", "SBOSS"),
        ("SBOSS", "IEQL+"),
        ("IEQL+", "BFS3"),
        ("BFS3", "BEB"),
        ("BFS3", "QL Boltzmann"),
    ],
}
A, B, C, D = FIGURE_1.entries  # its panels
GRID, RIGHT = "infinite grid", "right prior"
FIGURES = {"T10": FIGURE_2, "T11": FIGURE_S5A, "T12": FIGURE_S5B}
WIDE = (
    f"Some published ± are nearly as wide as the margin of {MARGIN:.0%}, or wider: more runs here "
    "don't settle it."
)
EQUAL = (
    "BAMCP and the best baseline earn nearly the same here: more runs would show which by how "
    "little, not that one is best."
)
NEAR_ZERO = (
    "The difference of discounted sums is so near 0 that the paper's 250 runs would not show its "
    "sign either."
)
COVERED = {12: "large enough for the theorem", 1: "smaller than the theorem assumes"}


def _sboss(panel: str, domain: str) -> Check:
    parts = {f"{domain}, SBOSS, δ = {delta}, against K": {"delta": delta} for delta in (3, 5, 7)}
    return partial(checks.slope, (FIGURE_1, panel, "SBOSS"), parts, x="models", sign=-1)


def _bfs3(panel: str, domain: str) -> Check:
    tried = next(
        entry.grid[0]["branching"] for entry in FIGURE_1.entries[panel] if entry.label == "BFS3"
    )
    parts = {f"{domain}, BFS3, C = {c}, against trajectories": {"branching": c} for c in tried}
    return partial(
        checks.slope, (FIGURE_1, panel, "BFS3"), parts, x="trajectories", together=any_of
    )


# fmt: off
_CLAIMS = (
    *(Claim(f"T1 first, {domain}", "Table 1", f"BAMCP earns most in {name}",
            partial(checks.ordered, TABLE, domain,
                    [("BAMCP", other) for other in BASELINES[domain]]), unsettled=EQUAL)
      for domain, name in DOMAINS.items()),
    *(Claim(f"T1 order, {domain}", "Table 1",
            f"Order of the baselines in {DOMAINS[domain]}: "
            f"{'; '.join(f'{first} above {second}' for first, second in pairs)}",
            partial(checks.ordered, TABLE, domain, pairs))
      for domain, pairs in ORDER.items()),
    *(Claim(f"T1 values, {domain}", "Table 1",
            f"The numbers of {name} are the published ones, within {MARGIN:.0%}",
            partial(checks.published,
                    {f"{domain}, {label}": (domain, label)
                     for label in ("BAMCP", *BASELINES[domain])}),
            unsettled=WIDE)
      for domain, name in DOMAINS.items()),
    Claim("T2", "Figure 1 a", "On Grid5 BAMCP earns more the more planning time it has",
          partial(checks.slope, (FIGURE_1, A, "BAMCP"),
                  {"grid5, BAMCP against planning time": {}})),
    Claim("T3 BAMCP", "Figure 1 b", "In the maze BAMCP earns more the more planning time it has",
          partial(checks.slope, (FIGURE_1, B, "BAMCP"), {"maze, BAMCP against planning time": {}})),
    Claim("T3 SBOSS", "Figure 1 b", "SBOSS gets worse with more models: it becomes too optimistic",
          _sboss(B, "maze")),
    Claim("T3 BEB", "Figure 1 b",
          f"BEB can't use more planning time: ten times as much earns at most {SIMILAR:.0%} more",
          partial(checks.no_gain, (FIGURE_1, B, "BEB"), "maze, BEB")),
    Claim("T3 BFS3", "Figure 1 b", "BFS3 generally improves with time, given suitable settings",
          _bfs3(B, "maze")),
    Claim("T3 SBOSS, Grid5", "Figure 1 a", "SBOSS gets worse with more models on Grid5 too",
          _sboss(A, "grid5")),
    Claim("T3 BFS3, Grid5", "Figure 1 a",
          "BFS3 improves with time on Grid5, given suitable settings", _bfs3(A, "grid5")),
    Claim("T4", "Figure 1 c", "BA-UCT in the maze earns more with roll-out learning than without",
          partial(checks.at_largest_budget, FIGURE_1, C, ("with roll-out learning", "without"))),
    Claim("T5", "Figure 1 d",
          "BAMCP in the maze earns more with roll-out learning than without, lazy sampling in both",
          partial(checks.at_largest_budget, FIGURE_1, D, ("lazy, roll-out learning", "lazy"))),
    Claim("T6", "Section 4.1", "Lazy sampling makes BAMCP faster in the maze",
          partial(checks.lazy_speedup, 1,
                  "full to lazy, time of a simulation in the maze: {} times"),
          "tests/search/test_sampling_schemes.py"),
    Claim("T6 factor", "Section 4.1",
          f"Lazy sampling makes BAMCP {LAZY_SPEEDUP} times as fast, or faster",
          partial(checks.lazy_speedup, LAZY_SPEEDUP, f"{{}} times, published: {LAZY_SPEEDUP}; "
                              "the factor depends on the machine and the program")),
    Claim("T7", "Section 4.1",
          f"c = 0.5, 1 and 5 earn as much as c = 3 in all domains, within {SIMILAR:.0%}",
          partial(checks.same_for_all_constants, tuple(EXPLORATION.entries))),
    Claim("T8", "Section 4.1", "BEB needs another bonus β in each domain to do well", checks.bonus),
    Claim("T9", "Section 4.1", "In a maze BFS3's upper bounds stay above the true value until "
          "the tree is complete down to the first reward", checks.bounds,
          "tests/agents/test_bfs3.py"),
    *(Claim(f"{id_} {short}", figure.source, f"{text}: {figure.title[0].lower()}{figure.title[1:]}",
            check,
            unsettled=NEAR_ZERO if short == "prior" else "")
      for id_, figure in FIGURES.items()
      for short, text, check in (
          ("prior", "The right prior earns more than the wrong one",
           partial(checks.paired, figure, GRID, (RIGHT, "wrong prior"))),
          ("time", "With the right prior, more planning time earns more", partial(checks.slope,
              (figure, GRID, RIGHT),
              {f"{name} against planning time": {"measure": of} for of, name in MEASURES.items()})),
          ("random", "Planning with the right prior earns more than chance",
           partial(checks.paired, figure, GRID, (RIGHT, "random"))),
      )),
    Claim("T13", "Figure S4", "With columns Beta(1, 2) and rows Beta(2, 1), following a column "
          "pays 2p/3 a step, following a row q/3", checks.along,
          "tests/domains/test_infinite_grid.py"),
    Claim("T14", "Figure S1",
          "More simulations decide better between a sure 0.5 and an unknown arm",
          checks.more_simulations),
    Claim("T15", "Figure S1",
          "The unknown arm is the better one for β ≤ α + 1, and for β = α + 2 from α = 6 on",
          checks.rule, "tests/exact/test_gittins.py"),
    Claim("T16", "Figure S1", "The Gittins index of (17, 19) is 0.5044", checks.published_index,
          "tests/exact/test_gittins.py"),
    Claim("T17 mean", "Figure S1", "The posterior mean errs where β ≥ α and the index is above 0.5",
          checks.mean_is_not_optimal),
    Claim("T17 slow", "Figure S1", "Decisions are hard where the index is near 0.5", checks.edge),
    Claim("T17 all", "Figure S1", "BAMCP comes to decide right in every cell", checks.everywhere,
          "tests/search/test_theorem_1.py",
          "It is about the limit: no number of simulations settles it."),
    Claim("T18 mean", "Figure S2", "Eight arms: BAMCP earns more than the posterior mean",
          partial(checks.eight_arms, "posterior mean", None)),
    Claim("T18 Gittins", "Figure S2",
          f"Eight arms: BAMCP comes near the Bayes-optimal reward, within {NEAR_OPTIMUM:.0%}",
          partial(checks.eight_arms, "Gittins index", NEAR_OPTIMUM)),
    Claim("T19", "Figure S3", "Four simulations back up 2(γ + γ³)/3 at the root and 2γ² below",
          checks.arithmetic,
          "tests/search/test_figure_s3.py"),
    Claim("T20", "Lemma 1", "BAMCP and BA-UCT simulate the same histories, in distribution",
          checks.same_histories,
          "tests/search/test_lemma_1.py"),
    *(Claim(f"T21 value, c = {c}", "Theorem 1",
            f"The value of the root tends to the Bayes-optimal one, c = {c}, {why}",
            partial(checks.theorem, f"BAMCP, c = {c}", checks.converges),
            "tests/search/test_theorem_1.py")
      for c, why in COVERED.items()),
    Claim("T21 rate", "Theorem 1",
          "The bias is of order log N / N: it falls at that rate, within a tenth, where N is large "
          "enough to see it", partial(checks.theorem, "BAMCP, c = 2.1", checks.rate),
          "tests/search/test_theorem_1.py"),
    *(Claim(f"T21 chain, {proposal}", "beyond Theorem 1",
            "The value of the root tends to the Bayes-optimal one on the "
            "infinite grid, where samples are a Markov chain's, which the theorem does not cover: "
            f"{name}",
            partial(checks.theorem, f"BAMCP, {name}", checks.converges_by_chain),
            "tests/studies/test_grid_convergence.py")
      for proposal, name in PROPOSALS.items()),
    *(Claim(f"T22 {where}", "Supplement",
            f"With the proposal of the {name}, the Markov chain of the infinite grid generally "
            f"accepts more than {ACCEPTANCE} of its proposals",
            partial(checks.accepts, where, ACCEPTANCE))
      for where, name in (("text", "text"), ("program", "authors' program"))),
)
# fmt: on
CLAIMS = sorted(_CLAIMS, key=lambda claim: claim.number)
