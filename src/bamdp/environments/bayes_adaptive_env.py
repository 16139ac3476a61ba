"""The Bayes-adaptive MDP of a domain as a Gymnasium environment, for agents that learn to learn.

Its states are those of the domain together with what was seen since the reset (Duff 2002). Each reset draws a world from the
prior, whose chances the steps then follow: given what was seen, the next state has the predictive probabilities of the belief.
A policy that is best in this environment on average is Bayes-optimal in the domain.

| observation    | space                         | holds                                                              |
|----------------|-------------------------------|--------------------------------------------------------------------|
| `"state"`      | Discrete(S)                   | the state                                                          |
| `"belief"`     | Box [S, A, S], float32        | `belief="counts"`: how often each transition was seen              |
|                |                               | `belief="mean"`: the posterior mean of the transition probabilities |
| with `flat`    | Box [S + S·A·S], float32      | the state, 1 among zeros, then the belief, row by row              |

With `BetaArms` rows are the same in all states: the belief is [A, 2], (failure, success) of each arm. State and counts are all
there is to know: with the prior they give the posterior. The mean alone doesn't tell how sure it is.
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
    """States and beliefs of a domain whose transitions are unknown; each episode is in another world drawn from the prior.

    Args:
        domain: a domain, or its name on the command line. Its states, actions, rewards and starts are those of each world.
        prior: over the transitions, or its name on the command line; the domain's own if not given.
        belief: what the observation says of the belief: "counts", for the conjugate priors, or "mean".
        flat: one vector as observation instead of a dictionary.
        steps: of one episode, which is truncated then; those of one run of the domain if not given.
        episodes: of the domain, in the same world, before the environment's ends; as many as fit in `steps` if not given.
        render_mode: "rgb_array", a picture (needs Pillow: `pip install 'bamdp[grid]'`), "ansi", a text, or None.
        settings: arguments of the domain's constructor, if a name is given.

    Attributes:
        world: the world of this episode, which an agent must not look at.

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
        """Draw a new world; `seed` seeds all chances, `options` are not used."""
        super().reset(seed=None if seed is None else _validation.seed(seed))
        rng, start = self.np_random, self._starts.reset(self.np_random)
        transitions = self._statistic.reset().sample_mdp(rng)
        domain = self.domain
        self.world = Tabular(transitions, domain.rewards, domain.discount, start=start, terminal=domain.terminal)
        self._view.world = self.world
        self._view.reset(start)
        self._state, self._steps, self._ended = start, 0, 0
        return self._observation(start), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take an action: observation, reward, terminated, truncated, and no further information."""
        action = _validation.integer("action", action, 0, self.domain.num_actions - 1)
        state, rng = self._now(), self.np_random
        next_state, reward = self.world.step(state, action, rng)
        self._statistic.observe(state, action, next_state)
        self._view.step(action, reward, next_state)
        self._steps += 1
        ended, cut_off = next_state in self.world.terminal, self._steps == self.domain.time_limit
        if ended or cut_off:
            self._ended, self._steps = self._ended + 1, 0
        over = self._ended == self.episodes
        terminated, truncated = over and ended, (over and not ended) or self._view.steps == self.steps
        if terminated or truncated:
            self._state = None
        else:
            self._state = next_state = self._starts.reset(rng) if ended or cut_off else next_state
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
        here = np.zeros(self.domain.num_states, dtype=np.float32)
        here[state] = 1
        return np.concatenate([here, self._statistic.table.ravel()])

    def __repr__(self) -> str:
        return f"<BayesAdaptiveEnv {self.domain!r}, {self.prior!r}>"


def _prior(domain: Domain, prior: str | Prior | None) -> Prior:
    if prior is None:
        return domain.prior()
    made: Prior = find("prior", prior).factory() if isinstance(prior, str) else checked_prior(prior)
    return made
