"""An adaptive clinical trial with three treatments, in which every patient's outcome informs the next allocation.

    python examples/clinical_trial.py --help

The standard treatment has historical data, the two new ones have none. Equal allocation gives two patients out of three a
treatment that is not the best. The Gittins index is Bayes-optimal for the number of cures if each patient counts slightly
less than the one before (`discount`); it exists for independent arms only. BAMCP has the same objective, is not specific to
bandits, and comes as close as its simulation budget allows. In 200 trials of 100 patients all three adaptive methods cured
about 20 more patients than equal allocation (20.9 ± 2.0); they did not differ clearly among themselves, in cures or in how
often they identified the best arm.

Worlds are drawn from the prior. All agents face the same worlds and the same random numbers: the n-th patient recovers under
either treatment or neither, or under the better one alone. Paired differences are therefore much more precise than the means.

BAMCP's exploration constant and the discount were chosen on the first 40 worlds of seed 0, so its result there is slightly
optimistic.
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
from bamdp.statistics import Mean, mean

PRIOR = bamdp.priors.BetaArms(successes=[8, 1, 1], failures=[12, 1, 1])  # historical data: 8 of 20 patients recovered
ARMS = 3

Maker = Callable[[bamdp.Domain, int], bamdp.Agent]


class EqualAllocation(bamdp.Agent):
    """Each arm in turn: the classical trial."""

    def __init__(self) -> None:
        self.reset(0)

    def reset(self, seed: int) -> None:
        self.patients = 0

    def act(self, state: int) -> int:
        return self.patients % ARMS

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        self.patients += 1


def agents(simulations: int) -> dict[str, Maker]:
    """Constructors of the agents, from the world (only its rewards and discount are used) and a seed."""
    search: dict[str, Any] = {"simulations": simulations, "rollouts": "best-arm", "exploration": 5.0}
    return {
        "Gittins index": lambda world, seed: bamdp.agents.Gittins.for_domain(world, PRIOR, tolerance=1e-4, seed=seed),
        "BAMCP": lambda world, seed: bamdp.agents.BAMCP.for_domain(world, PRIOR, seed=seed, **search),
        "Thompson sampling": lambda world, seed: bamdp.agents.BayesianDP.for_domain(world, PRIOR, seed=seed),
        "equal allocation": lambda world, seed: EqualAllocation(),
    }


def trial(make: Maker, options: argparse.Namespace, index: int) -> NDArray[np.float64]:
    """One trial in world `index`: patients cured, best arm identified, running share treated with it. [2 + patients]"""
    agent_seed, world_seed = seeds(options.seed, index)
    rates = PRIOR.belief(2, ARMS).sample_mdp(np.random.default_rng(world_seed))[0, :, 1]
    world = bamdp.domains.Bandit(rates, options.discount)
    record = bamdp.run(make(world, agent_seed), world, options.patients, world_seed)
    best = record.actions == rates.argmax()
    tried = np.array([[np.sum(record.actions == arm), record.rewards[record.actions == arm].sum()] for arm in range(ARMS)])
    a, b = np.asarray(PRIOR.successes), np.asarray(PRIOR.failures)
    named = np.argmax((a + tried[:, 1]) / (a + b + tried[:, 0])) == rates.argmax()
    return np.array([record.total_reward, named, *np.cumsum(best) / np.arange(1, options.patients + 1)])


def cell(average: Mean, percent: bool = False) -> str:
    if average.low is None or average.high is None:
        return f"{average.value:.1%}" if percent else f"{average.value:.2f}"
    half = (average.high - average.low) / 2
    return f"{average.value:.1%} ± {half:.1%}" if percent else f"{average.value:.2f} ± {half:.2f}"


def table(results: dict[str, NDArray[np.float64]], options: argparse.Namespace) -> Table:
    made = Table(
        title=f"{options.trials} trials of {options.patients} patients; means and 95 % intervals", title_justify="left"
    )
    for header in ("", "on the best arm", "cured", "vs. Gittins", "best arm identified"):
        made.add_column(header, justify="right" if header else "left")
    for name, rows in results.items():  # [trials, 2 + patients]
        more = rows[:, 0] - results["Gittins index"][:, 0]  # paired: the same worlds and random numbers
        means = [cell(mean(rows[:, -1].tolist()), True), cell(mean(rows[:, 0].tolist())), cell(mean(more.tolist()))]
        made.add_row(name, *means, cell(mean(rows[:, 1].tolist()), True))
    return made


def picture(results: dict[str, NDArray[np.float64]], path: Path) -> None:
    from matplotlib.figure import Figure  # takes 0.5 s to import

    figure = Figure(figsize=(7, 4.5), dpi=150, layout="constrained")
    axes = figure.subplots()
    for name, rows in results.items():
        shares = rows[:, 2:]
        centre, half = shares.mean(axis=0), 1.96 * shares.std(axis=0) / np.sqrt(len(shares))
        axes.fill_between(np.arange(1, len(centre) + 1), centre - half, centre + half, alpha=0.2, linewidth=0)
        axes.plot(np.arange(1, len(centre) + 1), centre, label=name)
    axes.set(xlabel="patients", ylabel="share treated with the best arm", ylim=(0, 1))
    axes.legend(title="bands: 95 % intervals", frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=200, help="worlds drawn from the prior, one trial each (default 200)")
    parser.add_argument("--patients", type=int, default=100, help="patients per trial (default 100)")
    parser.add_argument("--simulations", type=int, default=2000, help="simulations of BAMCP per patient (default 2000)")
    parser.add_argument("--discount", type=float, default=0.95, help="relative weight of the next patient (default 0.95)")
    parser.add_argument("--seed", type=int, default=0, help="random seed (default 0)")
    parser.add_argument("--picture", type=Path, default=Path("demo-output/clinical_trial.png"), help="output file for the plot")
    options, results = parser.parse_args(words), {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, make in agents(options.simulations).items():
            done = pool.map(lambda index, make=make: trial(make, options, index), range(options.trials))
            results[name] = np.array(list(track(done, name, options.trials, console=Console(stderr=True))))
    Console().print(table(results, options))
    picture(results, options.picture)
    print(f"Plot: {options.picture}")


if __name__ == "__main__":
    main()
