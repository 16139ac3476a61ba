"""The domain contract: an MDP that an agent acts in, one step at a time.

    domain.reset(rng)                  the state an episode starts in
    domain.step(state, action, rng)    the next state and the reward
    domain.problem(prior)              what agents are told of it

A domain is stateless: the current state and the random generator are arguments, so one object
serves many runs. A run acts in a copy, by `copy.copy`: a domain that must remember what happened
(rewards that are consumed) has a `__copy__` whose copies are independent.

An episode is terminated in a terminal state, or truncated by a time limit; then the run goes on
with a new one, from `reset`. Truncation is not termination: no reward follows a terminal state,
while a time limit says nothing about the MDP.

Every class in `bamdp.domains` obeys the contract; `bamdp.testing.check_domain` checks it, for your
own domains too. How a domain is drawn is not its own matter: `bamdp.pictures.scenes`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import singledispatch
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bamdp import validation
from bamdp.mdp import MDP
from bamdp.prior import Prior, checked_prior
from bamdp.problem import BAMDP

UNBOUNDED = validation.UNBOUNDED  # as num_states: infinitely many


class _Steps:
    """The default of `Domain.steps`."""

    def __get__(self, domain: Domain | None, owner: type[Domain]) -> int:
        return 1000 if domain is None or domain.horizon is None else domain.horizon


class Domain(ABC):
    """A Markov decision process that can be stepped.

    Attributes:
        num_states: number of states, which are 0 … num_states − 1. `UNBOUNDED` if infinite; then a
            state is any 64-bit integer, and only agents whose prior has its own model can plan in
            the domain.
        num_actions: number of actions, which are 0 … num_actions − 1.
        discount: discount factor, in [0, 1); also 1 with a horizon, or where every policy ends in a
            terminal state.
        rewards: reward of each state and action, [S, A], or of each transition, [S, A, S]; empty,
            [0, A], if the domain is unbounded: the prior has them.
        horizon: number of steps of a run that count; None if there is no last one. Agents are told
            it and plan no further.
        terminal: terminal states: no action is taken there, and their value is zero. Agents are
            told them, like the rewards.
        time_limit: number of steps after which an episode is truncated; None if never. Agents are
            told it only as the `episode_length` of the problem.
        steps: number of steps of a run in the literature, the default of the command line; the
            horizon where there is one.
        mdp: the true tables; None where they are not known. Agents are not told them.
    """

    num_states: int
    num_actions: int
    discount: float
    rewards: NDArray[np.float64]
    horizon: int | None = None
    terminal: frozenset[int] = frozenset()
    time_limit: int | None = None
    steps: int = cast(int, _Steps())
    mdp: MDP | None = None

    @abstractmethod
    def reset(self, rng: np.random.Generator) -> int:
        """Draw the state an episode starts in; it must not be terminal."""

    @abstractmethod
    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        """Take `action` in `state`; return the next state and the reward."""

    def problem(self, prior: Prior | None = None, **changes: Any) -> BAMDP:
        """What agents are told: the rewards, the discount, the terminal states and the horizon, not
        the transitions.

        Args:
            prior: prior over the transitions; the domain's own if not given. It is extended by a
                prior over rewards where those are unknown.
            changes: arguments of `BAMDP` that differ from what the domain tells.

        Raises:
            TypeError: no prior is given, and the domain has none of its own.

        Example:
            >>> import bamdp
            >>> bamdp.domains.Grid(5).problem()
            BAMDP(SparseDirichlet(alpha=0.2, exponent=2.0), 25 states, 4 actions, discount=0.95)
            >>> bamdp.domains.Chain().problem(bamdp.priors.Dirichlet(1.0), discount=0.5).discount
            0.5
        """
        if prior is None:
            raise TypeError(f"prior must be given: {self!r} has none of its own")
        # True terminal states would tell the world to a prior over them.
        terminal = () if checked_prior(prior).unknown_terminal else self.terminal
        told = {"discount": self.discount, "terminal": terminal, "horizon": self.horizon}
        return BAMDP(prior, self.rewards, **{**told, **changes})


@singledispatch
def is_truncated(domain: Domain, steps: int) -> bool:
    """Whether an episode is truncated after `steps` steps."""
    return domain.time_limit is not None and steps >= domain.time_limit
