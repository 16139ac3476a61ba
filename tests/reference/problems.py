"""Problems and beliefs where only their size matters, and what a notebook shows of a value."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from bamdp import BAMDP, Prior
from bamdp.domain import UNBOUNDED
from bamdp.priors import Dirichlet


def sized(
    num_states: int | None,
    num_actions: int,
    discount: float = 0.9,
    prior: Prior | None = None,
    **more: Any,
) -> BAMDP:
    """A problem of this size without rewards; of infinitely many states if None or `UNBOUNDED`."""
    S = 0 if num_states in (None, UNBOUNDED) else num_states
    return BAMDP(
        Dirichlet() if prior is None else prior, np.zeros((S, num_actions)), discount, **more
    )


def belief_of(
    prior: Prior, num_states: int, num_actions: int, terminal: Collection[int] = ()
) -> Any:
    """The belief of a prior in a problem of this size."""
    return sized(num_states, num_actions, prior=prior, terminal=terminal).belief()


def shown(value: Any) -> str:
    """What a notebook shows of a value: HTML or SVG."""
    for name in ("_repr_html_", "_repr_svg_"):
        if hasattr(value, name):
            return str(getattr(value, name)())
    raise TypeError(f"a notebook shows text of {value!r} alone")
