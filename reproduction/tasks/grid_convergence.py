"""The root value of BAMCP on the infinite grid against the exact Bayes-optimal one, a few steps
ahead.

Parameters p_i of columns and q_j of rows are independent, so that the contents of cells have a
closed form:

    P(cells Y hold a reward, cells Z don't) = Σ_{T ⊆ Z} (−1)^|T| Π_i E[p_i^k_i] Π_j E[q_j^l_j]

with k_i and l_j the cells of Y ∪ T in column i and in row j. Theorem 1 is about searches that
sample the posterior; this one samples it by a Markov chain.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from math import prod
from typing import Any

from bamdp.agents import BAMCP
from bamdp.domains import InfiniteGrid
from bamdp.priors import GridRewards
from reproduction.tasks import kind
from reproduction.tasks.paper import against_exact

Cell = tuple[int, int]
MOVES = ((0, 1), (1, 0), (0, -1), (-1, 0))


@kind
def grid_convergence(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """Bias of the best action's value over `seeds` searches, its standard error, and the mean
    regret of the decisions.

    `walk` are the cells seen so far, each with its content; the search begins in the last.

    Example:
        >>> settings = {"columns": (1, 2), "rows": (2, 1), "proposal": "gibbs", "walk": [(0, 0, 0),
        ...     (1, 0, 1)], "horizon": 2}
        >>> search = {"discount": 0.5, "exploration": 2, "simulations": 100, "seeds": 2}
        >>> grid_convergence({**settings, **search}, seed=0, run=0)["regret"]
        0.0
    """
    prior = GridRewards(settings["columns"], settings["rows"], proposal=settings["proposal"])
    walk, discount = (
        [(int(x), int(y), bool(content)) for x, y, content in settings["walk"]],
        settings["discount"],
    )
    known, here = {(x, y): content for x, y, content in walk}, (walk[-1][0], walk[-1][1])
    values = action_values(
        prior, known, {(x, y) for x, y, _ in walk[:-1]}, here, settings["horizon"], discount
    )
    first = seed + settings["seeds"] * run
    plans = (
        _plan(prior, walk, settings, agent_seed)
        for agent_seed in range(first, first + settings["seeds"])
    )
    return against_exact(values, [(plan.action, plan.q_values) for plan in plans])


def action_values(
    prior: GridRewards,
    known: Mapping[Cell, bool],
    left: set[Cell],
    here: Cell,
    horizon: int,
    discount: float,
) -> list[float]:
    """The Bayes-optimal value of each action in cell `here`, given the cells known, and those left,
    which are empty now.

    Example:
        >>> values = action_values(GridRewards((1, 1), (1, 1)), {(0, 0): True}, set(), (0, 0),
        ...     horizon=2, discount=0.5)
        >>> [round(value, 4) for value in values]  # 1 + 0.5 E[p²] E[q] / E[p q], in all directions
        [1.1667, 1.1667, 1.1667, 1.1667]
    """
    reward, values = float(known[here] and here not in left), []
    for dx, dy in MOVES if horizon > 1 else ():
        there, ahead = (here[0] + dx, here[1] + dy), 0.0
        for content in (False, True):
            then = {**known, there: content}
            chance = (
                float(known[there] == content)
                if there in known
                else probability(prior, then) / probability(prior, known)
            )
            if chance > 0:
                ahead += chance * max(
                    action_values(prior, then, left | {here}, there, horizon - 1, discount)
                )
        values.append(reward + discount * ahead)
    return values or [reward] * len(MOVES)


def probability(prior: GridRewards, contents: Mapping[Cell, bool]) -> float:
    """The probability of these contents of cells, before anything was seen.

    Example:
        >>> probability(GridRewards((1, 2), (2, 1)), {(0, 0): True})  # 1/3 · 2/3
        0.2222222222222222
    """
    held, empty = (
        [cell for cell, content in contents.items() if content is which] for which in (True, False)
    )
    return sum(
        (-1.0) ** size * _moments(prior, [*held, *more])
        for size in range(len(empty) + 1)
        for more in combinations(empty, size)
    )


def _moments(prior: GridRewards, cells: Sequence[Cell]) -> float:
    """E[Π p_i q_j] over cells (i, j)."""
    lines = (
        (beta, Counter(cell[axis] for cell in cells))
        for axis, beta in enumerate((prior.columns, prior.rows))
    )
    return prod(
        (a + k) / (a + b + k) for (a, b), counts in lines for n in counts.values() for k in range(n)
    )


def _plan(
    prior: GridRewards,
    walk: Sequence[tuple[int, int, bool]],
    settings: Mapping[str, Any],
    seed: int,
) -> Any:
    """The search after the walk."""
    domain = InfiniteGrid(prior.columns, prior.rows, discount=settings["discount"])
    search = {name: settings[name] for name in ("simulations", "exploration")}
    agent = BAMCP(domain.problem(prior), depth=settings["horizon"], seed=seed, **search)
    for (x, y, content), (next_x, next_y, there) in pairwise(walk):
        action = MOVES.index((next_x - x, next_y - y))
        agent.observe(
            domain.state(x, y, content), action, float(content), domain.state(next_x, next_y, there)
        )
    return agent.plan(domain.state(*walk[-1]))
