"""Fitting models to people's choices: tables, likelihoods, fits with intervals, comparison, groups,
and recovery.
"""

from bamdp.choice_rule import ChoiceRule, choice_probabilities
from bamdp.fit import models, tasks
from bamdp.fit.comparison import compare
from bamdp.fit.comparison_result import ModelComparison
from bamdp.fit.fitting import LogLikelihood, fit, log_likelihood
from bamdp.fit.group_result import Group, Person
from bamdp.fit.groups import group
from bamdp.fit.model import Model
from bamdp.fit.models import Exact, Thompson
from bamdp.fit.parameters import FreeParameter
from bamdp.fit.people import RecoveryTask
from bamdp.fit.reading import from_table, read_csv
from bamdp.fit.recovery import Confusion, Recovery, recover, recover_models
from bamdp.fit.results import Fit, Fits
from bamdp.fit.selection import Selection, random_effects
from bamdp.fit.simulation import simulate
from bamdp.fit.valuation import Valuation

__all__ = [
    "ChoiceRule",
    "Confusion",
    "Exact",
    "Fit",
    "Fits",
    "FreeParameter",
    "Group",
    "LogLikelihood",
    "Model",
    "ModelComparison",
    "Person",
    "Recovery",
    "RecoveryTask",
    "Selection",
    "Thompson",
    "Valuation",
    "choice_probabilities",
    "compare",
    "fit",
    "from_table",
    "group",
    "log_likelihood",
    "models",
    "random_effects",
    "read_csv",
    "recover",
    "recover_models",
    "simulate",
    "tasks",
]
