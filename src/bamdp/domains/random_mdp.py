"""Random MDPs, reproducible by seed.

| `rows`        | each row P(· | s, a) |
|---------------|---|
| `"dirichlet"` | Dirichlet(1/S, …, 1/S) |
| `"flat"`      | Dirichlet(1, …, 1) |
| `"sparse"` | size k with P(k) ∝ k⁻², a uniform support of k states, Dirichlet(0.2, …, 0.2) on it |

| `rewards`   | R(s, any action) |
|-------------|---|
| `"last"`    | 1 in state S − 1 |
| `"two"`     | 2 in state S − 1, 1 in state ⌊S/2⌋ |
| `"uniform"` | drawn uniformly from [0, 1], per state |
| `"normal"`  | each step of (s, a) pays N(μ, 1), with μ(s, a) ~ N(1, 1) unknown to agents |

Source: the random environments of the program of Guez, Silver, Dayan, 2012 (not used in the paper).
Flat rows with normal rewards are those of Osband, Russo, Van Roy 2013 and of RL² (Duan et al.
2016).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bamdp.domains.tabular import Tabular
from bamdp.mdp import MDP, Outcomes
from bamdp.prior import Prior, checked_prior
from bamdp.priors._normal import Normal
from bamdp.priors.dirichlet import Dirichlet
from bamdp.priors.sparse_dirichlet import SparseDirichlet
from bamdp.priors.unknown_rewards import UnknownRewards
from bamdp.problem import BAMDP
from bamdp.validation import fits_memory, one_of, table_sizes
from bamdp.validation import seed as valid_seed

MEAN, DEVIATION, NOISE = 1.0, 1.0, 1.0  # of normal rewards
PRIORS: dict[str, Prior] = {  # that rows are drawn from
    "dirichlet": Dirichlet(),
    "flat": Dirichlet(1.0),
    "sparse": SparseDirichlet(),
}


class RandomMDP(Tabular):
    """A random MDP; runs start in state 0.

    Args:
        num_states: number of states.
        num_actions: number of actions.
        rows: distribution of the transition probabilities.
        rewards: which states are rewarded; or normal rewards, which agents don't know.
        discount: discount factor, in [0, 1); 1 with a horizon.
        seed: seed of the MDP; runs have their own.
        horizon: number of steps of a run that count, which agents are given; none if not given.
        episode_length: number of steps of each episode, which agents are given; goes with a
            horizon.

    Example:
        >>> RandomMDP(6, 2, rewards="two").rewards[:, 0]
        array([0., 0., 0., 1., 0., 2.])
    """

    def __init__(
        self,
        num_states: int = 10,
        num_actions: int = 3,
        *,
        rows: Literal["dirichlet", "flat", "sparse"] = "dirichlet",
        rewards: Literal["last", "two", "uniform", "normal"] = "last",
        discount: float = 0.95,
        seed: int = 0,
        horizon: int | None = None,
        episode_length: int | None = None,
    ) -> None:
        S, A = table_sizes(num_states, num_actions)
        self.rows = one_of("rows", rows, ("dirichlet", "flat", "sparse"))
        rng = np.random.default_rng(valid_seed(seed))
        paid = _paid(one_of("rewards", rewards, ("last", "two", "uniform", "normal")), S, A, rng)
        if self.rows == "sparse":
            fits_memory("num_states and num_actions", 16 * S * A)
            successors, probabilities = _sparse_rows(S, A, rng)
        else:
            fits_memory("num_states and num_actions", 2 * S * A * S)
            successors = np.broadcast_to(np.arange(S), (S, A, S)).copy()
            probabilities = rng.dirichlet(
                np.full(S, 1.0 if self.rows == "flat" else 1 / S), size=(S, A)
            )
        noise = Outcomes(deviations=np.full((S, A), NOISE)) if rewards == "normal" else None
        mdp = MDP(probabilities, paid, successors=successors, outcomes=noise)
        super().__init__(
            mdp,
            discount,
            horizon=horizon,
            episode_length=episode_length,
            prior=PRIORS[self.rows],
        )

    def problem(self, prior: Prior | None = None, **changes: Any) -> BAMDP:
        """What agents are told: normal rewards are unknown."""
        prior = self._prior if prior is None else checked_prior(prior)
        if self.random_rewards and not prior.unknown_rewards:
            prior = UnknownRewards(prior, outcomes=Normal(MEAN, DEVIATION, NOISE))
        return super().problem(prior, **changes)


def _paid(kind: str, S: int, A: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """The reward, or its mean, of each state and action. [S, A]"""
    if kind == "normal":
        return rng.normal(MEAN, DEVIATION, size=(S, A))
    rewards = rng.random(S) if kind == "uniform" else np.zeros(S)
    if kind == "two":
        rewards[S // 2] = 1
    if kind != "uniform":
        rewards[-1] = 2 if kind == "two" else 1
    return np.broadcast_to(rewards[:, None], (S, A))


def _sparse_rows(
    S: int, A: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    weights = np.arange(1, S + 1) ** -2.0
    sizes = rng.choice(np.arange(1, S + 1), size=(S, A), p=weights / weights.sum())
    successors = np.zeros((S, A, int(sizes.max())), dtype=np.int64)
    probabilities = np.zeros(successors.shape)
    for s, a in np.ndindex(S, A):
        k = sizes[s, a]
        successors[s, a, :k] = rng.choice(S, size=k, replace=False)
        probabilities[s, a, :k] = rng.dirichlet(np.full(k, 0.2))
    return successors, probabilities
