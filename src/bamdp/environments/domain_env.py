"""A domain as a Gymnasium environment.

| domain       | observation                                                        | space                  |
|--------------|--------------------------------------------------------------------|------------------------|
| finite       | the state                                                          | Discrete(num_states)   |
| InfiniteGrid | (x, y, whether the cell holds a reward), nothing of other cells    | Box(int64, [3])        |

An episode is terminated in a terminal state of the domain and truncated by its time limit; environments made by
`gymnasium.make` are also truncated after `domain.steps` steps. `reset(seed=…)` seeds the random generator.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from bamdp import _validation
from bamdp.domain import UNBOUNDED, Domain
from bamdp.domains import InfiniteGrid
from bamdp.environments.rendered import RenderedEnv, as_domain
from bamdp.priors._grid_cells import REACH, cell_of


class DomainEnv(RenderedEnv):
    """A domain of bamdp as a Gymnasium environment.

    Args:
        domain: a domain, or its name on the command line.
        render_mode: "rgb_array", an image (needs Pillow: `pip install 'bamdp[grid]'`), "ansi", text, or None.
        settings: arguments of the domain's constructor, if `domain` is a name.

    Example:
        >>> env = DomainEnv("grid", size=5, render_mode="ansi")
        >>> env.reset(seed=1)
        (0, {})
        >>> state, reward, terminated, truncated, info = env.step(0)
        >>> print(env.render())
        step 1, reward 0, (0, 1)
        . . . . G
        . . . . .
        . . . . .
        @ . . . .
        S . . . .
    """

    def __init__(self, domain: str | Domain, *, render_mode: str | None = None, **settings: Any) -> None:
        self.domain = as_domain(domain, settings)
        self.observation_space: spaces.Space[Any] = _space(self.domain)
        self.action_space = spaces.Discrete(self.domain.num_actions)
        self._world = self.domain.for_run()
        self._prepare(self._world, render_mode)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode; `seed` seeds the random generator, `options` are not used."""
        super().reset(seed=None if seed is None else _validation.seed(seed))
        self._state = self._world.reset(self.np_random)
        self._view.reset(self._state)
        return self._observation(self._state), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take an action; return observation, reward, terminated, truncated, and an empty info."""
        action = _validation.integer("action", action, 0, self.domain.num_actions - 1)
        next_state, reward = self._world.step(self._now(), action, self.np_random)
        self._view.step(action, reward, next_state)
        terminated = next_state in self._world.terminal
        truncated = not terminated and self._world.truncated(self._view.steps)
        self._state = None if terminated or truncated else next_state
        return self._observation(next_state), reward, terminated, truncated, {}

    def _observation(self, state: int) -> int | NDArray[np.int64]:
        return np.array(cell_of(state), dtype=np.int64) if self.domain.num_states == UNBOUNDED else int(state)

    def __repr__(self) -> str:
        return f"<DomainEnv {self.domain!r}>"


def _space(domain: Domain) -> spaces.Space[Any]:
    if isinstance(domain, InfiniteGrid):
        return spaces.Box(np.array([-REACH, -REACH, 0]), np.array([REACH, REACH, 1]), dtype=np.int64)
    if domain.num_states == UNBOUNDED:
        raise ValueError(f"domain must have finitely many states, or be an InfiniteGrid, got {domain!r}")
    return spaces.Discrete(domain.num_states)
