"""Which priors are the same whatever actions are called."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from bamdp.prior import Prior
from bamdp.priors.beta_arms import BetaArms
from bamdp.priors.dirichlet import Dirichlet
from bamdp.priors.normal_arms import NormalArms
from bamdp.priors.sparse_dirichlet import SparseDirichlet
from bamdp.priors.unknown_rewards import UnknownRewards


@singledispatch
def exchangeable_actions(prior: Prior) -> bool:
    """Whether permuting the labels of actions changes nothing: in each state or, for bandits, in
    all alike.

    Example:
        >>> exchangeable_actions(BetaArms()), exchangeable_actions(BetaArms(successes=[1, 2]))
        (True, False)
    """
    return False


@exchangeable_actions.register
def _(prior: Dirichlet) -> bool:
    alpha = np.asarray(0.0 if prior.alpha is None else prior.alpha)
    return alpha.ndim < 3 or bool((alpha == alpha[:, :1]).all())


@exchangeable_actions.register
def _(prior: SparseDirichlet) -> bool:
    return True


@exchangeable_actions.register
def _(prior: BetaArms) -> bool:
    return all(np.ptp(count) == 0 for count in (prior.successes, prior.failures))


@exchangeable_actions.register
def _(prior: NormalArms) -> bool:
    return prior.outcomes.exchangeable_actions


@exchangeable_actions.register
def _(prior: UnknownRewards) -> bool:
    alike = prior.outcomes is None or prior.outcomes.exchangeable_actions
    return alike and exchangeable_actions(prior.transitions)
