"""The base class of the environments: the current state and its rendering."""

from __future__ import annotations

from typing import Any, ClassVar, cast

import gymnasium
from gymnasium import logger

from bamdp._validation import one_of
from bamdp.config.names import find
from bamdp.domain import Domain
from bamdp.rendering.view import View

RENDER_MODES = ("rgb_array", "ansi")


class RenderedEnv(gymnasium.Env[Any, Any]):
    """An environment that renders a domain."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": 8}  # type: ignore[misc]  # ClassVar is ours

    def _prepare(self, domain: Domain, render_mode: str | None) -> None:
        self.render_mode = None if render_mode is None else one_of("render_mode", render_mode, RENDER_MODES)
        self._view = View(domain)
        self._state: int | None = None  # None between episodes

    def _now(self) -> int:
        if self._state is None:
            raise gymnasium.error.ResetNeeded("the episode is over, or none has begun: call reset() before step()")
        return self._state

    def render(self) -> Any:
        """Render the domain and the agent's position, according to the render mode."""
        if self.render_mode is None:
            logger.warn("render() needs a render mode: gymnasium.make(..., render_mode='rgb_array') or 'ansi'")
            return None
        return self._view.text() if self.render_mode == "ansi" else self._view.picture()


def as_domain(domain: Any, settings: dict[str, Any]) -> Domain:
    """A domain from itself, or from its name and settings."""
    if isinstance(domain, str):
        return cast(Domain, find("domain", domain).factory(**settings))
    if not isinstance(domain, Domain):
        raise TypeError(f"domain must be a bamdp.Domain or its name, got {domain!r}")
    if settings:
        raise TypeError(f"settings are only for a domain given by name, got {domain!r} and {settings}")
    return domain
