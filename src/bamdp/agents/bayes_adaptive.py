"""Planner for any belief: a base policy that needs no search, and a search that leaves it only for
something better.

What the belief knows exactly is used exactly: expected rewards, predictive probabilities, which
worlds an observation rules out. The search depends on what the belief can tell:

1. Independent arms: Gittins indices, Bayes-optimal without an end. With one, those for the steps
   left, and a tree where it sees nearly all that may be observed.
2. Counts (`Dirichlet`, `SparseDirichlet`, `BetaArms`, with known or unknown rewards): a tree of
   belief states with predictive probabilities and Bellman back-ups, whose leaves have the value of
   the posterior mean after the steps on the path. The base policy, `IndexPolicy`, is left for a
   value that is higher than its own by a margin, which shrinks as the tree resolves.
3. Weighted worlds (`Finite`, `Parametric`, or worlds drawn from the belief): a search with bounds,
   in which worlds are split exactly by what would be observed. It decides by the lower bound, which
   is the value of a policy, and stops when no other action can be better.
4. Worlds that can only be stepped (`GridRewards`, `Compiled`): the best path, where the prior has
   one, else BAMCP.
"""

from __future__ import annotations

from time import perf_counter
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from bamdp import validation
from bamdp.agents.base import Base, Budget
from bamdp.agents.base.arms import ArmsBase, has_index
from bamdp.agents.base.counts import CountsBase
from bamdp.agents.base.steps import StepsBase
from bamdp.agents.base.worlds import WorldsBase, listed_worlds
from bamdp.prior import Belief
from bamdp.problem import BAMDP, checked_problem, require_discount
from bamdp.search.plan import Plan
from bamdp.search.planning_agent import PlanningAgent, checked_budget
from bamdp.steps import Steps
from bamdp.validation import one_of, real

PRECISION = (
    2.0**-20
)  # of values, in units of the range of rewards; a power of two, so that scaling changes no bit


class BayesAdaptive(PlanningAgent):
    """Plans to learn and to use what it learns, without settings to choose.

    Args:
        problem: the problem.
        simulations: largest number of simulations per decision; 1000 if `seconds` isn't given
            either. A decision that is certain takes fewer.
        seconds: largest time per decision; with both budgets, whichever is exhausted first.
        memory: memory limit of a search, in MiB.
        seed: seed of the agent's random generator.

    Example:
        >>> import bamdp
        >>> domain = bamdp.domains.Grid(5)
        >>> agent = BayesAdaptive(domain.problem(), simulations=100, seed=0)
        >>> bamdp.run(agent, domain, steps=200).total_reward > 0
        True
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_base",)

    def __init__(
        self,
        problem: BAMDP,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        memory: float = 1024.0,
        seed: int = 0,
    ) -> None:
        require_discount(checked_problem(problem), "BayesAdaptive")
        self.simulations, self.seconds = checked_budget(simulations, seconds)
        self.memory = real("memory", memory, 0, 1e12, open_low=True)
        super().__init__(problem, seed=seed)

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self._base = self._choose_base(self.belief)

    def _choose_base(self, belief: Belief) -> Base:
        """The base policy and search for what the belief can tell."""
        problem, rng = self.problem, self._rng
        tolerance = PRECISION * problem.prior.reward_scale(problem.rewards) or PRECISION
        if has_index(problem):
            return ArmsBase(belief, tolerance, rng)
        if belief.counts is not None and belief.native is not None:
            return CountsBase(belief, tolerance, rng)
        if problem.rewards.size > 0 or listed_worlds(belief) is not None:
            try:
                return WorldsBase(belief, tolerance, rng)
            except TypeError:  # neither counts nor worlds
                pass
        seeds = rng.integers(2**64, size=(2, 4), dtype=np.uint64).tolist()
        return StepsBase(belief, tolerance, rng, seeds, self._budget.memory)

    @property
    def _budget(self) -> Budget:
        return Budget(
            self.simulations,
            self.seconds,
            validation.mebibytes("memory", self.memory),
            self.on_tick,
        )

    def act(self, state: int) -> int:
        """Choose an action in `state` by a search within the budget."""
        decision = self._base.decide(
            self._check_state(state), self._remaining_steps(), self._budget
        )
        self._count(decision.simulations, decision.full)
        return decision.action

    def plan(self, state: int, *, root: Literal["search", "even"] = "search") -> Plan:
        """Search like `act` and return the full result.

        Args:
            state: the current state.
            root: how the search is shared out: by the "search" as in `act`, to decide, or "even",
                to value all actions.
        """
        even, started = one_of("root", root, ("search", "even")) == "even", perf_counter()
        state = self._check_state(state)
        decision = self._base.decide(
            state, self._remaining_steps(), self._budget, even=even, want_plan=True
        )
        self._count(decision.simulations, decision.full)
        assert decision.plan is not None
        return decision.plan(seconds=perf_counter() - started)

    def q_values(self, state: int) -> NDArray[np.float64]:
        """The value of each action in `state`, by a search that values all of them. [A]"""
        return self.plan(state, root="even").q_values

    def base_action(self, state: int) -> int | None:
        """The action of the base policy in `state`, ties at random; None if the prior has no such
        policy.
        """
        actions = self._base.actions(
            self._check_state(state), self._remaining_steps(), self.on_tick
        )
        return actions[0] if actions else None

    def observe(
        self,
        state: int,
        action: int,
        reward: float,
        next_state: int,
        terminated: bool | None = False,
    ) -> None:
        super().observe(state, action, reward, next_state, terminated)
        self._base.observe(state, action, float(reward), next_state)

    def _learn_many(self, steps: Steps) -> None:
        self.belief.observe_many(*steps)
        for state, action, reward, next_state, *_ in steps.rows():
            self._base.observe(state, action, float(reward or 0.0), next_state)
