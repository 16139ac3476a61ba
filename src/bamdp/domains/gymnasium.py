"""Any Gymnasium environment with finitely many observations and actions, as a domain.

The environment is stepped once for each real step. Agents plan with what they have learned of it; they don't copy it or look
into it. Observations are numbered 0, 1, 2, … in the order of their space.

| `rewards`   | given to the agent                                        | terminal states           |
|-------------|-----------------------------------------------------------|---------------------------|
| `"table"`   | rewards and terminal states, from the environment's table | those of the table        |
| `"learned"` | the possible values of a reward                           | one extra state, the last |

In the second case every terminating step leads to the extra state, and the agent learns which steps do, like all transitions.
An environment's time limit truncates episodes; agents are not given it.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from bamdp import validation
from bamdp.domain import Domain, Scene
from bamdp.domains._gym_make import make as make_env
from bamdp.domains._gym_scene import END
from bamdp.domains._gym_scene import read as read_about
from bamdp.domains._gym_spaces import Numbering
from bamdp.domains._gym_table import EnvTable, read_table
from bamdp.domains.tabular import Tabular
from bamdp.mdp import MDP
from bamdp.prior import Prior, checked_prior
from bamdp.priors import SparseDirichlet, UnknownRewards
from bamdp.validation import integer, one_of, real_array

if TYPE_CHECKING:
    from gymnasium import Env

Make = Callable[[], "Env[Any, Any]"]

_PLAIN = "gymnasium.wrappers.common"  # wrappers that change neither observations nor rewards


class Gymnasium(Domain):
    """A Gymnasium environment with discrete observations and actions.

    Args:
        environment: an id for `gymnasium.make`, or a function that makes the environment, with your own wrappers for example.
        rewards: "table", rewards and terminal states from the environment's table, or "learned"; if not given, "table" if the
            environment has one.
        values: possible values of a learned reward: numbers, or a string such as "-1, 0, 1"; if not given, those of the table,
            or -1, 0 and 1 without one.
        discount: discount factor, in [0, 1); 1 with a horizon.
        horizon: number of steps of a run that count, which agents are given; none if not given.
        prior: default prior of agents over the transitions; `SparseDirichlet()` if not given.
        settings: keyword arguments of `gymnasium.make`.

    Attributes:
        table: the environment's table; None if rewards are learned.
        values: possible values of a learned reward.
        starts: probability of each start state, [S] without the extra state; None if the environment doesn't tell.

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
        horizon: int | None = None,
        prior: Prior | None = None,
        **settings: Any,
    ) -> None:
        self._name, self._make = _maker(environment, settings)
        self.horizon = validation.horizon(horizon)
        self.discount = validation.discount(discount, ends=self.horizon is not None)
        self._prior = None if prior is None else checked_prior(prior)
        if rewards is not None:
            one_of("rewards", rewards, ("table", "learned"))
        env = self._make()
        self._name = _full_name(self._name, env)
        self._observations = Numbering("observation_space", env.observation_space)
        self._actions = Numbering("action_space", env.action_space)
        self.num_actions = self._actions.size
        self.time_limit = None if env.spec is None else env.spec.max_episode_steps
        self.starts = _starts(env, self._observations.size)
        table = self._read(env, ask=rewards == "table")
        known = rewards == "table" or (rewards is None and table is not None)
        self.table = table if known else None
        if known and values is not None:
            raise ValueError('values are for learned rewards, and here they come from a table; add rewards="learned"')
        self.values = () if known else _values(values, table)
        self._describe()
        self._about = read_about(env, self._name, plain=_is_plain(env))
        env.close()
        self._env: Env[Any, Any] | None = None
        self._state: int | None = None  # current state of the environment; None between episodes
        self._truncated = False

    def _read(self, env: Env[Any, Any], *, ask: bool) -> EnvTable | None:
        """The environment's table of its observations, if any; only if asked where wrappers may have changed those."""
        found, S = getattr(env.unwrapped, "P", None), self._observations.size
        if isinstance(found, Mapping) and len(found) == S and (ask or _is_plain(env)):
            starts = np.ones(S) if self.starts is None else self.starts
            return read_table(found, S, self.num_actions, np.flatnonzero(starts).tolist())
        if ask:
            raise ValueError(f'{self._name} has no table env.unwrapped.P of its {S} observations; rewards="learned" needs none')
        return None

    def _describe(self) -> None:
        """Set what agents are given."""
        if self.table is None:
            self._extra = self._observations.size
            self.num_states, self.terminal = self._extra + 1, frozenset([self._extra])
            self.rewards = np.zeros((self.num_states, self.num_actions))
            return
        self.rewards, self.terminal = self.table.rewards, self.table.terminal
        self.num_states, self._extra = len(self.rewards), self._observations.size
        over = np.isin(np.arange(self.num_states), sorted(self.terminal))
        self.mdp = MDP.unchecked(self.table.probabilities, self.rewards, over, self.table.successors)

    def for_run(self) -> Self:
        """The same domain with a new environment."""
        fresh = copy.copy(self)
        fresh._env, fresh._state, fresh._truncated = None, None, False
        return fresh

    def reset(self, rng: np.random.Generator) -> int:
        if self._env is None:
            self._env = self._make()
        observation, _ = self._env.reset(seed=int(validation.generator(rng).integers(2**31)))
        self._state, self._truncated = self._observations.number(observation), False
        return self._state

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        """Step the environment; its random generator is seeded by `reset`."""
        state = integer("state", state, 0, self.num_states - 1)
        action = integer("action", action, 0, self.num_actions - 1)
        if self._env is None or state != self._state:
            where = "between episodes: reset it" if self._state is None else f"in state {self._state}"
            raise ValueError(f"state must be that of the environment, which is {where}; got {state}")
        observation, paid, terminated, truncated, _ = self._env.step(self._actions.element(action))
        next_state, reward = self._observations.number(observation), float(paid)
        if terminated and self._extra in self.terminal:
            next_state = self._extra
        self._compare(state, action, next_state, reward, bool(terminated))
        self._state, self._truncated = (None if terminated or truncated else next_state), bool(truncated)
        return next_state, reward

    def _compare(self, state: int, action: int, next_state: int, reward: float, terminated: bool) -> None:
        """Check the step against the table, which agents rely on."""
        expected = self.rewards[state, action] if self.rewards.ndim == 2 else self.rewards[state, action, next_state]
        matches = self.table is None or self.table.random_rewards or expected == reward
        if not matches or terminated != (next_state in self.terminal):
            raise RuntimeError(
                f"{self._name}: after state {state} and action {action} its table has reward {expected:g} and "
                f"state {next_state} {'' if next_state in self.terminal else 'not '}terminal, but it paid {reward:g} and "
                f'{"ended" if terminated else "went on"}; use rewards="learned"'
            )

    def rendered(self) -> Self:
        """The same domain, with environments that draw themselves (`picture`); unchanged if they can't."""
        if not isinstance(self._make, partial):  # a function of the user's own
            return self
        name, settings = self._make.args
        drawn = copy.copy(self)
        drawn._make = partial(make_env, name, {**settings, "render_mode": "rgb_array"})
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tried = drawn.for_run()
                tried.reset(np.random.default_rng(0))
                return self if tried.picture() is None else drawn
        except Exception:  # a dependency of its drawing may be missing, and it may raise anything
            return self

    def picture(self) -> NDArray[np.uint8] | None:
        """The environment's own picture of the present moment; None without `rendered` or an episode. [height, width, 3]"""
        if self._env is None or self._env.render_mode != "rgb_array":
            return None
        try:
            image: Any = self._env.render()
        except ResetNeeded:
            return None
        return image if isinstance(image, np.ndarray) and image.ndim == 3 else None

    def truncated(self, steps: int) -> bool:
        """Whether the environment truncated the episode at its last step."""
        return self._truncated

    def prior(self) -> Prior:
        return self.complete(self._prior or SparseDirichlet())

    def complete(self, prior: Prior) -> Prior:
        checked_prior(prior)
        if self.table is not None or prior.has_rewards:
            return prior
        return UnknownRewards(prior, self.values, alpha=1 / len(self.values))

    def as_tables(self) -> Domain:
        if self.mdp is None or self.table is None or self.table.random_rewards or self.starts is None:
            return self
        starts = np.zeros(self.num_states)
        starts[: len(self.starts)] = self.starts
        settings: Any = {name: getattr(self, name) for name in ("steps", "time_limit", "horizon")}
        made = Tabular(self.mdp, self.discount, start=int(starts.argmax()), prior=self.prior(), **settings)
        return made if starts.max() == 1 else RandomStart(made, starts)

    @property
    def description(self) -> str:
        return self._about.sentence

    def scene(self) -> Scene | None:
        """The map of FrozenLake, CliffWalking and Taxi; of others, the names of states and, if known, of actions."""
        return self._about.scene(self.num_states, self._label)

    def _label(self, state: int) -> str:
        return END if state >= self._observations.size else str(self._observations.element(state))

    def __repr__(self) -> str:
        source = "learned" if self.table is None else "table"
        return f"Gymnasium({self._name}, {self.num_states} states, {self.num_actions} actions, rewards={source})"


