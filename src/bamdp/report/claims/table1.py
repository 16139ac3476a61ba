"""Table 1: which agent is best, the order of the others, and the numbers themselves."""

from collections.abc import Sequence
from functools import partial

from bamdp.report.claim import Claim, Finding, all_of, beats
from bamdp.report.comparison import MARGIN, agrees
from bamdp.report.query import Query
from bamdp.studies.paper.table1 import PROGRAM, PUBLISHED, TABLE

DOMAINS = {"double-loop": "Double-loop", "grid5": "Grid5", "grid10": "Grid10", "maze": "the maze"}

# The order of the published numbers below BAMCP: pairs, the better agent first.
ORDER: dict[str, tuple[tuple[str, str], ...]] = {
    "grid10": (("SBOSS", "BFS3"), ("SBOSS", "BEB")),
    "maze": (
        ("Bayes VPI+MIX", "SBOSS"),
        ("SBOSS", "IEQL+"),
        ("IEQL+", "BFS3"),
        ("BFS3", "BEB"),
        ("BFS3", "QL Boltzmann"),
    ),
}


def baselines(domain: str) -> list[str]:
    """Agents with a published number, other than BAMCP."""
    return [entry.label for entry in TABLE.entries[domain] if entry.published and entry.label in PUBLISHED[1:]]


def ordered(domain: str, pairs: Sequence[tuple[str, str]], query: Query) -> Finding:
    """The first agent of each pair earns more than the second."""
    best = partial(query.best, TABLE, domain)
    return all_of([beats(domain, (first, second), (best(first), best(second))) for first, second in pairs])


def equal(domain: str, query: Query) -> Finding:
    """All results are the published ones, within the margin."""
    return all_of([agrees(f"{domain}, {label}", query.best(TABLE, domain, label)) for label in ("BAMCP", *baselines(domain))])


def program(query: Query) -> Finding:
    """BEB as in the authors' program earns what is published of BEB, in all domains."""
    return all_of([agrees(domain, query.best(TABLE, domain, PROGRAM)) for domain in DOMAINS])


CLAIMS = (
    *(
        Claim(
            f"T1 first, {domain}",
            "Table 1",
            f"BAMCP earns most in {name}",
            partial(ordered, domain, [("BAMCP", other) for other in baselines(domain)]),
        )
        for domain, name in DOMAINS.items()
    ),
    *(
        Claim(
            f"T1 order, {domain}",
            "Table 1",
            f"Order of the baselines in {DOMAINS[domain]}: {'; '.join(f'{first} above {second}' for first, second in pairs)}",
            partial(ordered, domain, pairs),
        )
        for domain, pairs in ORDER.items()
    ),
    *(
        Claim(
            f"T1 values, {domain}",
            "Table 1",
            f"The numbers of {name} are the published ones, within {MARGIN:.0%}",
            partial(equal, domain),
        )
        for domain, name in DOMAINS.items()
    ),
    Claim(
        "T1 BEB",
        "Table 1",
        "The published numbers of BEB are those of its program: β cut to a whole number, the mean of a flat prior; "
        f"within {MARGIN:.0%}",
        program,
    ),
)
