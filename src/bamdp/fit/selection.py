"""Random-effects model selection: how frequent is each model among people, and is one more frequent
than the others?

Person n has model k with probability r_k, and r ~ Dirichlet(1, …, 1). Given log-evidences L_nk the
posterior of r is approximated by Dirichlet(α) (Stephan et al. 2009, NeuroImage 46(4), 1004–1017):

    g_nk ∝ exp(L_nk + ψ(α_k) − ψ(Σ α)),   α_k = 1 + Σ_n g_nk

The exceedance probability of k is P(r_k is the largest). It believes that frequencies differ. The
Bayesian omnibus risk is the posterior probability that they don't, p_0 = 1 / (1 + exp(F_1 − F_0)),
with F_1 the free energy of the above and F_0 the log-evidence of equal frequencies; the protected
exceedance probability is (1 − p_0) times that of k plus p_0 / K (Rigoux et al. 2014, NeuroImage 84,
971–985).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp.validation import real_array, require

NODES = 400  # of the integral of an exceedance probability
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Selection:
    """Random-effects model selection.

    Attributes:
        frequencies: expected frequency of each model among people. [K]
        exceedance: probability that each is the most frequent. [K]
        protected: probability that each is the most frequent, where all may be equally frequent.
            [K]
        omnibus_risk: probability that all are equally frequent.
        alpha: parameters of the Dirichlet distribution of the frequencies. [K]
        responsibilities: probability of each model for each person. [N, K]
    """

    frequencies: Array
    exceedance: Array
    protected: Array
    omnibus_risk: float
    alpha: Array
    responsibilities: Array


def random_effects(log_evidence: ArrayLike) -> Selection:
    """Random-effects model selection from the log-evidence of each person and model, such as
    −BIC/2.

    Args:
        log_evidence: [people, models].

    Example:
        >>> selection = random_effects([[-10, -14], [-12, -15], [-20, -26], [-9, -8]])
        >>> selection.frequencies.round(2), selection.protected.round(2)
        (array([0.77, 0.23]), array([0.73, 0.27]))
    """
    special: Any = require("scipy.special", "fitting needs SciPy", "fit")
    L = real_array("log_evidence", log_evidence)
    if L.ndim != 2 or L.size == 0:
        raise ValueError(
            "log_evidence must have a row for each person and a column for each model, got shape "
            f"{L.shape}"
        )
    N, K = L.shape
    alpha, before = np.ones(K) + N / K, np.zeros(K)
    while np.abs(alpha - before).max() > 1e-10 * N:
        expected = special.digamma(alpha) - special.digamma(alpha.sum())
        logs = L + expected
        g = special.softmax(logs, axis=1)
        alpha, before = 1 + g.sum(axis=0), alpha
    expected = special.digamma(alpha) - special.digamma(alpha.sum())
    entropy = special.entr(g).sum()
    normal = special.gammaln(K) - special.gammaln(alpha.sum()) + special.gammaln(alpha).sum()
    free_energy = float(
        (g * (L + expected)).sum() + entropy + normal - ((alpha - 1) * expected).sum()
    )
    equal = float((special.logsumexp(L, axis=1) - np.log(K)).sum())
    risk = float(special.expit(equal - free_energy)) if K > 1 else 1.0
    exceedance = _exceedance(alpha, special)
    return Selection(
        frequencies=alpha / alpha.sum(),
        exceedance=exceedance,
        protected=(1 - risk) * exceedance + risk / K,
        omnibus_risk=risk,
        alpha=alpha,
        responsibilities=g,
    )


def _exceedance(alpha: Array, special: Any) -> Array:
    """P(r_k is the largest), of a Dirichlet distribution: gamma variables divided by their sum."""
    x, weights = np.polynomial.legendre.leggauss(NODES)
    quantiles = special.gammaincinv(alpha[:, None], (x + 1) / 2)  # of each variable [K, NODES]
    below = special.gammainc(alpha[None, :, None], quantiles[:, None, :])  # [K, K, NODES]
    below[np.arange(len(alpha)), np.arange(len(alpha))] = 1
    largest = below.prod(axis=1) @ weights / 2
    return np.asarray(largest / largest.sum())
