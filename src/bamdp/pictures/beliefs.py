"""A belief as data: where actions lead, row by row, and the weights of a finite set of worlds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from bamdp.domain import Domain
    from bamdp.prior import Belief

DRAWS = 200  # from the posterior, for intervals: 15 ms
INTERVAL = (0.05, 0.95)
SHOWN = 6  # next states of one row, at most; the others are summed up
LEAST = 0.02  # probability of a next state that is shown
LARGEST_DRAWN = 1000  # S·A·S of worlds whose tables are drawn for intervals


@runtime_checkable
class RewardBelief(Protocol):
    """A belief about rewards beside one about transitions."""

    transitions: Belief


@runtime_checkable
class MeanRewards(Protocol):
    """A belief that has the mean reward of one action without those of all states."""

    def mean_reward(self, state: int, action: int) -> float:
        """The mean reward."""


@runtime_checkable
class WeightedWorlds(Protocol):
    """A belief over a list of worlds."""

    particles: Any
    weights: NDArray[np.float64]
    names: Sequence[str] | None


@runtime_checkable
class HasParameters(Protocol):
    """A belief over worlds that are numbers."""

    parameters: Any


@runtime_checkable
class CellBelief(Protocol):
    """A belief over the cells of an infinite grid, and the parameters of columns and rows."""

    cells: Any

    def sample_parameters(self, samples: int, rng: np.random.Generator) -> Any:
        """Draws of the parameters."""


@dataclass(frozen=True)
class Estimate:
    """A probability by a belief."""

    mean: float
    interval: tuple[float, float] | None = (
        None  # where nine tenths of the posterior are; None if not known
    )
    truth: float | None = None

    @property
    def words(self) -> str:
        """The mean, and the interval if there is one."""
        between = (
            ""
            if self.interval is None
            else ", 9 in 10 between {:.3f} and {:.3f}".format(*self.interval)
        )
        return f"mean {self.mean:.3f}{between}"


@dataclass(frozen=True)
class Row:
    """Where an action leads from a state."""

    count: int  # how often it was taken there
    next: dict[str, Estimate]  # by the name of the state
    others: int  # number of other states
    rest: float  # their probability
    reward: float | None  # its mean; None if rewards are no part of the belief


class Rows:
    """The posterior mean of the transitions, if the belief has one."""

    def __init__(self, belief: Belief | None, domain: Domain, label: Callable[[int], str]) -> None:
        self.belief, self.domain, self._label = belief, domain, label
        self.counts: Counter[tuple[int, int]] = (
            Counter()
        )  # how often each state and action was observed
        try:
            self.known = belief is not None and belief.predictive(0, 0) is not None
        except TypeError:
            self.known = False

    def mean(self, state: int, action: int) -> NDArray[np.float64]:
        """The probability of each next state. [S]"""
        assert self.belief is not None
        return self.belief.predictive(state, action)

    def truth(self, state: int, action: int) -> NDArray[np.float64] | None:
        """The true probability of each next state, if the world is a table. [S]"""
        mdp = self.domain.mdp
        if mdp is None or mdp.successors is None:
            return None if mdp is None else mdp.probabilities[state, action]
        row = np.bincount(
            mdp.successors[state, action], mdp.probabilities[state, action], mdp.num_states
        )
        return np.asarray(row, dtype=np.float64)

    def intervals(self, state: int) -> NDArray[np.float64] | None:
        """Where nine tenths of the posterior are, for each action and next state; None if that
        takes too long. [2, A, S]
        """
        S, A = self.domain.num_states, self.domain.num_actions
        if self.belief is None or not self.known or S * A * S > LARGEST_DRAWN:
            return None
        over_transitions = self.belief
        if isinstance(self.belief, RewardBelief):  # without a draw of rewards
            over_transitions = self.belief.transitions
        try:  # with the picture's own random generator: the agent's isn't touched
            draws = over_transitions.sample(DRAWS, np.random.default_rng(0)).transitions[:, state]
        except TypeError:
            return None
        return np.asarray(np.quantile(draws, INTERVAL, axis=0))

    def from_state(self, state: int) -> list[Row]:
        """For each action: how often it was taken here, and where it leads, the most probable
        first.
        """
        if not self.known:
            return []
        intervals, rows = self.intervals(state), []
        for action, reward in enumerate(self._mean_rewards(state)):
            mean = self.mean(state, action)
            even = (
                len(mean) > SHOWN and np.ptp(mean) < 1e-12
            )  # nothing is known: no state is worth naming
            first = (
                []
                if even or len(mean) == 1
                else [int(s) for s in np.argsort(-mean, kind="stable")[:SHOWN] if mean[s] >= LEAST]
            )
            entries = {self._label(s): self.estimate(state, action, s, intervals) for s in first}
            rest = max(0.0, float(1 - mean[first].sum()))
            others = (
                len(mean) - len(first) if len(mean) > 1 else 0
            )  # a bandit's only state is none to lead to
            rows.append(Row(self.counts[state, action], entries, others, rest, reward))
        return rows

    def estimate(
        self, state: int, action: int, next_state: int, intervals: NDArray[np.float64] | None
    ) -> Estimate:
        """The probability of one transition, with its part of `intervals`."""
        truth, between = self.truth(state, action), None
        if intervals is not None:
            between = (
                float(intervals[0, action, next_state]),
                float(intervals[1, action, next_state]),
            )
        mean = float(self.mean(state, action)[next_state])
        return Estimate(mean, between, None if truth is None else float(truth[next_state]))

    def _mean_rewards(self, state: int) -> list[float | None]:
        """Of each action in `state`; None if rewards are no part of the belief. [A]"""
        actions, belief = range(self.domain.num_actions), self.belief
        if belief is None or not belief.problem.prior.unknown_rewards:
            return [None for _ in actions]
        if isinstance(belief, MeanRewards):  # without those of all states
            return [float(belief.mean_reward(state, action)) for action in actions]
        return list(belief.mean().expected_rewards[state].tolist())


def weights(belief: Any, most: int) -> dict[str, float]:
    """The most probable worlds of a belief over a finite set, by name, with their probabilities;
    none for other beliefs.
    """
    if isinstance(belief, HasParameters) or not isinstance(belief, WeightedWorlds):
        return {}  # parameters are drawn as a curve
    if belief.particles is None:
        return {}
    probabilities = belief.weights
    names = belief.names or [f"world {m}" for m in range(len(probabilities))]
    return {
        names[m]: float(probabilities[m])
        for m in np.argsort(-probabilities, kind="stable")[:most].tolist()
        if probabilities[m] > 0
    }


def shows_cells(belief: Belief | None) -> bool:
    """Whether a belief is one over the cells, columns and rows of an infinite grid, which can be
    drawn.
    """
    return isinstance(belief, CellBelief)
