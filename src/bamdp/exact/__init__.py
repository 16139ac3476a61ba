"""The truth to compare with: Gittins indices of Bernoulli arms, Bayes-optimal values of small worlds."""

from bamdp.exact.gittins import gittins_index

__all__ = ["gittins_index"]
