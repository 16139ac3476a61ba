"""A bandit with Bernoulli arms, as an MDP with two states.

    P(s' = 1 | s, a) = probabilities[a],   R(s, a, s') = payoffs[a] · [s' = 1]

The state is the last outcome, 0 = failure and 1 = success, and does not affect the next. The
default is the eight arms of the supplement of Guez, Silver, Dayan, 2012: seven pay with probability
0.6 and the last with 0.9. The safe arm of its Figure S1 succeeds with probability 1 and pays 0.5;
with the prior `BetaArms(1, 0)` this is known.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bamdp.domains.tabular import Tabular
from bamdp.mdp import MDP
from bamdp.priors.beta_arms import BetaArms
from bamdp.spaces import arm_names
from bamdp.validation import real_array


class Bandit(Tabular):
    """A bandit with Bernoulli arms.

    Args:
        probabilities: success probability of each arm.
        discount: discount factor, in [0, 1); 1 with a horizon.
        payoffs: reward of a success, one number or one per arm; a failure pays nothing.
        horizon: number of steps of a run that count, which agents are given; none if not given.

    Example:
        >>> Bandit([0.5, 1.0], payoffs=[1, 0.5]).step(0, 1, np.random.default_rng(0))
        (1, 0.5)
    """

    steps = 300

    def __init__(
        self,
        probabilities: ArrayLike = (0.6,) * 7 + (0.9,),
        discount: float = 0.99,
        *,
        payoffs: float | ArrayLike = 1.0,
        horizon: int | None = None,
    ) -> None:
        success = real_array("probabilities", probabilities)
        if success.ndim != 1 or success.size == 0:
            raise ValueError(f"probabilities must be one number per arm, got shape {success.shape}")
        outside = np.flatnonzero((success < 0) | (success > 1))
        if outside.size:
            arm = int(outside[0])
            raise ValueError(f"probabilities must be in [0, 1], got {success[arm]} at index {arm}")
        A = len(success)
        successors = np.broadcast_to(np.arange(2), (2, A, 2)).copy()
        rows = np.broadcast_to(np.stack([1 - success, success], axis=1), (2, A, 2))
        paid = real_array("payoffs", payoffs)
        if paid.shape not in ((), (A,)):
            raise ValueError(
                f"payoffs must be one number or one for each of the {A} arms, got shape "
                f"{paid.shape}"
            )
        rewards = successors * np.broadcast_to(paid, A)[:, None]
        super().__init__(
            MDP(rows, rewards, successors=successors),
            discount,
            horizon=horizon,
            prior=BetaArms(),
            states=("failure", "success"),
            actions=[f"arm {name}" for name in arm_names(A)],
        )
