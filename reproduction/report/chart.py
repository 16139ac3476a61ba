"""The pictures of the report: `CHARTS` has a function of an experiment and a query for each
experiment that is drawn.

A new chart is an entry of that table. Headings and texts are those of the experiment.
"""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import nan
from typing import Any

import numpy as np

from bamdp import statistics
from bamdp.pictures import grid
from bamdp.pictures.pillow import image, write_animation
from bamdp.pictures.tree import TreePicture
from bamdp.statistics import Mean, duration
from reproduction.benchmark import RETURN
from reproduction.experiment import Experiment
from reproduction.paper.bandits import RANGE
from reproduction.query import Measurement, Query
from reproduction.report.checks import (
    MEASURES,
    biases,
    decisions,
    indices,
    posterior_mean,
    seconds_per_simulation,
)
from reproduction.report.picture import INK, SERIES, Picture, draw, drawing, film, styled
from reproduction.report.scoreboard import COLUMNS, Score, Standing, agents_of

# Figure 1: the settings that the brightness and the size of a point stand for, and its marker.
CLOUDS = {
    "BFS3": ("trajectories", "branching", "s"),
    "SBOSS": ("models", "delta", "^"),
    "BEB": ("beta", None, "D"),
}
DASHES = ("-", "--", "-.", ":")
WIDEST = 6  # agents side by side, so that a phone shows them large enough to read
DARK, LIGHT = (
    "#101418",
    "#fefefe",
)  # text on light and on dark cells; not the ink of the page, as cells have their own colours


def pictures(experiment: Experiment, query: Query) -> list[Picture]:
    """All pictures of an experiment; none without rows."""
    return styled(CHARTS[experiment.name](experiment, query)) if experiment.name in CHARTS else []


def table1(experiment: Experiment, query: Query) -> Iterator[Picture]:
    """Our results and the published ones, domain by domain."""
    for domain, entries in experiment.entries.items():
        best = [(y, query.best(experiment, domain, entry.label)) for y, entry in enumerate(entries)]
        here = [(y - 0.12, m.mean().value, _half(m.mean())) for y, m in best if m]
        if not here:
            continue
        alt = f"{domain}: total rewards here and in the paper; the numbers are in the table above"
        picture, axes = draw(f"table1-{domain}", domain, alt, (4.4, 3.4))
        paper = [(y + 0.18, *entry.published) for y, entry in enumerate(entries) if entry.published]
        for dots, marker, color, label in (
            (here, "o", SERIES[0], "here"),
            (paper, "s", SERIES[1], "paper"),
        ):
            y, x, errors = zip(*dots, strict=True) if dots else ((), (), ())
            style = {"markersize": 5, "capsize": 2, "linestyle": "none"}
            axes.errorbar(x, y, xerr=errors, marker=marker, color=color, label=label, **style)
        axes.set_yticks(range(len(entries)), [entry.label for entry in entries])
        axes.invert_yaxis()
        axes.set_xlabel("total reward")
        axes.legend()
        yield picture


def figure1(experiment: Experiment, query: Query) -> Iterator[Picture]:
    """Reward against planning time, on Grid5 and in the maze."""
    for panel, curves in _panels(experiment, query):
        letter, _, where = panel.partition(": ")
        alt = (
            f"{where}: total reward against planning time per step, for "
            f"{', '.join(k for k, v in curves.items() if v)}"
        )
        picture, axes = draw(f"figure1-{letter}", f"{letter}. {where}", alt)
        for i, (label, points) in enumerate(curves.items()):
            if label not in CLOUDS:
                _reward_curve(axes, points, SERIES[i], label=label, linestyle=DASHES[i])
                continue
            # One point for each setting: the fainter, the smaller its first parameter; the larger,
            # the larger the second.
            first, second, marker = CLOUDS[label]
            for m, rank, size in zip(
                points, _ranks(points, first), _ranks(points, second), strict=True
            ):
                style = {
                    "alpha": 0.35 + 0.65 * rank,
                    "markersize": 4 + 4 * size,
                    "markeredgewidth": 0,
                    "color": SERIES[i],
                }
                axes.plot(
                    m.seconds_per_step,
                    m.mean().value,
                    marker,
                    label=label if m is points[-1] else None,
                    **style,
                )
        _finish(axes, "total reward", loc="best")
        yield picture


def _ranks(points: Sequence[Measurement], name: str | None) -> list[float]:
    """The rank of the setting of each measurement among all, from 0 to 1."""
    if name is None:
        return [0.3] * len(points)
    values = sorted({m.varied[name] for m in points})
    return [values.index(m.varied[name]) / max(1, len(values) - 1) for m in points]


