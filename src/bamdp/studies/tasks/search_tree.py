"""The search tree of BAMCP in a known MDP, of the first seed whose random choices give the values asked for."""

from collections.abc import Mapping
from math import isclose
from typing import Any

import numpy as np

from bamdp.agents import BAMCP
from bamdp.priors import Dirichlet
from bamdp.problem import BAMDP

SEEDS = 10_000  # that are tried
PROGRAM = ("expand_after", "first_action", "log_term")  # in settings: what makes up the variant "program" of BAMCP


def perform(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """The seed, the values of action 0 at the root and of action 1 in the node below, and the tree; nothing if no seed fits.

    Example:
        >>> from bamdp.studies.paper.figure_s3 import FIGURE_S3
        >>> round(perform(FIGURE_S3.entries["known MDP"][0].settings, seed=0, run=0)["below"], 3)
        1.805
    """
    prior = Dirichlet(np.eye(len(settings["successors"]))[settings["successors"]])
    problem = BAMDP(prior, settings["rewards"], settings["discount"])
    search = {name: value for name, value in settings["search"].items() if name not in PROGRAM}
    for agent_seed in range(seed, seed + SEEDS):
        tree = BAMCP(problem, variant="program", seed=agent_seed, **search).plan(0).tree.to_dict()
        first = tree["actions"][0]
        for child in first["children"]:
            values = first["value"], child["actions"][1]["value"]
            if all(isclose(*pair, abs_tol=1e-12) for pair in zip(values, settings["values"], strict=True)):
                return {"agent_seed": agent_seed, "root": values[0], "below": values[1], "tree": tree}
    return {}
