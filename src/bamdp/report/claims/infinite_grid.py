"""Figures 2, S4 and S5: the infinite grid with the right prior and with a wrong one, and the chain behind the beliefs.

Runs of the same number have the same world, so agents are compared by the differences within worlds.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

from bamdp import statistics
from bamdp.agents import BAMCP
from bamdp.domains import InfiniteGrid
from bamdp.episode import run
from bamdp.priors import GridRewards
from bamdp.priors.grid_rewards import GridBelief
from bamdp.report.claim import Claim, Outcome, Verdict, about, all_of, interval, less, missing, more, trend
from bamdp.report.claims.planning_time import seconds
from bamdp.report.query import Number, Stored
from bamdp.studies.experiment import Experiment
from bamdp.studies.paper.figure2 import FIGURE_2, FIGURE_S5A, FIGURE_S5B
from bamdp.studies.paper.published import ACCEPTANCE

MEASURES = {"total_reward": "sum", "discounted_return": "discounted sum"}
PANEL = "infinite grid"
CELLS, MARGIN = 2000, 0.05  # that are followed along a column or row, and how far off the mean may be
WORLDS, STEPS, SIMULATIONS = 8, 100, 50  # for the acceptance rate


def right_prior(experiment: Experiment, stored: Stored) -> Outcome:
    """The right prior earns more than the wrong one, at the largest budget that both have."""
    right, wrong = (_by_budget(experiment, label, stored) for label in ("right prior", "wrong prior"))
    budgets = sorted(right.keys() & wrong.keys())
    if not budgets:
        return missing(experiment.name)
    largest = budgets[-1]
    return _apart(f"right − wrong prior, {largest:,} simulations", right[largest], wrong[largest])


def above_chance(experiment: Experiment, stored: Stored) -> Outcome:
    """Planning with the right prior earns more than moving at random."""
    right, chance = _by_budget(experiment, "right prior", stored), stored.numbers(experiment, PANEL, "random")
    if not right or not chance:
        return missing(experiment.name)
    return _apart(f"right prior, {max(right):,} simulations − random", right[max(right)], chance[0])


def planning_time(experiment: Experiment, stored: Stored) -> Outcome:
    """More planning time earns more."""
    numbers = stored.numbers(experiment, PANEL, "right prior")
    return all_of([trend(f"{name} against planning time", numbers, seconds, 1, measure) for measure, name in MEASURES.items()])


def _by_budget(experiment: Experiment, label: str, stored: Stored) -> dict[int, Number]:
    return {number.varied["simulations"]: number for number in stored.numbers(experiment, PANEL, label)}


def _apart(what: str, first: Number, second: Number) -> Outcome:
    return all_of([_paired(f"{name}, {what}", first, second, measure) for measure, name in MEASURES.items()])


def _paired(what: str, first: Number, second: Number, measure: str) -> Outcome:
    """More, by the worlds that both have been in."""
    earned = [dict(zip((row["run"] for row in n.point.rows), n.point.values(measure), strict=True)) for n in (first, second)]
    worlds = sorted(earned[0].keys() & earned[1].keys())
    if not worlds:
        return missing(what)
    name = f"{what} ({len(worlds)} worlds, {first.scale})"
    return more(name, statistics.mean([earned[0][world] - earned[1][world] for world in worlds]), 1, (first, second))


def along(stored: Stored) -> Outcome:
    """What a column and a row pay, counted in one world, against the closed form."""
    world = InfiniteGrid(FIGURE_2.entries[PANEL][0].settings["columns"], FIGURE_2.entries[PANEL][0].settings["rows"], seed=3)
    best_column, best_row = (max(range(20), key=parameter) for parameter in (world.column, world.row))
    column = statistics.mean([float(world.holds(best_column, y)) for y in range(CELLS)])
    row = statistics.mean([float(world.holds(x, best_row)) for x in range(CELLS)])
    return all_of(
        [
            _counted(f"column with p = {world.column(best_column):.3f}, 2p/3", column, 2 * world.column(best_column) / 3),
            _counted(f"row with q = {world.row(best_row):.3f}, q/3", row, world.row(best_row) / 3),
        ]
    )


def _counted(what: str, found: statistics.Mean, expected: float) -> Outcome:
    outcome = about(what, less(found, expected), MARGIN)
    return Outcome(outcome.verdict, (f"{what} = {expected:.3f}; {CELLS:,} cells hold {interval(found)} a step",))


def acceptance(proposal: Literal["paper", "authors"], stored: Stored) -> Outcome:
    """The share of accepted updates, over worlds."""
    rates = []
    for seed in range(WORLDS):
        world = InfiniteGrid(seed=seed)
        agent = BAMCP.for_domain(world, GridRewards(proposal=proposal), simulations=SIMULATIONS, seed=seed)
        run(agent, world, STEPS, seed)
        assert isinstance(agent.belief, GridBelief)
        rates.append(agent.belief.acceptance_rate)
    mean = statistics.mean(rates)
    side = mean.side(ACCEPTANCE)
    verdict: Verdict = "held" if side == 1 else "open" if side == 0 else "not held"
    return Outcome(verdict, (f"accepted: {interval(mean)} of the updates ({WORLDS} worlds, {STEPS} steps)",))


FIGURES = {"T10": FIGURE_2, "T11": FIGURE_S5A, "T12": FIGURE_S5B}
ACCEPTED = f"the chain of the infinite grid accepts more than {ACCEPTANCE} of its proposals, as a rule"

CLAIMS = (
    *(
        Claim(f"{id_} {short}", figure.source, f"{text}: {figure.title[0].lower()}{figure.title[1:]}", partial(check, figure))
        for id_, figure in FIGURES.items()
        for short, text, check in (
            ("prior", "The right prior earns more than the wrong one", right_prior),
            ("time", "With the right prior, more planning time earns more", planning_time),
            ("random", "Planning with the right prior earns more than chance", above_chance),
        )
    ),
    Claim(
        "T13",
        "Figure S4",
        "With columns Beta(1, 2) and rows Beta(2, 1), following a column pays 2p/3 a step, following a row q/3",
        along,
        "tests/domains/test_infinite_grid.py",
    ),
    Claim("T22 text", "Supplement", f"With the proposal of the text, {ACCEPTED}", partial(acceptance, "paper")),
    Claim(
        "T22 program", "Supplement", f"With the proposal of the authors' program, {ACCEPTED}", partial(acceptance, "authors")
    ),
)