def infinite_grid(experiment: Experiment, query: Query) -> Iterator[Picture]:
    """The infinite grid with the right prior, with a wrong one, and with random actions: sums and
    discounted sums.
    """
    for (_, curves), (measure, name) in product(_panels(experiment, query), MEASURES.items()):
        alt = (
            f"{experiment.title}: {name} of rewards against planning time per step, for "
            f"{', '.join(curves)}"
        )
        picture, axes = draw(f"{experiment.name}-{measure.partition('_')[0]}", _title(name), alt)
        for i, label in enumerate(("right prior", "wrong prior")):
            _reward_curve(axes, curves[label], SERIES[i], measure, label=label, linestyle=DASHES[i])
        for mean in (m.mean(measure) for m in curves["random"]):
            axes.axhspan(
                mean.low or mean.value,
                mean.high or mean.value,
                color=SERIES[2],
                alpha=0.25,
                linewidth=0,
            )
            axes.axhline(mean.value, color=SERIES[2], linewidth=1.2, linestyle=":", label="random")
        _finish(axes, f"{name} of rewards", bottom=0)
        yield picture


def lazy(experiment: Experiment, query: Query) -> Iterator[Picture]:
    """Time of a simulation by the way models are sampled."""
    for _, curves in _panels(experiment, query):
        means = {
            label: statistics.mean(seconds_per_simulation(points[0]))
            for label, points in curves.items()
            if points
        }
        alt = "; ".join(f"{label}: {duration(mean.value)}" for label, mean in means.items())
        picture, axes = draw(
            "lazy", "Time of a simulation", f"Time of a simulation. {alt}", (4.4, 1.9)
        )
        for label, mean in means.items():
            axes.errorbar(
                mean.value, label, xerr=_half(mean), marker="o", capsize=3, color=SERIES[0]
            )
            axes.annotate(
                duration(mean.value),
                (mean.value, label),
                (0, 7),
                textcoords="offset points",
                ha="center",
            )
        axes.set_xscale("log")
        axes.margins(x=0.15, y=0.35)
        axes.invert_yaxis()
        _time_axis(axes, "processor time of a simulation in the maze")
        yield picture


def exploration(experiment: Experiment, query: Query) -> Iterator[Picture]:
    """Reward of BAMCP against the exploration constant, as a share of that of c = 3, in the domains
    that have it.
    """
    by_domain = {
        domain: {m.varied["exploration"]: m for m in of["BAMCP"]}
        for domain, of in _panels(experiment, query)
    }
    curves = {domain: points for domain, points in by_domain.items() if 3 in points}
    if not curves:
        return
    alt = f"Total reward of BAMCP against c, as a share of that of c = 3, in {', '.join(curves)}"
    picture, axes = draw("exploration", "BAMCP with other exploration constants", alt)
    for i, (domain, points) in enumerate(curves.items()):
        usual, means = points[3].mean().value, [m.mean() for m in points.values()]
        x = [c * 1.03 ** (i - 1.5) for c in points]  # side by side
        y, errors = [mean.value / usual for mean in means], [_half(mean) / usual for mean in means]
        axes.errorbar(
            x,
            y,
            errors,
            marker="o",
            markersize=4,
            linewidth=1.2,
            capsize=2,
            color=SERIES[i],
            label=domain,
        )
    axes.set_xscale("log")
    constants = sorted({c for points in curves.values() for c in points})
    axes.set_xticks(constants, [f"{c:g}" for c in constants])
    axes.minorticks_off()
    axes.axhline(1, color=INK, linewidth=0.8)
    axes.set(xlabel="exploration constant c", ylabel="total reward, c = 3 is 1")
    axes.legend(ncols=2)
    yield picture


def figure_s1(experiment: Experiment, query: Query) -> Iterator[Picture]:
    """The probability of a correct decision between two arms, cell by cell: BAMCP by budget, and
    the posterior mean, exact.
    """
    index = indices(query)
    panels = {
        **decisions(query),
        **({} if index is None else {"posterior mean": posterior_mean(index)}),
    }
    ends = (RANGE[0] - 0.5, RANGE[-1] + 0.5)
    shown: Any = {
        "origin": "lower",
        "vmin": 0,
        "vmax": 1,
        "cmap": "viridis",
        "extent": (*ends, *ends),
        "interpolation": "none",
    }
    for title, table in panels.items():
        alt = (
            f"Probability of the correct decision by α and β, {title}: {np.nanmean(table):.3f} on "
            "average"
        )
        picture, axes = draw(
            f"figure-s1-{title.replace(',', '').replace(' ', '-')}", title, alt, (3.1, 2.5)
        )
        image = axes.imshow(table, **shown)
        axes.grid(visible=False)
        axes.set(xlabel="β", ylabel="α")
        axes.figure.colorbar(image, label="P(correct)", shrink=0.85)
        yield picture


