"""The contracts of a prior and of the belief it becomes.

A prior is frozen settings: what is known of the transitions before any was seen. `prior.belief(S, A)` makes a belief, which
`observe` turns into the posterior, transition by transition. A belief also hands the search its model (`search`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray


class Belief(ABC):
    """What is known of the transitions of a world with `num_states` states and `num_actions` actions.

    `observe` is all that every belief can do. An agent that needs more (`predictive`, `mean`, `sample_mdp`) asks for it and
    gets a `TypeError` that says so where the belief can't.
    """

    num_states: int
    num_actions: int

    @abstractmethod
    def observe(self, state: int, action: int, next_state: int) -> None:
        """Take in one real transition."""

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

    def search(self, rewards: NDArray[np.float64], **settings: Any) -> Any:
        """A native search (see `bamdp._core`) that plans with this belief; it sees every later observation.

        `rewards` has no entries, [0, A], if the world is unbounded.
        """
        raise TypeError(f"{type(self).__name__} has no native model to search with")


class Prior(ABC):
    """Frozen settings from which beliefs are made.

    Attributes:
        rollouts: the roll-out policies that its models know, the one to use by default first.
    """

    rollouts: ClassVar[tuple[str, ...]] = ("learned", "uniform")

    @abstractmethod
    def belief(self, num_states: int, num_actions: int) -> Belief:
        """The belief before any observation; `num_states` is `bamdp.domain.UNBOUNDED` if there is no end to them.

        A prior that is not for such a world refuses with a `ValueError`.
        """
