"""Our results beside the published ones: by how much they differ, and why, if that is known.

The paper does not state the level of its ±. They are read as 95 % intervals, those that it quotes
from Strens (2000) as standard errors. The interval of a difference has √(ours² + theirs²) as its
half-width. Numbers agree if it lies within a tenth of the published number, either way: intervals
that merely overlap may be wide, which shows nothing.
"""

from math import hypot, inf, isnan, nan
from typing import NamedTuple

from bamdp import statistics
from bamdp.statistics import Mean
from reproduction.paper.published import QUOTED, WHY
from reproduction.query import Measurement
from reproduction.report.verdict import Finding, about, interval, missing

MARGIN = 0.1  # of the published number, that counts as equal
Z = 1.96  # half-widths of a normal 95 % interval, in standard errors


class BesidePublished(NamedTuple):
    """One of our results and the published one."""

    ours: Mean  # our mean and its interval
    published: tuple[float, float]  # the paper's mean and its ±
    difference: Mean  # ours minus theirs
    # the difference in standard errors, of both together; infinite if both are 0, nan if ours has
    # no interval
    errors: float
    differ: bool  # whether they differ by more than their intervals
    why: str | None  # the reason, if they differ and it is known


def beside_published(measurement: Measurement) -> BesidePublished | None:
    """A result of Table 1 and the paper's; None if none was published."""
    published = measurement.entry.published
    if published is None:
        return None
    domain, agent = (str(measurement.settings[name]) for name in ("domain", "agent"))
    ours, value = measurement.mean(), measurement.mean().value - published[0]
    error = nan if ours.half is None else statistics.standard_error(measurement.values())
    theirs, half = (
        (published[1], Z * published[1]) if agent in QUOTED else (published[1] / Z, published[1])
    )
    together = hypot(error, theirs)
    errors = value / together if together else (0.0 if value == 0 else inf * value)
    width = None if ours.half is None else hypot(ours.half, half)
    difference = (
        Mean(value, None, None)
        if width is None
        else Mean(value, value - width, value + width, ours.freedom)
    )
    side, (above, why) = difference.side(), WHY.get((domain, agent), (0, None))
    return BesidePublished(
        ours,
        published,
        difference,
        errors,
        side in (-1, 1),
        why if above and above == side else None,
    )


def agrees(where: str, measurement: Measurement | None) -> Finding:
    """The claim that our result is the published one, within the margin."""
    result = beside_published(measurement) if measurement else None
    if measurement is None or result is None:
        return missing(where)
    both = f"{interval(result.ours)}, published {result.published[0]:g} ± {result.published[1]:g}"
    errors = "" if isnan(result.errors) else f", {signed(result.errors)} standard errors"
    text = f"{where}: {both}{errors} ({measurement.runs} runs, {measurement.scale}), difference"
    return about(text, result.difference, MARGIN * abs(result.published[0]), [measurement])


def signed(value: float) -> str:
    """A difference with its sign.

    Example:
        >>> signed(1.234), signed(-0.5), signed(inf)
        ('+1.2', '−0.5', '+∞')
    """
    return f"{value:+z.1f}".replace("-", "−").replace("inf", "∞")
