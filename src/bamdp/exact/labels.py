"""Exact labels: the Bayes-optimal value of each action at every step of an episode.

With Q the Bayes-optimal values after the history h_t, of what is left of the episode,

    optimal action  argmax_a Q(h_t, a)
    regret          max_a Q(h_t, a) − Q(h_t, a_t)

The discounted sum of regrets has the expectation of the difference of returns, for any policy that
does not know the world (`bamdp.comparing.regret`). They are exact where the values of all belief
states are kept (`bamdp.exact.bayes_optimal`). For a few possible models over one episode they are
the middles of bounds, and `error` is half of their distance.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.exact.bayes_optimal import bayes_optimal
from bamdp.exact.belief_states import TooManyBeliefStatesError
from bamdp.exact.model_set import ModelSetSolution, is_few, solve_model_set
from bamdp.exact.solution import BayesOptimal, Walk
from bamdp.problem import BAMDP, checked_problem

Array = NDArray[np.float64]


class Labels:
    """The values of actions along episodes of a problem.

    Args:
        problem: the problem.
        start: state that the episode starts in.
        steps: number of steps of the episode.
        restart: state in which the next episode of the domain starts, in the same world; None if
            the end of one is the end.
        time_limit: number of steps after which an episode of the domain is truncated.
        limit: enumerate at most so many belief states; as `bayes_optimal` has it if not given.

    Raises:
        ValueError: there is no exact solution, nor bounds; the message says why.

    Example:
        >>> import bamdp
        >>> arms = bamdp.domains.Bandit([0.5, 0.5], discount=1.0, horizon=3).problem()
        >>> walk = Labels(arms, start=0, steps=3).walk()
        >>> walk.step(action=0, next_state=0)  # a failure
        >>> walk.q_values.round(3)
        array([0.833, 1.   ])
    """

    def __init__(
        self,
        problem: BAMDP,
        start: int,
        steps: int,
        *,
        restart: int | None = None,
        time_limit: int | None = None,
        limit: int | None = None,
    ) -> None:
        self.problem = checked_problem(problem)
        self._solution: BayesOptimal | None = None
        self._bounds: ModelSetSolution | None = None
        self._start, self.steps = start, steps
        settings: dict[str, Any] = {"restart": restart, "time_limit": time_limit, "limit": limit}
        try:
            self._solve(settings)
        except (TypeError, ValueError, MemoryError) as error:
            raise ValueError(f"there are no exact labels for {problem!r}: {error}") from error

    def _solve(self, settings: dict[str, Any]) -> None:
        problem, start, steps = self.problem, self._start, self.steps
        too_many: TooManyBeliefStatesError | None = None
        try:
            solution = bayes_optimal(problem, start, steps, **settings)
            if solution.keeps_values:
                self._solution = solution
                return
        except TooManyBeliefStatesError as error:
            too_many = error
        ends = bool(problem.terminal) or problem.prior.unknown_terminal
        follow = settings["restart"] is not None and (ends or settings["time_limit"] is not None)
        if follow or problem.episode_length is not None or not is_few(problem.belief()):
            raise too_many or ValueError("only the values at its start are known")
        self._bounds = solve_model_set(replace(problem, horizon=steps), start)

    @property
    def exact(self) -> bool:
        """Whether values are exact; else they are the middles of bounds."""
        return self._solution is not None

    @property
    def value(self) -> float:
        """The Bayes-optimal value of an episode."""
        return float(self.walk().q_values.max())

    def walk(self) -> Walk:
        """A walk through an episode, from its start."""
        if self._solution is not None:
            return self._solution.walk()
        assert self._bounds is not None
        return ModelSetWalk(self._bounds, self._start)

    @staticmethod
    def error(walk: Walk) -> float:
        """Half of the distance of the bounds at this step of a walk; 0 where values are exact."""
        return walk.error if isinstance(walk, ModelSetWalk) else 0.0


class ModelSetWalk(Walk):
    """A path through the beliefs over a few possible models, following real transitions.

    Args:
        solution: the bounds.
        start: the first state.
    """

    def __init__(self, solution: ModelSetSolution, start: int) -> None:
        super().__init__(solution.steps)
        self._solution, self._state, self._belief = solution, start, solution.problem.belief()
        self._possible = np.flatnonzero(self._weights())

    def __copy__(self) -> ModelSetWalk:
        twin = object.__new__(type(self))
        vars(twin).update({**vars(self), "_belief": copy.copy(self._belief)})
        return twin

    @property
    def error(self) -> float:
        """Half of the largest distance of the bounds."""
        lower, upper = self._limits()
        return float((upper - lower).max()) / 2

    def _limits(self) -> tuple[Array, Array]:
        weights, left = self._weights()[self._possible], self._solution.steps - self.depth
        bounds = self._solution.bounds(self._state, weights, left)
        return bounds.lower, bounds.upper

    def _weights(self) -> Array:
        particles = self._belief.particles
        assert particles is not None
        assert particles.weights is not None
        return particles.weights

    def _q_values(self) -> Array:
        lower, upper = self._limits()
        middle: Array = (lower + upper) / 2
        return middle

    def _move(
        self, action: int, next_state: int, reward: float | None, terminated: bool | None
    ) -> None:
        self._belief.observe(self._state, action, reward, next_state, terminated)
        self._state = next_state
