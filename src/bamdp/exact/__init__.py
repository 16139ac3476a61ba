"""Exact solutions to compare with, and bounds where there are none.

Gittins indices of Bernoulli and normal arms, over infinitely many steps or those left;
Bayes-optimal values of small MDPs and of Beta arms and of two normal arms over a finite horizon;
bounds for a few possible models; upper bounds for larger problems; what information is worth.
"""

from bamdp.exact import _worlds  # makes tables of worlds that are functions  # noqa: F401
from bamdp.exact.arms import ArmsPolicy, OptimalArms, optimal_arms
from bamdp.exact.bayes_optimal import bayes_optimal
from bamdp.exact.belief_states import TooManyBeliefStatesError
from bamdp.exact.gittins import finite_gittins_index, gittins_index
from bamdp.exact.labels import Labels
from bamdp.exact.model_set import ModelSetBounds, ModelSetSolution, solve_model_set
from bamdp.exact.normal_arms import TwoNormalArms, two_normal_arms
from bamdp.exact.normal_gittins import normal_gittins_index
from bamdp.exact.responses import add_cut_responses, add_responses
from bamdp.exact.solution import BayesOptimal, Walk
from bamdp.exact.upper_bound import UpperBound, upper_bound
from bamdp.exact.value_of_information import ValueOfInformation, value_of_information

__all__ = [
    "ArmsPolicy",
    "BayesOptimal",
    "Labels",
    "ModelSetBounds",
    "ModelSetSolution",
    "OptimalArms",
    "TooManyBeliefStatesError",
    "TwoNormalArms",
    "UpperBound",
    "ValueOfInformation",
    "Walk",
    "add_cut_responses",
    "add_responses",
    "bayes_optimal",
    "finite_gittins_index",
    "gittins_index",
    "normal_gittins_index",
    "optimal_arms",
    "solve_model_set",
    "two_normal_arms",
    "upper_bound",
    "value_of_information",
]
