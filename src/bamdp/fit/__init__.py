"""Fitting planners to people: choice rules, likelihoods of choices, fits with intervals, and recovery."""

from bamdp.choice_rule import ChoiceRule, choice_probabilities
from bamdp.fit.data import read_csv, write_csv
from bamdp.fit.fitting import fit
from bamdp.fit.likelihood import LogLikelihood, log_likelihood
from bamdp.fit.model import Exact, FreeParameter, Model, Thompson
from bamdp.fit.recovery import Confusion, Recovery, recover, recover_models
from bamdp.fit.results import Fit, Fits
from bamdp.fit.simulation import simulate
from bamdp.fit.tasks import RecoveryTask

__all__ = [
    "ChoiceRule",
    "Confusion",
    "Exact",
    "Fit",
    "Fits",
    "FreeParameter",
    "LogLikelihood",
    "Model",
    "Recovery",
    "RecoveryTask",
    "Thompson",
    "choice_probabilities",
    "fit",
    "log_likelihood",
    "read_csv",
    "recover",
    "recover_models",
    "simulate",
    "write_csv",
]
