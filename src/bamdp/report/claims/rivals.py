"""What the text says of the rivals: BEB needs a bonus of its own in each world, BFS3's bounds stay too high in a maze."""

from __future__ import annotations

from bamdp import statistics
from bamdp.agents import BFS3
from bamdp.domains import Maze
from bamdp.exact.known_mdp import q_values
from bamdp.priors import Dirichlet
from bamdp.report.claim import Claim, Outcome, missing, short
from bamdp.report.query import Number, Stored
from bamdp.studies.paper.table1 import DEPTH, SECONDS, TABLE

TRAJECTORIES = (10, 100, 1000)
SURE = 1e9  # pseudo-counts of a world that is known


def bonus(stored: Stored) -> Outcome:
    """No β is best everywhere: each is worse than another one in some world, by more than chance."""
    sweeps = {world: stored.numbers(TABLE, world, "BEB") for world in SECONDS}
    few = [world for world, numbers in sweeps.items() if not numbers or any(n.runs < statistics.FEWEST for n in numbers)]
    if few:
        return missing(" and ".join(few))
    lines, fit = [], set.intersection(*({n.varied["beta"] for n in numbers} for numbers in sweeps.values()))
    tops = {world: max(numbers, key=lambda n: n.point.mean().value) for world, numbers in sweeps.items()}
    for world, numbers in sweeps.items():
        top = tops[world]
        fit &= {n.varied["beta"] for n in numbers if not _worse(n, top)}
        mean = top.point.mean().value
        lines.append(f"{world}: best β = {top.varied['beta']:g}, {short(mean)} ({top.runs} runs a setting, {top.scale})")
    lines.append(
        f"no worse than the best in all worlds, as far as the runs tell: β = {_list(fit)}" if fit else "no β fits all worlds"
    )
    same = len({top.varied["beta"] for top in tops.values()}) == 1
    return Outcome("held" if not fit else "not held" if same else "open", tuple(lines))


def _worse(number: Number, top: Number) -> bool:
    return statistics.difference(number.point.values(), top.point.values()).side() == -1


def _list(values: set[float]) -> str:
    return ", ".join(f"{value:g}" for value in sorted(values))


def bounds(stored: Stored) -> Outcome:
    """In a maze that it knows, BFS3's upper bounds at the start are above the true value, whatever it spends within reason."""
    maze = Maze()
    true = float(q_values(maze.successors, maze.probabilities, maze.rewards, maze.discount)[0].max())
    known = Dirichlet(SURE * maze.transitions)
    lines, above = [], True
    for trajectories in TRAJECTORIES:
        agent = BFS3(known, maze.rewards, maze.discount, branching=5, depth=DEPTH["maze"], trajectories=trajectories)
        lower, upper = agent.bounds(0)
        above = above and bool((upper > true).all())
        spans = f"upper bounds {short(upper.min())} … {short(upper.max())}, lower bounds up to {short(lower.max())}"
        lines.append(f"{trajectories:,} trajectories of {DEPTH['maze']} steps: {spans}; true value {true:.3f}")
    return Outcome("held" if above else "not held", tuple(lines))


CLAIMS = (
    Claim("T8", "Section 4.1", "BEB needs another bonus β in each world to do well", bonus),
    Claim(
        "T9",
        "Section 4.1",
        "In a maze BFS3's upper bounds stay above the true value until the tree is complete down to the first reward",
        bounds,
        "tests/agents/test_bfs3.py",
    ),
)
