"""A posterior of your own: a grid with one unknown wind, the same in every cell, tracked by a particle filter.

A prior with independent rows would have to learn the wind in each cell anew. Here every step tells about all cells, because the
particles are whole winds. `Sampled` asks for a batch of worlds, one for each simulation; everything else is NumPy.
"""

from typing import Any

import numpy as np

import bamdp
from bamdp.agents import BAMCP
from bamdp.domains import Tabular
from bamdp.priors import Sampled, SparseDirichlet

SIDE, PARTICLES = 6, 1000
MOVES = np.array([[0, 0], [0, 1], [0, -1], [1, 0], [-1, 0]])  # stay, east, west, north, south as (north, east)
GUSTS = np.array([[north, east] for north in (-1, 0, 1) for east in (-1, 0, 1)])

# Where each action leads in each cell with each of the 9 gusts. [S, A, 9]
cells = np.stack(np.divmod(np.arange(SIDE**2), SIDE), axis=1)
landed = np.clip(cells[:, None, None] + MOVES[:, None] + GUSTS, 0, SIDE - 1)
SUCCESSORS = landed[..., 0] * SIDE + landed[..., 1]


def gust_probabilities(winds: Any) -> Any:
    """A wind (north, east) blows one cell in either direction with the probability of its strength. [n, 2] → [n, 9]"""
    blows = np.stack([np.maximum(-winds, 0), 1 - np.abs(winds), np.maximum(winds, 0)], axis=-1)  # [n, 2, 3]
    return (blows[:, 0, :, None] * blows[:, 1, None, :]).reshape(len(winds), 9)


class WindFilter:
    """Weighted particles: what the wind may be, and how well each explains the steps seen."""

    def __init__(self, num_states: int, num_actions: int) -> None:
        self.winds = np.random.default_rng(0).uniform(-0.9, 0.9, size=(PARTICLES, 2))
        self.weights = np.full(PARTICLES, 1 / PARTICLES)

    def observe(self, state: int, action: int, next_state: int) -> None:
        explains = SUCCESSORS[state, action] == next_state  # [9]
        self.weights *= gust_probabilities(self.winds)[:, explains].sum(axis=1) + 1e-12
        self.weights /= self.weights.sum()

    def sample(self, count: int, rng: np.random.Generator) -> Any:
        if 1 / np.sum(self.weights**2) < PARTICLES / 4:  # few particles carry all the weight: resample, and jitter a little
            chosen = rng.choice(PARTICLES, PARTICLES, p=self.weights)
            self.winds = np.clip(self.winds[chosen] + rng.normal(0, 0.03, (PARTICLES, 2)), -0.9, 0.9)
            self.weights = np.full(PARTICLES, 1 / PARTICLES)
        drawn = self.winds[rng.choice(PARTICLES, count, p=self.weights)]
        probabilities = gust_probabilities(drawn)[:, None, None, :]  # of each world, the same in all cells
        return SUCCESSORS, np.broadcast_to(probabilities, (count, *SUCCESSORS.shape))


def main() -> None:
    wind = np.array([[0.5, -0.3]])
    rewards = np.zeros((SIDE**2, len(MOVES)))
    rewards[3 * SIDE + 3] = 1.0  # keep to one cell in the middle, against the wind
    probabilities = np.broadcast_to(gust_probabilities(wind)[0], SUCCESSORS.shape)
    world = Tabular.from_successors(SUCCESSORS, probabilities, rewards, discount=0.9)

    for name, prior in (("one wind for all cells", Sampled(WindFilter)), ("independent rows", SparseDirichlet())):
        agent = BAMCP(prior, rewards, world.discount, simulations=400, seed=1)
        record = bamdp.run(agent, world, steps=60, seed=1)
        print(f"{name}: {record.rewards.sum():g} of 60 steps in the rewarding cell")
        if isinstance(prior, Sampled):
            found: WindFilter = agent.belief.posterior  # type: ignore[attr-defined]
            north, east = found.weights @ found.winds
            print(f"  the wind is {wind[0].tolist()}, the belief says [{north:.2f}, {east:.2f}]")


if __name__ == "__main__":
    main()
