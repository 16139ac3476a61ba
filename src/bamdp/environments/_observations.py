"""Observations of the Bayes-adaptive MDP: the state, the step where there is a deadline, and the tables of the belief."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from bamdp.domain import Domain
from bamdp.environments._parts import Index
from bamdp.environments.statistic import Statistic

STATE, STEP = "state", "step"


class Observations:
    """Makes the observations of all copies.

    Attributes:
        space: the space of one of them.
    """

    def __init__(self, domain: Domain, statistic: Statistic, steps: int, flat: bool) -> None:
        self._statistic, self._flat, self._timed = statistic, flat, domain.deadline is not None
        self._one_hot = np.eye(domain.num_states, dtype=np.float32) if flat else None
        self.space = self._made(domain.num_states, steps)

    def _made(self, num_states: int, steps: int) -> spaces.Space[Any]:
        tables = self._statistic.spaces
        if not self._flat:
            timed: dict[str, spaces.Space[Any]] = {STEP: spaces.Discrete(steps + 1)} if self._timed else {}
            return spaces.Dict({STATE: spaces.Discrete(num_states), **timed, **tables})
        low, high = [np.zeros(num_states)], [np.ones(num_states)]
        if self._timed:
            low, high = [*low, np.zeros(1)], [*high, np.full(1, float(steps))]
        low += [box.low.ravel().astype(np.float64) for box in tables.values()]
        high += [box.high.ravel().astype(np.float64) for box in tables.values()]
        bounds = [np.concatenate(ends).astype(np.float32) for ends in (low, high)]
        return spaces.Box(bounds[0], bounds[1], dtype=np.float32)

    def of(self, states: Index, steps: Index) -> Any:
        """The observations in `states` after `steps` steps; new arrays. [N, …]"""
        tables = self._statistic.tables()
        if self._one_hot is None:
            return {STATE: states.copy(), **({STEP: steps.copy()} if self._timed else {}), **tables}
        timed = [steps[:, None].astype(np.float32)] if self._timed else []
        return np.concatenate(
            [self._one_hot[states], *timed, *(table.reshape(len(table), -1) for table in tables.values())], axis=1
        )


def one(observations: Any, index: int = 0) -> Any:
    """The observation of one copy."""
    return {name: part[index] for name, part in observations.items()} if isinstance(observations, dict) else observations[index]
