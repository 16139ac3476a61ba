"""What observations say of a finite set of worlds; see `_parts`.

    w_m ∝ w_m P_m(s' | s, a) [world m pays r] [world m ends in s', or not, as observed]

| part            | shape of a copy | content                                                     |
|-----------------|-----------------|-------------------------------------------------------------|
| `Weights`       | [M]             | the posterior probability of each world                     |
| `OwnWeights`    | [M]             | that of each parameter, where there are too many for tables |
| `WorldsMean`    | [S, A, S]       | average transition probabilities                            |
| `WorldsRewards` | [S, A]          | average rewards                                             |
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp._validation import fits_memory
from bamdp.environments._parts import Index, Part, Seen
from bamdp.prior import Prior
from bamdp.priors.finite import FiniteBelief


class Weights(Part):
    """The posterior over a finite set of worlds, with their tables."""

    def __init__(self, belief: FiniteBelief) -> None:
        self.shape = belief.weights.shape
        self._prior = belief.weights
        tables, rewards, terminal = belief._transitions, belief._rewards, belief._terminal
        known = bool((tables == tables[:1]).all())
        self._rows = None if known else _worlds_last(tables)  # [S, A, S, M]
        self._paid = None if rewards is None else _worlds_last(rewards)  # [S, A, M] or [S, A, S, M]
        self._terminal = None if terminal is None else _worlds_last(terminal)  # [S, M]

    def start(self, copies: int) -> None:
        fits_memory(f"num_envs={copies}", copies * self.shape[0])
        self.weights = np.tile(self._prior, (copies, 1))

    def reset(self, at: Index) -> None:
        self.weights[at] = self._prior

    def observe(self, seen: Seen) -> None:
        if self._rows is None and self._paid is None and self._terminal is None:
            return
        whole = len(seen.at) == len(self.weights)
        weights = self.weights if whole else self.weights[seen.at]
        if self._rows is not None:
            weights *= self._rows[seen.states, seen.actions, seen.next_states]
        if self._paid is not None:
            pair = (seen.states, seen.actions) if self._paid.ndim == 3 else (seen.states, seen.actions, seen.next_states)
            weights *= self._paid[pair] == seen.rewards[:, None]
        if self._terminal is not None:
            weights *= self._terminal[seen.next_states] == seen.ended[:, None]
        weights /= np.einsum("nm->n", weights)[:, None]
        if not whole:
            self.weights[seen.at] = weights

    def table(self) -> NDArray[np.float32]:
        return self.weights.astype(np.float32)


class OwnWeights(Part):
    """The posterior over the points of a parameter without tables, by a belief for each copy."""

    def __init__(self, prior: Prior, belief: Any) -> None:
        self._prior, self._sizes = prior, (belief.num_states, belief.num_actions)
        self.shape = belief.weights.shape

    def start(self, copies: int) -> None:
        self._beliefs = [self._prior.belief(*self._sizes) for _ in range(copies)]

    def reset(self, at: Index) -> None:
        for i in at.tolist():
            self._beliefs[i] = self._prior.belief(*self._sizes)

    def observe(self, seen: Seen) -> None:
        for i, state, action, reward, next_state, _ in zip(*(column.tolist() for column in seen), strict=True):
            self._beliefs[i].observe_step(state, action, reward, next_state)

    def table(self) -> NDArray[np.float32]:
        return np.array([belief.weights for belief in self._beliefs], np.float32)  # type: ignore[attr-defined]  # of parameters


class WorldsMean(Part):
    """The average transitions of a finite set of worlds."""

    def __init__(self, belief: FiniteBelief, weights: Weights) -> None:
        self.shape = belief._transitions.shape[1:]
        self._tables, self._weights = belief._transitions, weights

    def start(self, copies: int) -> None:
        fits_memory(f"num_envs={copies}", copies * int(np.prod(self.shape)))
        self._weights.start(copies)

    def reset(self, at: Index) -> None:
        self._weights.reset(at)

    def observe(self, seen: Seen) -> None:
        self._weights.observe(seen)

    def table(self) -> NDArray[np.float32]:
        flat = self._weights.weights @ self._tables.reshape(len(self._tables), -1)
        return np.minimum(flat, 1.0).reshape(-1, *self.shape).astype(np.float32)


class WorldsRewards(Part):
    """The average rewards of a finite set of worlds, of each state over those in which it is not terminal."""

    def __init__(self, belief: FiniteBelief, weights: Weights) -> None:
        self.shape = belief._transitions.shape[1:3]
        models = belief._models
        assert models.rewards is not None
        self._rewards, self._terminal, self._weights = models.rewards, models.terminal, weights
        self.low, self.high = float(self._rewards.min()), float(self._rewards.max())

    def start(self, copies: int) -> None:
        """Nothing to do: the weights are those of another part."""

    def reset(self, at: Index) -> None:
        """Nothing to do."""

    def observe(self, seen: Seen) -> None:
        """Nothing to do."""

    def table(self) -> NDArray[np.float32]:
        weights = self._weights.weights
        if self._terminal is None:
            mean = (weights @ self._rewards.reshape(len(self._rewards), -1)).reshape(-1, *self.shape)
        else:
            each = np.where(self._terminal, 0.0, weights[:, :, None])  # [N, M, S]
            each = np.where(each.sum(axis=1, keepdims=True) > 0, each, weights[:, :, None])  # else terminal in all of them
            mean = np.einsum("nms,msa->nsa", each / each.sum(axis=1, keepdims=True), self._rewards)
        return np.clip(mean, self.low, self.high).astype(np.float32)


def _worlds_last(table: NDArray[Any]) -> NDArray[Any]:
    """[M, …] as […, M], so that the numbers of all worlds lie together."""
    return np.ascontiguousarray(np.moveaxis(table, 0, -1))
