"""Unknown rewards and transitions: the agent explores both.

The reward of each state and action is one of a declared set of values, v:

    random          theta(s, a) ~ Dirichlet(alpha), r ~ theta(s, a);
                    P(r = v | n) = (alpha_v + n_v) / (Σ alpha + N)
    deterministic   r(s, a) = v with probability alpha_v / Σ alpha, and known once observed

or, with `outcomes`, it is normal with an unknown mean, and perhaps an unknown variance:

    normal          r ~ N(μ(s, a), σ²(s, a));   see `Normal` and core/beliefs/normal_rewards.hpp

Two values and alpha = 1 are Bernoulli rewards with uniform Beta priors. In a search theta is
sampled like transitions: "lazy", when a simulation first needs it, or "collapsed", integrated out
(an urn). The agent observes rewards: histories with different rewards are different nodes. No
normal reward is observed twice: nodes are intervals of them, `BRANCHES` for each next state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import singledispatch
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core
from bamdp.mdp import MDP, Outcomes, unchecked_mdp, with_rewards
from bamdp.prior import Belief, Prior
from bamdp.priors._normal import Normal
from bamdp.priors.dirichlet import Dirichlet
from bamdp.priors.finite import Finite
from bamdp.priors.shared_slip import SharedSlip
from bamdp.priors.sparse_dirichlet import SparseDirichlet
from bamdp.spaces import describe_action, describe_state
from bamdp.steps import Step
from bamdp.validation import LARGEST_REWARD, boolean, fits_memory, generator, integer, real_array

if TYPE_CHECKING:
    from bamdp.problem import BAMDP

BRANCHES = (
    4  # intervals of normal rewards that a search tells apart: docs/priors.md has the measurement
)

NATIVE = Dirichlet, SparseDirichlet, Finite, SharedSlip  # that the core combines with rewards


class UnknownRewardsBelief(Belief):
    """A belief over transitions and one over rewards.

    Attributes:
        transitions: belief over the transitions.
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("transitions", "_seen")

    def __init__(self, problem: BAMDP, prior: UnknownRewards, transitions: Belief) -> None:
        self.problem, self.transitions, self._prior = problem, transitions, prior
        if not isinstance(prior.transitions, NATIVE):
            raise TypeError(
                "unknown rewards go with Dirichlet, SparseDirichlet, Finite or SharedSlip, not "
                f"{prior.transitions!r}; "
                "your own priors, Lazy and Compiled, can draw rewards themselves"
            )
        if prior.transitions.unknown_rewards:
            raise TypeError(
                f"{prior.transitions!r} has rewards of its own: it goes without UnknownRewards"
            )
        self._values = np.asarray(prior.values)
        self._seen: Any = self._no_rewards()

    def _no_rewards(self) -> _core.RewardBelief:
        """The native belief over the rewards before any was observed."""
        return _core.RewardCounts(
            self._values,
            np.asarray(self._prior.alpha),
            self._prior.deterministic,
            self.problem.num_actions,
        )

    @property
    def counts(  # type: ignore[override]  # follows from the rows
        self,
    ) -> Callable[[int, int], dict[int, int]] | None:
        """The counts of the transitions."""
        return self.transitions.counts

    @property
    def native(self) -> tuple[Any, ...]:
        """The native belief over the transitions, and the rewards seen."""
        assert self.transitions.native is not None  # priors that take rewards are native
        return (*self.transitions.native, self._seen)

    def learn(self, step: Step) -> None:
        def rest() -> (
            None
        ):  # under the lock of the rewards: a search sees all of a step, or nothing
            self.transitions.learn(step._replace(reward=None))

        if step.reward is None:
            rest()
        else:
            s, a = step.state, step.action
            self._seen.observe(s, a, self._observed(s, a, step.reward), rest)

    def _observed(self, state: int, action: int, reward: float) -> Any:
        """What was observed, as the core has it: the index of the value."""
        matches = np.flatnonzero(self._values == reward)
        if len(matches) == 0:
            raise ValueError(
                f"reward must be one of the declared values {self._values.tolist()}, got {reward:g}"
            )
        if self.reward_probabilities(state, action)[matches[0]] == 0:
            where = (
                f"state {describe_state(self.problem, state)} and action "
                f"{describe_action(self.problem, action)}"
            )
            raise ValueError(
                f"reward {reward:g} after {where} is impossible: another was seen, or its alpha is "
                "0"
            )
        return int(matches[0])

    def _pair(self, state: int, action: int) -> tuple[int, int]:
        return integer("state", state, 0, self.problem.num_states - 1), integer(
            "action", action, 0, self.problem.num_actions - 1
        )

    def reward_probabilities(self, state: int, action: int) -> NDArray[np.float64]:
        """The probability of each value as the next reward. [V]"""
        n = self._seen.counts(*self._pair(state, action))
        if self._prior.deterministic and n.any():
            return np.asarray((n > 0).astype(float))
        weights = np.asarray(self._prior.alpha) + n
        return np.asarray(weights / weights.sum())

    def mean_reward(self, state: int, action: int) -> float:
        """The expected reward."""
        return float(self.reward_probabilities(state, action) @ self._values)

    def predictive(self, state: int, action: int) -> NDArray[np.float64]:
        return self.transitions.predictive(state, action)

    def mean(self) -> MDP:
        S, A = self.problem.num_states, self.problem.num_actions
        known, paid = (
            self.transitions.mean(),
            np.array([[self.mean_reward(s, a) for a in range(A)] for s in range(S)]),
        )
        return with_rewards(known, paid)

    def sample(self, count: int, rng: np.random.Generator) -> MDP:
        """Worlds drawn from the posterior: transitions, and how their rewards are drawn."""
        drawn = []
        for _ in range(
            integer("count", count, 1, 10**9)
        ):  # one after the other: transitions, then rewards
            world = self.transitions.sample(1, rng)
            drawn.append(
                (world.transitions[0], world.terminal[0], *self._sample_outcomes(generator(rng)))
            )
        transitions, terminal, means, outcomes = zip(*drawn, strict=True)
        _, *parts = zip(*outcomes, strict=True)
        stacked = Outcomes(
            outcomes[0].values, *(None if part[0] is None else np.stack(part) for part in parts)
        )
        weights = np.full(count, 1 / count)
        return unchecked_mdp(
            np.stack(transitions), np.stack(means), np.stack(terminal), None, weights, stacked
        )

    def _sample_outcomes(self, rng: np.random.Generator) -> tuple[NDArray[np.float64], Outcomes]:
        """Mean rewards [S, A], and their distribution."""
        S, A, V = self.problem.num_states, self.problem.num_actions, len(self._values)
        fits_memory("sample()", S * A * V)
        n = np.array([self._seen.counts(s, a) for s, a in np.ndindex(S, A)])
        weights = np.asarray(self._prior.alpha) + n
        if self._prior.deterministic:
            known = n.any(axis=1)
            weights[known] = n[known] > 0
            first = (rng.random(S * A) * weights.sum(axis=1))[:, None] < np.cumsum(weights, axis=1)
            probabilities = np.eye(V)[np.argmax(first, axis=1)]
        else:
            probabilities = _dirichlet(weights, rng)
        probabilities = probabilities.reshape(S, A, V)
        return probabilities @ self._values, Outcomes(self._values, probabilities)

    def __repr__(self) -> str:
        return f"<{self.transitions!r} with unknown rewards>"


