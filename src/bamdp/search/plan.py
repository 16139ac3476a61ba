"""The result of a search: the decision, the values and visits of the actions, and the tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bamdp.search.tree import SearchTree
from bamdp.spaces import describe_action
from bamdp.statistics import digits

if TYPE_CHECKING:
    from bamdp.problem import BAMDP


@dataclass(frozen=True)
class Plan:
    """The result of one search.

    Attributes:
        action: the decision.
        q_values: value of each action: the mean return of simulations, 0 if never tried, or as its
            class says. [A]
        visits: number of simulations that began with each action. [A]
        standard_errors: standard errors of `q_values`, from the spread between trees; infinite for
            an action tried in fewer than two trees, hence always with one tree. See `CertifiedPlan`
            and `BoundedPlan` for others. [A]
        simulations: number of simulations.
        seconds: time of the search.
        depth: largest number of steps in the tree in one simulation.
        tree: the tree (or trees) of the search.
        problem: the problem, which names its actions.
        full: whether the trees reached the memory limit (the agent's setting `memory`) and stopped
            growing.
    """

    action: int
    q_values: NDArray[np.float64]
    visits: NDArray[np.int64]
    standard_errors: NDArray[np.float64]
    simulations: int
    seconds: float
    depth: int
    tree: SearchTree = field(repr=False)
    problem: BAMDP = field(repr=False)
    full: bool = field(default=False, kw_only=True)

    @property
    def value(self) -> float:
        """Mean return of the chosen action."""
        return float(self.q_values[self.action])

    def __repr__(self) -> str:
        worth = f" worth {self._worth}" if self._is_valued(self.action) else ""
        work = (
            f"{self.simulations} simulations in {self.seconds:.3g} "
            f"s{', memory full' if self.full else ''}"
        )
        return (
            f"{type(self).__name__}(action={describe_action(self.problem, self.action)}{worth}, "
            f"{work})"
        )

    def _is_valued(self, action: int) -> bool:
        return bool(self.visits[action])

    @property
    def _worth(self) -> str:
        error = self.standard_errors[self.action]
        return digits(self.value, error) + (
            f" ± {digits(error, error)}" if np.isfinite(error) else ""
        )


@dataclass(frozen=True, repr=False)
class CertifiedPlan(Plan):
    """The result of a search that brackets the Bayes-optimal value of the state: lower ≤ V* ≤
    upper.

    Each bound holds with 97.5 % confidence and both with 95 %, for any distribution of returns in
    their range, however rare a loss or gain is. They are computed when first asked for. For beliefs
    with counts `q_values` are by Bellman back-ups with exact probabilities, and `standard_errors`
    estimate what learning beyond the tree may still add to each: 0 where the tree is solved, and
    then the value is Bayes-optimal.
    """

    _lower: Callable[[], float] = field(repr=False)
    _upper: Callable[[], float] = field(repr=False)

    def _is_valued(self, action: int) -> bool:
        return True

    @cached_property
    def lower(self) -> float:
        """Lower confidence bound of the return of the plan's policy, with the worst rewards after
        the last simulated step.

        −∞ if rewards can be arbitrarily low (normal rewards), or if the belief can't be copied.
        """
        return self._lower()

    @cached_property
    def upper(self) -> float:
        """Information-relaxation bound, of an agent that is given the world some steps later:
        `bamdp.exact.upper_bound`.

        It draws worlds by the agent's seed, which takes a fraction of a second or more. ∞ if the
        prior can't sample whole worlds, or rewards are unknown other than by a finite set of
        worlds.
        """
        return self._upper()


@dataclass(frozen=True, repr=False)
class BoundedPlan(Plan):
    """The result of a search by bounds.

    Attributes:
        q_values: the bounds used for the decision; estimates where they are too far apart to
            decide. [A]
        standard_errors: half the distance of the bounds; infinite with `BFS3`. [A]
        q_lower: lower bound of the value of each action. [A]
        q_upper: upper bound of the value of each action. [A]
        exact: whether these are bounds of the Bayes-optimal values; else of those for some worlds
            drawn from the belief.
        estimated: whether the decision is by estimates, as bounds are too far apart.
    """

    q_lower: NDArray[np.float64]
    q_upper: NDArray[np.float64]
    exact: bool = field(default=True, kw_only=True)
    estimated: bool = field(default=False, kw_only=True)

    @property
    def lower(self) -> float:
        """Lower bound of the value of the state; −∞ if the bounds are of drawn worlds."""
        return float(self.q_lower.max()) if self.exact else -np.inf

    @property
    def upper(self) -> float:
        """Upper bound of the value of the state; ∞ if the bounds are of drawn worlds."""
        return float(self.q_upper.max()) if self.exact else np.inf

    def _is_valued(self, action: int) -> bool:
        return True

    @property
    def _worth(self) -> str:
        return f"{self.q_lower[self.action]:.4g} … {self.q_upper[self.action]:.4g}"
