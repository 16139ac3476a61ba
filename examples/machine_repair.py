"""Machine repair with unknown failure rates: who services early never learns how long the machine would have lasted.

    python examples/machine_repair.py --help

A machine is new, worn or broken. Each month it runs, is serviced (a worn one is as new then) or is replaced. All costs are
known, and so is about how fast a new machine wears. Of worn machines little is known: one in ten breaks each month, by a guess
that is worth one observation. Perhaps this machine would run on for years; perhaps it breaks at once.

To plan with the mean of the belief is to service every worn machine: one in ten is too many. So a worn machine never runs, the
guess is never tested, and service is paid for ever. Posterior sampling (PSRL) and BAMCP both find out, BAMCP because the plan
says that it pays. What comes after BAMCP's tree is valued by the posterior mean here; with the paper's roll-outs, which act
half at random, machines stand broken and new ones are replaced, and the differences that matter drown in that cost.

Failure rates are drawn from the prior; all agents meet the same machines and the same luck.

The problem was chosen, among about eight with other costs and guesses, as one where a search this short finds what the exact
solution says. Where worn machines are thought worse (one in five a week), PSRL did better than BAMCP.
"""

import argparse
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

import bamdp
from bamdp.runner import seeds
from bamdp.statistics import mean

NEW, WORN, BROKEN = range(3)
RUN, SERVICE, REPLACE = range(3)
DISCOUNT, BASE = 0.97, "posterior mean"
COSTS = np.array([[0, 8, 15], [0, 8, 15], [30, 38, 45]])  # a broken machine costs 30 a month beside what is done [S, A]

# Pseudo-counts: zero is impossible, and a row with one possible state is known. [S, A, S]
ALPHA = np.zeros((3, 3, 3))
ALPHA[NEW, RUN] = [7, 2.9, 0.1]  # ten observations
ALPHA[WORN, RUN] = [0, 0.9, 0.1]  # one
ALPHA[BROKEN, [RUN, SERVICE], BROKEN] = ALPHA[[NEW, WORN], SERVICE, NEW] = ALPHA[:, REPLACE, NEW] = 1
PRIOR = bamdp.priors.Dirichlet(ALPHA)

Maker = Callable[[bamdp.Domain, int], bamdp.Agent]


def agents(simulations: int) -> dict[str, Maker]:
    """How each is made, from the machine (of which only the oracle is told the rates) and a seed."""
    bamcp: dict[str, Any] = {"simulations": simulations, "exploration": 30.0}  # of the order of what is at stake
    return {
        "knows the rates": lambda world, seed: bamdp.agents.Oracle(world),
        "BAMCP": lambda world, seed: bamdp.agents.BAMCP.for_domain(world, rollouts="posterior-mean", seed=seed, **bamcp),
        "BAMCP, learned roll-outs": lambda world, seed: bamdp.agents.BAMCP.for_domain(world, horizon=36, seed=seed, **bamcp),
        "PSRL": lambda world, seed: bamdp.agents.BayesianDP.for_domain(world, seed=seed),
        BASE: lambda world, seed: bamdp.agents.PosteriorMean.for_domain(world, seed=seed),
    }


def costs(make: Maker, options: argparse.Namespace, index: int) -> NDArray[np.float64]:
    """What machine `index` costs in each month. [months]"""
    agent_seed, world_seed = seeds(options.seed, index)
    rates = PRIOR.belief(3, 3).sample_mdp(np.random.default_rng(world_seed))
    world = bamdp.domains.Tabular(rates, -COSTS, DISCOUNT, prior=PRIOR)
    return -bamdp.run(make(world, agent_seed), world, 12 * options.years, world_seed).rewards


def cell(values: NDArray[np.float64]) -> str:
    average = mean(values.tolist())
    return f"{average.value:.2f}" if average.high is None else f"{average.value:.2f} ± {average.high - average.value:.2f}"


def table(results: dict[str, NDArray[np.float64]], years: int) -> Table:
    machines = len(results[BASE])
    made = Table(title=f"Cost per month of {machines} machines; means and 95 % intervals", title_justify="left")
    for header in ("", *(f"year {year + 1}" for year in range(years)), f"all, less that of {BASE}"):
        made.add_column(header, justify="right" if header else "left")
    for name, rows in results.items():  # [machines, months]
        by_year = rows.reshape(machines, years, 12).mean(axis=2)
        less = (rows - results[BASE]).mean(axis=1)  # pairs: the same machines, the same luck
        made.add_row(name, *(cell(by_year[:, year]) for year in range(years)), cell(less))
    return made


def picture(results: dict[str, NDArray[np.float64]], path: Path) -> None:
    from matplotlib.figure import Figure  # takes 0.5 s to import

    figure = Figure(figsize=(7, 4.5), dpi=150, layout="constrained")
    axes = figure.subplots()
    for name, rows in results.items():
        sums = rows.cumsum(axis=1)
        months, centre, half = np.arange(1, rows.shape[1] + 1), sums.mean(axis=0), 1.96 * sums.std(axis=0) / np.sqrt(len(sums))
        axes.fill_between(months, centre - half, centre + half, alpha=0.2, linewidth=0)
        axes.plot(months, centre, label=name)
    axes.set(xlabel="month", ylabel="cost so far", xlim=(1, None), ylim=(0, None))
    axes.legend(title="bands: 95 % intervals", frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machines", type=int, default=100, help="rates drawn from the prior, one each (default 100)")
    parser.add_argument("--years", type=int, default=3, help="that each machine is watched (default 3)")
    parser.add_argument("--simulations", type=int, default=1000, help="of BAMCP, for each month (default 1000)")
    parser.add_argument("--seed", type=int, default=0, help="of everything (default 0)")
    parser.add_argument("--picture", type=Path, default=Path("demo-output/machine_repair.png"), help="where to save it")
    options, results = parser.parse_args(words), {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, make in agents(options.simulations).items():
            done = pool.map(lambda index, make=make: costs(make, options, index), range(options.machines))
            results[name] = np.array(list(track(done, name, options.machines, console=Console(stderr=True))))
    Console().print(table(results, options.years))
    picture(results, options.picture)
    print(f"Picture: {options.picture}")


if __name__ == "__main__":
    main()