def figure_s2(experiment: Experiment, query: Query) -> Iterator[Picture]:
    """Rewards on eight arms, sums and discounted sums."""
    measurements = [
        m
        for entry in experiment.entries["bandit"]
        if (m := query.best(experiment, "bandit", entry.label))
    ]
    for measure, name in MEASURES.items() if measurements else ():
        means = {m.label: m.mean(measure) for m in measurements}
        alt = (
            f"{_title(name)}: "
            f"{', '.join(f'{label} {mean.value:.1f}' for label, mean in means.items())}"
        )
        picture, axes = draw(
            f"figure-s2-{measure.partition('_')[0]}", _title(name), alt, (4.4, 1.9)
        )
        for i, (label, mean) in enumerate(means.items()):
            axes.errorbar(
                mean.value, label, xerr=_half(mean), marker="o", capsize=4, color=SERIES[i]
            )
        axes.invert_yaxis()
        axes.margins(y=0.25)
        axes.set_xlabel("reward, mean and 95 % interval")
        yield picture


def figure_s3(experiment: Experiment, query: Query) -> Iterator[Picture]:
    """The search tree after four simulations."""
    result = query.result(experiment, "known MDP", "BAMCP") or {}
    alt = "Search tree after four simulations, with visits N and mean returns Q"
    if "tree" in result:
        yield drawing("figure-s3", "Search tree", alt, TreePicture(result["tree"]).svg())


def figure_s4(experiment: Experiment, query: Query) -> Iterator[Picture]:
    """A portion of one infinite grid, and a film of BAMCP that explores it, as
    the paper's videos.
    """
    for m in query.measurements(experiment, "one world", "film of BAMCP")[:1]:
        world, moving = io.BytesIO(), io.BytesIO()
        for file, frames in ((world, [m.result["world"]]), (moving, m.result["frames"])):
            write_animation(
                [image(grid.drawing(frame), grid.SCALE) for frame in frames], file, "webp"
            )
        steps = f"{m.settings['steps']} steps of {m.settings['simulations']:,} simulations"
        title = f"BAMCP, {steps}, total reward {m.result['total_reward']:g}"
        alt = "A map of black squares, with a circle for each column and row"
        yield film("figure-s4-world", "A portion of one world", alt, world.getvalue())
        yield film(
            "figure-s4-film",
            title,
            "Film: the agent explores the map",
            moving.getvalue(),
            world.getvalue(),
        )


def convergence(experiment: Experiment, query: Query) -> Iterator[Picture]:
    """The bias of the root value against the number of simulations, in problems that can be solved
    exactly.
    """
    for problem, by_label in _panels(experiment, query):
        curves = {
            label: [(n, abs(bias)) for n, bias, *_ in biases(points)]
            for label, points in by_label.items()
        }
        curves = {label: curve for label, curve in curves.items() if curve}
        if not curves:
            continue
        alt = (
            f"{problem}: size of the root value's bias against simulations, for {', '.join(curves)}"
        )
        picture, axes = draw(
            f"convergence-{problem.replace(',', '').replace(' ', '-')}", problem, alt
        )
        for i, (label, curve) in enumerate(curves.items()):
            style = {
                "marker": "o",
                "markersize": 3,
                "linewidth": 1.3,
                "linestyle": ("-", "-", "--", "--", ":")[i],
            }
            axes.loglog(*zip(*curve, strict=True), color=SERIES[i], label=label, **style)
        n = np.array(sorted({budget for curve in curves.values() for budget, _ in curve}))
        axes.loglog(
            n,
            30 * np.log(n) / n,
            color=INK,
            linewidth=1,
            linestyle=(0, (1, 3)),
            label="30 log N / N",
        )
        axes.set(xlabel="simulations N", ylabel="|bias| of the root value")
        axes.legend(ncols=2, fontsize=7)
        yield picture


def scoreboard(board: Sequence[Standing]) -> Iterator[Picture]:
    """A cell for each problem and agent, the darker the better, with a frame around the best: as
    given, and tuned.
    """
    for name, title in COLUMNS.items():
        problems, agents = (
            [standing for standing in board if standing.column(name)],
            agents_of(board, name),
        )
        alt = (
            f"{title}: scores by problem and agent, 0 for random actions, 1 for knowing the world; "
            "all are in the table"
        )
        for first in range(0, len(agents), WIDEST):
            shown, part = agents[first : first + WIDEST], f"-{first // WIDEST + 1}" if first else ""
            size = (1.9 + 0.5 * len(shown), 1.5 + 0.3 * len(problems))
            picture, axes = draw(f"scoreboard-{name}{part}", title, alt, size)
            for (y, standing), (x, agent) in product(enumerate(problems), enumerate(shown)):
                if agent in standing.column(name):
                    _cell(axes, x, y, standing.column(name)[agent])
            axes.set(xlim=(-0.5, len(shown) - 0.5), ylim=(len(problems) - 0.5, -0.5))
            axes.set_xticks(
                range(len(shown)), shown, rotation=40, ha="left", rotation_mode="anchor"
            )
            axes.set_yticks(range(len(problems)), [standing.problem for standing in problems])
            axes.xaxis.tick_top()
            axes.tick_params(length=0)
            axes.grid(visible=False)
            for spine in axes.spines.values():
                spine.set_visible(False)
            yield picture


