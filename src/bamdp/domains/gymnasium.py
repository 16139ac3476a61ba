"""Any Gymnasium environment with finitely many observations and actions, as a world to act in.

The environment is stepped as its users step it, once for each real step. Agents plan with what they have learned of it; they
don't copy it or look into it. Observations are numbered 0, 1, 2, … in the order of their space.

| `rewards`   | what the agent is told                        | where an episode ends                                  |
|-------------|-----------------------------------------------|--------------------------------------------------------|
| `"table"`   | rewards and ends, by the environment's table  | in the table's terminal states                         |
| `"learned"` | which values a reward can have                | in one more state, the last, which every end leads to  |

In the second case nothing is known of where the ends are: they are learned as all transitions are. An environment's time limit
cuts episodes off, and no agent knows of it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from bamdp import _validation
from bamdp._validation import integer, one_of, real_array
from bamdp.domain import Domain
from bamdp.domains._gym_make import made, words
from bamdp.domains._gym_spaces import Numbering
from bamdp.domains._gym_table import EnvTable, read_table
from bamdp.prior import checked_prior

if TYPE_CHECKING:
    from gymnasium import Env

    from bamdp.prior import Prior

Make = Callable[[], "Env[Any, Any]"]

_PLAIN = "gymnasium.wrappers.common"  # wrappers that change neither observations nor rewards


class Gymnasium(Domain):
    """A Gymnasium environment with discrete observations and actions.

    Args:
        environment: its id, as `gymnasium.make` takes it, or a function that makes it, for one with wrappers of your own.
        rewards: rewards and ends as the environment's own "table" has them, or "learned"; by the table, if there is one, if not
            given.
        values: which values a reward can have, where rewards are learned: numbers, or a text such as "-1, 0, 1"; if not given,
            those of the table, or -1, 0 and 1 if there is none.
        discount: what a reward is worth one step later, in [0, 1).
        make: settings of `gymnasium.make` as a text: "map_name=8x8 is_slippery=False".
        prior: what agents that are given none believe of the transitions at first; `SparseDirichlet()` if not given.
        settings: settings of `gymnasium.make`.

    Attributes:
        table: what the environment's table says; None if rewards are learned.
        values: what a reward can be, if rewards are learned.

    Example:
        >>> lake = Gymnasium("FrozenLake-v1", is_slippery=False)
        >>> lake.num_states, sorted(lake.terminal), lake.time_limit
        (16, [5, 7, 11, 12, 15], 100)
        >>> lake = Gymnasium("FrozenLake-v1", rewards="learned")
        >>> lake.num_states, sorted(lake.terminal), lake.values
        (17, [16], (0.0, 1.0))
    """

    def __init__(
        self,
        environment: str | Make,
        *,
        rewards: Literal["table", "learned"] | None = None,
        values: Sequence[float] | str | None = None,
        discount: float = 0.95,
        make: str = "",
        prior: Prior | None = None,
        **settings: Any,
    ) -> None:
        self._name, self._make = _maker(environment, words(make) | settings)
        self.discount = _validation.discount(discount)
        self._prior = None if prior is None else checked_prior(prior)
        if rewards is not None:
            one_of("rewards", rewards, ("table", "learned"))
        env = self._make()
        self._name = _full_name(self._name, env)
        self._observations, self._actions = _numberings(env)
        self.num_actions = self._actions.size
        self.time_limit = None if env.spec is None else env.spec.max_episode_steps
        table = self._read(env, ask=rewards == "table")
        known = rewards == "table" or (rewards is None and table is not None)
        self.table = table if known else None
        if known and values is not None:
            raise ValueError('values are for rewards that are learned, and here a table tells them; say rewards="learned" too')
        self.values = () if known else _values(values, table)
        self._describe()
        env.close()
        self._env: Env[Any, Any] | None = None
        self._state: int | None = None  # where the environment is, if an episode is under way
        self._cut_off = False

    def _read(self, env: Env[Any, Any], *, ask: bool) -> EnvTable | None:
        """The environment's table, if there is one of what is observed; where wrappers may have changed that, only if asked."""
        found, S = getattr(env.unwrapped, "P", None), self._observations.size
        if isinstance(found, Mapping) and len(found) == S and (ask or _is_plain(env)):
            starts = getattr(env.unwrapped, "initial_state_distrib", np.ones(S))
            return read_table(found, S, self.num_actions, np.flatnonzero(starts).tolist())
        if ask:
            raise ValueError(f'{self._name} has no table env.unwrapped.P of its {S} observations; rewards="learned" needs none')
        return None

    def _describe(self) -> None:
        """What agents are told."""
        if self.table is None:
            self._end = self._observations.size
            self.num_states, self.terminal = self._end + 1, frozenset([self._end])
            self.rewards = np.zeros((self.num_states, self.num_actions))
            return
        self.rewards, self.terminal = self.table.rewards, self.table.terminal
        self.num_states, self._end = len(self.rewards), self._observations.size
        self.successors, self.probabilities = self.table.successors, self.table.probabilities

    def for_run(self) -> Self:
        """The same world with an environment of its own."""
        fresh = copy.copy(self)
        fresh._env, fresh._state, fresh._cut_off = None, None, False
        return fresh

    def reset(self, rng: np.random.Generator) -> int:
        if self._env is None:
            self._env = self._make()
        observation, _ = self._env.reset(seed=int(_validation.generator(rng).integers(2**31)))
        self._state, self._cut_off = self._observations.number(observation), False
        return self._state

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        """Step the environment; its chances are its own, seeded by `reset`."""
        state = integer("state", state, 0, self.num_states - 1)
        action = integer("action", action, 0, self.num_actions - 1)
        if self._env is None or state != self._state:
            where = "between episodes: reset it" if self._state is None else f"in state {self._state}"
            raise ValueError(f"state must be where the environment is, which is {where}; got {state}")
        observation, paid, terminated, truncated, _ = self._env.step(self._actions.element(action))
        next_state, reward = self._observations.number(observation), float(paid)
        if terminated and self._end in self.terminal:
            next_state = self._end
        self._compare(state, action, next_state, reward, bool(terminated))
        self._state, self._cut_off = (None if terminated or truncated else next_state), bool(truncated)
        return next_state, reward

    def _compare(self, state: int, action: int, next_state: int, reward: float, terminated: bool) -> None:
        """Agents must not be told what isn't so."""
        said = self.rewards[state, action] if self.rewards.ndim == 2 else self.rewards[state, action, next_state]
        paid_so = self.table is None or self.table.by_chance or said == reward
        if not paid_so or terminated != (next_state in self.terminal):
            raise RuntimeError(
                f"{self._name}: after state {state} and action {action} its table says reward {said:g} and "
                f"{'' if next_state in self.terminal else 'no '}end in state {next_state}, but it paid {reward:g} and "
                f'{"ended" if terminated else "went on"}; use rewards="learned"'
            )

    def truncated(self, steps: int) -> bool:
        """Whether the environment has cut off the episode with its last step."""
        return self._cut_off

    def prior(self) -> Prior:
        from bamdp.priors import SparseDirichlet

        return self.complete(self._prior or SparseDirichlet())

    def complete(self, prior: Prior) -> Prior:
        from bamdp.priors import UnknownRewards

        if self.table is not None or isinstance(prior, UnknownRewards):
            return prior
        return UnknownRewards(prior, self.values, alpha=1 / len(self.values))

    def __repr__(self) -> str:
        told = "learned" if self.table is None else "table"
        return f"Gymnasium({self._name}, {self.num_states} states, {self.num_actions} actions, rewards={told})"


