"""The environments that Gymnasium knows after `import bamdp`: `gymnasium.make("bamdp/Grid-v0", size=5)`.

    id = "bamdp/" + name + "-v0"

`import bamdp` alone doesn't import Gymnasium, which would take longer than all of bamdp: they are registered when Gymnasium has
been imported, before or after.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType

BAYES_ADAPTIVE = "bamdp/BayesAdaptive-v0"  # of any domain

# Name of the environment: the domain by its name on the command line, and the steps of one episode, those of one run there.
WORLDS: dict[str, tuple[str, int]] = {
    "Bandit": ("bandit", 300),
    "Chain": ("chain", 1000),
    "DoubleLoop": ("double-loop", 1000),
    "Grid": ("grid", 1000),
    "InfiniteGrid": ("infinite-grid", 200),
    "Maze": ("maze", 20_000),
    "RandomMDP": ("random-mdp", 1000),
}


def prepare() -> None:
    """Register the environments: now, or when Gymnasium is imported."""
    if "gymnasium" in sys.modules:
        register()
    elif not any(isinstance(finder, _WhenImported) for finder in sys.meta_path):
        sys.meta_path.insert(0, _WhenImported())


def register() -> None:
    """Register the environments now, if they aren't; imports Gymnasium."""
    import gymnasium

    if BAYES_ADAPTIVE in gymnasium.registry:
        return
    gymnasium.register(BAYES_ADAPTIVE, "bamdp.environments:BayesAdaptiveEnv")
    for name, (domain, steps) in WORLDS.items():
        settings = {"domain": domain}
        gymnasium.register(f"bamdp/{name}-v0", "bamdp.environments:DomainEnv", max_episode_steps=steps, kwargs=settings)


class _WhenImported:
    """First in the line of finders: lets the others find Gymnasium, and registers when it has been imported."""

    _asked = False

    def find_spec(self, fullname: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname != "gymnasium" or self._asked:
            return None
        from importlib.util import find_spec

        self._asked = True
        try:
            spec = find_spec(fullname)
        finally:
            self._asked = False
        if spec is not None and spec.loader is not None:
            # The loader of this one module alone: Python has no hook for after an import.
            spec.loader.exec_module = self._then_register(spec.loader.exec_module)  # type: ignore[method-assign]
        return spec

    def _then_register(self, execute: Any) -> Any:
        def exec_module(module: ModuleType) -> None:
            execute(module)
            sys.meta_path.remove(self)
            register()

        return exec_module
