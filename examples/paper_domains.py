"""BAMCP and a baseline on two domains of the paper, next to the paper's numbers.

    python examples/paper_domains.py --help

The baseline is BA-UCT without learned roll-outs, with the same prior and the same number of
simulations. The random agent and the oracle, which knows the transitions, are lower and upper
references. Every run uses `bamdp.run`. Runs are distributed over threads, since the native search
releases the GIL; results depend on the seed only.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table

import bamdp
from bamdp.runs.loop import seeds
from bamdp.statistics import mean, t_quantile
from bamdp.suite.published import TABLE_1


@dataclass(frozen=True)
class DomainEntry:
    """A domain and the size of its experiment: `simulations` per decision, `runs` runs."""

    name: str  # as in TABLE_1
    title: str
    domain: bamdp.Domain
    simulations: int
    runs: int


@dataclass(frozen=True)
class AgentEntry:
    """An agent, its constructor, and the style of its curve (colours by Okabe and Ito)."""

    name: str
    make: Callable[[DomainEntry, int], bamdp.Agent]
    colour: str
    line: Any
    paper: str | None = None  # its name in TABLE_1


@dataclass(frozen=True)
class Outcome:
    """The runs of one agent on one domain: the rewards of every step [runs, steps], and the agent's
    seconds per step.
    """

    rewards: NDArray[np.float64]
    seconds_per_step: float

    @property
    def totals(self) -> list[float]:
        """The total reward of each run."""
        totals: list[float] = self.rewards.sum(axis=1).tolist()
        return totals


def worlds() -> list[DomainEntry]:
    """The domains, sized for about a minute on two cores."""
    return [
        DomainEntry(
            "double-loop", "Double-loop", bamdp.domains.DoubleLoop(), simulations=1000, runs=8
        ),
        DomainEntry("grid5", "Grid5", bamdp.domains.Grid(5), simulations=3000, runs=6),
    ]


def _bamcp(world: DomainEntry, seed: int) -> bamdp.Agent:
    return bamdp.agents.BAMCP(world.domain.problem(), simulations=world.simulations, seed=seed)


def _ba_uct(world: DomainEntry, seed: int) -> bamdp.Agent:
    return bamdp.agents.BAUCT(
        world.domain.problem(), simulations=world.simulations, rollouts="uniform", seed=seed
    )


def _oracle(world: DomainEntry, seed: int) -> bamdp.Agent:
    return bamdp.agents.Oracle(world.domain.problem(), world=world.domain.mdp)


AGENTS = [
    AgentEntry("oracle", _oracle, "#009E73", (0, (1, 1))),
    AgentEntry("BAMCP", _bamcp, "#0072B2", "-", paper="bamcp"),
    AgentEntry("BA-UCT, uniform roll-outs", _ba_uct, "#D55E00", "-."),
    AgentEntry(
        "random",
        lambda world, seed: bamdp.agents.Random(world.domain.problem(), seed=seed),
        "#555555",
        ":",
    ),
]
NOTE = (
    "Paper: Guez, Silver, Dayan 2012, Table 1, where BAMCP had 0.25 s per step in Double-loop and "
    "1 s in Grid5. "
    "It states neither the number of runs nor the level of its ±."
)
PAPER_ONLY = {"bfs3": "BFS3", "sboss": "SBOSS", "beb": "BEB"}

Results = dict[tuple[str, str], Outcome]  # keyed by the names of domain and entry


def play(
    chosen: list[DomainEntry], steps: int | None, seed: int, workers: int, console: Console
) -> Results:
    """All runs of all agents on all domains, with live progress; Ctrl-C stops them at once."""
    stop = Event()
    jobs: dict[Future[bamdp.Record], tuple[DomainEntry, AgentEntry]] = {}
    with _progress(console) as progress, ThreadPoolExecutor(workers) as pool:
        for world in chosen:
            bars = [
                progress.add_task(
                    f"{world.title}: {c.name}", total=world.runs * _steps(world, steps)
                )
                for c in AGENTS
            ]
            for index in range(world.runs):
                for entry, bar in zip(AGENTS, bars, strict=True):
                    show = _shower(progress, bar, stop)
                    job = pool.submit(
                        _one, world, entry, _steps(world, steps), seeds(seed, index), show
                    )
                    jobs[job] = world, entry
        try:
            _await(jobs, console)
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
    records: dict[tuple[str, str], list[bamdp.Record]] = {}
    for job, (world, entry) in jobs.items():  # in the order of the runs, not of completion
        records.setdefault((world.name, entry.name), []).append(job.result())
    return {key: _outcome(some) for key, some in records.items()}


def _await(
    jobs: dict[Future[bamdp.Record], tuple[DomainEntry, AgentEntry]], console: Console
) -> None:
    """Wait until all are done or one has failed; without a terminal, print a line for each finished
    entry.
    """
    left = Counter((world.title, entry.name) for world, entry in jobs.values())
    for job in as_completed(jobs):
        job.result()
        world, entry = jobs[job]
        left[world.title, entry.name] -= 1
        if not left[world.title, entry.name] and not console.is_terminal:
            console.print(f"{world.title}: {entry.name}, {world.runs} runs done")


def _steps(world: DomainEntry, steps: int | None) -> int:
    return world.domain.steps if steps is None else steps


def _one(
    world: DomainEntry,
    entry: AgentEntry,
    steps: int,
    own_seeds: tuple[int, int],
    show: Callable[[int, float], None],
) -> bamdp.Record:
    agent_seed, world_seed = own_seeds
    return bamdp.run(entry.make(world, agent_seed), world.domain, steps, world_seed, show)


def _outcome(records: list[bamdp.Record]) -> Outcome:
    rewards = np.array([record.rewards for record in records])
    return Outcome(rewards, sum(record.seconds for record in records) / rewards.size)


def _shower(progress: Progress, bar: TaskID, stop: Event) -> Callable[[int, float], None]:
    def show(done: int, total: float) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        progress.advance(bar)

    return show


def _progress(console: Console) -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("steps"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=console, disable=not console.is_terminal)


def table(world: DomainEntry, results: Results, steps: int | None) -> Table:
    """Total rewards with 95 % intervals, next to the paper's numbers where the runs are as long as
    the paper's.
    """
    paper = _paper(world, steps)
    title = (
        f"{world.title}: {_steps(world, steps)} steps, {world.simulations} simulations a step, "
        f"{world.runs} runs"
    )
    made = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
    )
    made.add_column("", min_width=max(len(entry.name) for entry in AGENTS))
    for header, width in [("total", 7), ("95 % interval", 13), ("paper", 11), ("per step", 8)]:
        made.add_column(header, justify="right", min_width=width)
    for entry in AGENTS:
        made.add_row(
            entry.name, *_cells(results[world.name, entry.name], paper.get(entry.paper or ""))
        )
    for name, spelling in PAPER_ONLY.items():
        if name in paper:
            made.add_row(spelling, "", "", _plus_minus(paper[name]), "", style="dim")
    return made


def _paper(world: DomainEntry, steps: int | None) -> dict[str, tuple[float, float]]:
    return TABLE_1[world.name] if steps in (None, world.domain.steps) else {}


def _cells(outcome: Outcome, paper: tuple[float, float] | None) -> list[str]:
    average = mean(outcome.totals)
    interval = "" if average.low is None else f"{average.low:.1f} … {average.high:.1f}"
    return [
        f"{average.value:.1f}",
        interval,
        _plus_minus(paper) if paper else "",
        _time(outcome.seconds_per_step),
    ]


def _time(seconds: float) -> str:
    return f"{1e3 * seconds:.1f} ms" if seconds > 1e-4 else f"{1e6 * seconds:.0f} µs"


def _plus_minus(published: tuple[float, float]) -> str:
    return "{:g} ± {:g}".format(*published)


def band(rewards: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Running average of the reward per step, as a mean over runs, and half the width of its 95 %
    interval. [steps] each
    """
    runs, steps = rewards.shape
    so_far = rewards.cumsum(axis=1) / np.arange(1, steps + 1)
    spread = so_far.std(axis=0, ddof=1) if runs > 1 else np.zeros(steps)
    return so_far.mean(axis=0), t_quantile(max(1, runs - 1)) * spread / np.sqrt(runs)


