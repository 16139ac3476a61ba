"""Bernoulli arms with Beta priors, for bandits.

    p(arm) ~ Beta(successes, failures)

A bandit is a domain of two states, the last outcome (0 failure, 1 success), in which the next state
depends on the action alone: Dirichlet rows over two outcomes, one per arm, shared by both states.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bamdp import _core
from bamdp.prior import Prior
from bamdp.priors._tabular import ConjugateBelief
from bamdp.validation import real_array

if TYPE_CHECKING:
    from bamdp.problem import BAMDP


class BetaArmsBelief(ConjugateBelief):
    """A belief over Bernoulli arms.

    Example:
        >>> import bamdp
        >>> belief = bamdp.domains.Bandit([0.2, 0.4, 0.6]).problem().belief()
        >>> belief.observe(state=0, action=2, reward=1.0, next_state=1)
        >>> belief
        <belief over 3 Bernoulli arms after 1 observations>
    """

    def __repr__(self) -> str:
        return (
            f"<belief over {self.problem.num_actions} Bernoulli arms after {self.observations} "
            "observations>"
        )


@dataclass(frozen=True, eq=False)
class BetaArms(Prior):
    """Bernoulli arms with independent Beta priors; the state is the last outcome.

    Args:
        successes: pseudo-count of successes, one number or one per arm.
        failures: pseudo-count of failures, one number or one per arm.

    Example:
        >>> import bamdp
        >>> belief = bamdp.domains.Bandit([0.2, 0.4, 0.6]).problem(BetaArms()).belief()
        >>> belief.observe(state=0, action=2, reward=1.0, next_state=1)
        >>> belief.predictive(state=1, action=2)[1]
        np.float64(0.6666666666666666)
    """

    successes: float | ArrayLike = 1.0
    failures: float | ArrayLike = 1.0

    def __post_init__(self) -> None:
        for name in ("successes", "failures"):
            array = real_array(name, getattr(self, name))
            if array.ndim > 1 or array.size == 0 or array.min() < 0 or array.max() > 1e14:
                raise ValueError(
                    f"{name} must be a number or one number per arm, from 0 to 1e14, got "
                    f"{getattr(self, name)!r}"
                )
            object.__setattr__(self, name, float(array) if array.ndim == 0 else array)
        arms = {np.size(value) for value in (self.successes, self.failures) if np.ndim(value)}
        if len(arms) > 1:
            raise ValueError(
                f"successes and failures must be for the same number of arms, got {arms.pop()} and "
                f"{arms.pop()}"
            )
        if np.any(np.asarray(self.successes) + np.asarray(self.failures) <= 0):
            raise ValueError("successes and failures must not both be zero for an arm")

    @property
    def sizes(self) -> tuple[int | None, int | None]:
        """Two states, failure and success, and the number of arms if each has its pseudo-counts."""
        arms = [np.size(count) for count in (self.successes, self.failures) if np.ndim(count)]
        return 2, arms[0] if arms else None

    def belief(self, problem: BAMDP) -> BetaArmsBelief:
        S, A = problem.num_states, problem.num_actions
        counts = [np.broadcast_to(count, A) for count in (self.failures, self.successes)]
        alpha = np.stack(counts, axis=1)
        native = _core.DirichletBelief(
            S, A, np.ascontiguousarray(alpha, dtype=np.float64), tied=True
        )
        return BetaArmsBelief(problem, native)


@singledispatch
def has_independent_arms(prior: Any) -> bool:
    """Whether the problems of a prior are bandits with independent Bernoulli arms."""
    return False


@has_independent_arms.register
def _(prior: BetaArms) -> bool:
    return True
