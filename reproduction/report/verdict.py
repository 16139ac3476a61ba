"""The rules of verdicts: whether the numbers of a claim hold here, and with which evidence.

"A is more than B" is held if the 95 % interval of the difference lies above 0, not held if it lies
below, and open if it contains 0. "A is about B" names a margin: it is held if the interval lies
within the margin, not held if it lies outside, and open otherwise. Runs with smaller budgets than
the paper's refute nothing: a claim that they contradict stays open. Fewer than five runs on either
side are not enough data.

A verdict's p-value is 1 minus the highest level of an interval that still gives it. A claim that
all of several things are so has the largest p-value of its parts, a claim that one of k is so k
times the smallest (Bonferroni). `corrected` keeps only the verdicts whose p-values remain below
0.05 after the correction for the number of claims (Holm); the others become open. A claim about a
single computation has no test, no p-value and no correction.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import floor, inf, log10
from typing import Literal

from bamdp import statistics
from bamdp.statistics import Mean
from reproduction.query import Measurement, Query

Verdict = Literal["held", "not held", "open", "not enough data"]
ALPHA = 0.05  # probability that any verdict of a test is wrong, over all claims
VERDICTS: tuple[Verdict, ...] = ("held", "not held", "open", "not enough data")


@dataclass(frozen=True)
class Finding:
    """The result of checking a claim."""

    verdict: Verdict  # whether the claim holds
    evidence: tuple[str, ...] = ()  # the numbers behind the verdict, one line each
    p: float | None = None  # of the verdict; None if it is not the result of a test
    plain: Verdict | None = None  # the verdict before the correction, if that changed it


Check = Callable[[Query], Finding]


def all_of(findings: Sequence[Finding]) -> Finding:
    """A claim of several parts: one that fails decides; then missing measurements,
    then open ones.
    """
    return _first(("not held", "not enough data", "open", "held"), findings, "not held")


def any_of(findings: Sequence[Finding]) -> Finding:
    """A claim that one of several things is so: one that is held decides; then open ones, then
    missing numbers.
    """
    return _first(("held", "open", "not enough data", "not held"), findings, "held")


def corrected(findings: Sequence[Finding]) -> list[Finding]:
    """The findings of all claims, corrected for their number: those that are not significant any
    more become open.
    """
    tested = [i for i, finding in enumerate(findings) if finding.p is not None]
    results = list(findings)
    for i, p in zip(tested, statistics.holm([findings[i].p or 0.0 for i in tested]), strict=True):
        line = (
            f"p {_p_text(findings[i].p or 0.0)}; corrected for {len(tested)} tested claims, p "
            f"{_p_text(p)}"
        )
        results[i] = replace(findings[i], evidence=(*findings[i].evidence, line))
        if findings[i].verdict in ("held", "not held") and p >= ALPHA:
            line = f"{line}: {findings[i].verdict} by itself, open together with the others"
            results[i] = replace(
                results[i],
                verdict="open",
                plain=findings[i].verdict,
                evidence=(*findings[i].evidence, line),
            )
    return results


def missing(what: str) -> Finding:
    """There are no rows of `what`, or too few of them."""
    return Finding("not enough data", (f"{what}: not enough runs",))


def computed(holds: bool, *lines: str, p: float | None = None) -> Finding:
    """The finding of a computation, which is so or not."""
    return Finding("held" if holds else "not held", lines, p)


def more(
    name: str,
    difference: Mean,
    sign: int = 1,
    measurements: Sequence[Measurement] = (),
    line: str = "",
) -> Finding:
    """The claim that a difference or slope of `measurements` is above 0, or below 0 if `sign` is
    −1.

    `line` is shown in place of the difference, if given.
    """
    side = difference.side()
    if side is None:
        return _too_few(name, difference, line)
    verdict: Verdict = "held" if side == sign else "open" if side == 0 else "not held"
    return _fair(
        f"{name}: {interval(difference)}", verdict, measurements, difference.p_value(), line
    )


def about(
    name: str,
    difference: Mean,
    margin: float,
    measurements: Sequence[Measurement] = (),
    line: str = "",
) -> Finding:
    """The claim that a difference of `measurements` is at most `margin`, either way; `line` as in
    `more`.
    """
    if difference.low is None or difference.high is None:
        return _too_few(name, difference, line)
    inside = -margin <= difference.low and difference.high <= margin
    outside = difference.low > margin or difference.high < -margin
    verdict: Verdict = "held" if inside else "not held" if outside else "open"
    # The end of the margin that is nearer to the difference decides, on either side of it.
    p = max(difference.p_value(end) or 0.0 for end in (-margin, margin))
    return _fair(
        f"{name}: {interval(difference)}, margin ± {short(margin)}", verdict, measurements, p, line
    )


def tenfold(
    name: str, measurements: Sequence[Measurement], x: str, measure: str = "total_reward"
) -> tuple[str, Mean] | None:
    """By how much rewards change for ten times as much `x`, a setting or the `seconds` of a step,
    with a name for it.

    None without two values of `x`. There is no interval for fewer than five runs in the lower or
    upper half of the range.
    """
    points = [
        (m.seconds_per_step if x == "seconds" else m.varied[x], m.values(measure))
        for m in measurements
    ]
    places = [(log10(place), value) for place, values in points if place > 0 for value in values]
    at = [place for place, _ in places]
    if len(set(at)) < 2:
        return None
    scales = ", ".join(sorted({m.scale for m in measurements}))
    slope = statistics.slope(at, [value for _, value in places])
    lower = sum(place <= (min(at) + max(at)) / 2 for place in at)
    if min(lower, len(at) - lower) < statistics.FEWEST:
        slope = Mean(slope.value, None, None)
    return f"{name}, change for ten times as much ({len(places)} runs, {scales})", slope


def less(mean: Mean, amount: float) -> Mean:
    """`mean` with its interval, `amount` lower."""
    low, high = (None if end is None else end - amount for end in (mean.low, mean.high))
    return Mean(mean.value - amount, low, high, mean.freedom)


def interval(mean: Mean) -> str:
    """A mean with its interval, as text.

    Example:
        >>> interval(Mean(387.6123, 386.1, 389.0512)), interval(Mean(0.01, -0.002,
        ...     0.022)), interval(Mean(2.0, None, None))
        ('387.6 (386.1 … 389.1)', '0.0100 (−0.0020 … 0.0220)', '2')
    """
    if mean.low is None or mean.high is None:
        return short(mean.value)
    return "{} ({} … {})".format(*aligned(mean.value, mean.low, mean.high))


def plus_minus(mean: Mean) -> str:
    """A mean with half of its interval, as text.

    Example:
        >>> plus_minus(Mean(387.6123, 386.1, 389.1)), plus_minus(Mean(2.0, None, None))
        ('387.6 ± 1.5', '2.00')
    """
    return " ± ".join(aligned(mean.value, *([] if mean.half is None else [mean.half])))


def aligned(*values: float) -> list[str]:
    """Numbers with equally many decimals: one, or as many as the largest needs for three digits.

    Example:
        >>> aligned(53, 42.61, 63.39), aligned(0.5, 0.25)
        (['53.0', '42.6', '63.4'], ['0.500', '0.250'])
    """
    largest = max(abs(value) for value in values)
    decimals = max(1, 2 - floor(log10(largest))) if 0 < largest < inf else 1
    return [f"{value:z.{decimals}f}".replace("-", "−") for value in values]


def short(value: float) -> str:
    """A number with about three digits, as text.

    Example:
        >>> [short(x) for x in (1234.56, 387.62, 0.012345, -3.0)]
        ['1234.6', '387.6', '0.0123', '−3']
    """
    text = f"{value:.1f}" if abs(value) >= 100 else f"{value:z.3g}"
    return (text.removesuffix(".0") if "e" not in text else text).replace("-", "−")


def _too_few(name: str, difference: Mean, line: str) -> Finding:
    return Finding(
        "not enough data",
        (line or f"{name}: {short(difference.value)}, too few runs for an interval",),
    )


def _fair(
    text: str, verdict: Verdict, measurements: Sequence[Measurement], p: float | None, line: str
) -> Finding:
    """A claim that runs with smaller budgets contradict is open."""
    if verdict == "not held" and not all(m.full for m in measurements):
        return Finding(
            "open", (line or f"{text}: not held with smaller budgets than the paper's, so open",), p
        )
    return Finding(verdict, (line or f"{text}: {verdict}",), p)


def _first(order: tuple[Verdict, ...], findings: Sequence[Finding], by_one: Verdict) -> Finding:
    """The verdict that comes first in `order` among those of the parts, with the evidence of all;
    one part decides `by_one`.
    """
    verdicts = {finding.verdict for finding in findings}
    verdict: Verdict = next(
        (verdict for verdict in order if verdict in verdicts), "not enough data"
    )
    lines = tuple(line for finding in findings for line in finding.evidence)
    tested = [finding for finding in findings if finding.p is not None]
    if not tested or verdict == "not enough data":
        return Finding(verdict, lines)
    if verdict != by_one:
        return Finding(verdict, lines, max(finding.p or 0.0 for finding in tested))
    decisive = [finding.p for finding in findings if finding.verdict == verdict]
    if None in decisive:  # by a part that is no test
        return Finding(verdict, lines)
    return Finding(
        verdict, lines, min(1.0, len(tested) * min(p for p in decisive if p is not None))
    )


def _p_text(p: float) -> str:
    return f"= {p:.2g}" if p >= 1e-4 else "< 0.0001"
