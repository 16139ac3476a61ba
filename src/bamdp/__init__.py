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
from bamdp.priors.posterior_as_prior import posterior_as_prior
from bamdp.priors.worlds import Outcome
from bamdp.problem import BAMDP
from bamdp.runs.log import read_log
from bamdp.runs.loop import Record, run
from bamdp.runs.policy import policy
from bamdp.saving.agent_file import load
from bamdp.saving.archive import SavedFileError

if TYPE_CHECKING:
    from bamdp import fit, suite, trials
    from bamdp.comparing.compare import compare
    from bamdp.exact.value_of_information import value_of_information
    from bamdp.suite.stored import results

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
    "policy",
    "posterior_as_prior",
    "priors",
    "read_log",
    "results",
    "run",
    "suite",
    "trials",
    "value_of_information",
]


def __getattr__(name: str) -> Any:
    """Import what takes a while when it is first used."""
    from importlib import import_module

    if name == "compare":
        return import_module("bamdp.comparing.compare").compare
    if name == "value_of_information":
        return import_module("bamdp.exact.value_of_information").value_of_information
    if name == "results":
        return import_module("bamdp.suite.stored").results
    if name in ("fit", "suite", "trials"):
        return import_module(f"bamdp.{name}")
    raise AttributeError(f"module 'bamdp' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
