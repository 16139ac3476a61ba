"""Planning in a world you do not know yet: Bayes-adaptive reinforcement learning by sample-based search."""

from bamdp import agents, domains, priors, registration
from bamdp.agent import Agent
from bamdp.domain import Domain
from bamdp.episode import Record, run
from bamdp.prior import Belief, Prior
from bamdp.saved_file import SavedFileError
from bamdp.saving import load

__version__ = "0.1.0"

registration.prepare()

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
    "load",
    "priors",
    "run",
]