def _cell(axes: Any, x: int, y: int, score: Score) -> None:
    from matplotlib import colormaps
    from matplotlib.patches import Rectangle

    value = None if score.scaled is None else score.scaled.value
    shade = 0.9 * min(1.0, max(0.0, value or 0.0))
    color = colormaps["Blues"](shade)
    axes.add_patch(
        Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=color, edgecolor=LIGHT, linewidth=0.5)
    )
    if score.best:
        frame: Any = {"facecolor": "none", "edgecolor": SERIES[1], "linewidth": 1.8, "zorder": 3}
        axes.add_patch(Rectangle((x - 0.45, y - 0.45), 0.9, 0.9, **frame))
    bold, italic = "bold" if score.best else "normal", "italic" if value is None else "normal"
    text = (
        f"{score.measurement.mean(RETURN).value:.3g}"
        if value is None
        else f"{round(value, 2) + 0.0:.2f}"
    )
    style = {
        "color": LIGHT if shade > 0.5 else DARK,
        "fontsize": 8,
        "fontweight": bold,
        "fontstyle": italic,
    }
    axes.text(x, y, text.replace("-", "−"), ha="center", va="center", **style)


# The charts of each experiment, by its name; those of the benchmark are drawn from its scores, by
# `scoreboard`.
CHARTS: dict[str, Callable[[Experiment, Query], Iterator[Picture]]] = {
    "table1": table1,
    "figure1": figure1,
    "lazy": lazy,
    "exploration": exploration,
    "figure2": infinite_grid,
    "figure-s5a": infinite_grid,
    "figure-s5b": infinite_grid,
    "figure-s1": figure_s1,
    "figure-s2": figure_s2,
    "figure-s3": figure_s3,
    "figure-s4": figure_s4,
    "convergence": convergence,
}


def _panels(
    experiment: Experiment, query: Query
) -> Iterator[tuple[str, Mapping[str, list[Measurement]]]]:
    """The panels that have runs, each with the points of its entries."""
    panels = ((panel, query.panel(experiment, panel)) for panel in experiment.entries)
    return ((panel, curves) for panel, curves in panels if any(curves.values()))


def _reward_curve(
    axes: Any,
    points: Sequence[Measurement],
    color: str,
    measure: str = "total_reward",
    **style: Any,
) -> None:
    """Rewards against planning time, with 95 % intervals."""
    timed = sorted((m for m in points if m.seconds_per_step > 0), key=lambda m: m.seconds_per_step)
    means = [m.mean(measure) for m in timed]
    options = {
        "marker": "o",
        "markersize": 4,
        "linewidth": 1.4,
        "capsize": 2,
        "elinewidth": 0.8,
        **style,
    }
    x, y, errors = (
        [m.seconds_per_step for m in timed],
        [mean.value for mean in means],
        [_half(mean) for mean in means],
    )
    if points:
        axes.errorbar(x, y, errors, color=color, **options)


def _title(measure: str) -> str:
    return f"{measure[0].upper()}{measure[1:]} of rewards"


def _finish(axes: Any, rewards: str, bottom: float | None = None, **legend: Any) -> None:
    """The axes of a chart of rewards against planning time."""
    _time_axis(axes)
    if bottom is not None:
        axes.set_ylim(bottom=bottom)
    axes.set_ylabel(rewards)
    axes.legend(**legend)


def _time_axis(axes: Any, label: str = "planning time per step") -> None:
    """A logarithmic axis of seconds."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    low, high = axes.get_xlim()
    if (
        high < 10 * low
    ):  # a few points of about the same time: a decade, so that the labels have room
        low, high = (low * high) ** 0.5 / 10**0.5, (low * high) ** 0.5 * 10**0.5
        axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0,) if high > 100 * low else (1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda seconds, _: duration(seconds)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(label)


def _half(mean: Mean) -> float:
    """Half the length of its error bar; nan, which draws none, if there is no interval."""
    return nan if mean.half is None else mean.half
