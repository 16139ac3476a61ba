"""What an A/B test earns with so many users: equal allocation, a test and a decision, Thompson
sampling, the optimum.

All values are expectations over a prior: how versions are believed to differ before anything is
known. What can be gained by learning is the difference between always showing the best version, and
showing all of them equally often.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bamdp import statistics, validation
from bamdp.exact.arms import MOST_ARMS, longest, optimal_arms
from bamdp.priors.beta_arms import BetaArms
from bamdp.progress import progress
from bamdp.result import Result
from bamdp.statistics import Mean
from bamdp.trials.commands import typed_command
from bamdp.trials.conditional import ConditionalTest
from bamdp.trials.counts import Array
from bamdp.trials.designs.optimal import BayesOptimalDesign
from bamdp.trials.designs.thompson import ThompsonDesign
from bamdp.trials.distributions import prior_factor
from bamdp.trials.panels import panels
from bamdp.trials.recursion import end_counts
from bamdp.trials.simulation import from_prior, simulate_trials
from bamdp.trials.trial import Trial
from bamdp.validation import integer, listed, positive_integer, real, require

EXACT = 120  # users up to which Thompson sampling is computed exactly
RUNS = 20_000  # simulated tests beyond, at most
USERS = 2 * 10**7  # of all simulated tests together, if there are more than FEWEST
FEWEST = 1000
TAIL = 36.0  # −log of the probability of what is left out
EQUAL = "equal"
TEST = "test, then decide"
THOMPSON = "Thompson sampling"
OPTIMAL = "optimal"
METHODS = (EQUAL, TEST, THOMPSON, OPTIMAL)


@dataclass(frozen=True)
class ABTestValue(Result):
    """What ways to run an A/B test earn, for numbers of users.

    Attributes:
        trial: the versions and the prior, with the largest number of users.
        users: numbers of users.
        best: expected conversions if the best version were known.
        earned: expected conversions of each method; those with an interval are simulated, None
            where it is out of reach.
        tested: users on whom the versions are best compared before one is chosen for all others.
    """

    trial: Trial
    users: tuple[int, ...]
    best: tuple[float, ...]
    earned: dict[str, tuple[Mean | None, ...]]
    tested: tuple[int, ...]

    def gain(self, method: str, index: int) -> float | None:
        """The conversions of a method beyond those of equal allocation; None where it is out of
        reach.
        """
        mean, equal = self.earned[method][index], self.earned[EQUAL][index]
        return None if mean is None or equal is None else mean.value - equal.value

    def share(self, method: str, index: int) -> float | None:
        """The part of what can be gained that a method earns: 0 is equal allocation, 1 all users on
        the best version.
        """
        gain, possible = self.gain(method, index), self._possible(index)
        if gain is None:
            return None
        return gain / possible if possible > 0 else 0.0

    @property
    def columns(self) -> dict[str, list[Any]]:
        """A row for each number of users and method; None where there is no value."""
        pairs = [(index, method) for index in range(len(self.users)) for method in self.earned]
        means = [self.earned[method][index] for index, method in pairs]
        return {
            "users": [self.users[index] for index, _ in pairs],
            "method": [method for _, method in pairs],
            "conversions": [mean and mean.value for mean in means],
            "low": [mean and mean.low for mean in means],
            "high": [mean and mean.high for mean in means],
            "share": [self.share(method, index) for index, method in pairs],
            "best": [self.best[index] for index, _ in pairs],
            "tested": [self.tested[index] for index, _ in pairs],
        }

    def title(self) -> str:
        """What the numbers are."""
        return (
            "Expected conversions; in parentheses the share of what can be gained over equal "
            "allocation"
        )

    def table(self) -> list[list[str]]:
        """A row for each number of users."""
        rows = [["users", *METHODS, "best version known", "test on", "adaptivity is worth"]]
        for index, users in enumerate(self.users):
            _, adapting = self._gains(index)
            cells = [self._cell(method, index) for method in METHODS]
            known, tested = f"{self.best[index]:.2f}", str(self.tested[index])
            rows.append([str(users), *cells, known, tested, f"{adapting:+.2f}"])
        return rows

    def notes(self) -> list[str]:
        """What to do with so many users, and the command for the optimal allocation."""
        notes = []
        for index, users in enumerate(self.users):
            testing, adapting = self._gains(index)
            notes.append(
                f"{users} users: test on {self.tested[index]}, then show the best: {testing:+.2g} "
                f"conversions; adapt from the first user on: another {adapting:+.2g}."
            )
        if self.command:
            best = "Optimal allocation" if self._optimal_possible else THOMPSON
            notes.append(f"{best}, user by user:\n  {self.command}")
        return notes

    @property
    def command(self) -> str:
        """The command for the optimal allocation of the next user, with the prior; by Thompson
        sampling where the optimum is out of reach.
        """
        design = BayesOptimalDesign() if self._optimal_possible else ThompsonDesign()
        return typed_command("next", design, self.trial, ConditionalTest())

    def figure(self) -> Any:
        """The share of what can be gained, and the conversions beyond equal allocation, by number
        of users.
        """
        picture, (left, right) = panels(1, 2, 9, 3.6)
        indices = range(len(self.users))
        for method in (TEST, THOMPSON, OPTIMAL):
            for axes, value in ((left, self.share), (right, self.gain)):
                line = [value(method, index) for index in indices]
                axes.plot(self.users, line, "o-", markersize=4, label=method)
        most = [self._possible(index) for index in indices]
        right.plot(self.users, most, ":", color="0.4", label="best version known")
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

    @property
    def _optimal_possible(self) -> bool:
        return BayesOptimalDesign().possible(self.trial)

    def _possible(self, index: int) -> float:
        """What can be gained."""
        equal = self.earned[EQUAL][index]
        assert equal is not None
        return self.best[index] - equal.value

    def _gains(self, index: int) -> tuple[float, float]:
        """What the test gains, and what adapting gains beyond it, by the optimal allocation or, out
        of its reach, Thompson sampling.
        """
        testing = self.gain(TEST, index) or 0.0
        optimal = self.gain(OPTIMAL, index)
        adapting = self.gain(THOMPSON, index) if optimal is None else optimal
        return testing, (adapting or 0.0) - testing

    def _cell(self, method: str, index: int) -> str:
        mean = self.earned[method][index]
        return "—" if mean is None else f"{mean.value:.2f} ({self.share(method, index):.0%})"


def ab_test_value(
    users: Sequence[int] = (30, 100, 300),
    *,
    rate: float = 0.05,
    spread: float = 0.02,
    versions: int = 2,
    seed: int = 0,
) -> ABTestValue:
    """What an A/B test of so many users earns: equal allocation, a test before a decision, Thompson
    sampling, the optimum.

    Args:
        users: numbers of users.
        rate: expected conversion rate of a version.
        spread: standard deviation of the rates of versions: how much you expect them to differ.
        versions: number of versions.
        seed: seed of the simulations of Thompson sampling, beyond 120 users.

    Example:
        >>> value = ab_test_value([50], rate=0.3, spread=0.1)
        >>> [f"{method}: {value.share(method, 0):.0%}" for method in value.earned]
        ['equal: 0%', 'test, then decide: 36%', 'Thompson sampling: 34%', 'optimal: 53%']
    """
    counts = tuple(positive_integer("each of users", n, 10**6) for n in listed("users", users))
    if not counts or list(counts) != sorted(set(counts)):
        raise ValueError(f"users must be numbers in ascending order, got {users!r}")
    mean = real("rate", rate, 0, 1, open_low=True, open_high=True)
    deviation = real("spread", spread, 0, 0.5, open_low=True)
    number = integer("versions", versions, 2, 10)
    seed = validation.seed(seed)
    strength = mean * (1 - mean) / deviation**2 - 1
    if strength <= 0:
        raise ValueError(
            f"spread must be below {(mean * (1 - mean)) ** 0.5:.3g} for a rate of {mean:g}, got "
            f"{deviation:g}"
        )
    pseudo = (mean * strength, (1 - mean) * strength)
    prior = BetaArms(*(float(f"{n:.12g}") for n in pseudo))  # to be typed: 6, not 5.999999999999999
    trial = Trial([mean] * number, max(counts), prior)
    earned: dict[str, list[Mean | None]] = {method: [] for method in METHODS}
    tested = []
    with progress("numbers of users") as show:
        for index, n in enumerate(counts):
            show(f"{n} users", index, len(counts))
            this = replace(trial, patients=n)
            value, sample = _test_then_decide(this)
            tested.append(sample)
            earned[EQUAL].append(Mean(n * mean, None, None))
            earned[TEST].append(Mean(value, None, None))
            earned[THOMPSON].append(_thompson(this, np.random.default_rng([seed, n])))
            earned[OPTIMAL].append(_optimal(this))
    rate_of_best = _expected_best_rate(trial.pseudo_counts)
    best = tuple(n * rate_of_best for n in counts)
    columns = {method: tuple(means) for method, means in earned.items()}
    return ABTestValue(trial, counts, best, columns, tuple(tested))


def _optimal(trial: Trial) -> Mean | None:
    """The Bayes-optimal value; None if there are too many arms or users for it."""
    arms = trial.num_arms
    if arms > MOST_ARMS or trial.patients > longest(arms, policy=False):
        return None
    return Mean(optimal_arms(trial.problem).value, None, None)


def _expected_best_rate(prior: Array) -> float:
    """E max p = ∫ 1 − Π F dx, in t = log x/(1 − x), on panels of width 1 or between quantiles."""
    special: Any = require("scipy.special", "the rate of the best version needs SciPy", "report")
    levels = special.expit(np.arange(-TAIL, TAIL + 1))
    quantiles = [special.logit(special.betaincinv(a, b, levels)) for a, b in prior]
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
    """The value of the best number of users to test on, equally on all versions,
    and that number.
    """
    A, N, prior = trial.num_arms, trial.patients, trial.pseudo_counts
    rate = float((prior[:, 0] / prior.sum(axis=1)).mean())

    def value(each: int) -> float:
        """With so many users on each version, then all others on the one with the highest mean."""
        probabilities = [prior_factor(prior[arm], each) / (each + 1) for arm in range(A)]
        means = [(a + np.arange(each + 1)) / (a + b + each) for a, b in prior]
        return A * each * rate + (N - A * each) * _expected_maximum(means, probabilities)

    most = N // A
    spaced = np.unique(np.geomspace(1, max(1, most), 25).astype(int)).tolist()
    coarse = sorted({0, *spaced} & set(range(most + 1)))
    index = coarse.index(max(coarse, key=value))
    low, high = coarse[max(index - 1, 0)], coarse[min(index + 1, len(coarse) - 1)]
    fine = range(low, high + 1, max(1, (high + 1 - low) // 40))
    best = max(fine, key=value)
    return value(best), A * best


def _expected_maximum(values: list[Array], probabilities: list[Array]) -> float:
    """The expected largest of independent discrete variables."""
    points = np.unique(np.concatenate(values))
    below = np.ones(len(points))  # P(all ≤ point)
    for value, probability in zip(values, probabilities, strict=True):
        cumulative = np.concatenate([[0.0], np.cumsum(probability)])
        below *= cumulative[np.searchsorted(value, points, "right")]
    return float((points * np.diff(below, prepend=0.0)).sum())


def _thompson(trial: Trial, rng: np.random.Generator) -> Mean:
    """The value of Thompson sampling, exact or simulated."""
    design = ThompsonDesign()
    if trial.num_arms == 2 and trial.patients <= EXACT:
        return Mean(end_counts(design, trial).prior_successes(trial.pseudo_counts), None, None)
    rates = from_prior(trial, min(RUNS, max(FEWEST, USERS // trial.patients)), rng)
    pulls = simulate_trials(design, design.rule(trial), trial, rates, rng).counts().pulls
    equal = trial.patients * rates.mean(axis=1)
    gains = (rates * pulls.T).sum(axis=1) - equal  # of the allocation alone: less noise
    gain, base = statistics.mean(gains.tolist()), trial.patients * float(trial.arms[0])
    assert gain.low is not None
    assert gain.high is not None
    return Mean(base + gain.value, base + gain.low, base + gain.high)
