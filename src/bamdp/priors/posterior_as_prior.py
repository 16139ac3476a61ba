"""Today's posterior is tomorrow's prior: what a belief has learned, for another problem."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch

import numpy as np

from bamdp.prior import Belief, Prior, checked_belief
from bamdp.priors.beta_arms import BetaArms
from bamdp.priors.dirichlet import Dirichlet
from bamdp.priors.finite import Finite
from bamdp.priors.worlds import Worlds


def posterior_as_prior(belief: Belief) -> Prior:
    """The prior of another problem that knows what a belief has learned, such as one with other
    rewards, or one whose simulated worlds should fit the data.

    For `Dirichlet`, `BetaArms`, `Finite` and `Worlds` that are listed. For any other prior let the
    belief of the other problem observe the same steps.

    Args:
        belief: the belief.

    Example:
        >>> import bamdp
        >>> problem = bamdp.domains.Bandit([0.2, 0.6]).problem()
        >>> belief = problem.belief()
        >>> belief.observe(state=0, action=1, reward=1.0, next_state=1)
        >>> posterior_as_prior(belief)
        BetaArms(successes=array([1., 2.]), failures=array([1., 1.]))
    """
    checked_belief(belief)
    return updated(belief.problem.prior, belief)


@singledispatch
def updated(prior: Prior, belief: Belief) -> Prior:
    """A prior after what a belief that began with it has learned."""
    raise TypeError(
        "belief must be one of Dirichlet, BetaArms, Finite or listed Worlds, got one of "
        f"{prior!r}: let a belief of the other problem observe the same steps"
    )


def _observed(belief: Belief) -> np.ndarray:
    """The observed transitions. [S, A, S]"""
    S, A = belief.problem.num_states, belief.problem.num_actions
    observed = np.zeros((S, A, S))
    counts = belief.counts
    assert counts is not None  # of conjugate priors
    for state in range(S):
        for action in range(A):
            for next_state, n in counts(state, action).items():
                observed[state, action, next_state] = n
    return observed


@updated.register
def _(prior: Dirichlet, belief: Belief) -> Dirichlet:
    S = belief.problem.num_states
    return Dirichlet((1 / S if prior.alpha is None else prior.alpha) + _observed(belief))


@updated.register
def _(prior: BetaArms, belief: Belief) -> BetaArms:
    seen = _observed(belief)[0]  # [A, outcome]; the rows of both states are the same
    return BetaArms(prior.successes + seen[:, 1], prior.failures + seen[:, 0])


@updated.register
def _(prior: Finite, belief: Belief) -> Finite:
    return replace(prior, weights=_weights_of(belief))


@updated.register
def _(prior: Worlds, belief: Belief) -> Prior:
    if prior.is_sampled:
        return updated.dispatch(object)(prior, belief)
    return replace(prior, weights=_weights_of(belief))


def _weights_of(belief: Belief) -> np.ndarray:
    weights: np.ndarray = belief.weights  # type: ignore[attr-defined]  # of weighted worlds
    return weights
