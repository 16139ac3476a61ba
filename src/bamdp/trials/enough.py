"""How many users are enough? What an A/B test earns: equal allocation, a test and a decision, Thompson sampling, the optimum.

All values are expectations over a prior: how versions are believed to differ before anything is known. What can be gained by
learning is the difference between always showing the best version, and showing all of them equally often.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bamdp import statistics, validation
from bamdp.exact.arms import MOST_ARMS, longest, optimal_arms
from bamdp.priors import BetaArms
from bamdp.progress import progress
from bamdp.runs.table import aligned
from bamdp.statistics import Mean
from bamdp.trials.characteristics import from_prior, simulate
from bamdp.trials.conditional import ConditionalTest
from bamdp.trials.curves import Drawn, panels
from bamdp.trials.design import Array
from bamdp.trials.designs.optimal import BayesOptimalDesign
from bamdp.trials.designs.thompson import ThompsonDesign
from bamdp.trials.protocol import typed_command
from bamdp.trials.recursion import EndCounts, prior_factor
from bamdp.trials.trial import Trial
from bamdp.validation import integer, listed, positive_integer, real, require

EXACT = 120  # users up to which Thompson sampling is computed exactly
RUNS = 20_000  # simulated tests beyond
TAIL = 36.0  # −log of the probability of what is left out
METHODS = ("equal", "test, then decide", "Thompson sampling", "optimal")


@dataclass(frozen=True)
class HowMany(Drawn):
    """What ways to run an A/B test earn, for numbers of users.

    Attributes:
        trial: the versions and the prior, with the largest number of users.
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

    def gain(self, method: str, place: int) -> float | None:
        """The conversions of a method beyond those of equal allocation; None where it is out of reach."""
        mean, equal = self.earned[method][place], self.earned["equal"][place]
        return None if mean is None or equal is None else mean.value - equal.value

    def share(self, method: str, place: int) -> float | None:
        """The part of what can be gained that a method earns: 0 is equal allocation, 1 all users on the best version."""
        gain, possible = self.gain(method, place), self._possible(place)
        return None if gain is None else gain / possible if possible > 0 else 0.0

    def __str__(self) -> str:
        rows = [["users", *METHODS, "best version known", "test on", "adaptivity is worth"]]
        notes = ["Expected conversions; in parentheses the share of what can be gained over equal allocation."]
        for i, users in enumerate(self.users):
            means = [self.earned[method][i] for method in METHODS]
            cells = [
                "—" if mean is None else f"{mean.value:.2f} ({self.share(method, i):.0%})"
                for method, mean in zip(METHODS, means, strict=True)
            ]
            tested = self.gain(METHODS[1], i) or 0.0
            adaptive = self.gain(METHODS[2] if means[3] is None else METHODS[3], i) or 0.0
            rows.append([str(users), *cells, f"{self.best[i]:.2f}", str(self.tested[i]), f"{adaptive - tested:+.2f}"])
            notes.append(
                f"{users} users: test on {self.tested[i]}, then show the best: {tested:+.2g} conversions; "
                f"adapt from the first user on: another {adaptive - tested:+.2g}."
            )
        notes += [f"Optimal allocation, user by user:\n  {self.command}"] if self.command else []
        return "\n".join([*aligned(rows), "", *notes])

    @property
    def command(self) -> str:
        """The command for the optimal allocation of the next user; empty if out of reach."""
        design, possible = BayesOptimalDesign(), BayesOptimalDesign().possible(self.trial)
        return typed_command("next", design, self.trial, ConditionalTest()) if possible else ""

    def figure(self) -> Any:
        """The share of what can be gained, and the conversions beyond equal allocation, by number of users."""
        picture, (left, right) = panels(1, 2, 9, 3.6)
        places = range(len(self.users))
        for method in METHODS[1:]:
            for axes, value in ((left, self.share), (right, self.gain)):
                axes.plot(self.users, [value(method, i) for i in places], "o-", markersize=4, label=method)
        right.plot(self.users, [self._possible(i) for i in places], ":", color="0.4", label="best version known")
        left.set_title("share of what can be gained", fontsize=10)
        right.set_title("conversions more than with equal allocation", fontsize=10)
        left.set_ylim(0, 1)
        for axes in (left, right):
            axes.set_xscale("log")
            axes.set_xticks(self.users, [f"{n:g}" for n in self.users])
            axes.minorticks_off()
            axes.set_xlabel("users", fontsize=9)
        right.legend(fontsize=8)
        return picture

    def _possible(self, place: int) -> float:
        """What can be gained."""
        equal = self.earned["equal"][place]
        assert equal is not None
        return self.best[place] - equal.value


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
    pseudo = (mean * strength, (1 - mean) * strength)
    prior = BetaArms(*(float(f"{n:.12g}") for n in pseudo))  # to be typed: 6, not 5.999999999999999
    trial = Trial([mean] * number, max(counts), prior)
    rows, tested = [], []
    with progress("numbers of users") as show:
        for place, n in enumerate(counts):
            show(f"{n} users", place, len(counts))
            this = Trial([mean] * number, n, prior)
            value, on = _test_then_decide(this)
            tested.append(on)
            solved = number <= MOST_ARMS and n <= longest(number, policy=False)
            optimal = Mean(optimal_arms(this.problem).value, None, None) if solved else None
            thompson = _thompson(this, np.random.default_rng([seed, n]))
            rows.append((Mean(n * mean, None, None), Mean(value, None, None), thompson, optimal))
    best, earned = _best_rate(trial.pseudo_counts), dict(zip(METHODS, zip(*rows, strict=True), strict=True))
    return HowMany(trial, counts, tuple(n * best for n in counts), earned, tuple(tested))


def _best_rate(prior: Array) -> float:
    """E max p = ∫ 1 − Π F dx, in t = log x/(1 − x), on panels of width 1 or between quantiles."""
    special: Any = require("scipy.special", "the rate of the best version needs SciPy", "report")
    chances = special.expit(np.arange(-TAIL, TAIL + 1))
    quantiles = [special.logit(special.betaincinv(a, b, chances)) for a, b in prior]
    lowest = float(np.log(prior[:, 0] / prior.sum(axis=1)).min()) - TAIL  # e^−TAIL of the mean rate
    edges = np.unique(np.concatenate([np.arange(lowest, TAIL), *quantiles]))
    edges = edges[(edges >= lowest) & (edges <= TAIL)]
    x, w = np.polynomial.legendre.leggauss(16)
    half = np.diff(edges)[:, None] / 2
    t = edges[:-1, None] + half * (x + 1)
    with np.errstate(divide="ignore"):  # 1 − F = 1: the logarithm of 0
        logs = sum(np.log1p(-special.betaincc(a, b, special.expit(t))) for a, b in prior)
    return float((-np.expm1(logs) * special.expit(t) * special.expit(-t) * half * w).sum())


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
    below = np.ones(len(points))
    for value, chance in zip(values, chances, strict=True):
        below *= np.concatenate([[0.0], np.cumsum(chance)])[np.searchsorted(value, points, "right")]
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
