"""Table 1: who is first, who comes after whom, and the numbers themselves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from bamdp.report.claim import Claim, Outcome, all_of, beats
from bamdp.report.comparison import MARGIN, agrees
from bamdp.report.query import Stored
from bamdp.studies.paper.table1 import PROGRAM, PUBLISHED, TABLE

WORLDS = {"double-loop": "Double-loop", "grid5": "Grid5", "grid10": "Grid10", "maze": "the maze"}

# The order of the published numbers below BAMCP: each with the one it is above.
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


def rivals(world: str) -> list[str]:
    """Those with a published number, but for BAMCP."""
    return [entry.label for entry in TABLE.entries[world] if entry.published and entry.label in PUBLISHED[1:]]


def ordered(world: str, pairs: Sequence[tuple[str, str]], stored: Stored) -> Outcome:
    """The first of each pair earns more than the second."""
    best = partial(stored.best, TABLE, world)
    return all_of([beats(world, (first, second), (best(first), best(second))) for first, second in pairs])


def equal(world: str, stored: Stored) -> Outcome:
    """All numbers are the published ones, within the margin."""
    return all_of([agrees(f"{world}, {label}", stored.best(TABLE, world, label)) for label in ("BAMCP", *rivals(world))])


def program(stored: Stored) -> Outcome:
    """BEB as the authors' program has it earns what is published of BEB, in all worlds."""
    return all_of([agrees(world, stored.best(TABLE, world, PROGRAM)) for world in WORLDS])


CLAIMS = (
    *(
        Claim(
            f"T1 first, {world}",
            "Table 1",
            f"BAMCP earns most in {name}",
            partial(ordered, world, [("BAMCP", rival) for rival in rivals(world)]),
        )
        for world, name in WORLDS.items()
    ),
    *(
        Claim(
            f"T1 order, {world}",
            "Table 1",
            f"Order of the rivals in {WORLDS[world]}: {'; '.join(f'{first} above {second}' for first, second in pairs)}",
            partial(ordered, world, pairs),
        )
        for world, pairs in ORDER.items()
    ),
    *(
        Claim(
            f"T1 values, {world}",
            "Table 1",
            f"The numbers of {name} are the published ones, within {MARGIN:.0%}",
            partial(equal, world),
        )
        for world, name in WORLDS.items()
    ),
    Claim(
        "T1 BEB",
        "Table 1",
        "The published numbers of BEB are those of its program: β cut to a whole number, the mean of a flat prior; "
        f"within {MARGIN:.0%}",
        program,
    ),
)
