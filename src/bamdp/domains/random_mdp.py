"""Random MDPs, reproducible by seed.

| `rows`        | each row P(· | s, a)                                                                         |
|---------------|----------------------------------------------------------------------------------------------|
| `"dirichlet"` | Dirichlet(1/S, …, 1/S)                                                                       |
| `"sparse"`    | support size k with P(k) ∝ k⁻², a uniform support of that size, Dirichlet(0.2, …, 0.2) on it |

| `rewards`   | R(s, any action)                        |
|-------------|-----------------------------------------|
| `"last"`    | 1 in state S − 1                        |
| `"two"`     | 2 in state S − 1, 1 in state ⌊S/2⌋      |
| `"uniform"` | drawn uniformly from [0, 1], per state  |

Source: the random environments of the program of Guez, Silver, Dayan, 2012 (not used in the paper).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bamdp._validation import fits_memory, one_of, table_sizes
from bamdp._validation import seed as valid_seed
from bamdp.domains.tabular import Tabular
from bamdp.prior import Prior
from bamdp.priors import Dirichlet, SparseDirichlet


class RandomMDP(Tabular):
    """A random MDP; runs start in state 0.

    Args:
        num_states: number of states.
        num_actions: number of actions.
        rows: distribution of the transition probabilities.
        rewards: which states are rewarded.
        discount: discount factor, in [0, 1); 1 with a deadline.
        seed: seed of the MDP; runs have their own.
        deadline: number of steps of a run that count, which agents are given; none if not given.
        episode_length: number of steps of each episode, which agents are given; goes with a deadline.

    Example:
        >>> RandomMDP(6, 2, rewards="two").rewards[:, 0]
        array([0., 0., 0., 1., 0., 2.])
    """

    def __init__(
        self,
        num_states: int = 10,
        num_actions: int = 3,
        *,
        rows: Literal["dirichlet", "sparse"] = "dirichlet",
        rewards: Literal["last", "two", "uniform"] = "last",
        discount: float = 0.95,
        seed: int = 0,
        deadline: int | None = None,
        episode_length: int | None = None,
    ) -> None:
        S, A = table_sizes(num_states, num_actions)
        self.rows = one_of("rows", rows, ("dirichlet", "sparse"))
        rng = np.random.default_rng(valid_seed(seed))
        by_state = _rewards(one_of("rewards", rewards, ("last", "two", "uniform")), S, rng)
        if self.rows == "sparse":
            fits_memory("num_states and num_actions", 16 * S * A)
            successors, probabilities = _sparse_rows(S, A, rng)
        else:
            fits_memory("num_states and num_actions", 2 * S * A * S)
            successors = np.broadcast_to(np.arange(S), (S, A, S)).copy()
            probabilities = rng.dirichlet(np.full(S, 1 / S), size=(S, A))
        self._fill(
            successors,
            probabilities,
            np.broadcast_to(by_state[:, None], (S, A)),
            discount,
            deadline=deadline,
            episode_length=episode_length,
        )

    def prior(self) -> Prior:
        return SparseDirichlet() if self.rows == "sparse" else Dirichlet()

    @property
    def description(self) -> str:
        paid = self.rewards[:, 0]
        paying = np.flatnonzero(paid)
        some = " and ".join(f"{paid[s]:g} in state {s}" for s in paying)
        return (
            f"A random world of {self.num_states} states and {self.num_actions} actions: find the way to its rewards; an "
            f"action pays {some if len(paying) <= 2 else 'what its state pays, from 0 to 1'}."
        )


def _rewards(kind: str, S: int, rng: np.random.Generator) -> NDArray[np.float64]:
    if kind == "uniform":
        return rng.random(S)
    rewards = np.zeros(S)
    if kind == "two":
        rewards[S // 2] = 1
    rewards[-1] = 2 if kind == "two" else 1
    return rewards


def _sparse_rows(S: int, A: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    weights = np.arange(1, S + 1) ** -2.0
    sizes = rng.choice(np.arange(1, S + 1), size=(S, A), p=weights / weights.sum())
    successors = np.zeros((S, A, int(sizes.max())), dtype=np.int64)
    probabilities = np.zeros(successors.shape)
    for s, a in np.ndindex(S, A):
        k = sizes[s, a]
        successors[s, a, :k] = rng.choice(S, size=k, replace=False)
        probabilities[s, a, :k] = rng.dirichlet(np.full(k, 0.2))
    return successors, probabilities
