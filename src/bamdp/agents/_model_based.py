"""The base of agents that solve a model: the belief, the native solver, and the greedy choice.

    Q(s, a) = R(s, a) + γ Σ_s' P(s' | s, a) max_a' Q(s', a'),

    P a posterior mean or sampled from the posterior

With a horizon Q is that of the steps left, by backward induction: Q_k from Q_{k−1}, and Q_0 = 0.

A subclass loads its model into the solver (`_load`) and inherits the rest.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from bamdp.agent import Agent
from bamdp.prior import Belief
from bamdp.problem import BAMDP, require_discount
from bamdp.search.solver import solver_of
from bamdp.steps import Steps
from bamdp.validation import one_of, real

Ties = Literal["first", "random"]


class ModelBased(Agent):
    """An agent that solves a model made from its belief and acts greedily.

    Args:
        problem: the problem.
        tolerance: maximum error of the model's values.
        ties: how ties between actions are broken, by the "first" or at "random".
        seed: seed of the agent's random generator.
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_solver",)
    needs: ClassVar[str] = "the posterior mean"
    index: ClassVar[bool] = False  # with a bonus for learning, where there are no tables

    def __init__(
        self, problem: BAMDP, *, tolerance: float = 1e-6, ties: Ties = "random", seed: int = 0
    ) -> None:
        self.tolerance = real("tolerance", tolerance, 0, open_low=True)
        self.ties = one_of("ties", ties, ("first", "random"))
        super().__init__(problem, seed=seed)

    def reset(self, seed: int) -> None:
        require_discount(self.problem, type(self).__name__)
        super().reset(seed)
        self._solver: Any = self._make_solver()
        try:
            self._load()
        except TypeError as error:
            message = f"{type(self).__name__} needs {self.needs} of the transitions, and {error}"
            raise TypeError(f"{message}; {alternatives(self.belief)}") from error

    def act(self, state: int) -> int:
        return self._choose(self.q_values(state))

    def _learn_many(self, steps: Steps) -> None:
        if type(self).observe is not Agent.observe:  # a subclass keeps more than the belief
            super()._learn_many(steps)
        else:
            self.belief.observe_many(*steps)

    def q_values(self, state: int) -> NDArray[np.float64]:
        """The value of each action in `state` by the current model. [A]"""
        state = self._check_state(state)
        self._load()
        self._solver.solve(self.tolerance, self._remaining_steps(), self.on_tick)
        values: NDArray[np.float64] = self._solver.q_values(state)
        return values

    def _make_solver(self) -> Any:
        """A solver for models of the belief."""
        return solver_of(self.belief, type(self).__name__, index=self.index)

    @abstractmethod
    def _load(self) -> None:
        """Load the model into the solver, if it has changed."""

    def _choose(self, values: NDArray[np.float64]) -> int:
        return greedy(values, 2 * self.tolerance, self._rng if self.ties == "random" else None)


def alternatives(belief: Belief) -> str:
    """The agents that can use a belief, the end of an error message of one that can't."""
    sample = partial(belief.sample, 1, np.random.default_rng(0))
    able = {
        "PosteriorMean needs only the mean": _is_supported(belief.mean),
        "BOSS and BayesianDP need only samples": _is_supported(sample),
        "BAMCP needs only a model to search": belief.native is not None,
        "QLearning, IEQL, VPI and Random need no prior at all": True,
    }
    return ", ".join(agents for agents, usable in able.items() if usable)


def _is_supported(call: Callable[[], Any]) -> bool:
    try:
        call()
    except (TypeError, MemoryError):
        return False
    return True


def annealed(strength: float, steps: int, half_life: float | None) -> float:
    """What is left of the strength of exploration after a number of steps; all of it without a
    half-life.

    Example:
        >>> annealed(0.4, 20, half_life=10.0), annealed(0.4, 20, half_life=None)
        (0.1, 0.4)
    """
    return strength if half_life is None else strength * 0.5 ** (steps / half_life)


def greedy(values: NDArray[np.float64], slack: float, rng: np.random.Generator | None) -> int:
    """An action whose value is within `slack` of the best: the first or, with a generator, a random
    one.

    Example:
        >>> greedy(np.array([0.0, 1.0, 1.0]), 1e-9, None)
        1
    """
    best = best_actions(values, slack)
    return int(best[0] if rng is None or len(best) == 1 else rng.choice(best))


def best_actions(values: NDArray[np.float64], slack: float) -> NDArray[np.int64]:
    """The actions whose value is within `slack` of the best."""
    return np.flatnonzero(values >= values.max() - slack)
