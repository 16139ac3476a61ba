"""A domain as a Gymnasium environment.

| domain       | observation                                                        | space |
|--------------|--------------------------------------------------------------------|---|
| finite | the state | Discrete(num_states) |
| InfiniteGrid | (x, y, whether the cell holds a reward), nothing of other cells | Box(int64, [3]) |

An episode is terminated in a terminal state of the domain and truncated by its time limit and by
its horizon, both counted from `reset`; environments made by `gymnasium.make` are also truncated
after `domain.steps` steps. `reset(seed=…)` seeds the random generator.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import singledispatch
from math import inf
from typing import Any, ClassVar, cast

import gymnasium
import numpy as np
from gymnasium import logger, spaces

from bamdp import validation
from bamdp.config.names import DOMAINS
from bamdp.domain import UNBOUNDED, Domain, is_truncated
from bamdp.domains.infinite_grid import InfiniteGrid
from bamdp.pictures.pillow import image
from bamdp.pictures.scenes import scene
from bamdp.pictures.views import view

RENDER_MODES = ("rgb_array", "ansi")
FARTHEST = 2**31 - 1  # cell of an infinite grid, in steps


class RenderedEnv(gymnasium.Env[Any, Any]):
    """An environment that renders a domain."""

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]  # ClassVar is ours
        "render_modes": list(RENDER_MODES),
        "render_fps": 8,
    }

    def _prepare(self, domain: Domain, render_mode: str | None) -> None:
        self.render_mode = (
            None
            if render_mode is None
            else validation.one_of("render_mode", render_mode, RENDER_MODES)
        )
        self.action_space = spaces.Discrete(domain.num_actions)
        self._view = view(domain, scene(domain), truth=True, most_cells=inf)
        self._state: int | None = None  # None between episodes
        self._shown = 0  # the last state

    def _begin(self, state: int) -> None:
        self._view.reset()
        self._state = self._shown = state

    def _went(self, action: int, reward: float, next_state: int) -> None:
        self._view.observe(self._now(), action, reward, next_state)
        self._shown = next_state

    def _now(self) -> int:
        if self._state is None:
            raise gymnasium.error.ResetNeeded(
                "the episode is over, or none has begun: call reset() before step()"
            )
        return self._state

    def render(self) -> Any:
        """Render the domain and the agent's position, according to the render mode."""
        if self.render_mode is None:
            logger.warn(
                "render() needs a render mode: gymnasium.make(..., render_mode='rgb_array') or "
                "'ansi'"
            )
            return None
        if self.render_mode == "ansi":
            return self._view.text(self._shown)
        return np.asarray(image(self._view.whole(self._shown)))


class DomainEnv(RenderedEnv):
    """A domain of bamdp as a Gymnasium environment.

    Args:
        domain: a domain, or its name on the command line.
        render_mode: "rgb_array", an image (needs Pillow: `pip install 'bamdp[grid]'`), "ansi",
            text, or None.
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

    def __init__(
        self, domain: str | Domain, *, render_mode: str | None = None, **settings: Any
    ) -> None:
        self.domain = as_domain(domain, settings)
        self._cell = _cell_of(self.domain)
        if self._cell is not None:
            high = np.array([FARTHEST, FARTHEST, 1])
            self.observation_space: spaces.Space[Any] = spaces.Box(
                high * [-1, -1, 0], high, dtype=np.int64
            )
        else:
            require_finite(self.domain, ", or be an InfiniteGrid")
            self.observation_space = spaces.Discrete(self.domain.num_states)
        self._world = copy(self.domain)
        self._prepare(self._world, render_mode)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode; `seed` seeds the random generator, `options` are not used."""
        super().reset(seed=None if seed is None else validation.seed(seed))
        self._begin(self._world.reset(self.np_random))
        return self._observation(self._now()), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take an action; return observation, reward, terminated, truncated, and an empty info."""
        action = validation.integer("action", action, 0, self.domain.num_actions - 1)
        next_state, reward = self._world.step(self._now(), action, self.np_random)
        self._went(action, reward, next_state)
        terminated = next_state in self._world.terminal
        steps = self._view.steps
        over = is_truncated(self._world, steps) or steps == self._world.horizon
        truncated = not terminated and over
        self._state = None if terminated or truncated else next_state
        return self._observation(next_state), reward, terminated, truncated, {}

    def _observation(self, state: int) -> Any:
        return int(state) if self._cell is None else np.array(self._cell(state), dtype=np.int64)

    def __repr__(self) -> str:
        return f"<DomainEnv {self.domain!r}>"


def as_domain(domain: Any, settings: dict[str, Any]) -> Domain:
    """A domain from itself, or from its name and settings."""
    if isinstance(domain, str):
        return cast(Domain, DOMAINS.find(domain).factory(**settings))
    if not isinstance(domain, Domain):
        raise TypeError(f"domain must be a bamdp.Domain or its name, got {domain!r}")
    if settings:
        raise TypeError(
            f"settings are only for a domain given by name, got {domain!r} and {settings}"
        )
    return domain


@singledispatch
def _cell_of(domain: Domain) -> Callable[[int], tuple[int, int, bool]] | None:
    """The cell of a state, which is observed in a domain without a last state; else None."""
    return None


@_cell_of.register
def _(domain: InfiniteGrid) -> Callable[[int], tuple[int, int, bool]]:
    return domain.cell


def require_finite(domain: Domain, otherwise: str = "") -> None:
    """Reject a domain with infinitely many states."""
    if domain.num_states == UNBOUNDED:
        raise ValueError(f"domain must have finitely many states{otherwise}, got {domain!r}")
