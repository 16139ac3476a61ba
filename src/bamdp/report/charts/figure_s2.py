"""Figure S2: rewards on eight arms."""

from functools import partial
from typing import Any

from bamdp.report.chart import SERIES, draw, half_width
from bamdp.report.picture import Picture
from bamdp.report.query import Query
from bamdp.statistics import Mean
from bamdp.studies.experiment import Experiment
from bamdp.studies.paper.bandits import FIGURE_S2

EXPERIMENTS = (FIGURE_S2,)
MEASURES = {"total_reward": "Sum of rewards", "discounted_return": "Discounted sum of rewards"}


def pictures(experiment: Experiment, query: Query) -> list[Picture]:
    """Sums and discounted sums."""
    found = {entry.label: query.best(experiment, "bandit", entry.label) for entry in experiment.entries["bandit"]}
    best = {label: measurement.point for label, measurement in found.items() if measurement}
    charts: list[Picture] = []
    for measure, title in MEASURES.items() if best else ():
        means = {label: point.mean(measure) for label, point in best.items()}
        alt = f"{title}: {', '.join(f'{label} {mean.value:.1f}' for label, mean in means.items())}"
        charts.append(draw(f"figure-s2-{measure.partition('_')[0]}", title, alt, partial(_plot, means), (4.4, 1.9)))
    return charts


def _plot(means: dict[str, Mean], axes: Any) -> None:
    for i, (label, mean) in enumerate(means.items()):
        axes.errorbar(mean.value, label, xerr=half_width(mean), marker="o", capsize=4, color=SERIES[i])
    axes.invert_yaxis()
    axes.margins(y=0.25)
    axes.set_xlabel("reward, mean and 95 % interval")
