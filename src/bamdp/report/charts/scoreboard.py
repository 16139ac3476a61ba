"""The scoreboard at one glance: a cell for each problem and agent, the darker the better, with a frame around the best."""

from functools import partial
from typing import Any

from bamdp.report.chart import SERIES, draw
from bamdp.report.picture import Picture
from bamdp.report.query import Query
from bamdp.report.scoreboard import COLUMNS, Score, agents_of, scoreboard
from bamdp.studies.benchmark import BENCHMARK, RETURN
from bamdp.studies.experiment import Experiment

EXPERIMENTS = (BENCHMARK,)
WIDEST = 6  # agents side by side, so that a phone shows them large enough to read
DARK, LIGHT = "#101418", "#fefefe"  # text on light and on dark cells; not the ink of the page, as cells have their own colours


def pictures(experiment: Experiment, query: Query) -> list[Picture]:
    """Agents as given, and at their best settings."""
    board = scoreboard(query)
    found: list[Picture] = []
    for name, title in COLUMNS.items():
        scores = {standing.problem: of for standing in board if (of := standing.column(name))}
        agents = agents_of(board, name)
        alt = f"{title}: scores by problem and agent, 0 for random actions, 1 for knowing the world; all are in the table"
        for first in range(0, len(agents) if scores else 0, WIDEST):
            shown, part = agents[first : first + WIDEST], f"-{first // WIDEST + 1}" if first else ""
            size = (1.9 + 0.5 * len(shown), 1.5 + 0.3 * len(scores))
            found.append(draw(f"scoreboard-{name}{part}", title, alt, partial(_plot, scores, shown), size))
    return found


def _plot(scores: dict[str, dict[str, Score]], agents: list[str], axes: Any) -> None:
    from matplotlib import colormaps
    from matplotlib.patches import Rectangle

    shades = colormaps["Blues"]
    for y, of in enumerate(scores.values()):
        for x, agent in enumerate(agents):
            score = of.get(agent)
            if score is None:
                continue
            value = None if score.scaled is None else score.scaled.value
            shade = 0.9 * min(1.0, max(0.0, value or 0.0))
            axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=shades(shade), edgecolor=LIGHT, linewidth=0.5))
            if score.best:
                frame = Rectangle(
                    (x - 0.45, y - 0.45), 0.9, 0.9, facecolor="none", edgecolor=SERIES[1], linewidth=1.8, zorder=3
                )
                axes.add_patch(frame)
            bold, italic = "bold" if score.best else "normal", "italic" if value is None else "normal"
            text = f"{score.measurement.point.mean(RETURN).value:.3g}" if value is None else f"{round(value, 2) + 0.0:.2f}"
            style = {"color": LIGHT if shade > 0.5 else DARK, "fontsize": 8, "fontweight": bold, "fontstyle": italic}
            axes.text(x, y, text.replace("-", "−"), ha="center", va="center", **style)
    axes.set(xlim=(-0.5, len(agents) - 0.5), ylim=(len(scores) - 0.5, -0.5))
    axes.set_xticks(range(len(agents)), agents, rotation=40, ha="left", rotation_mode="anchor")
    axes.set_yticks(range(len(scores)), list(scores))
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
