"""Planning in an unknown MDP: Bayes-adaptive reinforcement learning by sample-based search."""

from typing import TYPE_CHECKING, Any

from bamdp import agents, domains, environments, exact, priors
from bamdp._version import __version__
from bamdp.agent import Agent
from bamdp.domain import Domain
from bamdp.mdp import MDP
from bamdp.pictures import domains as _domains  # registers their scenes  # noqa: F401
from bamdp.pictures import notebook as _notebook  # gives values their HTML  # noqa: F401
from bamdp.prior import Belief, Prior
from bamdp.priors.worlds import Outcome
from bamdp.problem import BAMDP
from bamdp.runs.loop import Record, run
from bamdp.saving.agent_file import load
from bamdp.saving.archive import SavedFileError

if TYPE_CHECKING:
    from bamdp import fit, suite, trials
    from bamdp.comparing.compare import compare

__all__ = [
    "BAMDP",
    "MDP",
    "Agent",
    "Belief",
    "Domain",
    "Outcome",
    "Prior",
    "Record",
    "SavedFileError",
    "__version__",
    "agents",
    "compare",
    "domains",
    "environments",
    "exact",
    "fit",
    "load",
    "priors",
    "run",
    "suite",
    "trials",
]


def __getattr__(name: str) -> Any:
    """Import what takes a while when it is first used."""
    from importlib import import_module

    if name == "compare":
        return import_module("bamdp.comparing.compare").compare
    if name in ("fit", "suite", "trials"):
        return import_module(f"bamdp.{name}")
    raise AttributeError(f"module 'bamdp' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
