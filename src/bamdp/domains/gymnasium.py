"""Any Gymnasium environment with finitely many observations and actions, as a domain.

The environment is stepped once for each real step. Agents plan with what they have learned of it;
they don't copy it or look into it. Observations are numbered 0, 1, 2, … in the order of their
space.

| `rewards`   | given to the agent                                        | terminal states |
|-------------|-----------------------------------------------------------|---|
| `"table"`   | rewards and terminal states, from the environment's table | those of the table |
| `"learned"` | the possible values of a reward | one extra state, the last |

In the second case every terminating step leads to the extra state, and the agent learns which steps
do, like all transitions. An environment's time limit truncates episodes; agents are not given it.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any, Literal, Self

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from bamdp import validation
from bamdp.domain import Domain, is_truncated
from bamdp.domains._gym_map import END, EnvMap, read_map
from bamdp.domains._gym_table import read_table
from bamdp.domains.tabular import Tabular, distinct_names
from bamdp.prior import Prior, checked_prior
from bamdp.priors.sparse_dirichlet import SparseDirichlet
from bamdp.priors.unknown_rewards import UnknownRewards
from bamdp.problem import BAMDP
from bamdp.validation import integer, one_of, real_array

if TYPE_CHECKING:
    from gymnasium import Env, Space

Make = Callable[[], "Env[Any, Any]"]

PLAIN = "gymnasium.wrappers.common"  # wrappers that change neither observations nor rewards
MOST = 10**7  # elements of a space: tables of rewards have an entry for each state and action
# Gymnasium's warnings about an id with no version or an old one: the domain's repr shows the
# version that was made.
VERSIONS = r".*(Using the latest versioned environment|is out of date)"


class Gymnasium(Domain):
    """A Gymnasium environment with discrete observations and actions.

    Args:
        environment: an id for `gymnasium.make`, or a function that makes the environment, with your
            own wrappers for example.
        rewards: "table", rewards and terminal states from the environment's table, or "learned"; if
            not given, "table" if the environment has one and no wrapper can have changed its
            meaning.
        values: possible values of a learned reward: numbers, or a string such as "-1, 0, 1"; if not
            given, those of the table, or -1, 0 and 1 without one.
        discount: discount factor, in [0, 1); 1 with a horizon.
        horizon: number of steps of a run that count, which agents are given; none if not given.
        prior: default prior of agents over the transitions; `SparseDirichlet()` if not given.
        settings: keyword arguments of `gymnasium.make`.

    Attributes:
        mdp: the environment's table; None if rewards are learned.
        values: possible values of a learned reward.
        name: the environment's, with its version.
        map: its map, where it has one.
        random_rewards: whether a step pays a random reward, with `rewards` its mean.
        is_truncated: whether the environment truncated the episode at its last step.
        starts: probability of each start state, [S] without the extra state; None if the
            environment doesn't tell.

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
        self._make = _maker(environment, settings)
        self.horizon = validation.horizon(horizon)
        self.discount = validation.discount(discount, ends=self.horizon is not None)
        self._prior = SparseDirichlet() if prior is None else checked_prior(prior)
        if rewards is not None:
            one_of("rewards", rewards, ("table", "learned"))
        env = self._make()
        self.name = getattr(environment, "__name__", repr(environment))
        if isinstance(environment, str) and env.spec is not None:
            self.name = (
                "".join(environment.rpartition(":")[:2]) + env.spec.id
            )  # with the version that was made
        self._observations = _Numbering("observation_space", env.observation_space)
        self._actions = _Numbering("action_space", env.action_space)
        self.num_actions = self._actions.size
        self.time_limit = None if env.spec is None else env.spec.max_episode_steps
        self._draws = "rgb_array" in env.metadata.get("render_modes", ())
        self._read(env, rewards, values)
        env.close()
        self._env: Env[Any, Any] | None = None
        self._state: int | None = None  # current state of the environment; None between episodes
        self.is_truncated = False

    def _read(self, env: Env[Any, Any], rewards: str | None, values: Any) -> None:
        """What agents are given, and the map."""
        S, A, own, plain = self._observations.size, self.num_actions, env.unwrapped, _is_plain(env)
        self.starts = _starts(own, S)
        self.map: EnvMap | None = read_map(own) if plain else None
        rows: Any = getattr(own, "P", None)
        has_table = isinstance(rows, Mapping) and len(rows) == S and plain
        if rewards == "table" and not has_table:
            raise ValueError(
                f"{self.name} has no table env.unwrapped.P of its {S} observations; "
                'rewards="learned" needs none'
            )
        possible: tuple[float, ...] = (-1.0, 0.0, 1.0)
        if has_table:
            starts = range(S) if self.starts is None else np.flatnonzero(self.starts).tolist()
            mdp, possible, self.random_rewards = read_table(rows, S, A, starts)
        if not has_table or rewards == "learned":
            self.values = possible if values is None else _values(values)
            self.num_states, self.terminal, self.random_rewards = S + 1, frozenset([S]), False
            self.rewards = np.zeros((self.num_states, A))
            return
        if values is not None:
            raise ValueError(
                "values are for learned rewards, and here they come from a table; add "
                'rewards="learned"'
            )
        self.values, self.mdp, self.rewards, self.num_states = (), mdp, mdp.rewards, mdp.num_states
        self.terminal = frozenset(np.flatnonzero(mdp.terminal).tolist())

    def __copy__(self) -> Self:
        """The same domain with a new environment."""
        twin = object.__new__(type(self))
        vars(twin).update(vars(self))
        twin._env, twin._state, twin.is_truncated = None, None, False
        return twin

    def reset(self, rng: np.random.Generator) -> int:
        if self._env is None:
            self._env = self._make()
        observation, _ = self._env.reset(seed=int(validation.generator(rng).integers(2**31)))
        self._state, self.is_truncated = self._observations.number(observation), False
        return self._state

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        """Step the environment; its random generator is seeded by `reset`."""
        state = integer("state", state, 0, self.num_states - 1)
        action = integer("action", action, 0, self.num_actions - 1)
        if self._env is None or state != self._state:
            where = (
                "between episodes: reset it" if self._state is None else f"in state {self._state}"
            )
            raise ValueError(
                f"state must be that of the environment, which is {where}; got {state}"
            )
        observation, reward, terminated, truncated, _ = self._env.step(
            self._actions.element(action)
        )
        next_state, extra = self._observations.number(observation), self._observations.size
        if terminated and extra in self.terminal:
            next_state = extra
        self._state, self.is_truncated = (
            (None if terminated or truncated else next_state),
            bool(truncated),
        )
        return next_state, float(reward)

    def rendered(self) -> Self:
        """The same domain, with environments that draw themselves (`picture`); unchanged if they
        can't.
        """
        if (
            not isinstance(self._make, partial) or not self._draws
        ):  # a function of the user's own draws as it likes
            return self
        drawn, (name, settings) = copy.copy(self), self._make.args
        drawn._make = partial(_make, name, {**settings, "render_mode": "rgb_array"})
        return drawn

    def picture(self) -> NDArray[np.uint8] | None:
        """The environment's own picture of the present moment; None without `rendered` or an
        episode. [height, width, 3]
        """
        if self._env is None or self._env.render_mode != "rgb_array":
            return None
        try:
            image: Any = self._env.render()
        except Exception:  # a dependency of its drawing may be missing, and it may raise anything
            return None
        return image if isinstance(image, np.ndarray) and image.ndim == 3 else None

    def problem(self, prior: Prior | None = None, **changes: Any) -> BAMDP:
        prior = self._prior if prior is None else checked_prior(prior)
        if self.mdp is None and not prior.unknown_rewards:
            prior = UnknownRewards(prior, self.values, alpha=1 / len(self.values))
        told: dict[str, Any] = {
            "random_rewards": self.random_rewards and not prior.unknown_rewards,
            "states": distinct_names(self.state_name, self.num_states),
            "actions": None if self.map is None else self.map.actions,
        }
        return super().problem(prior, **{**told, **changes})

    def as_tables(self) -> Domain:
        """The same as a `Tabular`, where tables say all that there is; else itself."""
        if self.mdp is None or self.random_rewards or self.starts is None:
            return self
        starts = np.zeros(self.num_states)
        starts[: len(self.starts)] = self.starts
        settings: Any = {name: getattr(self, name) for name in ("steps", "time_limit", "horizon")}
        made = Tabular(
            self.mdp, self.discount, start=int(starts.argmax()), prior=self._prior, **settings
        )
        return made if starts.max() == 1 else RandomStart(made, starts)

    def state_name(self, state: int) -> str:
        """What a state is called on the map; else the observation."""
        if self.map is not None:
            return self.map.label(state)
        return END if state >= self._observations.size else str(self._observations.element(state))

    def __repr__(self) -> str:
        source = "learned" if self.mdp is None else "table"
        return (
            f"Gymnasium({self.name}, {self.num_states} states, {self.num_actions} actions, "
            f"rewards={source})"
        )


