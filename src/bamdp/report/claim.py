"""The contract of a claim: a statement of the paper, and a pure function of the rows that says whether it holds here.

The claims are in `bamdp.report.claims`, one file for each part of the paper. "A is more than B" is held if the 95 % interval of
the difference lies above 0, not held if it lies below, and open if it contains 0. "A is about B" names a margin: it is held if
the interval lies within the margin, not held if it lies outside, and open otherwise. Runs with smaller budgets than the paper's
refute nothing: a claim that they contradict stays open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import floor, inf, log10
from typing import Literal

from bamdp import statistics
from bamdp.report.query import Measurement, Query
from bamdp.statistics import Mean

Verdict = Literal["held", "not held", "open", "not enough data"]
VERDICTS: tuple[Verdict, ...] = ("held", "not held", "open", "not enough data")


@dataclass(frozen=True)
class Finding:
    """The result of checking a claim.

    Attributes:
        verdict: whether the claim holds.
        evidence: the numbers behind the verdict, one line each.
    """

    verdict: Verdict
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Claim:
    """A statement of the paper.

    Attributes:
        id: of the claim; claims are listed by the number in it.
        source: where in the paper.
        text: what it says, in our words.
        check: the finding, from the stored rows.
        test: a test that establishes it beyond the numbers shown, if there is one.
    """

    id: str
    source: str
    text: str
    check: Callable[[Query], Finding]
    test: str | None = None

    @property
    def number(self) -> float:
        """The number in its id; infinite if there is none.

        Example:
            >>> Claim("T12 prior", "Figure S5", "text", lambda query: missing("rows")).number
            12.0
        """
        digits = re.search(r"\d+", self.id)
        return float(digits[0]) if digits else inf


def all_of(findings: Sequence[Finding]) -> Finding:
    """A claim of several parts: one that fails decides; then missing measurements, then open ones.

    Example:
        >>> all_of([Finding("held", ("a",)), Finding("open", ("b",))])
        Finding(verdict='open', evidence=('a', 'b'))
    """
    return _first(("not held", "not enough data", "open", "held"), findings)


def any_of(findings: Sequence[Finding]) -> Finding:
    """A claim that one of several things is so: one that is held decides; then open ones, then missing numbers.

    Example:
        >>> any_of([Finding("not held", ("a",)), Finding("held", ("b",))])
        Finding(verdict='held', evidence=('a', 'b'))
    """
    return _first(("held", "open", "not enough data", "not held"), findings)


def missing(what: str) -> Finding:
    """There are no rows of `what`, or too few of them."""
    return Finding("not enough data", (f"{what}: not enough runs",))


def more(name: str, difference: Mean, sign: int = 1, measurements: Sequence[Measurement] = ()) -> Finding:
    """The claim that a difference or slope of `measurements` is above 0, or below 0 if `sign` is −1.

    Example:
        >>> more("A − B", Mean(3.0, 1.0, 5.0))
        Finding(verdict='held', evidence=('A − B: 3.00 (1.00 … 5.00): held',))
        >>> more("A − B", Mean(3.0, -1.0, 7.0)).verdict
        'open'
    """
    side = difference.side()
    if side is None:
        return _too_few(name, difference)
    verdict: Verdict = "held" if side == sign else "open" if side == 0 else "not held"
    return _fair(f"{name}: {interval(difference)}", verdict, measurements)


def about(name: str, difference: Mean, margin: float, measurements: Sequence[Measurement] = ()) -> Finding:
    """The claim that a difference of `measurements` is at most `margin`, either way.

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
    return _fair(f"{name}: {interval(difference)}, margin ± {short(margin)}", verdict, measurements)


def beats(
    where: str, names: tuple[str, str], pair: tuple[Measurement | None, Measurement | None], measure: str = "total_reward"
) -> Finding:
    """The claim that the first of two earns more than the second, by their independent runs."""
    first, second = pair
    if first is None or second is None:
        return missing(f"{where}, {' and '.join(name for name, m in zip(names, pair, strict=True) if m is None)}")
    difference = statistics.difference(first.point.values(measure), second.point.values(measure))
    scales = ", ".join(sorted({first.scale, second.scale}))
    return more(
        f"{where}, {names[0]} − {names[1]} ({first.runs} and {second.runs} runs, {scales})", difference, 1, (first, second)
    )


