"""Q-learning (Watkins 1989), with Boltzmann or epsilon-greedy exploration and annealing.

    Q(s, a) ← Q(s, a) + learning_rate (r + γ max_a' Q(s', a') − Q(s, a))

Temperature and epsilon halve every `half_life` steps; the learning rate falls as 1 / visits^`decay`
of a state-action pair.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from bamdp.agent import Grid
from bamdp.agents._model_based import annealed, greedy
from bamdp.agents._model_free import ModelFree
from bamdp.agents.softmax import boltzmann
from bamdp.problem import BAMDP, considered_actions
from bamdp.validation import LARGEST_RETURN, half_life_or_none, one_of, real


class QLearning(ModelFree[NDArray[np.float64]]):
    """Q-learning with Boltzmann or epsilon-greedy exploration, annealed; it needs no prior.

    Args:
        problem: the problem; its prior is not used.
        exploration: "boltzmann", P(a) ∝ exp(Q / temperature), or "epsilon-greedy" (semi-uniform).
        temperature: initial temperature of Boltzmann exploration, in units of return.
        epsilon: initial probability of a random action.
        half_life: number of steps that halves temperature and epsilon; constant if not given.
        learning_rate: learning rate at the first visit of a state-action pair.
        decay: the learning rate is learning_rate / visits^decay; 0 keeps it constant; at most 10.
        initial: initial value of all actions.
        seed: seed of the agent's random generator.

    Example:
        >>> import bamdp
        >>> agent = QLearning(bamdp.domains.Chain().problem(), learning_rate=0.5)
        >>> agent.observe(state=0, action=1, reward=2.0, next_state=1)
        >>> agent.q_values(0)
        array([0., 1.])
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_visits",)
    grid: ClassVar[Grid] = (
        {
            "temperature": (0.03, 0.1, 0.3, 1.0),
            "half_life": (None, 100.0),
            "learning_rate": (0.1, 0.3, 1.0),
            "initial": (0.0, 2.0, 10.0),
        },
        {
            "exploration": ("epsilon-greedy",),
            "epsilon": (0.01, 0.1, 0.3),
            "half_life": (None, 100.0),
            "learning_rate": (0.1, 0.3, 1.0),
            "initial": (0.0, 2.0, 10.0),
        },
    )

    def __init__(
        self,
        problem: BAMDP,
        *,
        exploration: Literal["boltzmann", "epsilon-greedy"] = "boltzmann",
        temperature: float = 0.3,
        epsilon: float = 0.1,
        half_life: float | None = None,
        learning_rate: float = 0.2,
        decay: float = 0.0,
        initial: float = 0.0,
        seed: int = 0,
    ) -> None:
        self.exploration = one_of("exploration", exploration, ("boltzmann", "epsilon-greedy"))
        self.temperature = real("temperature", temperature, 0, open_low=True)
        self.epsilon = real("epsilon", epsilon, 0, 1)
        self.half_life = half_life_or_none(half_life)
        self.learning_rate = real("learning_rate", learning_rate, 0, 1)
        self.decay = real("decay", decay, 0, 10)
        self.initial = real("initial", initial, -LARGEST_RETURN, LARGEST_RETURN)
        super().__init__(problem, seed=seed)

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self._visits: dict[tuple[int, int], int] = {}

    def q_values(self, state: int) -> NDArray[np.float64]:
        """The learned value of each action in `state`. [A]"""
        return self._considered(self._check_state(state)).copy()

    def _considered(self, state: int) -> NDArray[np.float64]:
        """The learned values; −∞ for actions that are not considered. [A]"""
        values, A = self._entry(state), self.problem.num_actions
        considered = considered_actions(self.problem, state)
        if len(considered) == A:
            return values
        return np.where(np.isin(np.arange(A), considered), values, -np.inf)

    def act(self, state: int) -> int:
        values = self.q_values(state)
        if self.exploration == "boltzmann":
            return boltzmann(
                values, annealed(self.temperature, self.steps_done, self.half_life), self._rng
            )
        if self._rng.random() < annealed(self.epsilon, self.steps_done, self.half_life):
            considered = np.flatnonzero(values > -np.inf)
            return int(considered[self._rng.integers(len(considered))])
        return greedy(values, 0.0, self._rng)

    def _learn(self, state: int, action: int, reward: float, next_state: int | None) -> None:
        visits = self._visits[state, action] = self._visits.get((state, action), 0) + 1
        values = self._entry(state)
        target = reward + (
            0.0
            if next_state is None
            else self.problem.discount * self._considered(next_state).max()
        )
        values[action] += self.learning_rate / visits**self.decay * (target - values[action])

    def _new_entry(self) -> NDArray[np.float64]:
        return np.full(self.problem.num_actions, self.initial)