@is_truncated.register
def _(domain: Gymnasium, steps: int) -> bool:
    return domain.is_truncated


class RandomStart(Tabular):
    """Tables whose episodes start in a random state, by the probability of each. [S]"""

    def __init__(self, domain: Tabular, starts: NDArray[np.float64]) -> None:
        vars(self).update(vars(domain))
        self.start = None  # type: ignore[assignment]  # as the contract of domains has it
        self._starts = starts

    def reset(self, rng: np.random.Generator) -> int:
        return int(validation.generator(rng).choice(self.num_states, p=self._starts))


def _maker(environment: Any, settings: dict[str, Any]) -> Make:
    """A function that makes the environment."""
    if isinstance(environment, str):
        return partial(_make, environment, settings)
    if not callable(environment):
        raise TypeError(
            "environment must be an id of gymnasium.make or a function that makes an environment, "
            "as every run needs its "
            f"own; got {environment!r}"
        )
    if settings:
        raise TypeError(
            "settings are for gymnasium.make: a function that makes an environment takes none, "
            f"got {settings}"
        )
    return environment  # type: ignore[no-any-return]  # checked above


def _make(name: str, settings: dict[str, Any]) -> Env[Any, Any]:
    """Make an environment by id, with keyword arguments of `gymnasium.make`."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", VERSIONS)
        try:
            return gymnasium.make(name, disable_env_checker=True, **settings)
        except Exception as error:  # its constructor may raise anything
            given, why = (
                "".join(f", {key}={value!r}" for key, value in settings.items()),
                f"{type(error).__name__}: {error}",
            )
            raise ValueError(
                f"environment must be an id that gymnasium.make accepts, got {name!r}{given}: {why}"
            ) from error


class _Numbering:
    """The elements of a finite space, `Discrete` or made of such parts, as 0, 1, 2, …
    `size` − 1.
    """

    def __init__(self, name: str, space: Space[Any]) -> None:
        try:
            parts = _parts(space)
        except TypeError:
            parts = [spaces.Discrete(MOST + 1)]
        self._space, self._sizes, self._starts = (
            space,
            [int(part.n) for part in parts],
            [int(part.start) for part in parts],
        )
        self.size = prod(self._sizes)
        if self.size > MOST:
            raise TypeError(
                f"{name} must be Discrete, MultiDiscrete, MultiBinary or a Tuple of these, of at "
                f"most {MOST:.0e} elements, got "
                f"{space}; discretize it by a wrapper (gymnasium.ObservationWrapper, "
                "gymnasium.ActionWrapper) and give a "
                "function that makes the wrapped environment"
            )

    def number(self, element: Any) -> int:
        return int(
            np.ravel_multi_index(
                np.subtract(_flat(self._space, element), self._starts), self._sizes
            )
        )

    def element(self, number: int) -> Any:
        return _space_element(
            self._space, iter(np.add(np.unravel_index(number, self._sizes), self._starts).tolist())
        )


def _parts(space: Space[Any]) -> list[Any]:
    """The `Discrete` parts of a space."""
    match space:
        case spaces.Discrete():
            return [space]
        case spaces.MultiDiscrete():
            pairs = zip(space.nvec.ravel(), space.start.ravel(), strict=True)
            return [spaces.Discrete(int(n), start=int(start)) for n, start in pairs]
        case spaces.MultiBinary():
            return [spaces.Discrete(2)] * prod(space.shape)
        case spaces.Tuple():
            return [part for member in space.spaces for part in _parts(member)]
    raise TypeError(f"{space} is infinite")


def _flat(space: Space[Any], element: Any) -> list[int]:
    """The numbers that an element is made of."""
    if isinstance(space, spaces.Tuple):
        return [
            n
            for member, value in zip(space.spaces, element, strict=True)
            for n in _flat(member, value)
        ]
    return [int(n) for n in np.ravel(element)]


def _space_element(space: Space[Any], numbers: Iterator[int]) -> Any:
    """The element made of the next numbers."""
    if isinstance(space, spaces.Tuple):
        return tuple(_space_element(member, numbers) for member in space.spaces)
    if isinstance(space, spaces.Discrete):
        return next(numbers)
    assert space.shape is not None
    return np.array([next(numbers) for _ in range(prod(space.shape))], dtype=space.dtype).reshape(
        space.shape
    )


def _starts(env: Any, num_states: int) -> NDArray[np.float64] | None:
    """The environment's distribution of start states, if it has one."""
    found = getattr(env, "initial_state_distrib", None)
    if found is None or np.shape(found) != (num_states,):
        return None
    starts: NDArray[np.float64] = np.asarray(found, dtype=np.float64)
    return np.asarray(starts / starts.sum())


def _is_plain(env: Any) -> bool:
    """Whether no wrapper can have changed observations or rewards."""
    while env is not env.unwrapped:
        if type(env).__module__ != PLAIN:
            return False
        env = env.env
    return True


def _values(values: Sequence[float] | str) -> tuple[float, ...]:
    if not isinstance(values, str):
        return tuple(real_array("values", values).ravel().tolist())
    try:
        return tuple(float(word) for word in values.replace(",", " ").split())
    except ValueError:
        raise TypeError(f"values must be an array of numbers, got {values!r}") from None
