"""Planning in an unknown MDP: Bayes-adaptive reinforcement learning by sample-based search."""

from bamdp import agents, domains, environments, priors
from bamdp._version import __version__
from bamdp.agent import Agent
from bamdp.config.load import load
from bamdp.domain import Domain
from bamdp.episode import Record, run
from bamdp.prior import Belief, Prior
from bamdp.saving.archive import SavedFileError

__all__ = [
    "Agent",
    "Belief",
    "Domain",
    "Prior",
    "Record",
    "SavedFileError",
    "__version__",
    "agents",
    "domains",
    "environments",
    "load",
    "priors",
    "run",
]