class NormalRewardsBelief(UnknownRewardsBelief):
    """A belief over transitions and one over normal rewards."""

    def _no_rewards(self) -> _core.RewardBelief:
        assert self._prior.outcomes is not None
        cuts = [NormalDist().inv_cdf(i / BRANCHES) for i in range(1, BRANCHES)]
        table = self._prior.outcomes.table(self.problem.num_states, self.problem.num_actions)
        return _core.NormalRewards(table, self.problem.num_actions, np.array(cuts))

    def _observed(self, state: int, action: int, reward: float) -> float:
        return reward

    def outcome(self, state: int, action: int) -> Normal:
        """What is known of the rewards of `action` in `state`: the posterior, in the form of the
        prior.

        Example:
            >>> import bamdp
            >>> prior = UnknownRewards(bamdp.priors.Dirichlet(), outcomes=Normal(mean=0,
            ...     deviation=1, noise=1))
            >>> belief = bamdp.BAMDP(prior, rewards=np.zeros((2, 1)), discount=0.9).belief()
            >>> belief.observe(state=0, action=0, reward=3.0, next_state=1)
            >>> belief.outcome(state=0, action=0)
            Normal(mean=1.5, deviation=0.707107, noise=1)
        """
        mean, strength, degrees, variance = self._seen.posterior(*self._pair(state, action))
        return Normal(mean, np.sqrt(variance / strength), np.sqrt(variance), degrees)

    def mean_reward(self, state: int, action: int) -> float:
        """The expected reward."""
        return float(self._seen.posterior(*self._pair(state, action))[0])

    def reward_probabilities(self, state: int, action: int) -> NDArray[np.float64]:
        """Not supported."""
        raise TypeError("normal rewards have no table of values; `outcome` has their distribution")

    def _sample_outcomes(self, rng: np.random.Generator) -> tuple[NDArray[np.float64], Outcomes]:
        shape = self.problem.num_states, self.problem.num_actions
        fits_memory("sample()", 2 * shape[0] * shape[1])
        table = np.array([self._seen.posterior(s, a) for s, a in np.ndindex(shape)])
        mean, strength, degrees, variance = table.T.reshape(4, *shape)
        known = np.isinf(degrees)
        freedom = np.where(known, 1.0, degrees)
        variance = np.where(known, variance, variance * freedom / rng.chisquare(freedom))
        means = mean + np.sqrt(variance / strength) * rng.standard_normal(shape)
        return means, Outcomes(deviations=np.sqrt(variance))