def picture(chosen: list[DomainEntry], results: Results, steps: int | None, path: Path) -> None:
    """One panel per domain: the running average of the reward, so each curve ends at the total
    divided by the steps.
    """
    from matplotlib.figure import Figure  # takes 0.5 s to import

    figure = Figure(figsize=(5.6 * len(chosen), 4.8), dpi=150, layout="constrained")
    for world, axes in zip(chosen, figure.subplots(1, len(chosen), squeeze=False)[0], strict=True):
        _panel(axes, world, results, steps)
    look = {
        "loc": "outside lower center",
        "ncols": 3,
        "frameon": False,
        "title": "bands: 95 % intervals of the mean",
    }
    figure.legend(*axes.get_legend_handles_labels(), **look)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def _panel(axes: Any, world: DomainEntry, results: Results, steps: int | None) -> None:
    length = _steps(world, steps)
    shown = (
        np.arange(9, length, 10) if length >= 100 else np.arange(length)
    )  # every tenth step: hides the loops' period
    top = 0.0
    for entry in AGENTS:
        centre, half = band(results[world.name, entry.name].rewards)
        top = max(top, centre[-1])
        look = {"color": entry.colour, "linestyle": entry.line}
        axes.fill_between(
            shown + 1,
            (centre - half)[shown],
            (centre + half)[shown],
            color=entry.colour,
            alpha=0.2,
            lw=0,
        )
        axes.plot(shown + 1, centre[shown], **look, linewidth=1.8, label=entry.name)
    subtitle = f"{world.simulations} simulations a step, {world.runs} runs"
    if paper := _paper(world, steps):
        total = paper["bamcp"][0]
        axes.axhline(
            total / length,
            color="black",
            linestyle="--",
            linewidth=1,
            label="BAMCP in the paper (final)",
        )
        subtitle += f"; BAMCP in the paper: {total:g} in total"
    axes.set_title(f"{world.title}\n", fontsize=13, loc="left", fontweight="bold")
    axes.text(0, 1.02, subtitle, transform=axes.transAxes, fontsize=9.5)
    axes.set(
        xlabel="step",
        ylabel="average reward per step",
        xlim=(0, length),
        ylim=(0, 1.15 * top or None),
    )
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25, linewidth=0.6)


