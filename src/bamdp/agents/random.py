"""The uniformly random agent: the baseline that every learner should beat."""

from __future__ import annotations

from bamdp.agent import Agent
from bamdp.problem import considered_actions


class Random(Agent):
    """Acts uniformly at random and learns nothing.

    Args:
        problem: the problem.
        seed: seed of the agent's random generator.

    Example:
        >>> import bamdp
        >>> Random(bamdp.domains.Grid(5).problem(), seed=0).act(0) in range(4)
        True
    """

    def _first_belief(self) -> None:
        """No belief."""

    def act(self, state: int) -> int:
        state = self._check_state(state)
        actions = considered_actions(self.problem, state)
        return actions[int(self._rng.integers(len(actions)))]
