"""The belief in an observation, a table updated at each step: counts of transitions, or their posterior mean."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bamdp._validation import fits_memory, one_of
from bamdp.domain import UNBOUNDED, Domain
from bamdp.prior import Belief, Prior
from bamdp.priors._conjugate import ConjugateBelief


class Counts:
    """How often each transition was observed. [S, A, S], or [A, S] if rows are the same in all states"""

    def __init__(self, prior: Prior, belief: ConjugateBelief) -> None:
        S, A = belief.num_states, belief.num_actions
        self.prior, self.belief, self.shape = prior, belief, (A, S) if belief.tied else (S, A, S)

    def reset(self) -> Belief:
        self.table = np.zeros(self.shape, dtype=np.float32)
        return self.belief  # without observations: the prior

    def observe(self, state: int, action: int, reward: float, next_state: int, terminated: bool) -> None:
        self.table[(state, action, next_state)[-len(self.shape) :]] += 1

    def most(self, steps: int) -> float:
        return steps


class Mean:
    """The posterior mean of the transition probabilities, of the same shape."""

    def __init__(self, prior: Prior, belief: Belief) -> None:
        self.prior, self.sizes = prior, (belief.num_states, belief.num_actions)
        self.tied = isinstance(belief, ConjugateBelief) and belief.tied
        self.start = self._whole(belief)
        self.shape: tuple[int, ...] = self.start.shape

    def reset(self) -> Belief:
        self.belief, self.table = self.prior.belief(*self.sizes), self.start.copy()
        return self.belief

    def observe(self, state: int, action: int, reward: float, next_state: int, terminated: bool) -> None:
        self.belief.observe_step(state, action, reward, next_state)
        self.belief.observe_end(next_state, terminated)
        if isinstance(self.belief, ConjugateBelief):  # rows are independent: the others don't change
            self.table[(state, action)[-len(self.shape) + 1 :]] = self.belief.predictive(state, action)
        else:
            self.table = self._whole(self.belief)

    def most(self, steps: int) -> float:
        return 1

    def _whole(self, belief: Belief) -> NDArray[np.float32]:
        mean = belief.mean()
        return (mean[0] if self.tied else mean).astype(np.float32)


def statistic(domain: Domain, prior: Prior, kind: str) -> Counts | Mean:
    """The table of a kind, "counts" or "mean", if the prior supports it and can sample worlds."""
    one_of("belief", kind, ("counts", "mean"))
    S, A = domain.num_states, domain.num_actions
    if S == UNBOUNDED:
        raise ValueError(f"domain must have finitely many states, got {domain!r}")
    fits_memory("the belief in an observation", S * A * S)
    belief = prior.belief(S, A)
    if kind == "counts" and isinstance(belief, ConjugateBelief):
        return Counts(prior, belief)
    try:
        belief.sample_world(np.random.default_rng(0))
        mean = Mean(prior, belief)
    except TypeError as error:
        raise TypeError(f"prior must be able to sample tables of transitions, like Dirichlet; {prior!r}: {error}") from error
    if kind == "counts":
        raise TypeError(f'belief="counts" is for Dirichlet, SparseDirichlet and BetaArms, not for {prior!r}; use belief="mean"')
    return mean
