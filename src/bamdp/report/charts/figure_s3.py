"""Figure S3: the search tree after four simulations."""

from bamdp.pictures.tree import TreePicture
from bamdp.report.picture import Picture, SvgPicture
from bamdp.report.query import Query
from bamdp.studies.experiment import Experiment
from bamdp.studies.paper.figure_s3 import FIGURE_S3

EXPERIMENTS = (FIGURE_S3,)


def pictures(experiment: Experiment, query: Query) -> list[Picture]:
    """The tree, with visits N and mean returns Q."""
    result = query.result(experiment, "known MDP", "BAMCP") or {}
    if "tree" not in result:
        return []
    svg = TreePicture(result["tree"]).svg()
    return [SvgPicture("figure-s3", "Search tree", "Search tree after four simulations, with visits N and mean returns Q", svg)]
