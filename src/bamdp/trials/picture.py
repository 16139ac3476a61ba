"""The picture of a comparison of designs, with Matplotlib: patient benefit against power, and type I error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bamdp.statistics import Mean
from bamdp.validation import require

if TYPE_CHECKING:
    from bamdp.trials.comparison import TrialComparison


def figure(comparison: TrialComparison) -> Any:
    """Dots for each design: expected successes, share on the best arm, power, and type I error with its level."""
    rows, names = comparison.rows, [row.design for row in comparison.rows]
    columns: list[tuple[str, list[Mean | None], float | None]] = [
        ("expected successes", [row.successes for row in rows], None),
        ("share of patients on the best arm", [row.share_best for row in rows], 1 / comparison.trial.num_arms),
        ("power", [row.power for row in rows], None),
        ("type I error", [row.type_1_error for row in rows], comparison.test.alpha),
    ]
    columns = [column for column in columns if None not in column[1]]
    make = require("matplotlib.figure", "a .png needs matplotlib", "report").Figure
    picture = make(figsize=(2.5 * len(columns) + 2, 1.5 + 0.34 * len(rows)), dpi=150, layout="constrained")
    for axes, (title, means, line) in zip(picture.subplots(1, len(columns), sharey=True), columns, strict=True):
        for place, mean in enumerate(means):
            assert mean is not None
            if mean.low is not None:
                axes.plot([mean.low, mean.high], [place, place], color="C0")
            axes.plot([mean.value], [place], "o", color="C0", markersize=5)
        if line is not None:
            axes.axvline(line, color="0.5", linestyle=":", linewidth=1)
        axes.set_title(title, fontsize=9)
        axes.set(yticks=range(len(rows)), yticklabels=names)
        axes.tick_params(labelsize=8)
        axes.grid(axis="y", color="0.92")
        axes.set_axisbelow(True)
        if title == "power":
            axes.set_xlim(0, 1)
        if title == "type I error":
            axes.set_xlim(left=0)
    axes.invert_yaxis()  # shared
    picture.suptitle(f"{comparison.trial}\n{comparison.test}", fontsize=9)
    return picture
