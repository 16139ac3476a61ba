"""The agent that knows the transitions: an upper bound for all learners.

It follows π*(s) = argmax_a Q*(s, a) at the domain's discount. Over a finite run without discounting
another policy may earn more. With a horizon it follows the policy that is optimal for the steps
left, π_k(s) = argmax_a Q_k(s, a), from values computed once.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp.agent import Agent, steps_left
from bamdp.mdp import MDP, bellman_backup, values_by_steps
from bamdp.priors.world_domain import WorldDomain
from bamdp.problem import BAMDP, checked_problem
from bamdp.search.worlds_solver import RowsSolver

TIE = 1e-9  # of the largest possible return


class Oracle(Agent):
    """Knows the transitions, follows the optimal policy, learns nothing.

    Args:
        problem: the problem.
        world: the true MDP, such as `domain.mdp`; of `bamdp.priors.Worlds`, the domain.
        seed: not used, as the agent is deterministic.

    Attributes:
        policy: optimal action of each state with all steps left, the first one in case of ties;
            where there are tables. [S]

    Example:
        >>> from bamdp.domains import DoubleLoop
        >>> Oracle(DoubleLoop().problem(), world=DoubleLoop().mdp).act(0)
        1
    """

    uses_true_model: ClassVar[bool] = True

    def __init__(self, problem: BAMDP, *, world: MDP | WorldDomain | None, seed: int = 0) -> None:
        checked_problem(problem)
        self._solver: RowsSolver | None = None
        self.world: Any = world
        if isinstance(world, WorldDomain):
            self._solver = RowsSolver(problem, "Oracle")
            self._solver.load(world.request, TIE)
            self._tie = TIE
            super().__init__(problem, seed=seed)
            return
        if not isinstance(world, MDP) or world.num_models is not None:
            raise TypeError(
                f"world must be the true MDP of a domain with tables, got {world!r}; the Random "
                "agent needs none"
            )
        if (world.num_states, world.num_actions) != (problem.num_states, problem.num_actions):
            raise ValueError(f"world must be one of the problem's, {problem!r}, got {world!r}")
        scale, discount = float(np.abs(world.rewards).max()), problem.discount
        # Values with 0, 1, … steps left, [horizon + 1, S]; [1, S] where all end.
        self._ahead: NDArray[np.float64] | None = None
        if problem.horizon is None and discount < 1:
            self._tie = max(TIE * scale / (1 - discount), 1e-322)
            finer = self._tie / 10  # so that ties are detected
            self._values = world.solve(discount, tolerance=finer).q_values
        else:
            self._tie = max(TIE * scale, 1e-322)
            self._ahead = values_by_steps(
                world,
                discount,
                problem.horizon,
                episode_length=problem.episode_length,
                start=problem.start or 0,
            )
            self._values = bellman_backup(
                world, self._ahead[-2 if problem.horizon else -1], discount
            )
        best = self._values.max(axis=1, keepdims=True)
        self.policy = np.argmax(self._values >= best - self._tie, axis=1)
        super().__init__(problem, seed=seed)

    def _first_belief(self) -> None:
        """No belief."""

    def q_values(self, state: int) -> NDArray[np.float64]:
        """The optimal value of each action in `state`. [A]"""
        state, left = self._check_state(state), steps_left(self)
        if self._solver is not None:
            return self._solver.q_values(state, self._remaining_steps(), self.on_tick)
        if self._ahead is None or left is None:
            return np.array(self._values[state])
        backup = bellman_backup(self.world, self._ahead[left - 1], self.problem.discount)
        return np.asarray(backup[state])

    def act(self, state: int) -> int:
        if steps_left(self) is None and self._solver is None:
            return int(self.policy[self._check_state(state)])
        values = self.q_values(state)
        return int(np.argmax(values >= values.max() - self._tie))
