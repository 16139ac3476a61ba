"""A custom posterior: a grid with one unknown wind, the same in every cell, tracked by a particle
filter.

    python examples/wind.py --help

A prior with independent rows would have to learn the wind in each cell separately. Here every step
is informative about all cells, because each particle is a wind for the whole grid. `Sampled` asks
for a batch of worlds, one per simulation; the rest is NumPy.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import bamdp
from bamdp import BAMDP, MDP
from bamdp.agents import BayesAdaptive
from bamdp.domains import Tabular
from bamdp.priors import Sampled, SparseDirichlet
from bamdp.suite import Benchmark

SIDE, PARTICLES = 6, 1000
MOVES = np.array(
    [[0, 0], [0, 1], [0, -1], [1, 0], [-1, 0]]
)  # stay, east, west, north, south as (north, east)
GUSTS = np.array([[north, east] for north in (-1, 0, 1) for east in (-1, 0, 1)])

# Next state of each action in each cell for each of the 9 gusts. [S, A, 9]
cells = np.stack(np.divmod(np.arange(SIDE**2), SIDE), axis=1)
landed = np.clip(cells[:, None, None] + MOVES[:, None] + GUSTS, 0, SIDE - 1)
SUCCESSORS = landed[..., 0] * SIDE + landed[..., 1]


def gust_probabilities(winds: Any) -> Any:
    """A wind (north, east) blows one cell in either direction with the probability of its strength.
    [n, 2] → [n, 9]
    """
    blows = np.stack(
        [np.maximum(-winds, 0), 1 - np.abs(winds), np.maximum(winds, 0)], axis=-1
    )  # [n, 2, 3]
    return (blows[:, 0, :, None] * blows[:, 1, None, :]).reshape(len(winds), 9)


class WindFilter:
    """Particles for the wind, weighted by the likelihood of the observed steps."""

    def __init__(self, problem: BAMDP) -> None:
        self.winds = np.random.default_rng(0).uniform(-0.9, 0.9, size=(PARTICLES, 2))
        self.weights = np.full(PARTICLES, 1 / PARTICLES)

    def observe(
        self, state: int, action: int, reward: float | None, next_state: int, terminated: bool
    ) -> None:
        explains = SUCCESSORS[state, action] == next_state  # [9]
        self.weights *= gust_probabilities(self.winds)[:, explains].sum(axis=1) + 1e-12
        self.weights /= self.weights.sum()

    def sample(self, count: int, rng: np.random.Generator) -> Any:
        if (
            1 / np.sum(self.weights**2) < PARTICLES / 4
        ):  # low effective sample size: resample and jitter
            chosen = rng.choice(PARTICLES, PARTICLES, p=self.weights)
            self.winds = np.clip(
                self.winds[chosen] + rng.normal(0, 0.03, (PARTICLES, 2)), -0.9, 0.9
            )
            self.weights = np.full(PARTICLES, 1 / PARTICLES)
        drawn = self.winds[rng.choice(PARTICLES, count, p=self.weights)]
        probabilities = gust_probabilities(drawn)[
            :, None, None, :
        ]  # of each world, the same in all cells
        return SUCCESSORS, np.broadcast_to(probabilities, (count, *SUCCESSORS.shape))


class MeanWind(bamdp.Agent):
    """Acts optimally for the posterior mean of the wind: learns, but does not plan to."""

    def act(self, state: int) -> int:
        posterior = self.belief.posterior
        return int(
            windy(posterior.weights @ posterior.winds)
            .mdp.solve(self.problem.discount)
            .policy[state]
        )


def windy(wind: Any) -> Tabular:
    """The grid with this wind; one cell in the middle pays for every step spent in it, against the
    wind.
    """
    rewards = np.zeros((SIDE**2, len(MOVES)))
    rewards[3 * SIDE + 3] = 1.0
    probabilities = np.broadcast_to(gust_probabilities(wind[None])[0], SUCCESSORS.shape)
    return Tabular(MDP(probabilities, rewards, successors=SUCCESSORS), 0.9)


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--winds",
        type=int,
        default=20,
        help="winds drawn from the prior, one run each (default 20)",
    )
    parser.add_argument("--steps", type=int, default=60, help="steps per run (default 60)")
    parser.add_argument(
        "--simulations",
        type=int,
        default=100,
        help="simulations of BayesAdaptive per step (default 100)",
    )
    parser.add_argument("--seed", type=int, default=0, help="random seed (default 0)")
    parser.add_argument(
        "--picture",
        type=Path,
        default=Path("demo-output/wind.png"),
        help="output file for the plot",
    )
    options = parser.parse_args(words)
    search = {"simulations": options.simulations}
    agents = {
        "knows the wind": "oracle",
        "BayesAdaptive, one wind": ("bayes-adaptive", search),
        "PSRL, one wind": "bayesian-dp",
        "mean wind": MeanWind,
        "BayesAdaptive, independent rows": lambda world, prior, seed: BayesAdaptive(
            world.problem(SparseDirichlet()), seed=seed, **search
        ),
    }
    problem = Benchmark(
        windy(np.zeros(2)),
        Sampled(WindFilter),
        draw=lambda rng: windy(rng.uniform(-0.9, 0.9, size=2)),
        steps=options.steps,
    )
    result = bamdp.compare(
        problem, agents, worlds=options.winds, seed=options.seed, against="BayesAdaptive, one wind"
    )
    print(result)
    result.save(options.picture)
    print(f"Plot: {options.picture}")


if __name__ == "__main__":
    main()
