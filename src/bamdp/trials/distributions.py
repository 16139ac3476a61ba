"""Probabilities of counts of successes: binomial, hypergeometric, beta-binomial.

A layer has arrays u = w Π_k B(s_k + 1, n_k − s_k + 1), the probabilities of counts over uniform
priors; w is explained in `bamdp.trials.recursion`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.trials.counts import Array, Layer, Pulls, grid


def binomial(n: int, p: Array) -> Array:
    """C(n, s) p^s (1 − p)^{n − s} for each p. [P, n + 1]"""
    s = np.arange(n + 1)
    with np.errstate(divide="ignore", invalid="ignore"):  # 0 log 0 is 0
        successes = np.where(s == 0, 0.0, s * np.log(p)[:, None])
        failures = np.where(s == n, 0.0, (n - s) * np.log(1 - p)[:, None])
    return np.asarray(np.exp(_log_choose(log_factorials(n), n, s) + successes + failures))


def hypergeometric(n: int, m: int) -> Array:
    """C(m, s) C(n − m, S − s)/C(n, S): the probability of s successes among m of n patients, given
    the total S of successes. [n + 1, m + 1]
    """
    total = np.arange(n + 1)[:, None]
    s = np.arange(m + 1)
    possible = (s <= total) & (total - s <= n - m)
    others = np.where(possible, total - s, 0)
    logs = log_factorials(n)
    inside, outside = _log_choose(logs, m, s), _log_choose(logs, n - m, others)
    exponents = inside + outside - _log_choose(logs, n, total)
    return np.exp(np.where(possible, exponents, -np.inf))


def prior_factor(prior: Array, n: int) -> Array:
    """The probability of s successes under a Beta prior, (a, b), divided by that under a uniform
    one, 1/(n + 1). [n + 1]
    """
    a, b = prior
    s, logs = np.arange(n + 1), log_factorials(n + 1)
    ways = logs[n + 1] - logs[s] - logs[n - s]
    with np.errstate(divide="ignore"):  # a count of 0: impossible
        successes, failures, total = (_log_rising(count, n) for count in (a, b, a + b))
    return np.asarray(np.exp(ways + successes + failures[::-1] - total[-1]))


def null_weights(pulls: Pulls, u: Array) -> Array:
    """w/C(N, S) of some counts."""
    patients, (successes, _) = sum(pulls), grid(pulls)
    logs = log_factorials(patients)
    arms = [_log_choose(logs, n, s) + np.log(n + 1) for n, s in zip(pulls, successes, strict=True)]
    return np.asarray(u * np.exp(sum(arms) - _log_choose(logs, patients, sum(successes))))


def success_totals(pulls: Pulls) -> NDArray[np.int64]:
    """The total of successes at all counts with so many patients on each arm. [n_1 + 1, …,
    n_A + 1]
    """
    return np.broadcast_to(sum(grid(pulls)[0]), [n + 1 for n in pulls])


def by_total(layer: Layer) -> dict[int, Array]:
    """The sum of w/C(n, S) over counts, by the total S of successes, for each number n of patients.
    [n + 1] each
    """
    sums: dict[int, Array] = {}
    for pulls, u in layer.items():
        n = sum(pulls)
        weights = null_weights(pulls, u).ravel()
        sums.setdefault(n, np.zeros(n + 1))
        sums[n] += np.bincount(success_totals(pulls).ravel(), weights, n + 1)
    return sums


@cache
def log_factorials(n: int) -> Array:
    """The logarithms of 0! … n!."""
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])


def _log_rising(a: float, n: int) -> Array:
    """The logarithms of a (a + 1) … (a + k − 1) for k up to n. [n + 1]"""
    return np.concatenate([[0.0], np.cumsum(np.log(a + np.arange(n)))])


def _log_choose(logs: Array, n: int, k: Any) -> Array:
    return np.asarray(logs[n] - logs[k] - logs[n - k])