class RandomStart(Tabular):
    """Tables whose episodes start in a random state, by the probability of each. [S]"""

    def __init__(self, domain: Tabular, starts: NDArray[np.float64]) -> None:
        vars(self).update(vars(domain))
        self.start = None  # type: ignore[assignment]  # as the contract of domains has it
        self._starts = starts

    def reset(self, rng: np.random.Generator) -> int:
        return int(validation.generator(rng).choice(self.num_states, p=self._starts))


def _maker(environment: Any, settings: dict[str, Any]) -> tuple[str, Make]:
    """The name of an environment, and a function that makes it."""
    if isinstance(environment, str):
        return environment, partial(make_env, environment, settings)
    if not callable(environment):
        raise TypeError(
            "environment must be an id of gymnasium.make or a function that makes an environment, as every run needs its "
            f"own; got {environment!r}"
        )
    if settings:
        raise TypeError(f"settings are for gymnasium.make: a function that makes an environment takes none, got {settings}")
    return getattr(environment, "__name__", repr(environment)), environment


def _full_name(name: str, env: Env[Any, Any]) -> str:
    """The name with the version that was made."""
    spec = env.spec
    return name.removesuffix(spec.name) + spec.id if spec is not None and name.endswith(spec.name) else name


def _starts(env: Env[Any, Any], num_states: int) -> NDArray[np.float64] | None:
    """The environment's distribution of start states, if it has one."""
    found = getattr(env.unwrapped, "initial_state_distrib", None)
    if found is None or np.shape(found) != (num_states,):
        return None
    starts: NDArray[np.float64] = np.asarray(found, dtype=np.float64)
    return np.asarray(starts / starts.sum())


def _is_plain(env: Any) -> bool:
    """Whether no wrapper can have changed observations or rewards."""
    while env is not env.unwrapped:
        if type(env).__module__ != _PLAIN:
            return False
        env = env.env
    return True


def _values(values: Sequence[float] | str | None, table: EnvTable | None) -> tuple[float, ...]:
    if values is None:
        return (-1.0, 0.0, 1.0) if table is None else table.values
    if not isinstance(values, str):
        return tuple(real_array("values", values).ravel().tolist())
    try:
        return _values([float(word) for word in values.replace(",", " ").split()], table)
    except ValueError:
        raise TypeError(f"values must be an array of numbers, got {values!r}") from None
