"""Many copies of the Bayes-adaptive MDP of a domain, stepped at once with NumPy: a Gymnasium `VectorEnv`.

Every copy is a `BayesAdaptiveEnv` with a world of its own; see there for the observations. What happens after the end of an
episode is Gymnasium's autoreset mode, `metadata["autoreset_mode"]`:

| mode         | the step that ends an episode returns               | the next step of that copy                           |
|--------------|-----------------------------------------------------|------------------------------------------------------|
| `"NextStep"` | its last observation                                | ignores the action, pays 0, starts in a new world    |
| `"SameStep"` | the first of the new world; the last in `final_obs` | is the first in the new world                        |
| `"Disabled"` | its last observation                                | needs `reset(options={"reset_mask": ...})` before it |
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from bamdp import validation
from bamdp.domain import Domain
from bamdp.domains import Tabular
from bamdp.environments.bayes_adaptive_env import BayesAdaptiveCopies
from bamdp.environments.observations import Array, BeliefKind, Index, Seen, one
from bamdp.mdp import MDP, Outcomes
from bamdp.prior import Belief, Prior
from bamdp.problem import BAMDP
from bamdp.validation import fits_memory, positive_integer

Mask = NDArray[np.bool_]
Step = tuple[Any, Array, Mask, Mask, dict[str, Any]]
DRAWN = ("transitions", "probabilities")  # tables of probabilities, of next states and of rewards


class VectorWorlds:
    """A world for each copy, drawn from a belief, all stepped at once.

    A finite set of worlds has one set of tables, into which each copy has an index. Worlds of other priors have a table each.

    Attributes:
        index: the tables of each copy. [N]
    """

    def __init__(self, belief: Belief, copies: int) -> None:
        worlds, self._belief = belief.particles, belief
        first = belief.sample(1, np.random.default_rng(0)) if worlds is None else worlds
        self._values, self._tables = (first.outcomes or Outcomes()).values, _tables(first)
        self._can_end = belief.has_ends or bool(first.terminal.any())
        self._chosen_by: Array | None = None  # cumulative weights of a finite set
        self._certain: Index | None = None  # the next states, if nothing is left to chance in a finite set
        if worlds is None:
            fits_memory(f"num_envs={copies}", copies * sum(table.size for table in self._tables.values()))
            self._tables = {name: np.repeat(table, copies, axis=0) for name, table in self._tables.items()}
            self.index = np.arange(copies)
        else:
            self._chosen_by, self.index = np.cumsum(np.asarray(worlds.weights)), np.zeros(copies, np.int64)
            possible = self._tables["transitions"] > 0
            self._certain = possible.argmax(axis=3) if (possible.sum(axis=3) == 1).all() else None
        self._cumulative = {name: self._tables[name].cumsum(axis=-1) for name in DRAWN if name in self._tables}

    def world(self, copy: int) -> MDP:
        """The world of a copy."""
        one = {name: table[self.index[copy]].copy() for name, table in self._tables.items()}
        random = one.keys() & {"probabilities", "deviations"}
        outcomes = Outcomes(self._values, one.get("probabilities"), one.get("deviations")) if random else None
        return MDP.unchecked(one["transitions"], one["rewards"], one["terminal"], outcomes=outcomes)

    def draw(self, at: Index, rng: np.random.Generator) -> None:
        """Draw new worlds for some copies."""
        if self._chosen_by is not None:
            self.index[at] = self._chosen_by.searchsorted(rng.random(len(at)) * self._chosen_by[-1], side="right")
        elif len(at):
            for name, table in _tables(self._belief.sample(len(at), rng)).items():
                self._tables[name][at] = table
                if name in DRAWN:
                    self._cumulative[name][at] = table.cumsum(axis=-1)

    def step(self, at: Index, states: Index, actions: Index, rng: np.random.Generator) -> tuple[Index, Array]:
        """Next states and rewards of some copies."""
        pair, tables = (self.index[at], states, actions), self._tables
        next_states = self._drawn("transitions", pair, rng) if self._certain is None else self._certain[pair]
        if "probabilities" in tables:
            assert self._values is not None
            return next_states, self._values[self._drawn("probabilities", pair, rng)]
        paid = tables["rewards"][pair if tables["rewards"].ndim == 3 else (*pair, next_states)]
        if "deviations" in tables:
            paid = paid + tables["deviations"][pair] * rng.standard_normal(len(at))
        return next_states, paid

    def _drawn(self, name: str, pair: tuple[Index, Index, Index], rng: np.random.Generator) -> Index:
        """Indices drawn from rows of probabilities. [K]"""
        rows = self._cumulative[name][pair]
        return np.asarray((rows <= (rng.random(len(rows)) * rows[:, -1])[:, None]).sum(axis=1))

    def ended(self, at: Index, states: Index) -> Mask:
        """Whether these are terminal states."""
        return self._tables["terminal"][self.index[at], states] if self._can_end else np.zeros(len(at), bool)


class BayesAdaptiveVectorEnv(BayesAdaptiveCopies, VectorEnv[Any, Any, Any]):
    """Many copies of the Bayes-adaptive MDP of a domain; each episode is in a new world drawn from the prior.

    Args:
        domain: a domain, its name on the command line, or a problem; see `BayesAdaptiveEnv`, as for the next ones.
        num_envs: number of copies.
        prior: prior over the worlds.
        belief: how the belief is observed. "mean" is slower than the others, except for finite sets of worlds.
        flat: whether the observation of a copy is one vector instead of a dictionary.
        steps: number of steps after which an episode is truncated.
        episodes: episodes of the domain, in the same world, per episode of the environment.
        autoreset_mode: what follows the end of an episode: "NextStep", "SameStep" or "Disabled".
        settings: arguments of the domain's constructor, if `domain` is a name.

    Example:
        >>> envs = BayesAdaptiveVectorEnv("bandit", num_envs=3, probabilities=[0.5, 0.5], steps=10)
        >>> observations, infos = envs.reset(seed=0)
        >>> observations, rewards, terminations, truncations, infos = envs.step([1, 1, 0])
        >>> observations["belief"].sum(axis=2).tolist()
        [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]
    """

    def __init__(
        self,
        domain: str | Domain | BAMDP = "double-loop",
        *,
        num_envs: int = 1,
        prior: str | Prior | None = None,
        belief: BeliefKind | None = None,
        flat: bool = False,
        steps: int | None = None,
        episodes: int | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        **settings: Any,
    ) -> None:
        self.num_envs = positive_integer("num_envs", num_envs, 10**7)
        self.autoreset_mode = _mode(autoreset_mode)
        self.metadata = {"autoreset_mode": self.autoreset_mode}
        self._set_up(domain, prior, belief, flat, steps, episodes, settings, self.num_envs)
        self._worlds = VectorWorlds(self._observations.belief, self.num_envs)
        self._resets = self.domain.for_run()
        self.world_indices = None if self._observations.belief.particles is None else self._worlds.index
        self.single_observation_space = self._observations.space
        self.single_action_space = spaces.Discrete(self.domain.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._all = np.arange(self.num_envs)
        self._states, self._taken, self._in_episode, self._ended = np.zeros((4, self.num_envs), np.int64)
        self._over = np.ones(self.num_envs, bool)  # copies whose episode is over
        self._begun = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Draw new worlds in all copies, or in those of `options["reset_mask"]`; `seed` seeds the random generator."""
        seed = None if seed is None else validation.seed(seed)
        at = self._all if options is None else _to_reset(options, self._all)
        super().reset(seed=seed)
        self._begin(at)
        self._begun = True
        return self._observations.of(self._states, self._taken), {}

    def step(self, actions: ArrayLike) -> Step:
        """Take an action in each copy; return observations, rewards, terminations, truncations and infos."""
        actions = _actions(actions, self.num_envs, self.domain.num_actions)
        if not self._begun or (self.autoreset_mode is not AutoresetMode.NEXT_STEP and self._over.any()):
            raise gymnasium.error.ResetNeeded("an episode is over, or none has begun: call reset() before step()")
        rewards, ended, cut = np.zeros(self.num_envs), np.zeros(self.num_envs, bool), np.zeros(self.num_envs, bool)
        at = np.flatnonzero(~self._over) if self._over.any() else self._all
        if len(at) < self.num_envs:
            self._begin(np.flatnonzero(self._over))
        if len(at):
            rewards[at], ended[at], cut[at] = self._act(at, actions if at is self._all else actions[at])
        infos: dict[str, Any] = {}
        self._over = ended | cut
        seen = self._observations.of(self._states, self._taken)
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._over.any():
            infos = _final(seen, self._over)
            self._begin(np.flatnonzero(self._over))
            seen = self._observations.of(self._states, self._taken)
        return seen, rewards, ended, cut, infos

    def world(self, copy: int) -> Tabular:
        """The world of a copy, hidden from the agent: for evaluation."""
        copy = validation.integer("copy", copy, 0, self.num_envs - 1)
        if not self._begun:
            raise gymnasium.error.ResetNeeded("no world has been drawn: call reset() first")
        return self._as_domain(self._worlds.world(copy), int(self._starts(1, np.random.default_rng(0))[0]))

    def _starts(self, count: int, rng: np.random.Generator) -> Index:
        """So many start states of the domain."""
        if type(self.domain).reset is Tabular.reset:  # one, which `start` is
            return np.full(count, self.domain.start, np.int64)
        return np.array([self._resets.reset(rng) for _ in range(count)], np.int64)

    def _begin(self, at: Index) -> None:
        """Start an episode in some copies."""
        self._worlds.draw(at, self.np_random)
        self._observations.reset(at)
        self._states[at] = self._starts(len(at), self.np_random)
        for counter in (self._taken, self._in_episode, self._ended):
            counter[at] = 0
        self._over[at] = False

    def _act(self, at: Index, actions: Index) -> tuple[Array, Mask, Mask]:
        """One step of some copies: rewards, terminated and truncated."""
        states = self._states[at]
        next_states, rewards = self._worlds.step(at, states, actions, self.np_random)
        ended = self._worlds.ended(at, next_states)
        self.seen = Seen(at, states, actions, rewards, next_states, ended)
        self._observations.observe(self.seen)
        self._taken[at] += 1
        self._in_episode[at] += 1
        last = ended | (self._in_episode[at] == (self._length or -1))  # of an episode of the domain
        self._ended[at] += last
        self._in_episode[at[last]] = 0
        over = np.zeros(len(at), bool) if self.episodes is None else self._ended[at] == self.episodes
        terminated = over & ended
        truncated = ((over & ~ended) | (self._taken[at] == self.steps)) & ~terminated
        again = last & ~(terminated | truncated)
        if again.any():
            next_states = next_states.copy()
            next_states[again] = self._starts(int(again.sum()), self.np_random)
        self._states[at] = next_states
        return rewards, terminated, truncated

    def __repr__(self) -> str:
        return f"<BayesAdaptiveVectorEnv {self.num_envs} × {self.domain!r}, {self.problem.prior!r}>"


