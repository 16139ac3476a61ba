"""The uniformly random agent: the baseline that every learner should beat."""

from __future__ import annotations

from bamdp.agent import Agent


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
        self._check_state(state)
        return int(self._rng.integers(self.problem.num_actions))
