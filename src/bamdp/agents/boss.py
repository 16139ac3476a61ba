"""BOSS: the best of a sampled set (Asmuth, Li, Littman, Nouri, Wingate 2009, "A Bayesian sampling
approach to exploration").

K models are drawn from the posterior and merged into one with A·K actions: in every state the agent
may choose which model's dynamics an action has, so the merged model is optimistic. New models are
drawn when some state-action pair is visited for the B-th time.
"""

from __future__ import annotations

from collections import Counter
from operator import index
from typing import Any, ClassVar

from bamdp import validation
from bamdp.agent import Grid
from bamdp.agents._model_based import ModelBased
from bamdp.problem import BAMDP
from bamdp.validation import fits_memory, integer, positive_integer


class BOSS(ModelBased):
    """Acts optimally in the best of several models drawn from the posterior, state by state.

    Args:
        problem: the problem.
        models: number of merged models, the paper's K.
        visits: number of visits of a state-action pair at which new models are drawn, the paper's
            B; 0 means never.
        settings: `tolerance`, `ties` and `seed` as in `PosteriorMean`.

    Example:
        >>> import bamdp
        >>> domain = bamdp.domains.DoubleLoop()
        >>> bamdp.run(BOSS(domain.problem(), models=2, visits=10), domain,
        ...     steps=1000).total_reward > 150
        True
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_due", "_visited")
    needs: ClassVar[str] = "samples"
    grid: ClassVar[Grid] = ({"models": (2, 4, 8, 16, 32), "visits": (1, 2, 5, 10)},)

    def __init__(
        self, problem: BAMDP, *, models: int = 5, visits: int = 10, **settings: Any
    ) -> None:
        self.models = positive_integer("models", models, 10**6)
        self.visits = integer("visits", visits, 0)
        super().__init__(problem, **settings)

    def reset(self, seed: int) -> None:
        validation.seed(seed)  # before anything changes
        self._due = True
        self._visited: Counter[tuple[int, int]] = Counter()
        super().reset(seed)

    def observe(
        self,
        state: int,
        action: int,
        reward: float,
        next_state: int,
        terminated: bool | None = False,
    ) -> None:
        super().observe(state, action, reward, next_state, terminated)
        pair = index(state), index(action)
        self._visited[pair] += 1
        self._due = self._due or self._visited[pair] == self.visits

    def _load(self) -> None:
        if self._due:
            if self._solver.has_tables:
                fits_memory(
                    f"models={self.models}",
                    8 * self.models * self.problem.num_states * self.problem.num_actions,
                )
            self._solver.load_samples(self.models, self._rng)
            self._due = False