def _tables(worlds: MDP) -> dict[str, NDArray[Any]]:
    """The tables of K worlds, each with a leading axis. [K, …]"""
    _, probabilities, deviations = worlds.outcomes or Outcomes()
    known = {"transitions": worlds.transitions, "rewards": worlds.rewards, "terminal": worlds.terminal}
    random = {"probabilities": probabilities, "deviations": deviations}
    return known | {name: table for name, table in random.items() if table is not None}


def _mode(value: Any) -> AutoresetMode:
    try:
        return AutoresetMode(value)
    except ValueError:
        names = ", ".join(repr(mode.value) for mode in AutoresetMode)
        raise ValueError(f"autoreset_mode must be one of {names}, got {value!r}") from None


def _actions(value: ArrayLike, copies: int, num_actions: int) -> Index:
    try:
        actions = np.asarray(value)
    except Exception as error:  # of an object of any kind
        raise TypeError(f"actions must be one integer for each of the {copies} copies: {error}") from None
    if actions.shape != (copies,) or actions.dtype.kind not in "iu":
        raise ValueError(f"actions must be one integer for each of the {copies} copies, got {_short(actions)}")
    if actions.min() < 0 or actions.max() >= num_actions:
        raise ValueError(f"actions must be from 0 to {num_actions - 1}, got {actions.min()} to {actions.max()}")
    return actions.astype(np.int64, copy=False)


def _to_reset(options: Any, everything: Index) -> Index:
    """The copies to be reset: those of the mask, or all."""
    if validation.mapping("options", options).get("reset_mask") is None:
        return everything
    mask = options["reset_mask"]
    if not isinstance(mask, np.ndarray) or mask.shape != everything.shape or mask.dtype != np.bool_:
        shown = _short(mask) if isinstance(mask, np.ndarray) else repr(mask)
        raise ValueError(
            f"options['reset_mask'] must be an array of one boolean for each of the {len(everything)} copies, got {shown}"
        )
    return np.flatnonzero(mask)


def _short(array: NDArray[Any]) -> str:
    return f"an array of shape {array.shape} of {array.dtype}"


def _final(observations: Any, over: Mask) -> dict[str, Any]:
    """The last observations of the episodes that are over, as Gymnasium's own vector environments give them."""
    final = np.full(len(over), None, dtype=object)
    for i in np.flatnonzero(over).tolist():
        final[i] = one(observations, i)
    return {"final_obs": final, "_final_obs": over.copy(), "final_info": {}, "_final_info": over.copy()}
