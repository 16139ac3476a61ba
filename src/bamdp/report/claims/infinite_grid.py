"""Figures 2, S4 and S5: the infinite grid with the right prior and with a wrong one, and the Markov chain behind its beliefs.

Runs of the same number have the same world, so agents are compared by the differences within worlds.
"""

from dataclasses import replace
from functools import partial

from bamdp import statistics
from bamdp.report.claim import Claim, Finding, about, all_of, interval, less, missing, more, trend
from bamdp.report.claims.planning_time import seconds
from bamdp.report.query import Measurement, Query
from bamdp.studies.experiment import Experiment
from bamdp.studies.paper.figure2 import FIGURE_2, FIGURE_S5A, FIGURE_S5B
from bamdp.studies.paper.figure_s4 import CELLS, FIGURE_S4
from bamdp.studies.paper.published import ACCEPTANCE

MEASURES = {"total_reward": "sum", "discounted_return": "discounted sum"}
PANEL = "infinite grid"
MARGIN = 0.05  # rewards a step along a column or row that count as equal


def right_prior(experiment: Experiment, query: Query) -> Finding:
    """The right prior earns more than the wrong one, at the largest budget that both have."""
    right, wrong = (_by_budget(experiment, label, query) for label in ("right prior", "wrong prior"))
    budgets = sorted(right.keys() & wrong.keys())
    if not budgets:
        return missing(experiment.name)
    largest = budgets[-1]
    return _apart(f"right − wrong prior, {largest:,} simulations", right[largest], wrong[largest])


def above_chance(experiment: Experiment, query: Query) -> Finding:
    """Planning with the right prior earns more than moving at random."""
    right, chance = _by_budget(experiment, "right prior", query), query.measurements(experiment, PANEL, "random")
    if not right or not chance:
        return missing(experiment.name)
    return _apart(f"right prior, {max(right):,} simulations − random", right[max(right)], chance[0])


def planning_time(experiment: Experiment, query: Query) -> Finding:
    """More planning time earns more."""
    measurements = query.measurements(experiment, PANEL, "right prior")
    return all_of(
        [trend(f"{name} against planning time", measurements, seconds, 1, measure) for measure, name in MEASURES.items()]
    )


def _by_budget(experiment: Experiment, label: str, query: Query) -> dict[int, Measurement]:
    return {m.varied["simulations"]: m for m in query.measurements(experiment, PANEL, label)}


def _apart(what: str, first: Measurement, second: Measurement) -> Finding:
    return all_of([_paired(f"{name}, {what}", first, second, measure) for measure, name in MEASURES.items()])


def _paired(what: str, first: Measurement, second: Measurement, measure: str) -> Finding:
    """The claim that the first earns more, by the worlds that both have been in."""
    earned = [dict(zip((row["run"] for row in n.point.rows), n.point.values(measure), strict=True)) for n in (first, second)]
    worlds = sorted(earned[0].keys() & earned[1].keys())
    if not worlds:
        return missing(what)
    name = f"{what} ({len(worlds)} worlds, {first.scale})"
    return more(name, statistics.mean([earned[0][world] - earned[1][world] for world in worlds]), 1, (first, second))


def along(query: Query) -> Finding:
    """What following a column and a row pays, counted in one world, against the closed form."""
    found = query.result(FIGURE_S4, "one world", "best column and row")
    if found is None:
        return missing("cells of a column and a row")
    return all_of(
        [
            _counted(f"column with p = {found['p']:.3f}, 2p/3", found["in_column"], 2 * found["p"] / 3),
            _counted(f"row with q = {found['q']:.3f}, q/3", found["in_row"], found["q"] / 3),
        ]
    )


def _counted(what: str, count: int, expected: float) -> Finding:
    share = statistics.mean([1.0] * count + [0.0] * (CELLS - count))
    lines = (f"{what} = {expected:.3f}; {CELLS:,} cells hold {interval(share)} a step",)
    return replace(about(what, less(share, expected), MARGIN), evidence=lines)


def acceptance(where: str, query: Query) -> Finding:
    """The share of accepted updates, over worlds."""
    found = query.measurements(FIGURE_S4, "Markov chain", f"proposal of the {where}")
    if not found:
        return missing(f"acceptance, proposal of the {where}")
    mean = found[0].point.mean("acceptance")
    steps = found[0].point.settings["steps"]
    lines = (f"accepted: {interval(mean)} of the updates ({found[0].runs} worlds, {steps} steps)",)
    return replace(more("", less(mean, ACCEPTANCE)), evidence=lines)


FIGURES = {"T10": FIGURE_2, "T11": FIGURE_S5A, "T12": FIGURE_S5B}

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
    *(
        Claim(
            f"T22 {where}",
            "Supplement",
            f"With the proposal of the {name}, the Markov chain of the infinite grid generally accepts more than {ACCEPTANCE} "
            "of its proposals",
            partial(acceptance, where),
        )
        for where, name in (("text", "text"), ("program", "authors' program"))
    ),
)
