"""The Bayes-adaptive MDP of a domain as a Gymnasium environment, for meta-learning agents.

Its states are those of the domain together with the transitions observed since the reset (Duff 2002). Each reset draws a world
from the prior, and the steps follow it: given the observations, the next state has the predictive probabilities of the belief.
A policy that maximizes the expected return in this environment is Bayes-optimal in the domain.

| observation    | space                         | content                                                            |
|----------------|-------------------------------|--------------------------------------------------------------------|
| `"state"`      | Discrete(S)                   | the state                                                          |
| `"belief"`     | Box [S, A, S], float32        | `belief="counts"`: how often each transition was observed          |
|                |                               | `belief="mean"`: posterior mean of the transition probabilities    |
| with `flat`    | Box [S + S·A·S], float32      | the state, one-hot, then the belief, row by row                    |

With `BetaArms` rows are the same in all states: the belief is [A, 2], (failure, success) of each arm. State and counts are
sufficient: with the prior they give the posterior. The mean lacks the uncertainty.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from gymnasium import spaces

from bamdp import _validation
from bamdp._validation import boolean, positive_integer
from bamdp.config.names import find
from bamdp.domain import Domain
from bamdp.domains import Tabular
from bamdp.environments.rendered import RenderedEnv, as_domain
from bamdp.environments.statistic import statistic
from bamdp.prior import Prior, checked_prior


class BayesAdaptiveEnv(RenderedEnv):
    """The Bayes-adaptive MDP of a domain; each episode is in a new world drawn from the prior.

    Args:
        domain: a domain, or its name on the command line. Every world has its states, actions, rewards and start states.
        prior: prior over the transitions, or its name on the command line; the domain's default if not given.
        belief: how the belief is observed: "counts", for conjugate priors, or "mean".
        flat: whether the observation is one vector instead of a dictionary.
        steps: number of steps after which an episode is truncated; `domain.steps` if not given.
        episodes: episodes of the domain, in the same world, per episode of the environment; as many as fit in `steps` if not
            given.
        render_mode: "rgb_array", an image (needs Pillow: `pip install 'bamdp[grid]'`), "ansi", text, or None.
        settings: arguments of the domain's constructor, if `domain` is a name.

    Attributes:
        world: the world of this episode, hidden from the agent.

    Example:
        >>> env = BayesAdaptiveEnv("bandit", probabilities=[0.5, 0.5], steps=10)
        >>> observation, info = env.reset(seed=0)
        >>> observation, *_ = env.step(1)
        >>> int(observation["state"]), observation["belief"].tolist()
        (1, [[0.0, 0.0], [0.0, 1.0]])
    """

    world: Tabular

    def __init__(
        self,
        domain: str | Domain = "double-loop",
        *,
        prior: str | Prior | None = None,
        belief: Literal["counts", "mean"] = "counts",
        flat: bool = False,
        steps: int | None = None,
        episodes: int | None = None,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        self.domain = as_domain(domain, settings)
        self.steps = positive_integer("steps", self.domain.steps if steps is None else steps)
        self.episodes = None if episodes is None else positive_integer("episodes", episodes)
        self.flat = boolean("flat", flat)
        self.prior = self.domain.complete(_prior(self.domain, prior))
        self._statistic = statistic(self.domain, self.prior, belief)
        self.observation_space: spaces.Space[Any] = self._space()
        self.action_space = spaces.Discrete(self.domain.num_actions)
        self._starts = self.domain.for_run()
        self._prepare(self.domain, render_mode)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Draw a new world; `seed` seeds the random generator, `options` are not used."""
        super().reset(seed=None if seed is None else _validation.seed(seed))
        rng, start = self.np_random, self._starts.reset(self.np_random)
        self.world = Tabular.from_world(
            self._statistic.reset().sample_world(rng), self.domain, start=start, deadline=self.domain.deadline
        )
        self._view.domain = self.world
        self._view.reset(start)
        self._state, self._steps, self._ended = start, 0, 0
        return self._observation(start), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take an action; return observation, reward, terminated, truncated, and an empty info."""
        action = _validation.integer("action", action, 0, self.domain.num_actions - 1)
        state, rng = self._now(), self.np_random
        next_state, reward = self.world.step(state, action, rng)
        self._statistic.observe(state, action, reward, next_state, next_state in self.world.terminal)
        self._view.step(action, reward, next_state)
        self._steps += 1
        ended, timed_out = (
            next_state in self.world.terminal,
            self._steps == (self.domain.time_limit or self.domain.episode_length),
        )
        if ended or timed_out:
            self._ended, self._steps = self._ended + 1, 0
        over = self._ended == self.episodes
        terminated, truncated = over and ended, (over and not ended) or self._view.steps == self.steps
        if terminated or truncated:
            self._state = None
        else:
            self._state = next_state = self._starts.reset(rng) if ended or timed_out else next_state
        return self._observation(next_state), reward, terminated, truncated and not terminated, {}

    def _space(self) -> spaces.Space[Any]:
        S, size, most = self.domain.num_states, int(np.prod(self._statistic.shape)), self._statistic.most(self.steps)
        if self.flat:
            return spaces.Box(0, np.repeat(np.array([1, most], dtype=np.float32), [S, size]), dtype=np.float32)
        belief = spaces.Box(0, most, self._statistic.shape, np.float32)
        return spaces.Dict({"state": spaces.Discrete(S), "belief": belief})

    def _observation(self, state: int) -> Any:
        if not self.flat:
            return {"state": np.int64(state), "belief": self._statistic.table.copy()}
        one_hot = np.zeros(self.domain.num_states, dtype=np.float32)
        one_hot[state] = 1
        return np.concatenate([one_hot, self._statistic.table.ravel()])

    def __repr__(self) -> str:
        return f"<BayesAdaptiveEnv {self.domain!r}, {self.prior!r}>"


def _prior(domain: Domain, prior: str | Prior | None) -> Prior:
    if prior is None:
        return domain.prior()
    made: Prior = find("prior", prior).factory() if isinstance(prior, str) else checked_prior(prior)
    return made
