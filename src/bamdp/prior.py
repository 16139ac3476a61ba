"""The contracts of a prior and of the belief it becomes.

A prior is frozen settings: what is known of the transitions before any was seen. `prior.belief(S, A)` makes a belief, which
`observe` turns into the posterior, transition by transition. A belief also hands out what a native search is made of (`model`).
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
    """A small table of what a belief knows, as plain data; the first cell of each row names it."""

    columns: Sequence[str]
    rows: Iterable[Sequence[object]]


class Belief(ABC):
    """What is known of the transitions of a world with `num_states` states and `num_actions` actions.

    `observe` is all that every belief can do. An agent that needs more (`predictive`, `mean`, `sample_mdp`) asks for it and
    gets a `TypeError` that says so where the belief can't.

    Attributes:
        learned: the attributes that `observe` changes, for saving; see `bamdp.saving.state`.
    """

    learned: ClassVar[tuple[str, ...]]
    num_states: int
    num_actions: int

    @abstractmethod
    def observe(self, state: int, action: int, next_state: int) -> None:
        """Take in one real transition."""

    def __copy__(self) -> Self:
        """A belief of its own: one that shared its counts would learn with the other."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} over {self.num_states} states and {self.num_actions} actions>"

    def _repr_html_(self) -> str:
        parts = [repr(self), *self.summary()]
        return joined([table(*part) if isinstance(part, SummaryTable) else tag("p", part) for part in parts])

    def summary(self) -> list[SummaryTable | str]:
        """What a notebook shows of it beside its `repr`: small tables, or sentences."""
        return []

    def observe_step(self, state: int, action: int, reward: float, next_state: int) -> None:
        """Take in one real step; a belief over rewards learns from the reward too."""
        self.observe(state, action, next_state)

    def predictive(self, state: int, action: int) -> NDArray[np.float64]:
        """The probability of each next state, the unknown dynamics integrated out. [S]"""
        raise TypeError(f"{type(self).__name__} can't give predictive probabilities")

    def mean(self) -> NDArray[np.float64]:
        """The posterior mean of the transition probabilities. [S, A, S]"""
        rows = [[self.predictive(s, a) for a in range(self.num_actions)] for s in range(self.num_states)]
        return np.array(rows)

    def sample_mdp(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Transition probabilities drawn from the posterior. [S, A, S]"""
        raise TypeError(f"{type(self).__name__} can't sample whole transition tables")

    def load_mean(self, solver: _core.Solver, bonus: float = 0.0) -> None:
        """Hand the posterior mean to a solver, each reward raised by bonus / (1 + pseudo-counts + visits)."""
        if bonus != 0:
            raise TypeError(f"{type(self).__name__} has no counts to make an exploration bonus of")
        solver.load_tables(self.mean()[None])

    def load_samples(self, solver: _core.Solver, count: int, rng: np.random.Generator) -> None:
        """Hand `count` models drawn from the posterior to a solver, which takes the best of them in every state."""
        solver.load_tables(np.stack([self.sample_mdp(rng) for _ in range(count)]))

    def model(self, seeds: list[list[int]]) -> tuple[Any, ...]:
        """What a native search that plans with this belief is made of: its native part, and what else the core takes.

        The search sees every later observation. `seeds` are one for each of its trees, and a last one for the decision.
        """
        raise TypeError(f"{type(self).__name__} has no native model to search with")


class Prior(ABC):
    """Frozen settings from which beliefs are made."""

    @abstractmethod
    def belief(self, num_states: int, num_actions: int) -> Belief:
        """The belief before any observation; `num_states` is `bamdp.domain.UNBOUNDED` if there is no end to them.

        A prior that is not for such a world refuses with a `ValueError`.
        """


def checked_prior(value: Any) -> Prior:
    """`value`, if it is a prior."""
    if not isinstance(value, Prior):
        raise TypeError(f"prior must be one of bamdp.priors or of your own subclass of bamdp.Prior, got {value!r}")
    return value
