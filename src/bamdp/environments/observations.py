"""What is observed in a Bayes-adaptive MDP: the state, the step where there is a horizon, and
tables of the belief.

See `bamdp.environments.bayes_adaptive_env` for the tables.
"""

from __future__ import annotations

import copy
from typing import Any, Literal, get_args

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from bamdp.priors.beta_arms import has_independent_arms
from bamdp.priors.finite import weights_of
from bamdp.priors.unknown_rewards import reward_values, transition_prior
from bamdp.problem import BAMDP
from bamdp.steps import Step
from bamdp.validation import fits_memory, one_of

Tables = dict[str, NDArray[Any]]
BeliefKind = Literal["counts", "weights", "mean"]

LARGEST = float(np.finfo(np.float32).max)  # of an observation


class Observations:
    """The observations of an environment.

    Args:
        problem: the problem.
        kind: how the belief is observed; "weights" if the prior has them, else "counts", if not
            given.
        steps: number of steps of an episode of the environment.
        flat: whether an observation is one vector instead of a dictionary.

    Attributes:
        prior_belief: the belief before any step.
        kind: how the belief is observed: "counts", "weights" or "mean".
        space: the space of observations.
    """

    def __init__(self, problem: BAMDP, kind: BeliefKind | None, steps: int, flat: bool) -> None:
        S, A = problem.num_states, problem.num_actions
        if kind is not None:
            one_of("belief", kind, get_args(BeliefKind))
        if kind != "weights":
            fits_memory("the belief in an observation", S * A * S)
        prior: Any = problem.prior
        self.prior_belief = problem.belief()
        found: BeliefKind = "counts" if _weights(self.prior_belief) is None else "weights"
        if kind not in (None, "mean", found):
            priors = (
                "Finite and Parametric"
                if kind == "weights"
                else "priors other than Finite and Parametric"
            )
            raise TypeError(
                f'belief="{kind}" is for {priors}, not for {prior!r}; use belief="{found}"'
            )
        self.kind = found if kind is None else kind
        self._arms, self._flat, self._num_states = has_independent_arms(prior), flat, S
        self._counts = np.zeros((S, A, S) if self.kind == "counts" else 0)
        learned = self.prior_belief.problem.prior.unknown_rewards and not (
            found == "weights" and transition_prior(prior) is prior
        )
        self._count_rewards = learned and self.kind != "mean"
        self._values = reward_values(prior)
        self._rewards = np.zeros(
            (S, A, 3 if self._values is None else len(self._values)) if self._count_rewards else 0
        )
        moments = np.array([0, -LARGEST, 0]), np.array([steps, LARGEST, LARGEST])
        counted = moments if self._values is None else (0, steps)
        self._bounds: dict[str, tuple[Any, Any]] = {
            "belief": (0, steps if self.kind == "counts" else 1),
            "rewards": counted if self._count_rewards else (-LARGEST, LARGEST),
        }
        self._timed = problem.horizon is not None
        try:
            self.prior_belief.sample(1, np.random.default_rng(0))
            self.reset()
            tables = self._tables()
        except TypeError as error:
            needed = "able to sample tables of transitions and to average them, like Dirichlet"
            raise TypeError(f"prior must be {needed}; {prior!r}: {error}") from error
        boxes = {name: _box(table.shape, *self._bounds[name]) for name, table in tables.items()}
        step: dict[str, spaces.Space[Any]] = (
            {"step": spaces.Discrete(steps + 1)} if self._timed else {}
        )
        self.space: spaces.Space[Any] = spaces.Dict({"state": spaces.Discrete(S), **step, **boxes})
        if flat:
            every = [_box((S,), 0, 1), *(_box((1,), 0, steps) for _ in step), *boxes.values()]
            low, high = (
                np.concatenate([getattr(box, end).ravel() for box in every])
                for end in ("low", "high")
            )
            self.space = spaces.Box(low, high, dtype=np.float32)

    def reset(self) -> None:
        """Forget everything."""
        if self.kind != "counts":
            self._belief = copy.copy(self.prior_belief)
        self._counts[...] = 0
        self._rewards[...] = 0

    def observe(self, step: Step) -> None:
        """Learn from a step."""
        state, action, reward, next_state, *_ = step
        if self.kind == "counts":
            self._counts[state, action, next_state] += 1
        else:
            self._belief.observe(*step)
        if not self._count_rewards:
            return
        if self._values is not None:
            self._rewards[state, action, np.flatnonzero(self._values == reward)] += 1
            return
        n, mean, variance = self._rewards[state, action]
        away = reward - mean
        mean += away / (n + 1)
        self._rewards[state, action] = (
            n + 1,
            mean,
            (n * variance + away * (reward - mean)) / (n + 1),
        )

    def of(self, state: int, step: int) -> Any:
        """The observation in a state after so many steps."""
        tables = {
            name: np.clip(table, *self._bounds[name]).astype(np.float32)
            for name, table in self._tables().items()
        }
        if not self._flat:
            return {
                "state": np.int64(state),
                **({"step": np.int64(step)} if self._timed else {}),
                **tables,
            }
        one_hot = np.arange(self._num_states) == state
        return np.concatenate(
            [one_hot, [step] * self._timed, *map(np.ravel, tables.values())], dtype=np.float32
        )

    def _tables(self) -> Tables:
        rewards = {"rewards": self._rewards} if self._count_rewards else {}
        if self.kind == "weights":
            return {"belief": np.asarray(_weights(self._belief)), **rewards}
        if self.kind == "counts":
            return {"belief": self._counts.sum(axis=0) if self._arms else self._counts, **rewards}
        mean = self._belief.mean()
        rewards = (
            {"rewards": mean.expected_rewards} if self._belief.problem.prior.unknown_rewards else {}
        )
        return {"belief": mean.transitions[0] if self._arms else mean.transitions, **rewards}


def _weights(belief: Any) -> NDArray[np.float64] | None:
    """The posterior probabilities of finitely many worlds or parameters; None if
    there are others.
    """
    prior = belief.problem.prior
    return weights_of(belief if transition_prior(prior) is prior else belief.transitions)


def _box(shape: tuple[int, ...], low: Any, high: Any) -> spaces.Box:
    low, high = (np.full(shape, end, np.float32) for end in (low, high))
    return spaces.Box(low, high, dtype=np.float32)
