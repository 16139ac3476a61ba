"""The base of agents that solve a model: the belief, the native solver, and the greedy choice.

    Q(s, a) = R(s, a) + γ Σ_s' P(s' | s, a) max_a' Q(s', a'),   P a posterior mean or sampled from the posterior

A subclass loads its model into the solver (`_load`) and inherits the rest.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core, _validation
from bamdp._validation import integer, one_of, real
from bamdp.agent import Agent
from bamdp.domain import UNBOUNDED, Domain
from bamdp.prior import Prior, checked_prior

Ties = Literal["first", "random"]

_WITHOUT_TABLES = "BAMCP with the domain's default prior, QLearning and Random work there"
WITHOUT_MODEL = "BAMCP needs only a model to search, QLearning, IEQL, VPI and Random no prior at all"


class TableAgent(Agent):
    """An agent with a prior and a table of rewards, for finite domains."""

    def __init__(self, prior: Prior, rewards: ArrayLike, discount: float, terminal: Collection[int]) -> None:
        self.prior = checked_prior(prior)
        self.rewards = reward_table(type(self).__name__, rewards)
        self.num_states, self.num_actions = self.rewards.shape[:2]
        self.discount = _validation.discount(discount)
        self.terminal = _validation.terminal_states(terminal, self.num_states)
        self.on_tick: Callable[[], None] | None = None

    @classmethod
    def for_domain(cls, domain: Domain, prior: Prior | None = None, **settings: Any) -> Self:
        require_tables(cls.__name__, domain)
        return super().for_domain(domain, prior, **settings)


class ModelBased(TableAgent):
    """An agent that solves a model made from its belief and acts greedily.

    Args:
        prior: prior over the transitions.
        rewards: reward of each state and action [S, A], or of each transition [S, A, S].
        discount: discount factor, in [0, 1).
        terminal: terminal states, where episodes end.
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
        tolerance: float = 1e-6,
        ties: Ties = "random",
        seed: int = 0,
    ) -> None:
        super().__init__(prior, rewards, discount, terminal)
        self.tolerance = real("tolerance", tolerance, 0, open_low=True)
        self.ties = one_of("ties", ties, ("first", "random"))
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Forget everything learned, as if newly made with `seed`."""
        self._rng = np.random.default_rng(_validation.seed(seed))
        self.belief = self.prior.belief(self.num_states, self.num_actions)
        self._solver = _core.Solver(self.rewards, self.discount, sorted(self.terminal))
        try:
            self._load()
        except TypeError as error:
            message = f"{type(self).__name__} needs {self.needs} of the transitions, and {error}"
            raise TypeError(f"{message}; {self.alternatives}") from error

    def act(self, state: int) -> int:
        """Choose an action in `state`."""
        return self._choose(self.q_values(state))

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        """Learn from one real step."""
        _validation.acted_in(state, self.terminal)
        self.belief.observe_step(state, action, _validation.reward(reward), next_state)

    def q_values(self, state: int) -> NDArray[np.float64]:
        """The value of each action in `state` by the current model. [A]"""
        state = integer("state", state, 0, self.num_states - 1)
        self._load()
        self._solver.solve(self.tolerance, self.on_tick)
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
    best = np.flatnonzero(values >= values.max() - slack)
    return int(best[0] if rng is None or len(best) == 1 else rng.choice(best))


def reward_table(agent: str, rewards: ArrayLike) -> NDArray[np.float64]:
    """`rewards` as a table; the empty one of an unbounded domain is rejected."""
    table = _validation.rewards(rewards)
    if len(table) == 0:
        raise TypeError(f"{agent} needs a table of rewards, and rewards is empty; {_WITHOUT_TABLES}")
    return table


def require_tables(agent: str, domain: Domain) -> None:
    """Reject an unbounded domain, which has no table of rewards."""
    if domain.num_states == UNBOUNDED:
        raise TypeError(f"{agent} needs a table of rewards, and {type(domain).__name__} has none; {_WITHOUT_TABLES}")
