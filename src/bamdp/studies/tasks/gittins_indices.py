"""Exact Gittins indices of Bernoulli arms with Beta priors."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bamdp.exact import gittins_index

TOLERANCE = 1e-8


def perform(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """The index of each pair of parameters, by `alpha` and then by `beta`.

    Example:
        >>> [[index]] = perform({"alpha": [1], "beta": [1], "discount": 0.5}, seed=0, run=0)["indices"]
        >>> round(index, 4)
        0.559
    """
    alpha, beta = np.array(settings["alpha"]), np.array(settings["beta"])
    return {"indices": np.asarray(gittins_index(alpha[:, None], beta[None, :], settings["discount"], TOLERANCE)).tolist()}
