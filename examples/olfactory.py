"""Olfactory search: find the source of a smell that comes in whiffs.

A searcher on a grid of 19 x 19 cells smells 0, 1, or more particles at each step, the more the
nearer the source is (Loisy and Eloy 2022, "Searching for a source without gradients"). The worlds
are the cells where the source may be; what is smelled is an observation, `seen`, and no state.
"""

import numpy as np

import bamdp
from bamdp import Outcome

N = 19
MOVES = {"N": (0, -1), "S": (0, 1), "W": (-1, 0), "E": (1, 0)}
CELLS = [(x, y) for x in range(N) for y in range(N)]
CENTRE = (N // 2, N // 2)


def hits(distance: float) -> np.ndarray:
    """Probabilities of 0, 1, 2 and more particles at this distance."""
    mean = 1.5 * np.exp(-distance / 3) / max(distance, 0.5)
    none, one = np.exp(-mean), mean * np.exp(-mean)
    return np.array([none, one, 1 - none - one])


def outcomes(source: tuple[int, int], cell: tuple[int, int], action: str) -> list[Outcome]:
    """A step, and what is smelled there."""
    x, y = (min(N - 1, max(0, c + d)) for c, d in zip(cell, MOVES[action], strict=True))
    if (x, y) == source:
        return [Outcome((x, y), -1.0, done=True)]
    smelled = enumerate(hits(np.hypot(x - source[0], y - source[1])))
    return [Outcome((x, y), -1.0, seen=k, probability=p) for k, p in smelled]


def main() -> None:
    after_one_hit = [
        hits(np.hypot(x - CENTRE[0], y - CENTRE[1]))[1] * ((x, y) != CENTRE) for x, y in CELLS
    ]
    problem = bamdp.BAMDP(
        bamdp.priors.Worlds(CELLS, outcomes, weights=after_one_hit),
        discount=1,
        horizon=200,
        episodes=1,
        start=CENTRE,
        actions="NSWE",
    )
    rng = np.random.default_rng(0)
    agent = bamdp.agents.BAMCP(problem, simulations=1000, depth=60, seed=0)
    record = bamdp.run(agent, problem.sample_world(rng), seed=0)
    print("".join(record.action_name(action) for action in record.actions))
    print(f"{len(record.actions)} steps")


if __name__ == "__main__":
    main()
