"""Slow twins of what is computed about Bernoulli arms over a finite horizon: recursions over
counts, one state at a time.
"""

from collections.abc import Callable, Sequence
from functools import cache

Beta = tuple[float, float]  # pseudo-counts of successes and failures


def optimal(
    arms: Sequence[Beta],
    steps: int,
    discount: float = 1.0,
    payoffs: Sequence[tuple[float, float]] | None = None,
) -> Callable[..., tuple[float, ...]]:
    """A function of (successes and failures of each arm, steps left) that gives the value of each
    arm.
    """
    paid = payoffs or [(0.0, 1.0)] * len(arms)

    @cache
    def values(counts: tuple[int, ...], left: int) -> tuple[float, ...]:
        return tuple(pull(counts, left, arm) for arm in range(len(arms)))

    def pull(counts: tuple[int, ...], left: int, arm: int) -> float:
        (a, b), (low, high) = arms[arm], paid[arm]
        success, failure = counts[2 * arm], counts[2 * arm + 1]
        p = (a + success) / (a + b + success + failure)
        return p * (high + discount * after(counts, left, 2 * arm)) + (1 - p) * (
            low + discount * after(counts, left, 2 * arm + 1)
        )

    def after(counts: tuple[int, ...], left: int, cell: int) -> float:
        more = tuple(n + (i == cell) for i, n in enumerate(counts))
        return max(values(more, left - 1)) if left > 1 else 0.0

    return values


def stopping_value(a: float, b: float, steps: int, discount: float, price: float) -> float:
    """What at least one pull at a price, and at most `steps`, is worth at best."""

    @cache
    def pulled(successes: int, pulls: int) -> float:
        p = (a + successes) / (a + b + pulls)
        later = 0.0
        if pulls + 1 < steps:
            later = p * max(0.0, pulled(successes + 1, pulls + 1)) + (1 - p) * max(
                0.0, pulled(successes, pulls + 1)
            )
        return p - price + discount * later

    return pulled(0, 0)


def finite_index(a: float, b: float, steps: int, discount: float) -> float:
    """The index, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if stopping_value(a, b, steps, discount, middle) > 0 else (low, middle)
        )
    return low
