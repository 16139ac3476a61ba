"""Gymnasium's slippery FrozenLake from scratch: the map, the holes and the goal are unknown to the
agents.

    python examples/frozen_lake.py --help

Agents learn transitions and rewards from real steps. BayesAdaptive and the posterior mean have
nothing to choose; PSRL and Q-learning have a small grid of settings, of which the best on other
seeds is used. All but Q-learning have the same prior: few next states are possible, and rewards are
rare. An oracle that knows the lake is included for comparison. All agents face the same random
numbers. The defaults take about five minutes.
"""

import argparse
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

import bamdp
from bamdp.agents import BayesAdaptive, BayesianDP, Oracle, PosteriorMean, QLearning
from bamdp.domains import Gymnasium
from bamdp.priors import SparseDirichlet, UnknownRewards
from bamdp.runs.loop import seeds
from bamdp.statistics import mean

DISCOUNT = 0.97
RARE = UnknownRewards(
    SparseDirichlet(), values=(0, 1), alpha=(1, 0.1)
)  # before the first visit: 1 with probability 1/11
GRIDS: dict[str, tuple[Any, dict[str, tuple[Any, ...]]]] = {
    "BayesAdaptive": (BayesAdaptive, {}),
    "PSRL": (BayesianDP, {"resample": ("steps", "episodes", "doubling")}),
    "Q-learning": (
        QLearning,
        {
            "learning_rate": (0.03, 0.1, 0.3),
            "initial": (0.0, 0.3, 1.0),
            "temperature": (0.003, 0.01, 0.03),
        },
    ),
    "posterior mean": (PosteriorMean, {}),
}


def paid(
    name: str, settings: dict[str, Any], options: argparse.Namespace, seed: int, index: int
) -> NDArray[np.float64]:
    """Reward of each step of one run. [steps]"""
    agent_seed, world_seed = seeds(seed, index)
    if name == "knows the lake":
        lake = Gymnasium("FrozenLake-v1", discount=DISCOUNT)
        return bamdp.run(
            Oracle(lake.problem(), world=lake.mdp), lake, options.steps, world_seed
        ).rewards
    lake, (kind, _) = Gymnasium("FrozenLake-v1", rewards="learned", discount=DISCOUNT), GRIDS[name]
    budget = {"simulations": options.simulations} if kind is BayesAdaptive else {}
    agent = kind(lake.problem(RARE), **budget, **settings, seed=agent_seed)
    return bamdp.run(agent, lake, options.steps, world_seed).rewards


def chosen(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """The setting with the highest reward on seeds that are not used for evaluation."""
    grid = GRIDS[name][1]
    points = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    if len(points) == 1:
        return points[0]
    seed, runs = options.seed + 1, range(options.tuning_runs)
    shown = track(points, f"{name}, settings", console=Console(stderr=True))
    earned = [
        sum(paid(name, point, options, seed, index).sum() for index in runs) for point in shown
    ]
    return points[int(np.argmax(earned))]


def cell(values: NDArray[np.float64]) -> str:
    average = mean(values.tolist())
    return (
        f"{average.value:.1f}"
        if average.high is None
        else f"{average.value:.1f} ± {average.high - average.value:.1f}"
    )


def picture(results: dict[str, NDArray[np.float64]], path: Path) -> None:
    from matplotlib.figure import Figure  # takes 0.5 s to import

    figure = Figure(figsize=(7, 4.5), dpi=120, layout="constrained")
    axes = figure.subplots()
    for name, rows in results.items():
        so_far, steps = rows.cumsum(axis=1), np.arange(1, rows.shape[1] + 1)
        middle, half = so_far.mean(axis=0), 1.96 * so_far.std(axis=0) / np.sqrt(len(rows))
        (line,) = axes.plot(
            steps, middle, label=name, color="black" if name == "knows the lake" else None
        )
        axes.fill_between(
            steps, middle - half, middle + half, color=line.get_color(), alpha=0.15, linewidth=0
        )
    axes.set(xlabel="real steps", ylabel="times at the goal")
    axes.legend(frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=20, help="runs per agent (default 20)")
    parser.add_argument("--steps", type=int, default=3000, help="real steps per run (default 3000)")
    parser.add_argument(
        "--simulations",
        type=int,
        default=300,
        help="simulations of BayesAdaptive per step (default 300)",
    )
    parser.add_argument(
        "--tuning-runs", type=int, default=4, help="runs per setting when tuning (default 4)"
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        help="random seed; settings are chosen with the next one (default 0)",
    )
    parser.add_argument(
        "--picture",
        type=Path,
        default=Path("demo-output/frozen_lake.png"),
        help="output file for the plot",
    )
    options = parser.parse_args(words)
    settings = {name: chosen(name, options) for name in GRIDS}
    settings["knows the lake"] = {}
    results = {}
    for name, setting in settings.items():
        runs = track(range(options.runs), name, console=Console(stderr=True))
        results[name] = np.array(
            [paid(name, setting, options, options.seed, index) for index in runs]
        )
    made = Table("", "all", "last third", "vs. BayesAdaptive", "settings", title_justify="left")
    made.title = (
        f"Reward per 1000 real steps; means of {options.runs} runs of {options.steps} steps, 95 % "
        "intervals"
    )
    ours = 1000 * results["BayesAdaptive"].mean(axis=1)
    for name, rows in results.items():
        all_steps, last = (
            1000 * rows.mean(axis=1),
            1000 * rows[:, -(options.steps // 3) :].mean(axis=1),
        )
        about = ", ".join(f"{key} {value}" for key, value in settings[name].items())
        made.add_row(name, cell(all_steps), cell(last), cell(all_steps - ours), about)
    Console().print(made)
    picture(results, options.picture)
    print(f"Plot: {options.picture}")


if __name__ == "__main__":
    main()
