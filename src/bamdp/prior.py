"""The contracts of priors and beliefs.

A prior is a frozen set of hyperparameters. `prior.belief(S, A)` makes a belief, which `observe` updates to the posterior, one
transition at a time. A belief also has a native model for a search (`model`).
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.notebook.html import joined, table, tag


class SummaryTable(NamedTuple):
    """A small table that summarizes a belief, as plain data; the first cell of each row is its name."""

    columns: Sequence[str]
    rows: Iterable[Sequence[object]]


class Belief(ABC):
    """A belief over the transitions of a domain with `num_states` states and `num_actions` actions.

    Only `observe` is required. The others (`predictive`, `mean`, `sample_mdp`, `model`) raise a `TypeError` if not supported;
    agents name what they need.

    Attributes:
        state_attributes: for saving: names of the attributes that `observe` changes; see `bamdp.saving.state`.
    """

    state_attributes: ClassVar[tuple[str, ...]]
    num_states: int
    num_actions: int

    @abstractmethod
    def observe(self, state: int, action: int, next_state: int) -> None:
        """Learn from one real transition."""

    def __copy__(self) -> Self:
        """A deep copy: beliefs that share counts would learn from each other."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} over {self.num_states} states and {self.num_actions} actions>"

    def _repr_html_(self) -> str:
        parts = [repr(self), *self.summary()]
        return joined([table(*part) if isinstance(part, SummaryTable) else tag("p", part) for part in parts])

    def summary(self) -> list[SummaryTable | str]:
        """Small tables or sentences that a notebook shows below the `repr`."""
        return []

    def observe_step(self, state: int, action: int, reward: float, next_state: int) -> None:
        """Learn from one real step; a belief over rewards learns from the reward too."""
        self.observe(state, action, next_state)

    def predictive(self, state: int, action: int) -> NDArray[np.float64]:
        """The probability of each next state, with the unknown dynamics integrated out. [S]"""
        raise TypeError(f"{type(self).__name__} can't give predictive probabilities")

    def mean(self) -> NDArray[np.float64]:
        """The posterior mean of the transition probabilities. [S, A, S]"""
        rows = [[self.predictive(s, a) for a in range(self.num_actions)] for s in range(self.num_states)]
        return np.array(rows)

    def sample_mdp(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Transition probabilities drawn from the posterior. [S, A, S]"""
        raise TypeError(f"{type(self).__name__} can't sample whole transition tables")

    def load_mean(self, solver: _core.Solver, bonus: float = 0.0) -> None:
        """Load the posterior mean into a solver, with each reward increased by bonus / (1 + pseudo-counts + visits)."""
        if bonus != 0:
            raise TypeError(f"{type(self).__name__} has no counts to make an exploration bonus of")
        solver.load_tables(self.mean()[None])

    def load_samples(self, solver: _core.Solver, count: int, rng: np.random.Generator) -> None:
        """Load `count` models drawn from the posterior into a solver, which takes the best of them in every state."""
        solver.load_tables(np.stack([self.sample_mdp(rng) for _ in range(count)]))

    def model(self, seeds: list[list[int]]) -> tuple[Any, ...]:
        """Arguments of a native search with this belief: the native belief, and what else the core takes.

        The search sees all later observations. `seeds` has one seed for each tree, and a last one for the decision.
        """
        raise TypeError(f"{type(self).__name__} has no native model to search with")


class Prior(ABC):
    """Frozen hyperparameters that make beliefs."""

    @abstractmethod
    def belief(self, num_states: int, num_actions: int) -> Belief:
        """The belief before any observation; `num_states` is `bamdp.domain.UNBOUNDED` if infinite.

        Raises:
            ValueError: the prior is not for a domain of this size.
        """


def checked_prior(value: Any) -> Prior:
    """`value`, if it is a prior."""
    if not isinstance(value, Prior):
        raise TypeError(f"prior must be one of bamdp.priors or of your own subclass of bamdp.Prior, got {value!r}")
    return value
