"""Exact solutions to compare with: Gittins indices of Bernoulli arms, Bayes-optimal values of small MDPs."""

from bamdp.exact.bayes_optimal import BayesOptimal, TooManyBeliefStatesError, bayes_optimal
from bamdp.exact.gittins import gittins_index

__all__ = ["BayesOptimal", "TooManyBeliefStatesError", "bayes_optimal", "gittins_index"]
