"""The belief in an observation: tables that are updated at each step, of one or many copies of an environment.

| `belief`    | for                                              | tables                                                    |
|-------------|--------------------------------------------------|-----------------------------------------------------------|
| `"counts"`  | Dirichlet, SparseDirichlet, BetaArms, SharedSlip | counts of what was observed                               |
| `"weights"` | Finite, Parametric                               | the posterior probability of each world                   |
| `"mean"`    | all priors that can sample worlds                | the posterior mean of transitions, and of unknown rewards |

Where rewards are unknown (`UnknownRewards`) there is a second table for them, "rewards". With the prior, counts and weights are
sufficient: they give the posterior.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from bamdp._validation import fits_memory, one_of
from bamdp.domain import UNBOUNDED, Domain
from bamdp.environments._parts import Counts, Index, Means, OwnRewards, Part, Seen, Slips
from bamdp.environments._reward_parts import Arms, RewardCounts, RewardMeans, RewardMoments
from bamdp.environments._world_parts import OwnWeights, Weights, WorldsMean, WorldsRewards
from bamdp.prior import Belief, Prior
from bamdp.priors._conjugate import ConjugateBelief
from bamdp.priors._particles import ParticleBelief
from bamdp.priors.finite import FiniteBelief
from bamdp.priors.normal_arms import NormalArms
from bamdp.priors.shared_slip import SharedSlipBelief
from bamdp.priors.unknown_rewards import UnknownRewards, UnknownRewardsBelief

BeliefKind = Literal["counts", "weights", "mean"]
BELIEF, REWARDS = "belief", "rewards"  # tables of an observation


class Statistic:
    """The tables of `copies` copies of an environment.

    Attributes:
        belief: the belief before any observation, to draw worlds from.
        kind: "counts", "weights" or "mean".
        spaces: the space of each table, for one copy.
    """

    def __init__(self, domain: Domain, prior: Prior, kind: BeliefKind | None, steps: int, copies: int = 1) -> None:
        if kind is not None:
            one_of("belief", kind, get_args(BeliefKind))
        S, A = domain.num_states, domain.num_actions
        if S == UNBOUNDED:
            raise ValueError(f"domain must have finitely many states, got {domain!r}")
        if kind != "weights" and not isinstance(prior, NormalArms):
            fits_memory("the belief in an observation", S * A * S)
        self.belief = prior.belief(S, A)
        self.kind: BeliefKind = _kind(prior, self.belief, kind)
        try:
            self.belief.sample_world(np.random.default_rng(0))
            self._parts = _parts(prior, self.belief, self.kind, steps)
        except TypeError as error:
            message = (
                f"prior must be able to sample tables of transitions and to average them, like Dirichlet; {prior!r}: {error}"
            )
            raise TypeError(message) from error
        self.spaces = {name: _space(part, steps) for name, part in self._parts.items()}
        for part in self._parts.values():
            part.start(copies)

    def reset(self, at: Index) -> None:
        """Forget everything, in some copies."""
        for part in self._parts.values():
            part.reset(at)

    def observe(self, seen: Seen) -> None:
        """Learn from a step of some copies."""
        for part in self._parts.values():
            part.observe(seen)

    def tables(self) -> dict[str, NDArray[np.float32]]:
        """The tables, new arrays, [N, …] each."""
        return {name: part.table() for name, part in self._parts.items()}


def _kind(prior: Prior, belief: Belief, kind: BeliefKind | None) -> BeliefKind:
    """`kind`, if the prior has it; if None, the first that it has of counts, weights and mean."""
    rows = belief.transitions if isinstance(belief, UnknownRewardsBelief) else belief
    counted = isinstance(rows, ConjugateBelief | SharedSlipBelief)
    weighted = isinstance(rows, FiniteBelief | ParticleBelief)
    found: BeliefKind = "counts" if counted else "weights" if weighted else "mean"
    if kind in (None, "mean", found):
        return found if kind is None else kind
    takes = {"counts": "Dirichlet, SparseDirichlet, BetaArms and SharedSlip", "weights": "Finite and Parametric"}[kind]
    raise TypeError(f'belief="{kind}" is for {takes}, not for {prior!r}; use belief="{found}"')


def _parts(prior: Prior, belief: Belief, kind: BeliefKind, steps: int) -> dict[str, Part]:
    if not isinstance(belief, UnknownRewardsBelief):
        return _transition_parts(prior, belief, kind)
    unknown: UnknownRewards = belief._prior
    sizes = belief.num_states, belief.num_actions
    seen = RewardCounts(unknown, sizes) if unknown.outcomes is None else RewardMoments(unknown, sizes, steps)
    rewards = RewardMeans(seen) if kind == "mean" else seen
    if isinstance(prior, NormalArms):
        return {BELIEF: Arms(rewards)}
    return {**_transition_parts(unknown.transitions, belief.transitions, kind), REWARDS: rewards}


def _transition_parts(prior: Prior, belief: Belief, kind: BeliefKind) -> dict[str, Part]:
    """The tables without unknown rewards; worlds may have their own."""
    if isinstance(belief, FiniteBelief):
        weights = Weights(belief)
        if kind == "weights":
            return {BELIEF: weights}
        mean: dict[str, Part] = {BELIEF: WorldsMean(belief, weights)}
        return {**mean, REWARDS: WorldsRewards(belief, weights)} if belief.has_rewards else mean
    if kind == "weights":
        return {BELIEF: OwnWeights(prior, belief)}
    if kind == "mean":
        means = Means(prior, belief)
        return {BELIEF: means, REWARDS: OwnRewards(means, belief)} if belief.has_rewards else {BELIEF: means}
    return {BELIEF: Slips(belief) if isinstance(belief, SharedSlipBelief) else Counts(belief)}  # type: ignore[arg-type]  # conjugate


def _space(part: Part, steps: int) -> spaces.Box:
    high = np.float32(steps) if part.high is None else np.asarray(part.high, np.float32)
    low, high = (np.broadcast_to(end, part.shape).astype(np.float32) for end in (part.low, high))
    return spaces.Box(low, high, dtype=np.float32)
