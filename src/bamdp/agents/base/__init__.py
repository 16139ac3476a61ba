"""Base policies, and the search beyond each, by what a belief can tell; see `BayesAdaptive`.

| belief | base policy | search |
|---|---|---|
| independent arms | Gittins index, without an end or for the steps left | none needed, or tree |
| counts | index policy | tree with predictive probabilities (`counts`) |
| weighted worlds | the best of some policies | bounds (`worlds`) |
| worlds that can only be stepped | the best path, where there is one | BAMCP (`steps`) |
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.prior import Belief
from bamdp.search.plan import Plan
from bamdp.search.tree import SearchTree

Left = _core.StepsLeft | None  # what is left of a run; None: it has no end


class Budget(NamedTuple):
    """What a decision may take.

    Attributes:
        simulations: number of simulations; None is no limit.
        seconds: time; None is no limit.
        memory: bytes of a tree.
        on_tick: called about every 50 ms; it may raise.
    """

    simulations: int | None
    seconds: float | None
    memory: int
    on_tick: Callable[[], None] | None


class Decision(NamedTuple):
    """The result of a search.

    Attributes:
        action: the decision.
        simulations: number of simulations.
        full: whether the memory limit was reached.
        plan: makes the full result, of `seconds`, its time; None if it was not asked for.
    """

    action: int
    simulations: int
    full: bool
    plan: Callable[..., Plan] | None


class Base(ABC):
    """A base policy of a belief, and the search beyond it.

    Args:
        belief: the belief, which later observations change.
        tolerance: maximum error of the values, in units of return.
        rng: random generator.
    """

    state_attributes: ClassVar[tuple[str, ...]] = ()

    def __init__(self, belief: Belief, tolerance: float, rng: np.random.Generator) -> None:
        self.belief, self.problem = belief, belief.problem
        self.tolerance, self.rng = tolerance, rng

    @abstractmethod
    def actions(
        self, state: int, left: Left, on_tick: Callable[[], None] | None = None
    ) -> list[int]:
        """The actions of the base policy, equally good by it, the one that it takes first; none if
        there is no such policy.
        """

    @abstractmethod
    def decide(
        self, state: int, left: Left, budget: Budget, *, even: bool = False, want_plan: bool = False
    ) -> Decision:
        """Search and decide.

        Args:
            state: the current state.
            left: what is left of the run.
            budget: what the search may take.
            even: value all actions alike, not only those that may be the best.
            want_plan: with the full result.
        """

    def observe(  # noqa: B027 - most have no use for it
        self, state: int, action: int, reward: float, next_state: int
    ) -> None:
        """Learn from a real step; the belief has been updated already."""

    def in_order(self, values: NDArray[np.float64]) -> list[int]:
        """The actions with the highest value, in random order."""
        best = np.flatnonzero(values >= values.max() - 2 * self.tolerance)
        return [int(action) for action in self.rng.permutation(best)]

    def parts_of_plan(self, decision: Any, tree: _core.Tree) -> dict[str, Any]:
        """What plans of all searches have in common."""
        return {
            "action": decision.action,
            "visits": decision.visits,
            "simulations": decision.simulations,
            "depth": decision.depth,
            "tree": SearchTree([tree], self.problem),
            "problem": self.problem,
            "full": decision.full,
        }
