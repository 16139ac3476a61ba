"""The agent that knows the transitions: an upper bound for all learners.

It follows π*(s) = argmax_a Q*(s, a) at the domain's discount. Over a finite run without discounting another policy may
earn more; `bamdp.exact.known_mdp.optimal_total` computes the maximum.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bamdp._validation import integer
from bamdp._validation import seed as valid_seed
from bamdp.agent import Agent
from bamdp.domain import Domain
from bamdp.exact.known_mdp import q_values
from bamdp.prior import Prior

_TIE = 1e-9  # of the largest possible return


class Oracle(Agent):
    """Knows the transitions, follows the optimal policy, learns nothing.

    Args:
        domain: a domain with `successors` and `probabilities`.
        seed: not used, as the agent is deterministic.

    Attributes:
        values: optimal value of each state and action. [S, A]
        policy: optimal action of each state, the first one in case of ties. [S]

    Example:
        >>> from bamdp.domains import DoubleLoop
        >>> Oracle(DoubleLoop()).act(0)
        1
    """

    state_attributes: ClassVar[tuple[str, ...]] = ()
    knows_world: ClassVar[bool] = True

    def __init__(self, domain: Domain, *, seed: int = 0) -> None:
        successors, probabilities = getattr(domain, "successors", None), getattr(domain, "probabilities", None)
        if successors is None or probabilities is None:
            raise TypeError(
                f"domain must have successors and probabilities, like bamdp.domains.Tabular, "
                f"got {type(domain).__name__}; the Random agent works there"
            )
        largest = float(np.abs(domain.rewards).max()) / (1 - domain.discount)
        tie = max(_TIE * largest, 1e-322)
        # Finer than a tie, so that ties are detected.
        self.values = q_values(successors, probabilities, domain.rewards, domain.discount, tolerance=tie / 10)
        self.policy = np.argmax(self.values >= self.values.max(axis=1, keepdims=True) - tie, axis=1)
        self.reset(seed)

    @classmethod
    def for_domain(cls, domain: Domain, prior: Prior | None = None, **settings: Any) -> Self:
        return cls(domain, **settings)

    def q_values(self, state: int) -> NDArray[np.float64]:
        """The optimal value of each action in `state`. [A]"""
        values: NDArray[np.float64] = self.values[integer("state", state, 0, len(self.policy) - 1)]
        return values

    def act(self, state: int) -> int:
        return int(self.policy[integer("state", state, 0, len(self.policy) - 1)])

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        pass

    def reset(self, seed: int) -> None:
        valid_seed(seed)