def _maker(environment: Any, settings: dict[str, Any]) -> tuple[str, Make]:
    """What an environment is called, and a function that makes it."""
    if isinstance(environment, str):
        return environment, partial(made, environment, settings)
    if not callable(environment):
        raise TypeError(
            "environment must be an id of gymnasium.make or a function that makes an environment, as every run needs one of "
            f"its own; got {environment!r}"
        )
    if settings:
        raise TypeError(f"settings are for gymnasium.make: a function that makes an environment takes none, got {settings}")
    return getattr(environment, "__name__", repr(environment)), environment


def _full_name(name: str, env: Env[Any, Any]) -> str:
    """With the version that was made, where none was asked for."""
    spec = env.spec
    return name.removesuffix(spec.name) + spec.id if spec is not None and name.endswith(spec.name) else name


def _numberings(env: Env[Any, Any]) -> tuple[Numbering, Numbering]:
    return Numbering("observation_space", env.observation_space), Numbering("action_space", env.action_space)


def _is_plain(env: Any) -> bool:
    """Whether nothing that wraps the environment can have changed what is observed or paid."""
    while env is not env.unwrapped:
        if type(env).__module__ != _PLAIN:
            return False
        env = env.env
    return True


def _values(values: Sequence[float] | str | None, table: EnvTable | None) -> tuple[float, ...]:
    """What a reward can be."""
    if values is None:
        return (-1.0, 0.0, 1.0) if table is None else table.values
    if not isinstance(values, str):
        return tuple(real_array("values", values).ravel().tolist())
    try:
        return _values([float(word) for word in values.replace(",", " ").split()], table)
    except ValueError:
        raise TypeError(f"values must be an array of numbers, got {values!r}") from None
