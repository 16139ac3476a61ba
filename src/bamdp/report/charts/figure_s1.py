"""Figure S1: the probability of a correct decision between two arms, cell by cell."""

from functools import partial
from typing import Any

import numpy as np

from bamdp.report.chart import draw
from bamdp.report.claims.bandits import Grid, decisions, indices, posterior_mean
from bamdp.report.picture import Picture
from bamdp.report.query import Query
from bamdp.studies.experiment import Experiment
from bamdp.studies.paper.bandits import FIGURE_S1, RANGE

EXPERIMENTS = (FIGURE_S1,)


def pictures(experiment: Experiment, query: Query) -> list[Picture]:
    """BAMCP by budget, and the posterior mean, which is exact."""
    index = indices(query)
    panels = {**decisions(query), **({} if index is None else {"posterior mean": posterior_mean(index)})}
    return [
        draw(
            f"figure-s1-{title.replace(',', '').replace(' ', '-')}",
            title,
            f"Probability of the correct decision by α and β, {title}: {np.nanmean(table):.3f} on average",
            partial(_plot, table),
            (3.1, 2.5),
        )
        for title, table in panels.items()
    ]


def _plot(table: Grid, axes: Any) -> None:
    low, high = RANGE[0] - 0.5, RANGE[-1] + 0.5
    image = axes.imshow(
        table, origin="lower", vmin=0, vmax=1, cmap="viridis", extent=(low, high, low, high), interpolation="none"
    )
    axes.grid(visible=False)
    axes.set(xlabel="β", ylabel="α")
    axes.figure.colorbar(image, label="P(correct)", shrink=0.85)
