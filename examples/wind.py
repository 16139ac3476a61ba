"""A custom posterior: a grid with one unknown wind, the same in every cell, tracked by a particle filter.

    python examples/wind.py --help

A prior with independent rows would have to learn the wind in each cell separately. Here every step is informative about all
cells, because each particle is a wind for the whole grid. `Sampled` asks for a batch of worlds, one per simulation; the rest
is NumPy.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

import bamdp
from bamdp.agents import BAMCP, BayesianDP
from bamdp.domains import Tabular
from bamdp.priors import Sampled, SparseDirichlet
from bamdp.runner import seeds
from bamdp.statistics import mean

SIDE, PARTICLES = 6, 1000
MOVES = np.array([[0, 0], [0, 1], [0, -1], [1, 0], [-1, 0]])  # stay, east, west, north, south as (north, east)
GUSTS = np.array([[north, east] for north in (-1, 0, 1) for east in (-1, 0, 1)])

# Next state of each action in each cell for each of the 9 gusts. [S, A, 9]
cells = np.stack(np.divmod(np.arange(SIDE**2), SIDE), axis=1)
landed = np.clip(cells[:, None, None] + MOVES[:, None] + GUSTS, 0, SIDE - 1)
SUCCESSORS = landed[..., 0] * SIDE + landed[..., 1]


def gust_probabilities(winds: Any) -> Any:
    """A wind (north, east) blows one cell in either direction with the probability of its strength. [n, 2] → [n, 9]"""
    blows = np.stack([np.maximum(-winds, 0), 1 - np.abs(winds), np.maximum(winds, 0)], axis=-1)  # [n, 2, 3]
    return (blows[:, 0, :, None] * blows[:, 1, None, :]).reshape(len(winds), 9)


class WindFilter:
    """Particles for the wind, weighted by the likelihood of the observed steps."""

    def __init__(self, num_states: int, num_actions: int) -> None:
        self.winds = np.random.default_rng(0).uniform(-0.9, 0.9, size=(PARTICLES, 2))
        self.weights = np.full(PARTICLES, 1 / PARTICLES)

    def observe(self, state: int, action: int, next_state: int) -> None:
        explains = SUCCESSORS[state, action] == next_state  # [9]
        self.weights *= gust_probabilities(self.winds)[:, explains].sum(axis=1) + 1e-12
        self.weights /= self.weights.sum()

    def sample(self, count: int, rng: np.random.Generator) -> Any:
        if 1 / np.sum(self.weights**2) < PARTICLES / 4:  # low effective sample size: resample and jitter
            chosen = rng.choice(PARTICLES, PARTICLES, p=self.weights)
            self.winds = np.clip(self.winds[chosen] + rng.normal(0, 0.03, (PARTICLES, 2)), -0.9, 0.9)
            self.weights = np.full(PARTICLES, 1 / PARTICLES)
        drawn = self.winds[rng.choice(PARTICLES, count, p=self.weights)]
        probabilities = gust_probabilities(drawn)[:, None, None, :]  # of each world, the same in all cells
        return SUCCESSORS, np.broadcast_to(probabilities, (count, *SUCCESSORS.shape))


class MeanWind(bamdp.Agent):
    """Acts optimally for the posterior mean of the wind: learns, but never explores on purpose."""

    def __init__(self) -> None:
        self.reset(0)

    def reset(self, seed: int) -> None:
        self.filter = WindFilter(SIDE**2, len(MOVES))

    def act(self, state: int) -> int:
        return bamdp.agents.Oracle(windy(self.filter.weights @ self.filter.winds)).act(state)

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        self.filter.observe(state, action, next_state)


def windy(wind: Any) -> Tabular:
    """The grid with this wind; one cell in the middle pays for every step spent in it, against the wind."""
    rewards = np.zeros((SIDE**2, len(MOVES)))
    rewards[3 * SIDE + 3] = 1.0
    probabilities = np.broadcast_to(gust_probabilities(wind[None])[0], SUCCESSORS.shape)
    return Tabular.from_successors(SUCCESSORS, probabilities, rewards, discount=0.9)


def agents(simulations: int) -> dict[str, Callable[[Tabular, int], bamdp.Agent]]:
    """Constructors of the agents, from the domain (only the oracle uses its wind) and a seed."""
    one_wind = Sampled(WindFilter)
    return {
        "knows the wind": lambda world, seed: bamdp.agents.Oracle(world),
        "BAMCP, one wind": lambda world, seed: BAMCP.for_domain(world, one_wind, simulations=simulations, seed=seed),
        "PSRL, one wind": lambda world, seed: BayesianDP.for_domain(world, one_wind, seed=seed),
        "mean wind": lambda world, seed: MeanWind(),
        "BAMCP, independent rows": lambda world, seed: BAMCP.for_domain(
            world, SparseDirichlet(), simulations=simulations, seed=seed
        ),
    }


def paid(make: Callable[[Tabular, int], bamdp.Agent], options: argparse.Namespace, index: int) -> NDArray[np.float64]:
    """Reward of each step with wind `index`. [steps]"""
    agent_seed, world_seed = seeds(options.seed, index)
    world = windy(np.random.default_rng(world_seed).uniform(-0.9, 0.9, size=2))
    return bamdp.run(make(world, agent_seed), world, options.steps, world_seed).rewards


def cell(values: NDArray[np.float64]) -> str:
    average = mean(values.tolist())
    return f"{average.value:.1f}" if average.high is None else f"{average.value:.1f} ± {average.high - average.value:.1f}"


def picture(results: dict[str, NDArray[np.float64]], path: Path) -> None:
    from matplotlib.figure import Figure  # takes 0.5 s to import

    figure = Figure(figsize=(7, 4.5), dpi=150, layout="constrained")
    axes = figure.subplots()
    for name, rows in results.items():
        axes.plot(np.arange(1, rows.shape[1] + 1), rows.mean(axis=0).cumsum(), label=name)
    axes.set(xlabel="step", ylabel="cumulative steps in the rewarding cell")
    axes.legend(frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--winds", type=int, default=20, help="winds drawn from the prior, one run each (default 20)")
    parser.add_argument("--steps", type=int, default=60, help="steps per run (default 60)")
    parser.add_argument("--simulations", type=int, default=400, help="simulations of BAMCP per step (default 400)")
    parser.add_argument("--seed", type=int, default=0, help="random seed (default 0)")
    parser.add_argument("--picture", type=Path, default=Path("demo-output/wind.png"), help="output file for the plot")
    options, results = parser.parse_args(words), {}
    for name, make in agents(options.simulations).items():
        indices = track(range(options.winds), name, console=Console(stderr=True))
        results[name] = np.array([paid(make, options, index) for index in indices])
    made = Table(
        "",
        "all",
        "first third",
        "vs. BAMCP",
        title=f"Steps in the rewarding cell of {options.steps}; 95 % intervals",
        title_justify="left",
    )
    ours = results["BAMCP, one wind"].sum(axis=1)
    for name, rows in results.items():  # the same winds and random numbers for all agents
        totals = rows.sum(axis=1)
        made.add_row(name, cell(totals), cell(rows[:, : options.steps // 3].sum(axis=1)), cell(totals - ours))
    Console().print(made)
    picture(results, options.picture)
    print(f"Plot: {options.picture}")


if __name__ == "__main__":
    main()
