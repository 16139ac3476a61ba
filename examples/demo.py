"""Planning to explore: machines that may wear fast or slowly, and who finds out.

    python examples/demo.py --help

A machine is new, worn or broken; each month it runs, is serviced or is replaced, and how fast it
breaks when worn is not known. By what is known, servicing a worn machine is cheaper than running
it, so the posterior mean services nearly every worn machine, hardly ever sees one run, and never
stops paying. `BayesAdaptive` plans with what it would learn, and tries. BAMCP as published explores
too, but its constant, c = 3, and its roll-outs are for rewards of about 1: with costs of up to 45
it acts by noise. With the values of the posterior mean at its leaves, and c in proportion to the
returns, it does not.

All agents face the same machines, drawn from the prior, with the same random numbers.
"""

import argparse
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress

import bamdp
from bamdp.config.spec import make_agent
from bamdp.result import align
from bamdp.runs.loop import seeds
from bamdp.statistics import Mean, mean
from bamdp.suite import Benchmark

NEW, WORN, BROKEN = range(3)
RUN, SERVICE, REPLACE = range(3)
DISCOUNT = 0.97
COSTS = np.array(
    [[0, 8, 15], [0, 8, 15], [30, 38, 45]]
)  # a broken machine costs 30 a month, plus the action [S, A]

# Pseudo-counts: zero means impossible; a row with one possible next state is known. [S, A, S]
ALPHA = np.zeros((3, 3, 3))
ALPHA[NEW, RUN] = [7, 2.9, 0.1]  # weight of ten observations
ALPHA[WORN, RUN] = [0, 0.9, 0.1]  # weight of one
ALPHA[BROKEN, [RUN, SERVICE], BROKEN] = ALPHA[[NEW, WORN], SERVICE, NEW] = ALPHA[
    :, REPLACE, NEW
] = 1

PLANNER, LEAVES, PUBLISHED, BASELINE = (
    "BayesAdaptive",
    "BAMCP, posterior-mean leaves",
    "BAMCP as published",
    "posterior mean",
)
AGENTS: dict[str, type[bamdp.Agent]] = {
    "knows the machine": bamdp.agents.Oracle,
    PLANNER: bamdp.agents.BayesAdaptive,
    LEAVES: bamdp.agents.BAMCP,
    "PSRL (Thompson sampling)": bamdp.agents.BayesianDP,
    BASELINE: bamdp.agents.PosteriorMean,
    PUBLISHED: bamdp.agents.BAMCP,
}
SETTINGS: dict[str, dict[str, Any]] = {
    LEAVES: {"rollouts": "posterior-mean", "exploration": "auto"}
}
SIMULATIONS = {PLANNER: 1, LEAVES: 1, PUBLISHED: 10}  # of each month, times those asked for
COLOURS = {RUN: "#8fc9a8", SERVICE: "#E69F00", REPLACE: "#555555"}  # of the actions
LINES = {
    "knows the machine": "#999999",
    PLANNER: "#0072B2",
    "PSRL (Thompson sampling)": "#CC79A7",
    BASELINE: "#D55E00",
}

Records = dict[str, list[bamdp.Record]]


def machines(months: int) -> Benchmark:
    """Machines whose rates are drawn from the prior."""
    return Benchmark(bamdp.BAMDP(bamdp.priors.Dirichlet(ALPHA), -COSTS, DISCOUNT), steps=months)


def play(count: int, months: int, simulations: int, seed: int, workers: int) -> Records:
    """The record of every agent with every machine."""
    problem = machines(months)

    def one(agent: str, index: int) -> bamdp.Record:
        agent_seed, world_seed = seeds(seed, index)
        world, settings = problem.world(world_seed), SETTINGS.get(agent, {})
        if agent in SIMULATIONS:
            settings = {**settings, "simulations": SIMULATIONS[agent] * simulations}
        made = make_agent(AGENTS[agent], world, problem.problem.prior, agent_seed, settings)
        return bamdp.run(made, world, months, world_seed)

    with Progress(transient=True) as progress, ThreadPoolExecutor(workers) as pool:
        jobs = {
            agent: [pool.submit(one, agent, index) for index in range(count)] for agent in AGENTS
        }
        records: Records = {}
        for agent, some in jobs.items():
            records[agent] = [
                job.result() for job in progress.track(some, description=f"{agent:24}")
            ]
    return records


def costs(records: list[bamdp.Record]) -> NDArray[np.float64]:
    """The cost of each machine over all months. [machines]"""
    return np.array([-record.total_reward for record in records])