def main(
    output: Path = Path("demo-output"),
    steps: int | None = None,
    seed: int = 0,
    workers: int = os.cpu_count() or 1,
) -> None:
    """Compare BAMCP with a baseline on two domains of the paper.

    Args:
        output: directory for the plot.
        steps: steps per run; the paper's by default.
        seed: random seed; the same seed gives the same rewards.
        workers: number of runs at a time.
    """
    console, chosen, started = Console(), worlds(), perf_counter()
    console.print(__doc__.partition("\n")[0], highlight=False)
    results = play(chosen, steps, seed, workers, console)
    for world in chosen:
        console.print(table(world, results, steps), highlight=False)
        console.print()
    console.print(NOTE, style="dim", highlight=False)
    path = output / "learning.png"
    picture(chosen, results, steps, path)
    console.print(
        f"Plot: {path}   ({perf_counter() - started:.0f} s in total)",
        highlight=False,
        soft_wrap=True,
    )


if __name__ == "__main__":
    try:
        parser = argparse.ArgumentParser(
            description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        parser.add_argument(
            "--output", type=Path, default=Path("demo-output"), help="directory for the plot"
        )
        parser.add_argument("--steps", type=int, help="steps per run; the paper's by default")
        parser.add_argument(
            "--seed", type=int, default=0, help="random seed; the same seed gives the same rewards"
        )
        parser.add_argument(
            "--workers", type=int, default=os.cpu_count() or 1, help="number of runs at a time"
        )
        main(**vars(parser.parse_args()))
    except KeyboardInterrupt:
        sys.exit(130)
