"""Thompson sampling in any task: values in models drawn from the belief, over which choices are
averaged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.fit.valuation import Game, Seed, Valuation, Values
from bamdp.mdp import MDP, bellman_backup, values_by_steps
from bamdp.problem import BAMDP
from bamdp.validation import positive_integer

LARGEST_TABLES = 10**7  # numbers in the models that are drawn at once


@dataclass(frozen=True)
class Thompson(Valuation):
    """Posterior sampling; in two arms `Hybrid` has its rule in closed form.

    Args:
        draws: number of models drawn for each choice.

    Example:
        >>> Thompson()
        Thompson(draws=100)
    """

    draws: int = 100

    def __post_init__(self) -> None:
        object.__setattr__(self, "draws", positive_integer("draws", self.draws, 10**6))

    def evaluator(self, problem: BAMDP) -> Callable[[Game, Seed], Values]:
        A, numbers = problem.num_actions, problem.num_states**2
        batch = min(self.draws, max(1, LARGEST_TABLES // numbers // A))
        batches = [min(batch, self.draws - first) for first in range(0, self.draws, batch)]

        def value(game: Game, seed: Seed) -> Values:
            belief = problem.belief()
            drawn = [np.empty((0, A))]
            for index, row in enumerate(game.rows):
                if game.counted[index]:
                    rng = np.random.default_rng(seed(index, 0))
                    for count in batches:
                        worlds = belief.sample(count, rng)
                        ahead = _values_left(problem, worlds, int(game.elapsed[index]))
                        drawn.append(ahead[:, row.state])
                if index + 1 < len(game.rows):
                    belief.observe(*row)
            values = np.concatenate(drawn).reshape(-1, self.draws, A).swapaxes(0, 1)
            return values, np.full(values.shape[1:], np.inf)

        return value


def _values_left(problem: BAMDP, worlds: MDP, done: int) -> NDArray[np.float64]:
    """The values of worlds over the steps that are left. [K, S, A]"""
    if problem.horizon is None:
        return worlds.solve(problem.discount, tolerance=1e-6).q_values
    episodes: dict[str, Any] = {
        "episode_length": problem.episode_length,
        "start": problem.start or 0,
    }
    ahead = values_by_steps(worlds, problem.discount, problem.horizon, **episodes)
    return bellman_backup(worlds, ahead[problem.horizon - done - 1], problem.discount)