def tries(records: list[bamdp.Record]) -> float:
    """The share of machines that were left running when worn, at least once."""
    return float(
        np.mean([((record.states == WORN) & (record.actions == RUN)).any() for record in records])
    )


def table(records: Records) -> str:
    """The mean cost of each agent, and the paired difference to the posterior mean."""
    baseline = costs(records[BASELINE])
    rows = [["", "cost", f"less than {BASELINE}", "worn machines tried"]]
    for agent, some in records.items():
        less = "" if agent == BASELINE else _text(mean((baseline - costs(some)).tolist()))
        rows.append([agent, _text(mean(costs(some).tolist())), less, f"{100 * tries(some):.0f} %"])
    return "\n".join(align(rows))


def _text(average: Mean) -> str:
    return (
        f"{average.value:.0f}"
        if average.half is None
        else f"{average.value:.0f} ± {average.half:.0f}"
    ).replace("-", "−")


def picture(records: Records, path: Path, shown: int = 40) -> None:
    """What two agents do with the same machines, month by month, and what it costs."""
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    figure = Figure(figsize=(12, 4.2), dpi=150, layout="constrained")
    left, middle, right = figure.subplots(1, 3, width_ratios=[1, 1, 1.1])
    for axes, agent in ((left, BASELINE), (middle, PLANNER)):
        actions = np.array([record.actions for record in records[agent][:shown]])
        axes.imshow(
            actions,
            cmap=ListedColormap([COLOURS[a] for a in (RUN, SERVICE, REPLACE)]),
            vmin=0,
            vmax=2,
            aspect="auto",
        )
        axes.set(xlabel="month", yticks=[])
        axes.set_title(agent, color=LINES[agent], fontweight="bold")
    left.set_ylabel("the same machines, one per row")
    named = {"runs": RUN, "is serviced": SERVICE, "is replaced": REPLACE}
    look: dict[str, Any] = {"loc": "outside lower left", "ncols": 3, "frameon": False}
    figure.legend(
        handles=[
            Patch(color=COLOURS[action], label=f"machine {name}") for name, action in named.items()
        ],
        **look,
    )
    place = 0.0  # of the last label, from below
    for agent, some in sorted(records.items(), key=lambda item: float(costs(item[1]).mean())):
        if agent not in LINES:  # far above the others, or on the line of another
            continue
        total = np.cumsum([-record.rewards for record in some], axis=1)  # [machines, months]
        months = np.arange(1, total.shape[1] + 1)
        half = 1.96 * total.std(axis=0) / np.sqrt(len(some))
        right.fill_between(
            months,
            total.mean(axis=0) - half,
            total.mean(axis=0) + half,
            color=LINES[agent],
            alpha=0.15,
            lw=0,
        )
        right.plot(months, total.mean(axis=0), color=LINES[agent], linewidth=2)
        place = max(total[:, -1].mean(), place + 0.07 * costs(records[BASELINE]).mean())
        right.text(
            1.03 * months[-1],
            place,
            agent.replace(" (", "\n("),
            color=LINES[agent],
            va="center",
            fontsize=9,
        )
    right.set(xlabel="month", ylim=(0, None), xlim=(1, months[-1]))
    right.set_title("cost so far, 95 % intervals")
    right.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--machines", type=int, default=100, help="machines drawn from the prior (default 100)"
    )
    parser.add_argument("--months", type=int, default=120, help="months per machine (default 120)")
    parser.add_argument(
        "--simulations",
        type=int,
        default=100,
        help="simulations per month (default 100; ten times as many for BAMCP as published)",
    )
    parser.add_argument("--seed", type=int, default=0, help="random seed (default 0)")
    parser.add_argument(
        "--workers",
        type=int,
        default=os.cpu_count() or 1,
        help="machines at a time (default: all cores)",
    )
    parser.add_argument(
        "--picture",
        type=Path,
        default=Path("demo-output/machines.png"),
        help="output file for the plot",
    )
    options = parser.parse_args(words)
    started = perf_counter()
    print(__doc__.partition("\n")[0])
    records = play(
        options.machines, options.months, options.simulations, options.seed, options.workers
    )
    print(
        f"\n{options.machines} machines of {options.months} months, the same for every agent; ± 95 "
        "%, differences paired\n"
    )
    print(table(records))
    picture(records, options.picture)
    print(f"\nPlot: {options.picture}   ({perf_counter() - started:.0f} s in total)")
    print("Next: python examples/paper_domains.py, BAMCP on two domains of its paper")


if __name__ == "__main__":
    main()
