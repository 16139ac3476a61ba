"""The contract of a claim: a sentence of the paper, and a pure function of the rows that says whether it holds here.

The claims are in `bamdp.report.claims`, one file a part of the paper. That A is more than B is held if the 95 % interval of the
difference lies above 0, not held if it lies below, and open if it holds 0. That A is about B names a margin: it is held if the
interval lies within it, not held if it lies outside, open in between. Runs with smaller budgets than the
paper's refute nothing: what they speak against is open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import floor, inf, log10
from typing import Literal

from bamdp import statistics
from bamdp.report.query import Number, Stored
from bamdp.statistics import Mean

Verdict = Literal["held", "not held", "open", "not enough data"]
VERDICTS: tuple[Verdict, ...] = ("held", "not held", "open", "not enough data")


@dataclass(frozen=True)
class Outcome:
    """What came out.

    Attributes:
        verdict: whether the claim holds.
        evidence: the numbers behind it, a line each.
    """

    verdict: Verdict
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Claim:
    """What the paper says.

    Attributes:
        id: of the claim.
        source: where in the paper.
        text: what it says, in our words.
        check: the outcome, from what is stored.
        test: the test that establishes it beyond the numbers shown, if there is one.
    """

    id: str
    source: str
    text: str
    check: Callable[[Stored], Outcome]
    test: str | None = None


def all_of(outcomes: Sequence[Outcome]) -> Outcome:
    """A claim of several parts: one that fails decides; then missing numbers, then open ones.

    Example:
        >>> all_of([Outcome("held", ("a",)), Outcome("open", ("b",))])
        Outcome(verdict='open', evidence=('a', 'b'))
    """
    return _first(("not held", "not enough data", "open", "held"), outcomes)


def any_of(outcomes: Sequence[Outcome]) -> Outcome:
    """A claim that one of several things is so: one that is held decides; then open ones, then missing numbers.

    Example:
        >>> any_of([Outcome("not held", ("a",)), Outcome("held", ("b",))])
        Outcome(verdict='held', evidence=('a', 'b'))
    """
    return _first(("held", "open", "not enough data", "not held"), outcomes)


def missing(what: str) -> Outcome:
    """There are no rows of `what`, or too few."""
    return Outcome("not enough data", (f"{what}: not enough runs",))


def more(name: str, difference: Mean, sign: int = 1, numbers: Sequence[Number] = ()) -> Outcome:
    """A difference, or a slope, of `numbers` is claimed to be above 0, or below it for a `sign` of −1.

    Example:
        >>> more("A − B", Mean(3.0, 1.0, 5.0))
        Outcome(verdict='held', evidence=('A − B: 3.00 (1.00 … 5.00): held',))
        >>> more("A − B", Mean(3.0, -1.0, 7.0)).verdict
        'open'
    """
    side = difference.side()
    if side is None:
        return _too_few(name, difference)
    verdict: Verdict = "held" if side == sign else "open" if side == 0 else "not held"
    return _fair(f"{name}: {interval(difference)}", verdict, numbers)


def about(name: str, difference: Mean, margin: float, numbers: Sequence[Number] = ()) -> Outcome:
    """A difference of `numbers` is claimed to be none to speak of: at most `margin`, either way.

    Example:
        >>> about("A − B", Mean(1.0, -1.0, 3.0), margin=4).verdict
        'held'
        >>> about("A − B", Mean(1.0, -1.0, 3.0), margin=2).verdict
        'open'
    """
    if difference.low is None or difference.high is None:
        return _too_few(name, difference)
    inside = -margin <= difference.low and difference.high <= margin
    outside = difference.low > margin or difference.high < -margin
    verdict: Verdict = "held" if inside else "not held" if outside else "open"
    return _fair(f"{name}: {interval(difference)}, margin ± {short(margin)}", verdict, numbers)


def beats(
    where: str, names: tuple[str, str], numbers: tuple[Number | None, Number | None], measure: str = "total_reward"
) -> Outcome:
    """The first of two is claimed to earn more than the second, by their independent runs."""
    first, second = numbers
    if first is None or second is None:
        return missing(f"{where}, {' and '.join(name for name, n in zip(names, numbers, strict=True) if n is None)}")
    difference = statistics.difference(first.point.values(measure), second.point.values(measure))
    scales = ", ".join(sorted({first.scale, second.scale}))
    return more(
        f"{where}, {names[0]} − {names[1]} ({first.runs} and {second.runs} runs, {scales})", difference, 1, (first, second)
    )


def trend(
    name: str, numbers: Sequence[Number], x: Callable[[Number], float], sign: int = 1, measure: str = "total_reward"
) -> Outcome:
    """What runs earn is claimed to grow with log `x`, or to fall for a `sign` of −1: by a line through all runs."""
    found = tenfold(name, numbers, x, measure)
    return missing(name) if found is None else more(*found, sign, numbers)


def tenfold(
    name: str, numbers: Sequence[Number], x: Callable[[Number], float], measure: str = "total_reward"
) -> tuple[str, Mean] | None:
    """By how much what runs earn changes for ten times as much `x`, with words for it; None without two values of `x`."""
    places = [(log10(x(number)), value) for number in numbers if x(number) > 0 for value in number.point.values(measure)]
    if len({place for place, _ in places}) < 2:
        return None
    scales = ", ".join(sorted({number.scale for number in numbers}))
    slope = statistics.slope([place for place, _ in places], [value for _, value in places])
    return f"{name}, change for ten times as much ({len(places)} runs, {scales})", slope


def less(mean: Mean, amount: float) -> Mean:
    """`mean` with its interval, `amount` lower."""
    return Mean(mean.value - amount, *(None if end is None else end - amount for end in (mean.low, mean.high)))


def interval(mean: Mean) -> str:
    """A mean with its interval, to read.

    Example:
        >>> interval(Mean(387.6123, 386.1, 389.0512)), interval(Mean(0.01, -0.002, 0.022)), interval(Mean(2.0, None, None))
        ('387.6 (386.1 … 389.1)', '0.0100 (−0.0020 … 0.0220)', '2')
    """
    if mean.low is None or mean.high is None:
        return short(mean.value)
    return "{} ({} … {})".format(*aligned(mean.value, mean.low, mean.high))


def aligned(*values: float) -> list[str]:
    """Numbers with the same digits after the point: one, or as many as the largest needs for three digits.

    Example:
        >>> aligned(53, 42.61, 63.39), aligned(0.5, 0.25)
        (['53.0', '42.6', '63.4'], ['0.500', '0.250'])
    """
    largest = max(abs(value) for value in values)
    decimals = max(1, 2 - floor(log10(largest))) if 0 < largest < inf else 1
    return [f"{value:.{decimals}f}".replace("-", "−") for value in values]


def short(value: float) -> str:
    """A number with as many digits as can be read at a glance.

    Example:
        >>> [short(x) for x in (1234.56, 387.62, 0.012345, -3.0)]
        ['1234.6', '387.6', '0.0123', '−3']
    """
    text = f"{value:.1f}" if abs(value) >= 100 else f"{value:.3g}"
    return (text.removesuffix(".0") if "e" not in text else text).replace("-", "−")


def _too_few(name: str, difference: Mean) -> Outcome:
    return Outcome("not enough data", (f"{name}: {short(difference.value)}, too few runs for an interval",))


def _fair(text: str, verdict: Verdict, numbers: Sequence[Number]) -> Outcome:
    """What runs of smaller budgets speak against is open."""
    if verdict == "not held" and not all(number.full for number in numbers):
        return Outcome("open", (f"{text}: not held with smaller budgets than the paper's, so open",))
    return Outcome(verdict, (f"{text}: {verdict}",))


def _first(order: tuple[Verdict, ...], outcomes: Sequence[Outcome]) -> Outcome:
    """The verdict that comes first in `order` among those of the parts, with the evidence of all."""
    found = {outcome.verdict for outcome in outcomes}
    verdict: Verdict = next((verdict for verdict in order if verdict in found), "not enough data")
    return Outcome(verdict, tuple(line for outcome in outcomes for line in outcome.evidence))