def _dirichlet(weights: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Draws from a Dirichlet distribution for each row, by breaking sticks: also for tiny weights,
    and those that are 0.
    """
    drawn, left = np.zeros_like(weights), np.ones(len(weights))
    rest = np.cumsum(weights[:, ::-1], axis=1)[:, ::-1]  # the weight of a value and all after it
    for v in range(weights.shape[1]):
        after = rest[:, v + 1] if v + 1 < weights.shape[1] else np.zeros(len(weights))
        both = (weights[:, v] > 0) & (after > 0)
        share = rng.beta(np.where(both, weights[:, v], 1.0), np.where(both, after, 1.0))
        drawn[:, v] = left * np.where(both, share, weights[:, v] > 0)
        left = left - drawn[:, v]
    return drawn


@dataclass(frozen=True, eq=False)
class UnknownRewards(Prior):
    """A prior over rewards as well as transitions.

    Of the rewards given to the agent, only the shape [S, A] is used. Rewards are some values, or
    normal: `outcomes`.

    Args:
        transitions: prior over the transitions: Dirichlet, SparseDirichlet, Finite or SharedSlip.
        values: possible rewards.
        alpha: pseudo-count of each value, one number for all or one each; zero means impossible.
        deterministic: whether the reward of a state and action is always the same.
        outcomes: prior of normal rewards, instead of `values`, `alpha` and `deterministic`, which
            must not be given then.

    Example:
        >>> import bamdp
        >>> prior = UnknownRewards(bamdp.priors.Dirichlet())
        >>> belief = bamdp.BAMDP(prior, rewards=np.zeros((3, 2)), discount=0.9).belief()
        >>> belief.observe(state=0, action=1, reward=1.0, next_state=2)
        >>> belief.mean_reward(state=0, action=1)
        0.6666666666666666
    """

    unknown_rewards = True

    transitions: Prior
    values: ArrayLike = (0.0, 1.0)
    alpha: float | ArrayLike = 1.0
    deterministic: bool = False
    outcomes: Normal | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.transitions, Prior):
            raise TypeError(
                f"transitions must be a prior over transitions, got {self.transitions!r}"
            )
        values, alpha = (
            real_array("values", self.values, LARGEST_REWARD),
            real_array("alpha", self.alpha),
        )
        if values.ndim != 1 or values.size == 0 or len(np.unique(values)) < len(values):
            raise ValueError(
                f"values must be one or more numbers, all different, got {values.tolist()}"
            )
        if (
            alpha.shape not in ((), values.shape)
            or alpha.min() < 0
            or alpha.max() <= 0
            or alpha.max() > 1e14
        ):
            raise ValueError(
                "alpha must be one number for all of values, or one for each, from 0 to 1e14, got "
                f"{alpha.tolist()}"
            )
        object.__setattr__(self, "values", values)
        object.__setattr__(
            self, "alpha", np.ascontiguousarray(np.broadcast_to(alpha, values.shape))
        )
        object.__setattr__(self, "deterministic", boolean("deterministic", self.deterministic))
        if self.outcomes is None:
            return
        if not isinstance(self.outcomes, Normal):
            raise TypeError(
                "outcomes must be a bamdp.priors.Normal, or None for rewards among `values`, got "
                f"{self.outcomes!r}"
            )
        if values.tolist() != [0, 1] or np.any(alpha != 1) or self.deterministic:
            raise TypeError(
                "values, alpha and deterministic must not be given with outcomes: normal rewards "
                "are not counted"
            )

    @property
    def unknown_terminal(self) -> bool:  # type: ignore[override]  # of the prior, not of the class
        return self.transitions.unknown_terminal

    @property
    def sizes(self) -> tuple[int | None, int | None]:
        """The sizes of the transitions, else of the outcomes."""
        S, A = self.transitions.sizes
        other = (None, None) if self.outcomes is None else self.outcomes.sizes
        return S or other[0], A or other[1]

    def reward_range(self, rewards: NDArray[np.float64]) -> tuple[float, float]:
        return (
            (-np.inf, np.inf)
            if self.outcomes is not None
            else super().reward_range(np.asarray(self.values))
        )

    def reward_scale(self, rewards: NDArray[np.float64]) -> float:
        return (
            super().reward_scale(rewards)
            if self.outcomes is None
            else float(np.max(self.outcomes.scale))
        )

    def belief(self, problem: BAMDP) -> UnknownRewardsBelief:
        kind = UnknownRewardsBelief if self.outcomes is None else NormalRewardsBelief
        return kind(problem, self, self.transitions.belief(problem))

    def __repr__(self) -> str:
        if self.outcomes is not None:
            return f"UnknownRewards({self.transitions!r}, outcomes={self.outcomes!r})"
        kind = ", deterministic" if self.deterministic else ""
        return (
            f"UnknownRewards({self.transitions!r}, values={np.asarray(self.values).tolist()}{kind})"
        )


@singledispatch
def transition_prior(prior: Prior) -> Prior:
    """The prior over the transitions alone."""
    return prior


@transition_prior.register
def _(prior: UnknownRewards) -> Prior:
    return prior.transitions


@singledispatch
def with_transition_prior(prior: Prior, transitions: Prior) -> Prior:
    """`prior` with another one over the transitions."""
    return transitions


@with_transition_prior.register
def _(prior: UnknownRewards, transitions: Prior) -> Prior:
    return replace(prior, transitions=transitions)


@singledispatch
def reward_values(prior: Prior) -> NDArray[np.float64] | None:
    """The possible rewards, where they are unknown and some values. [V]"""
    return None


@reward_values.register
def _(prior: UnknownRewards) -> NDArray[np.float64] | None:
    return np.asarray(prior.values) if prior.outcomes is None else None
