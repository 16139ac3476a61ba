"""Making Gymnasium environments by id, with errors that suggest a correction."""

from __future__ import annotations

import difflib
import inspect
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gymnasium import Env

# Gymnasium's warnings about an id with no version or an old one: the domain's repr shows the version that was made.
VERSIONS = r".*(Using the latest versioned environment|is out of date)"


def make(name: str, settings: dict[str, Any]) -> Env[Any, Any]:
    """Make an environment by id, with keyword arguments of `gymnasium.make`; errors suggest a similar id or setting."""
    import gymnasium

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", VERSIONS)
        try:
            return gymnasium.make(name, disable_env_checker=True, **settings)
        except (gymnasium.error.Error, ImportError) as error:
            raise ValueError(
                f"environment must be an id that gymnasium.make accepts, got {name!r}{_hint(name, error)}"
            ) from error
        except Exception as error:  # its constructor may raise anything
            raise _unknown_setting(name, settings) or _failure(name, settings, error) from error


def nearest(name: str) -> str | None:
    """The most similar registered id; None if none is similar.

    Example:
        >>> nearest("frozen-lake"), nearest("Taxi-v3"), nearest("grid5")
        ('FrozenLake-v1', 'Taxi-v4', None)
    """
    import gymnasium

    known = {_bare(id): id for id in gymnasium.registry}  # the newest version of each comes last
    near = difflib.get_close_matches(_bare(name), known, 1, cutoff=0.75)
    return known[near[0]] if near else None


def _hint(name: str, error: Exception) -> str:
    if near := nearest(name.rpartition(":")[2]):
        return f"; did you mean {near!r}?" if near != name else f": {error}"
    if isinstance(error, ImportError) or ":" in name:
        return f": {error}"
    return "; prefix an id of another package with its module, as in 'minigrid:MiniGrid-Empty-5x5-v0'"


def _failure(name: str, settings: dict[str, Any], error: Exception) -> ValueError:
    given = ", ".join(f"{key}={value!r}" for key, value in settings.items())
    return ValueError(f"environment {name!r} can't be made with {given or 'no settings'}: {type(error).__name__}: {error}")


def _bare(name: str) -> str:
    """The name without its version, in lower case."""
    return name.rpartition("-v")[0].lower() if "-v" in name else name.lower().replace("-", "").replace("_", "")


def _unknown_setting(name: str, settings: dict[str, Any]) -> TypeError | None:
    """The error for a setting that the environment doesn't have; None if all are known."""
    import gymnasium
    from gymnasium.envs.registration import load_env_creator

    creator: Any = gymnasium.spec(name).entry_point
    parameters = inspect.signature(load_env_creator(creator) if isinstance(creator, str) else creator).parameters
    takes = [p.name for p in parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    own = set(inspect.signature(gymnasium.make).parameters)
    unknown = [key for key in settings if key not in takes and key not in own]
    if not unknown or any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return None
    near = difflib.get_close_matches(unknown[0], takes, 1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return TypeError(f"{name} has no setting {unknown[0]!r}{hint} It has: {', '.join(takes)}")
