"""The pictures of the report, one module for each figure; see `bamdp.report.chart`.

A module says which `EXPERIMENTS` it draws and has a function `pictures(experiment, query)`; a file that is dropped in here
needs no entry in any list. Headings and texts are those of the experiment.
"""

from bamdp.report.picture import Picture
from bamdp.report.query import Query
from bamdp.studies.discovery import modules
from bamdp.studies.experiment import Experiment


def pictures(experiment: Experiment, query: Query) -> list[Picture]:
    """All pictures of an experiment; none without rows."""
    drawing = (m for m in modules(__name__) if experiment.name in {drawn.name for drawn in m.EXPERIMENTS})
    return [picture for module in drawing for picture in module.pictures(experiment, query)]