def trend(
    name: str,
    measurements: Sequence[Measurement],
    x: Callable[[Measurement], float],
    sign: int = 1,
    measure: str = "total_reward",
) -> Finding:
    """The claim that rewards grow with log `x`, or fall if `sign` is −1, by a line fitted to all runs."""
    found = tenfold(name, measurements, x, measure)
    return missing(name) if found is None else more(*found, sign, measurements)


def tenfold(
    name: str, measurements: Sequence[Measurement], x: Callable[[Measurement], float], measure: str = "total_reward"
) -> tuple[str, Mean] | None:
    """By how much rewards change for ten times as much `x`, with a name for it; None without two values of `x`."""
    places = [(log10(x(m)), value) for m in measurements if x(m) > 0 for value in m.point.values(measure)]
    if len({place for place, _ in places}) < 2:
        return None
    scales = ", ".join(sorted({m.scale for m in measurements}))
    slope = statistics.slope([place for place, _ in places], [value for _, value in places])
    return f"{name}, change for ten times as much ({len(places)} runs, {scales})", slope


def less(mean: Mean, amount: float) -> Mean:
    """`mean` with its interval, `amount` lower."""
    return Mean(mean.value - amount, *(None if end is None else end - amount for end in (mean.low, mean.high)))


def interval(mean: Mean) -> str:
    """A mean with its interval, as text.

    Example:
        >>> interval(Mean(387.6123, 386.1, 389.0512)), interval(Mean(0.01, -0.002, 0.022)), interval(Mean(2.0, None, None))
        ('387.6 (386.1 … 389.1)', '0.0100 (−0.0020 … 0.0220)', '2')
    """
    if mean.low is None or mean.high is None:
        return short(mean.value)
    return "{} ({} … {})".format(*aligned(mean.value, mean.low, mean.high))


def aligned(*values: float) -> list[str]:
    """Numbers with equally many decimals: one, or as many as the largest needs for three digits.

    Example:
        >>> aligned(53, 42.61, 63.39), aligned(0.5, 0.25)
        (['53.0', '42.6', '63.4'], ['0.500', '0.250'])
    """
    largest = max(abs(value) for value in values)
    decimals = max(1, 2 - floor(log10(largest))) if 0 < largest < inf else 1
    return [f"{value:.{decimals}f}".replace("-", "−") for value in values]


def short(value: float) -> str:
    """A number with about three digits, as text.

    Example:
        >>> [short(x) for x in (1234.56, 387.62, 0.012345, -3.0)]
        ['1234.6', '387.6', '0.0123', '−3']
    """
    text = f"{value:.1f}" if abs(value) >= 100 else f"{value:.3g}"
    return (text.removesuffix(".0") if "e" not in text else text).replace("-", "−")


def _too_few(name: str, difference: Mean) -> Finding:
    return Finding("not enough data", (f"{name}: {short(difference.value)}, too few runs for an interval",))


def _fair(text: str, verdict: Verdict, measurements: Sequence[Measurement]) -> Finding:
    """A claim that runs with smaller budgets contradict is open."""
    if verdict == "not held" and not all(m.full for m in measurements):
        return Finding("open", (f"{text}: not held with smaller budgets than the paper's, so open",))
    return Finding(verdict, (f"{text}: {verdict}",))


def _first(order: tuple[Verdict, ...], findings: Sequence[Finding]) -> Finding:
    """The verdict that comes first in `order` among those of the parts, with the evidence of all."""
    found = {finding.verdict for finding in findings}
    verdict: Verdict = next((verdict for verdict in order if verdict in found), "not enough data")
    return Finding(verdict, tuple(line for finding in findings for line in finding.evidence))
