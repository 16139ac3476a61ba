"""How many users are enough? What an A/B test earns: equal allocation, a test and a decision, Thompson sampling, the optimum.

All values are expectations over a prior: how versions are believed to differ before anything is known. What can be gained by
learning is the difference between always showing the best version, and showing all of them equally often.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from bamdp import statistics, validation
from bamdp.exact.arms import MOST_ARMS, longest, optimal_arms
from bamdp.priors import BetaArms
from bamdp.progress import progress
from bamdp.runs.table import aligned, data_frame, picture_path
from bamdp.statistics import Mean
from bamdp.trials.characteristics import from_prior
from bamdp.trials.design import Array
from bamdp.trials.designs.thompson import ThompsonDesign
from bamdp.trials.recursion import EndCounts, prior_factor
from bamdp.trials.simulation import simulate
from bamdp.trials.trial import Trial
from bamdp.validation import integer, listed, positive_integer, real, require

if TYPE_CHECKING:
    import pandas

EXACT = 120  # users up to which Thompson sampling is computed exactly
RUNS = 20_000  # simulated tests beyond
METHODS = ("equal", "test, then decide", "Thompson sampling", "optimal")


@dataclass(frozen=True)
class HowMany:
    """What ways to run an A/B test earn, for numbers of users.

    Attributes:
        trial: the versions and what is believed about them; the number of users varies.
        users: numbers of users.
        best: expected conversions if the best version were known.
        earned: expected conversions of each method; those with an interval are simulated, None where it is out of reach.
        tested: users on whom the versions are best compared before one is chosen for all others.
    """

    trial: Trial
    users: tuple[int, ...]
    best: tuple[float, ...]
    earned: dict[str, tuple[Mean | None, ...]]
    tested: tuple[int, ...]

    @property
    def columns(self) -> dict[str, list[Any]]:
        """A line for each number of users and method: conversions, and the share of what can be gained."""
        columns: dict[str, list[Any]] = {name: [] for name in ("users", "method", "conversions", "low", "high", "share")}
        for i, users in enumerate(self.users):
            for method, means in self.earned.items():
                mean = means[i]
                if mean is not None:
                    row = (users, method, mean.value, mean.low, mean.high, self.share(method, i))
                    for name, value in zip(columns, row, strict=True):
                        columns[name].append(value)
        return columns

    def share(self, method: str, place: int) -> float | None:
        """The part of what can be gained that a method earns: 0 is equal allocation, 1 all users on the best version."""
        mean, equal = self.earned[method][place], self.earned["equal"][place]
        if mean is None or equal is None:
            return None
        possible = self.best[place] - equal.value
        return (mean.value - equal.value) / possible if possible > 0 else 0.0

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a `pandas.DataFrame`; see `columns`."""
        return data_frame(self.columns)

    def __str__(self) -> str:
        heads = ["users", *METHODS, "best version known", "test on", "adaptivity is worth"]
        rows = [heads]
        for i, users in enumerate(self.users):
            cells = [
                f"{mean.value:.2f} ({self.share(method, i):.0%})" if (mean := self.earned[method][i]) else "—"
                for method in METHODS
            ]
            rows.append([str(users), *cells, f"{self.best[i]:.2f}", str(self.tested[i]), self._worth(i)])
        notes = ["Expected conversions; in parentheses the share of what can be gained over equal allocation.", *self.advice()]
        return "\n".join([*aligned(rows), "", *notes])

    def advice(self) -> list[str]:
        """What the table says, in words."""
        lines = []
        for i, users in enumerate(self.users):
            decide, optimal = self.earned[METHODS[1]][i], self.earned[METHODS[3]][i] or self.earned[METHODS[2]][i]
            equal = self.earned["equal"][i]
            assert decide is not None
            assert optimal is not None
            assert equal is not None
            gain, more = decide.value - equal.value, optimal.value - decide.value
            lines.append(
                f"{users} users: test on {self.tested[i]}, then show the best: {gain:+.2g} conversions; "
                f"adapt from the first user on: {more:+.2g} beside that."
            )
        return lines

    def _worth(self, place: int) -> str:
        best = self.earned[METHODS[3]][place] or self.earned[METHODS[2]][place]
        decide = self.earned[METHODS[1]][place]
        return "—" if best is None or decide is None else f"{best.value - decide.value:+.2f}"

    def figure(self) -> Any:
        """The share of what can be gained, and the conversions beyond equal allocation, by number of users."""
        make = require("matplotlib.figure", "a picture needs matplotlib", "report").Figure
        picture = make(figsize=(9, 3.6), dpi=150, layout="constrained")
        left, right = picture.subplots(1, 2)
        for method in METHODS[1:]:
            known = [i for i, mean in enumerate(self.earned[method]) if mean is not None]
            users, shares = [self.users[i] for i in known], [self.share(method, i) for i in known]
            left.plot(users, shares, "o-", markersize=4, label=method)
            more = [self.earned[method][i].value - self.earned["equal"][i].value for i in known]  # type: ignore[union-attr]  # known
            right.plot(users, more, "o-", markersize=4, label=method)
        right.plot(
            self.users,
            [best - mean.value for best, mean in zip(self.best, self.earned["equal"], strict=True) if mean],
            ":",
            color="0.4",
            label="best version known",
        )
        left.set_title("share of what can be gained", fontsize=10)
        right.set_title("conversions more than with equal allocation", fontsize=10)
        left.set_ylim(0, 1)
        for axes in (left, right):
            axes.set_xscale("log")
            axes.set_xticks(self.users, [f"{n:g}" for n in self.users])
            axes.minorticks_off()
            axes.set_xlabel("users", fontsize=9)
            axes.tick_params(labelsize=8)
            axes.grid(color="0.92")
            axes.set_axisbelow(True)
        right.legend(fontsize=8)
        return picture

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file, `.svg` or `.png`; needs the extra `report`."""
        file = picture_path(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        self.figure().savefig(file)


def how_many(
    users: Sequence[int] = (30, 100, 300),
    *,
    rate: float = 0.05,
    spread: float = 0.02,
    versions: int = 2,
    seed: int = 0,
) -> HowMany:
    """What an A/B test of so many users earns: equal allocation, a test before a decision, Thompson sampling, the optimum.

    Args:
        users: numbers of users.
        rate: expected conversion rate of a version.
        spread: standard deviation of the rates of versions: how much you expect them to differ.
        versions: number of versions.
        seed: seed of the simulations of Thompson sampling, beyond 120 users.

    Example:
        >>> found = how_many([50], rate=0.3, spread=0.1)
        >>> [f"{method}: {found.share(method, 0):.0%}" for method in found.earned]
        ['equal: 0%', 'test, then decide: 36%', 'Thompson sampling: 34%', 'optimal: 53%']
    """
    counts = tuple(positive_integer("each of users", n, 10**6) for n in listed("users", users))
    if not counts or list(counts) != sorted(set(counts)):
        raise ValueError(f"users must be numbers in ascending order, got {users!r}")
    mean, deviation = real("rate", rate, 0, 1, open_low=True, open_high=True), real("spread", spread, 0, 0.5, open_low=True)
    number, seed = integer("versions", versions, 2, 10), validation.seed(seed)
    strength = mean * (1 - mean) / deviation**2 - 1
    if strength <= 0:
        raise ValueError(f"spread must be below {(mean * (1 - mean)) ** 0.5:.3g} for a rate of {mean:g}, got {deviation:g}")
    prior = BetaArms(mean * strength, (1 - mean) * strength)
    trial = Trial([mean] * number, max(counts), prior)
    best = _best_rate(trial.pseudo_counts)
    earned: dict[str, list[Mean | None]] = {method: [] for method in METHODS}
    tested = []
    with progress("numbers of users") as show:
        for place, n in enumerate(counts):
            show(f"{n} users", place, len(counts))
            this = Trial([mean] * number, n, prior)
            earned["equal"].append(Mean(n * mean, None, None))
            value, on = _test_then_decide(this)
            tested.append(on)
            earned[METHODS[1]].append(Mean(value, None, None))
            earned[METHODS[2]].append(_thompson(this, np.random.default_rng([seed, n])))
            solved = number <= MOST_ARMS and n <= longest(number, policy=False)
            earned[METHODS[3]].append(Mean(optimal_arms(this.problem).value, None, None) if solved else None)
    return HowMany(trial, counts, tuple(n * best for n in counts), {k: tuple(v) for k, v in earned.items()}, tuple(tested))


def _best_rate(prior: Array) -> float:
    """E max p = ∫ 1 − Π F dx."""
    special: Any = require("scipy.special", "the rate of the best version needs SciPy", "report")
    (x, w), panels = np.polynomial.legendre.leggauss(16), 500
    at = (np.arange(panels)[:, None] + (x + 1) / 2) / panels
    below = reduce(np.multiply, [special.betainc(a, b, at) for a, b in prior])
    return float(1 - (below @ w).sum() / (2 * panels))


def _test_then_decide(trial: Trial) -> tuple[float, int]:
    """The value of the best number of users to test on, equally on all versions, and that number."""
    A, N, prior = trial.num_arms, trial.patients, trial.pseudo_counts
    rate = float((prior[:, 0] / prior.sum(axis=1)).mean())

    def value(each: int) -> float:
        chances = [prior_factor(prior[arm], each) / (each + 1) for arm in range(A)]
        means = [(a + np.arange(each + 1)) / (a + b + each) for a, b in prior]
        return A * each * rate + (N - A * each) * _expected_maximum(means, chances)

    most = N // A
    tried = sorted({0, *np.unique(np.geomspace(1, max(1, most), 25).astype(int)).tolist()} & set(range(most + 1)))
    best = max(tried, key=value)
    place = tried.index(best)
    near = range(tried[max(place - 1, 0)], tried[min(place + 1, len(tried) - 1)] + 1)
    best = max(list(near)[:: max(1, len(near) // 40)], key=value)
    return value(best), A * best


def _expected_maximum(values: list[Array], chances: list[Array]) -> float:
    """The expected largest of independent discrete variables."""
    points = np.unique(np.concatenate(values))
    below = reduce(
        np.multiply,
        [
            np.concatenate([[0.0], np.cumsum(p)])[np.searchsorted(v, points, "right")]
            for v, p in zip(values, chances, strict=True)
        ],
    )
    return float((points * np.diff(below, prepend=0.0)).sum())


def _thompson(trial: Trial, rng: np.random.Generator) -> Mean:
    design = ThompsonDesign()
    if trial.num_arms == 2 and trial.patients <= EXACT:
        return Mean(EndCounts(design, trial).prior_successes(trial.pseudo_counts), None, None)
    rates = from_prior(trial, RUNS, rng)
    pulls = simulate(design, design.rule(trial), trial, rates, rng).pulls
    gains = (rates * pulls.T).sum(axis=1) - trial.patients * rates.mean(axis=1)  # of the allocation alone: less noise
    gain, equal = statistics.mean(gains.tolist()), trial.patients * float(trial.arms[0])
    assert gain.low is not None
    assert gain.high is not None
    return Mean(equal + gain.value, equal + gain.low, equal + gain.high)
