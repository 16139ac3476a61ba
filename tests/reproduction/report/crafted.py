"""Rows made by hand for the tests of the report."""

from typing import Any

from bamdp.comparing.rows import Row
from reference.stored import entry_points, played, rows
from reproduction.experiment import FINAL, SWEEP, Experiment
from reproduction.paper.bandits import FIGURE_S2
from reproduction.paper.figure1 import FIGURE_1
from reproduction.paper.table1 import TABLE

HOSTILE = '<script>alert("1 & 2")</script>'


def table_rows(world: str, rewards: dict[str, list[float]], scale: str = "paper") -> list[Row]:
    """Final runs of agents of Table 1, with whole sweeps before them whose first setting is the
    best.
    """
    found = []
    for label, values in rewards.items():
        _, points = entry_points(TABLE, world, label, scale)
        if len(points) > 1:
            found += [
                row
                for i, p in enumerate(points)
                for row in played(p, SWEEP, [100.0 - i] * TABLE.runs[scale])
            ]
        found += played(points[0], FINAL, values)
    return found


def around(mean: float) -> list[float]:
    """Five runs."""
    return [mean + k for k in (-1, -0.5, 0, 0.5, 1)]


def figure_rows(
    panel: str, label: str, reward: Any, seconds: Any = lambda p: 0.001, spread: float = 1
) -> list[Row]:
    _, points = entry_points(FIGURE_1, panel, label, "paper")
    around = [spread * k for k in (-0.1, -0.05, 0, 0.05, 0.1)]
    return [
        row for p in points for row in played(p, SWEEP, [reward(p) + k for k in around], seconds(p))
    ]


def single(experiment: Experiment, panel: str, label: str, result: dict[str, Any]) -> list[Row]:
    """The row of an entry of one task."""
    entry, (point,) = entry_points(experiment, panel, label, "paper")
    return rows(entry.kind, point, SWEEP, [result])


def small_store() -> list[Row]:
    """BAMCP and BEB on Double-loop, one unfinished sweep, eight arms; a processor with a hostile
    name.
    """
    _, betas = entry_points(TABLE, "double-loop", "BEB", "quick")
    rows = played(
        {"domain": "double-loop", "agent": "bamcp", "simulations": 3000},
        FINAL,
        [386.0, 387, 388, 389, 390],
    )
    rows += [row for p in betas for row in played(p, SWEEP, [391 - p["beta"]] * 2)]
    rows += played(betas[0], FINAL, [391.0] * 5, seconds=0.5)
    rows += played(entry_points(TABLE, "double-loop", "SBOSS", "quick")[1][0], SWEEP, [370.0])
    for entry, mean in zip(FIGURE_S2.entries["bandit"], (255, 260, 215), strict=True):
        rows += played(
            entry.settings, SWEEP, [mean - 1.0, mean - 0.5, mean, mean + 0.5, mean + 1.0]
        )
    rows[0] = {**rows[0], "cpu": HOSTILE}
    return rows
