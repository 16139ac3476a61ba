"""The agent that knows the transitions: an upper bound for all learners.

It follows π*(s) = argmax_a Q*(s, a) at the domain's discount. Over a finite run without discounting another policy may
earn more; `bamdp.exact.known_mdp.optimal_total` computes the maximum. With a deadline it follows the policy that is optimal for
the steps left, π_k(s) = argmax_a Q_k(s, a), from values computed once.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bamdp._validation import integer
from bamdp._validation import seed as valid_seed
from bamdp.agent import Agent
from bamdp.domain import Domain
from bamdp.exact.known_mdp import expected_rewards, q_values, values_by_steps
from bamdp.prior import Prior

_TIE = 1e-9  # of the largest possible return


class Oracle(Agent):
    """Knows the transitions, follows the optimal policy, learns nothing.

    Args:
        domain: a domain with `successors` and `probabilities`.
        seed: not used, as the agent is deterministic.

    Attributes:
        values: optimal value of each state and action, with all steps left. [S, A]
        policy: optimal action of each state, the first one in case of ties. [S]

    Example:
        >>> from bamdp.domains import DoubleLoop
        >>> Oracle(DoubleLoop()).act(0)
        1
    """

    state_attributes: ClassVar[tuple[str, ...]] = ()
    knows_world: ClassVar[bool] = True
    fixed: ClassVar[tuple[str, ...]] = ("deadline", "episode_length", "start")

    def __init__(self, domain: Domain, *, seed: int = 0) -> None:
        successors, probabilities = getattr(domain, "successors", None), getattr(domain, "probabilities", None)
        if successors is None or probabilities is None:
            raise TypeError(
                f"domain must have successors and probabilities, like bamdp.domains.Tabular, "
                f"got {type(domain).__name__}; the Random agent works there"
            )
        self._set_deadline(domain.deadline, domain.episode_length, _start(domain), num_states=domain.num_states)
        tables = (successors, probabilities, domain.rewards, domain.discount)
        if self.deadline is None and domain.discount < 1:
            tie = max(_TIE * float(np.abs(domain.rewards).max()) / (1 - domain.discount), 1e-322)
            # Finer than a tie, so that ties are detected.
            self.values = q_values(*tables, tolerance=tie / 10)
        else:
            tie = max(_TIE * float(np.abs(domain.rewards).max()), 1e-322)
            episodes, first = self.episode_length, self.start or 0
            self._ahead = values_by_steps(*tables, self.deadline, episode_length=episodes, start=first)  # [deadline + 1, S]
            self._tables = (successors, probabilities, expected_rewards(*tables[:3]), domain.discount)
            self.values = self._backed_up(slice(None), -1 if self.deadline is None else self.deadline)
        self._tie = tie
        self.policy = np.argmax(self.values >= self.values.max(axis=1, keepdims=True) - tie, axis=1)
        self.reset(seed)

    def _backed_up(self, state: int | slice, steps: int) -> NDArray[np.float64]:
        """The values with `steps` left, from those with one less."""
        successors, probabilities, means, discount = self._tables
        ahead = self._ahead[steps - 1 if steps > 0 else -1]
        return np.asarray(means[state] + discount * np.vecdot(probabilities[state], ahead[successors[state]]))

    @classmethod
    def for_domain(cls, domain: Domain, prior: Prior | None = None, **settings: Any) -> Self:
        return cls(domain, **settings)

    def q_values(self, state: int) -> NDArray[np.float64]:
        """The optimal value of each action in `state`. [A]"""
        state = integer("state", state, 0, len(self.policy) - 1)
        return np.asarray(self.values[state]) if self.steps_left is None else self._backed_up(state, self.steps_left)

    def act(self, state: int) -> int:
        if self.steps_left is None:
            return int(self.policy[integer("state", state, 0, len(self.policy) - 1)])
        values = self.q_values(state)
        return int(np.argmax(values >= values.max() - self._tie))

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        if self.deadline is not None:  # then it is counted
            for name, value in (("state", state), ("next_state", next_state)):
                integer(name, value, 0, len(self.policy) - 1)

    def reset(self, seed: int) -> None:
        valid_seed(seed)


def _start(domain: Domain) -> int | None:
    """The state that episodes of a fixed length start in."""
    if domain.episode_length is None:
        return None
    if not hasattr(domain, "start"):
        raise TypeError(f"domain must have one start state, as its episodes have a fixed length, got {domain!r}")
    return int(domain.start)
