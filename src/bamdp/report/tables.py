"""Numbers ready to be read, each with the settings, runs, command and rows that it comes from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Any

from bamdp import statistics
from bamdp.report.claim import aligned, interval, short
from bamdp.report.claims.theory import biases
from bamdp.report.comparison import Beside, beside, signed
from bamdp.report.query import Number, Stored
from bamdp.statistics import Mean, duration
from bamdp.studies.experiment import Experiment

NOTHING = "—"
MEASURE = {"total reward": "total_reward"}  # of Table 1


@dataclass(frozen=True)
class Line:
    """One number of a table, or several of the same runs.

    Attributes:
        where: panel or world.
        label: what ran.
        setting: that was chosen, or that it differs by from others.
        measures: the numbers, by name, with their 95 % intervals.
        runs: how many there are, of how many.
        scale: at which they were made.
        time: processor time of a step.
        command: a line for the shell that gives it again.
        made: the commits and processors that its rows come from.
        keys: of its rows in the store.
    """

    where: str
    label: str
    setting: str
    measures: dict[str, str]
    runs: str
    scale: str
    time: str
    command: str
    made: str
    keys: tuple[str, ...]


@dataclass(frozen=True)
class Cell:
    """One cell of Table 1.

    Attributes:
        world: where.
        label: who.
        published: the paper's number.
        state: what is missing, if there is no number of ours yet.
        line: our number.
        full: whether its budgets are the paper's.
        bootstrap: its interval by the bootstrap.
        beside: both numbers, where there are two.
    """

    world: str
    label: str
    published: str
    state: str
    line: Line | None = None
    full: bool = True
    bootstrap: str = NOTHING
    beside: Beside | None = None

    @property
    def errors(self) -> str:
        """By how many standard errors ours is above the paper's."""
        return NOTHING if self.beside is None or isnan(self.beside.errors) else signed(self.beside.errors)

    @property
    def differs(self) -> bool:
        """Whether by more than the intervals."""
        return self.beside is not None and self.beside.differ

    @property
    def why(self) -> str:
        """The reason why they differ, where it is known."""
        if self.beside is not None and self.beside.why:
            return self.beside.why
        return (
            "Unexplained." if self.full else "Unexplained; this number is of a smaller scale, with less to plan or choose from."
        )


def cell(stored: Stored, experiment: Experiment, world: str, label: str) -> Cell:
    """A cell of Table 1 from the rows."""
    entry = next(entry for entry in experiment.entries[world] if entry.label == label)
    published = "{:g} ± {:g}".format(*entry.published) if entry.published else NOTHING
    number = stored.best(experiment, world, label)
    if number is None:
        done, needed = stored.progress(experiment, world, label)
        return Cell(world, label, published, f"not finished: {done} of {needed} runs" if done else "not run")
    resampled = _ends(statistics.bootstrap(number.point.values()))
    return Cell(world, label, published, "", line(number, MEASURE), number.full, resampled, beside(number))


def line(number: Number, measures: dict[str, str]) -> Line:
    """A number from its runs; `measures` are the columns and what they show of a result."""
    found = {name: interval(number.point.mean(measure)) for name, measure in measures.items()}
    seconds = number.point.seconds_per_step if number.point.entry.kind == "play" else nan
    slow = ", above the limit" if seconds > number.point.entry.limit else ""
    return _line([number], found, time=NOTHING if isnan(seconds) else duration(seconds) + slow)


def behind(stored: Stored, experiment: Experiment) -> list[Line]:
    """All numbers behind a figure."""
    return [
        made
        for panel, entries in experiment.entries.items()
        for entry in entries
        for made in KINDS[entry.kind](stored.numbers(experiment, panel, entry.label))
    ]


def _played(numbers: Sequence[Number]) -> list[Line]:
    return [line(number, {"sum": "total_reward", "discounted sum": "discounted_return"}) for number in numbers]


def _decided(numbers: Sequence[Number]) -> list[Line]:
    """All cells of a table together."""
    if not numbers:
        return []
    shares = statistics.mean([share for number in numbers for share in number.point.values("correct")])
    return [_line(numbers, {"correct decisions": f"{shares.value:.3f}"}, runs=f"{len(numbers)} cells", setting=NOTHING)]


def _converged(numbers: Sequence[Number]) -> list[Line]:
    found = []
    for number in numbers:
        bias = next((Mean(b, b - half, b + half) for _, b, half, _ in biases([number])), None)
        result = number.point.rows[0]["result"]
        measures = {
            "bias": interval(bias) if bias else NOTHING,
            "regret": short(result["regret"]) if "regret" in result else "can't",
        }
        found.append(_line([number], measures))
    return found


KINDS: dict[str, Callable[[Sequence[Number]], list[Line]]] = {"play": _played, "decisions": _decided, "convergence": _converged}


def _line(numbers: Sequence[Number], measures: dict[str, str], **more: str) -> Line:
    first = numbers[0]
    made = sorted({name for number in numbers for what in ("commit", "cpu") for name in number.made(what)})
    texts = {
        "setting": ", ".join(f"{name} = {_plain(value)}" for name, value in first.varied.items()) or NOTHING,
        "runs": str(first.runs) if first.runs >= first.planned else f"{first.runs} of {first.planned}",
        "time": NOTHING,
        "made": ", ".join(made) or NOTHING,
        **more,
    }
    keys = tuple(key for number in numbers for key in number.keys)
    return Line(first.panel, first.label, measures=measures, scale=first.scale, command=first.command, keys=keys, **texts)


def _plain(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _ends(mean: Mean) -> str:
    return NOTHING if mean.low is None or mean.high is None else " … ".join(aligned(mean.low, mean.high))
