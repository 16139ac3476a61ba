"""Simulated people: their model, the range of their parameters, and the worlds they play in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bamdp.domain import Domain
from bamdp.fit.model import Model

Worlds = Domain | Callable[[np.random.Generator], Domain]


@dataclass(frozen=True, eq=False)
class RecoveryTask:
    """A model to recover: simulated people, and how they play.

    Attributes:
        model: the model.
        people: lowest and highest true value of each parameter; drawn evenly on its scale.
        games: games of each person.
        worlds: the world of all games, or a function that draws that of a game; drawn from the
            prior if None.
        fitted: the model that is fitted, with the same parameters, if it is another one.
        settings: further arguments of `simulate`: `forced`, `conditions`, `steps`.
    """

    model: Model
    people: Mapping[str, tuple[float, float]]
    games: int
    worlds: Worlds | None = None
    fitted: Model | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for end in (0, 1):
            self.model.checked({name: ends[end] for name, ends in self.people.items()})

    def person(self, rng: np.random.Generator) -> dict[str, float]:
        """The parameters of a person."""
        parameters = {}
        for name, ends in self.people.items():
            bounds = self.model.bounds(name)
            low, high = map(bounds.scaled, ends)
            parameters[name] = bounds.value(float(rng.uniform(low, high)))
        return parameters
