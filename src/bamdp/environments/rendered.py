"""What the environments share: a state or none, and what people see of it."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
from gymnasium import logger

from bamdp._validation import one_of
from bamdp.config.names import find
from bamdp.domain import Domain
from bamdp.rendering.view import View

RENDER_MODES = ("rgb_array", "ansi")


class RenderedEnv(gymnasium.Env[Any, Any]):
    """An environment in the world of a domain."""

    # Gymnasium reads it from the class, and declares it without saying so.
    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": 8}  # type: ignore[misc]

    def _prepare(self, world: Domain, render_mode: str | None) -> None:
        self.render_mode = None if render_mode is None else one_of("render_mode", render_mode, RENDER_MODES)
        self._view = View(world)
        self._state: int | None = None  # None between episodes

    def _now(self) -> int:
        """The state, if an episode is under way."""
        if self._state is None:
            raise gymnasium.error.ResetNeeded("the episode is over, or none has begun: call reset() before step()")
        return self._state

    def render(self) -> Any:
        """The world and where the agent is in it, as the render mode says."""
        if self.render_mode is None:
            logger.warn("render() needs a render mode: gymnasium.make(..., render_mode='rgb_array') or 'ansi'")
            return None
        return self._view.text() if self.render_mode == "ansi" else self._view.picture()


def as_domain(domain: Any, settings: dict[str, Any]) -> Domain:
    """A domain from itself, or from its name and settings."""
    if isinstance(domain, str):
        made: Domain = find("domain", domain).factory(**settings)
        return made
    if not isinstance(domain, Domain):
        raise TypeError(f"domain must be a domain of bamdp or its name, got {domain!r}")
    if settings:
        raise TypeError(f"settings are for a domain that is given by its name, got {domain!r} and {settings}")
    return domain
