"""Olfactory search: find the source of a smell that comes in whiffs.

A searcher on a grid of 19 x 19 cells smells 0, 1, or more particles after each step, the more the
nearer the source is: "isotropic-19x19" of Loisy and Heinonen (2023). The worlds are the cells in
which the source may be; what is smelled is an observation, `seen`, and no state.
"""

import numpy as np
from scipy.special import k0

import bamdp
from bamdp import Outcome

N = 19
CELLS = [(x, y) for x in range(N) for y in range(N)]
CENTRE = (N // 2, N // 2)
MOVES = {"W": (-1, 0), "E": (1, 0), "N": (0, -1), "S": (0, 1)}
DISTANCES = np.hypot(*np.indices((N, N)))
MEANS = k0(np.where(DISTANCES == 0, 1, DISTANCES)) / np.log(2)
NONE, ONE = np.exp(-MEANS), MEANS * np.exp(-MEANS)
HITS = np.stack([NONE, ONE, 1 - NONE - ONE], axis=-1)  # of 0, 1, 2 and more particles


def smell(source: tuple[int, int], cell: tuple[int, int]) -> list[float]:
    """Probabilities of 0, 1, 2 and more particles."""
    return list(HITS[abs(source[0] - cell[0]), abs(source[1] - cell[1])].tolist())


def moved(cell: tuple[int, int], action: str) -> tuple[int, int]:
    """The next cell."""
    return cell[0] + MOVES[action][0], cell[1] + MOVES[action][1]


def inside(cell: tuple[int, int]) -> list[str]:
    """The moves that stay on the grid."""
    return [action for action in MOVES if moved(cell, action) in CELLS]


def outcomes(source: tuple[int, int], cell: tuple[int, int], action: str) -> list[Outcome]:
    """A step, and what is smelled there."""
    cell = moved(cell, action)
    if cell == source:
        return [Outcome(cell, -1.0, done=True)]
    particles = enumerate(smell(source, cell))
    return [Outcome(cell, -1.0, seen=k, probability=p) for k, p in particles]


def search(first: int) -> bamdp.BAMDP:
    """The problem after the first particles, 1, or 2 and more, which were smelled at the centre."""
    weights = [float(cell != CENTRE) * smell(cell, CENTRE)[first] for cell in CELLS]
    prior = bamdp.priors.Worlds(CELLS, outcomes, weights=weights, actions_in=inside)
    return bamdp.BAMDP(
        prior, discount=1, horizon=300, episodes=1, start=CENTRE, actions=tuple(MOVES)
    )


def main() -> None:
    problem = search(first=1)
    agent = bamdp.agents.BAMCP(problem, simulations=3000, exploration=10.0, depth=60, seed=0)
    record = bamdp.run(agent, problem.sample_world(np.random.default_rng(1)), seed=0)
    print("".join(record.action_name(action) for action in record.actions))
    print(f"{len(record.actions)} steps")


if __name__ == "__main__":
    main()
