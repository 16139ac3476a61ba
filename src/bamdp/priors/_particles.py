"""A belief over more parameters than there is room for tables.

The weights of all points are exact: an observation asks for one row of all points, of which the last ones are kept. A search
runs in the tables of a few points, drawn from the posterior again before a decision if there were observations in between.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp import _core, validation
from bamdp.mdp import MDP, quantile_indices
from bamdp.priors._parameter import ParameterBelief
from bamdp.validation import fits_memory, generator, integer

if TYPE_CHECKING:
    from bamdp.priors.parametric import Parametric
    from bamdp.problem import BAMDP

Array = NDArray[np.float64]
PARTICLES = 256  # points that a search draws its worlds from, at most
SAME = 1e-9  # relative difference up to which rewards are the same


class ParticleBelief(ParameterBelief):
    """A belief over a parameter, by the weights of its points, without tables of all of them.

    Attributes:
        parameters: the points, [M] or [M, d].
    """

    approximate: ClassVar[bool] = True
    state_attributes: ClassVar[tuple[str, ...]] = ("_logs", "_rng", "_native", "_drawn", "_drawn_at")

    def __init__(self, problem: BAMDP, prior: Parametric, fitting: int) -> None:
        self.problem, self._prior = problem, prior
        self.parameters, self.has_rewards = np.asarray(prior.parameters), prior.has_rewards
        with np.errstate(divide="ignore"):
            self._logs = np.log(np.asarray(prior.weights))  # [M] up to a constant
        self._rows: OrderedDict[tuple[int, int], Array] = OrderedDict()
        self._kept = max(1, validation.mebibytes("memory", prior.memory) // (8 * problem.num_states * len(self.parameters)))
        self._rng = np.random.default_rng(0)
        self._drawn = np.zeros(min(PARTICLES, fitting), np.int64)  # points that searches run in
        self._drawn_at = -1  # number of observations when they were drawn
        self._native = _core.FiniteBelief(*self._tables())
        self.prepare()

    @property
    def observations(self) -> int:
        """Number of transitions observed."""
        return int(self._native.observations)

    @property
    def weights(self) -> Array:
        weights = np.exp(self._logs - self._logs.max())
        return np.asarray(weights / weights.sum())

    @property
    def native(self) -> tuple[Any, ...]:
        return (self._native,)

    def observe(self, state: int, action: int, reward: float | None, next_state: int, terminated: bool | None = False) -> None:
        reward = None if reward is None or not self.has_rewards else validation.reward(reward)
        state, action = self._pair(state, action)
        next_state = integer("next_state", next_state, 0, self.num_states - 1)
        with np.errstate(divide="ignore"):
            logs = self._logs + np.log(self._row(state, action)[:, next_state])
        told = self.problem.told_state
        what = f"next_state {told(next_state)} after state {told(state)} and action {self.problem.told_action(action)}"
        if logs.max() > -np.inf and reward is not None:
            paid = self._paid(self.parameters, state, action)[:, next_state]
            logs[np.abs(paid - reward) > SAME * np.maximum(np.abs(paid), abs(reward))] = -np.inf
            what = f"reward {reward:g} with {what}" if logs.max() == -np.inf else what
        if logs.max() == -np.inf:
            raise ValueError(f"{what} is impossible under the prior: no parameter that is left allows it")
        self._native.count(state, next_state)
        self._logs = logs - logs.max()

    def predictive(self, state: int, action: int) -> Array:
        return np.asarray(self.weights @ self._row(*self._pair(state, action)))

    def mean(self) -> MDP:
        S, A = self.num_states, self.num_actions
        fits_memory("mean()", S**2 * A)
        made = self.of(np.array([[self.predictive(s, a) for a in range(A)] for s in range(S)]))
        if not self.has_rewards:
            return made
        paid = np.empty((S, A))
        for s, a in np.ndindex(S, A):
            paid[s, a] = self.weights @ (self._row(s, a) * self._paid(self.parameters, s, a)).sum(axis=1)
        return MDP.unchecked(made.transitions, paid, made.terminal)

    def sample(self, count: int, rng: np.random.Generator) -> MDP:
        """The worlds of parameters drawn from the posterior."""
        count = integer("count", count, 1, 10**9)
        return self._of_points(generator(rng).choice(len(self.parameters), count, p=self.weights))

    def representatives(self, count: int) -> MDP:
        """At most `count` worlds that stand for the posterior, with weights."""
        chosen, times = np.unique(quantile_indices(self.weights, count), return_counts=True)
        return self._of_points(chosen).with_weights(times / count)

    def search_parts(self, seeds: list[list[int]]) -> tuple[Any, ...]:
        self._rng, self._drawn_at = np.random.default_rng(seeds[-1]), -1
        self.prepare()
        return (self._native,)

    def prepare(self) -> None:
        """Draw the points of searches again, if something was observed since the last time."""
        if self._drawn_at != self.observations:
            self._drawn[...] = quantile_indices(self.weights, len(self._drawn), float(self._rng.random()))
            self._native.assign(*self._tables())
            self._drawn_at = self.observations

    def check_state(self) -> None:
        """After loading: the tables of the points that were drawn are made again."""
        if len(self._logs) != len(self.parameters) or not 0 <= self._drawn.min() <= self._drawn.max() < len(self.parameters):
            raise ValueError("the belief must be that of as many parameters")
        self._native.assign(*self._tables())

    def _tables(self) -> tuple[Array, Array, Array | None]:
        tables, rewards = self._prior.tables(self.parameters[self._drawn], self.num_states, self.num_actions)
        return tables, np.full(len(tables), 1 / len(tables)), rewards

    def _of_points(self, chosen: NDArray[np.int64]) -> MDP:
        transitions, rewards = self._prior.tables(self.parameters[chosen], self.num_states, self.num_actions)
        made = self.of(transitions)
        return made if rewards is None else MDP.unchecked(transitions, rewards, made.terminal, weights=made.weights)

    def _row(self, state: int, action: int) -> Array:
        """The row of all points, kept if it was asked for lately. [M, S]"""
        if (state, action) not in self._rows:
            self._rows[state, action] = self._prior.rows(self.parameters, state, action, self.num_states)
            if len(self._rows) > self._kept:
                self._rows.popitem(last=False)
        self._rows.move_to_end((state, action))
        return self._rows[state, action]

    def _paid(self, parameters: Array, state: int, action: int) -> Array:
        paid = self._prior.paid(parameters, state, action, self.num_states)
        return paid if paid.ndim == 2 else np.repeat(paid[:, None], self.num_states, axis=1)

    def _pair(self, state: int, action: int) -> tuple[int, int]:
        return integer("state", state, 0, self.num_states - 1), integer("action", action, 0, self.num_actions - 1)

    def _undo(self) -> Callable[[], None]:
        logs, native = self._logs, self._native.state()

        def undo() -> None:
            self._logs = logs
            self._native.restore(native)

        return undo
