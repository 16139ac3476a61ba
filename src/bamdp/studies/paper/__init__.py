"""The paper as data: settings, grids, seeds and published numbers of each table and figure; no logic."""

from bamdp.studies.experiment import Experiment
from bamdp.studies.paper import bandits, convergence, figure1, figure2, table1

ALL: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        table1.TABLE,
        table1.TIME,
        figure1.FIGURE,
        figure1.LAZY,
        figure1.EXPLORATION,
        figure2.FIGURE_2,
        figure2.FIGURE_S5A,
        figure2.FIGURE_S5B,
        bandits.TABLE,
        bandits.EIGHT_ARMS,
        convergence.CONVERGENCE,
    )
}
