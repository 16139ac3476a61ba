"""The base of agents that solve a model: the belief, the native solver, and the greedy choice.

    Q(s, a) = R(s, a) + γ Σ_s' P(s' | s, a) max_a' Q(s', a'),   P a posterior mean or sampled from the posterior

With a deadline Q is that of the steps left, by backward induction: Q_k from Q_{k−1}, and Q_0 = 0.

A subclass loads its model into the solver (`_load`) and inherits the rest.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _validation
from bamdp._validation import integer, one_of, real
from bamdp._validation.steps import Steps
from bamdp.agent import PROBLEM, Agent
from bamdp.domain import UNBOUNDED, Domain
from bamdp.prior import Prior, checked_prior

Ties = Literal["first", "random"]

_WITHOUT_TABLES = "BAMCP with the domain's default prior, QLearning and Random work there"
WITHOUT_MODEL = "BAMCP needs only a model to search, QLearning, IEQL, VPI and Random no prior at all"


class TableAgent(Agent):
    """An agent with a prior and a table of rewards, for finite domains."""

    fixed: ClassVar[tuple[str, ...]] = PROBLEM

    def __init__(
        self,
        prior: Prior,
        rewards: ArrayLike,
        discount: float,
        terminal: Collection[int],
        deadline: int | None,
        episode_length: int | None = None,
        start: int | None = None,
    ) -> None:
        self.prior = checked_prior(prior)
        self.rewards = reward_table(type(self).__name__, rewards)
        self.num_states, self.num_actions = self.rewards.shape[:2]
        self.terminal = _validation.terminal_states(terminal, self.num_states)
        self._set_deadline(deadline, episode_length, start, num_states=self.num_states, terminal=self.terminal)
        self.discount = _validation.discount(discount, ends=self.deadline is not None)
        self.on_tick: Callable[[], None] | None = None

    @classmethod
    def for_domain(cls, domain: Domain, prior: Prior | None = None, **settings: Any) -> Self:
        if domain.num_states == UNBOUNDED:
            what = f"{cls.__name__} needs a table of rewards, and {type(domain).__name__} has none"
            raise TypeError(f"{what}; {_WITHOUT_TABLES}")
        return super().for_domain(domain, prior, **settings)


class ModelBased(TableAgent):
    """An agent that solves a model made from its belief and acts greedily.

    Args:
        prior: prior over the transitions.
        rewards: reward of each state and action [S, A], or of each transition [S, A, S].
        discount: discount factor, in [0, 1); 1 with a deadline.
        terminal: terminal states, where episodes end.
        deadline: number of steps that count, which it plans for and no further; without an end if not given.
        episode_length: number of steps of each episode, after which the run goes on from `start`; goes with a deadline.
        start: the state that each of these episodes starts in.
        tolerance: maximum error of the model's values.
        ties: how ties between actions are broken, by the "first" or at "random".
        seed: seed of the agent's random generator.

    Attributes:
        belief: belief over the transitions.
        on_tick: if set, called about every 50 ms while solving; an exception raised there stops it, the agent stays usable.
            It must not call the agent.
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_rng", "belief", "_solver")
    needs: ClassVar[str] = "the posterior mean"
    alternatives: ClassVar[str] = "BOSS and BayesianDP need only samples, " + WITHOUT_MODEL

    def __init__(
        self,
        prior: Prior,
        rewards: ArrayLike,
        discount: float,
        *,
        terminal: Collection[int] = (),
        deadline: int | None = None,
        episode_length: int | None = None,
        start: int | None = None,
        tolerance: float = 1e-6,
        ties: Ties = "random",
        seed: int = 0,
    ) -> None:
        super().__init__(prior, rewards, discount, terminal, deadline, episode_length, start)
        self.tolerance = real("tolerance", tolerance, 0, open_low=True)
        self.ties = one_of("ties", ties, ("first", "random"))
        self.reset(seed)

    def reset(self, seed: int) -> None:
        self._rng = np.random.default_rng(_validation.seed(seed))
        self.belief = self.prior.belief(self.num_states, self.num_actions)
        self._solver = self.belief.solver(self.rewards, self.discount, self.terminal)
        try:
            self._load()
        except TypeError as error:
            message = f"{type(self).__name__} needs {self.needs} of the transitions, and {error}"
            raise TypeError(f"{message}; {self.alternatives}") from error

    def act(self, state: int) -> int:
        return self._choose(self.q_values(state))

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        _validation.acted_in(state, self.terminal)
        self.belief.observe_step(state, action, _validation.reward(reward), next_state)

    def _learn_many(self, steps: Steps) -> None:
        if type(self).observe is not ModelBased.observe:  # a subclass keeps more than the belief
            super()._learn_many(steps)
        else:
            self.belief.observe_many(*steps)

    def q_values(self, state: int) -> NDArray[np.float64]:
        """The value of each action in `state` by the current model. [A]"""
        state = integer("state", state, 0, self.num_states - 1)
        self._load()
        left = self._rest_of_run()
        if left is None:
            self._solver.solve(self.tolerance, self.on_tick)
        else:
            self._solver.solve_steps(left, self.on_tick)
        return self._solver.q_values(state)

    @abstractmethod
    def _load(self) -> None:
        """Load the model into the solver, if it has changed."""

    def _choose(self, values: NDArray[np.float64]) -> int:
        return greedy(values, 2 * self.tolerance, self._rng if self.ties == "random" else None)


def greedy(values: NDArray[np.float64], slack: float, rng: np.random.Generator | None) -> int:
    """An action whose value is within `slack` of the best: the first or, with a generator, a random one.

    Example:
        >>> greedy(np.array([0.0, 1.0, 1.0]), 1e-9, None)
        1
    """
    best = best_actions(values, slack)
    return int(best[0] if rng is None or len(best) == 1 else rng.choice(best))


def best_actions(values: NDArray[np.float64], slack: float) -> NDArray[np.int64]:
    """The actions whose value is within `slack` of the best."""
    return np.flatnonzero(values >= values.max() - slack)


def reward_table(agent: str, rewards: ArrayLike) -> NDArray[np.float64]:
    """`rewards` as a table; the empty one of an unbounded domain is rejected."""
    table = _validation.rewards(rewards)
    if len(table) == 0:
        raise TypeError(f"{agent} needs a table of rewards, and rewards is empty; {_WITHOUT_TABLES}")
    return table
