"""The Bayes-adaptive MDP of a domain as a Gymnasium environment, for meta-learning agents.

Its states are those of the domain together with what was observed since the reset (Duff 2002). Each reset draws a world from
the prior, and the steps follow it: given the observations, the next state has the predictive probabilities of the belief. A
policy that maximizes the expected return in this environment is Bayes-optimal in the domain.

| observation    | space                         | content                                                            |
|----------------|-------------------------------|--------------------------------------------------------------------|
| `"state"`      | Discrete(S)                   | the state                                                          |
| `"step"`       | Discrete(steps + 1)           | steps since the reset, if the domain has a deadline                |
| `"belief"`     | Box [S, A, S], float32        | `belief="counts"`: how often each transition was observed          |
|                | Box [M], float32              | `belief="weights"`: posterior probability of each world            |
|                | Box [S, A, S], float32        | `belief="mean"`: posterior mean of the transition probabilities    |
| `"rewards"`    | Box [S, A, V], float32        | counts of each reward, if they are unknown (`UnknownRewards`)      |
|                | Box [S, A, 3], float32        | number, mean and variance of the rewards observed, if normal       |
|                | Box [S, A], float32           | `belief="mean"`: posterior mean of unknown rewards                 |
| with `flat`    | Box, float32                  | the state, one-hot, then the others in this order, row by row      |

With `BetaArms` rows are the same in all states: the belief is [A, 2], (failure, success) of each arm. With `NormalArms` it is
[A, 3], number, mean and variance of the rewards of each arm, and with `SharedSlip` [2], slips and other steps. Counts and
weights are sufficient: with the prior, the state and the step they give the posterior. The mean lacks the uncertainty.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium import spaces

from bamdp import _validation
from bamdp._validation import boolean, positive_integer
from bamdp.config.names import find
from bamdp.domain import Domain
from bamdp.domains import Tabular
from bamdp.environments._observations import Observations, one
from bamdp.environments._parts import Seen
from bamdp.environments.rendered import RenderedEnv, as_domain
from bamdp.environments.statistic import BeliefKind, Statistic
from bamdp.prior import Prior, checked_prior
from bamdp.priors.finite import FiniteBelief

ONE = np.zeros(1, np.int64)  # the only copy


class BayesAdaptiveEnv(RenderedEnv):
    """The Bayes-adaptive MDP of a domain; each episode is in a new world drawn from the prior.

    Args:
        domain: a domain, or its name on the command line. Every world has its states, actions and start states, and its
            rewards and terminal states unless the prior has them.
        prior: prior over the worlds, or its name on the command line; the domain's default if not given.
        belief: how the belief is observed: "counts", for conjugate priors; "weights", for finite sets of worlds; or "mean". If
            not given, the first that the prior has.
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
        belief: BeliefKind | None = None,
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
        self.prior = complete_prior(self.domain, prior)
        self._statistic = Statistic(self.domain, self.prior, belief, self.steps)
        self._observations = Observations(self.domain, self._statistic, self.steps, self.flat)
        self.observation_space: spaces.Space[Any] = self._observations.space
        self.action_space = spaces.Discrete(self.domain.num_actions)
        self._starts = self.domain.for_run()
        self._prepare(self.domain, render_mode)
        if self._statistic.belief.has_rewards:  # marks such as a goal are those of the domain, not of the world
            self._view.scene = replace(self._view.scene, marks={})

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Draw a new world; `seed` seeds the random generator, `options` are not used."""
        super().reset(seed=None if seed is None else _validation.seed(seed))
        rng, start = self.np_random, self._starts.reset(self.np_random)
        belief = self._statistic.belief
        if isinstance(belief, FiniteBelief):
            self._index = belief._draw(rng)  # which of the worlds
            drawn = belief.world(self._index)
        else:
            drawn = belief.sample_world(rng)
        self.world = Tabular.from_world(drawn, self.domain, start=start, deadline=self.domain.deadline)
        self._statistic.reset(ONE)
        self._view.domain = self.world
        self._view.reset(start)
        self._state, self._steps, self._ended = start, 0, 0
        return self._observation(start), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take an action; return observation, reward, terminated, truncated, and an empty info."""
        action = _validation.integer("action", action, 0, self.domain.num_actions - 1)
        state, rng = self._now(), self.np_random
        next_state, reward = self.world.step(state, action, rng)
        ended = next_state in self.world.terminal
        columns = (np.array([value]) for value in (state, action, reward, next_state, ended))
        self._seen = Seen(ONE, *columns)  # before the next episode of the domain starts
        self._statistic.observe(self._seen)
        self._view.step(action, reward, next_state)
        self._steps += 1
        timed_out = self._steps == (self.domain.time_limit or self.domain.episode_length)
        if ended or timed_out:
            self._ended, self._steps = self._ended + 1, 0
        over = self._ended == self.episodes
        terminated, truncated = over and ended, (over and not ended) or self._view.steps == self.steps
        if terminated or truncated:
            self._state = None
        else:
            self._state = next_state = self._starts.reset(rng) if ended or timed_out else next_state
        return self._observation(next_state), reward, terminated, truncated and not terminated, {}

    def _observation(self, state: int) -> Any:
        return one(self._observations.of(np.array([state]), np.array([self._view.steps])))

    def __repr__(self) -> str:
        return f"<BayesAdaptiveEnv {self.domain!r}, {self.prior!r}>"


def complete_prior(domain: Domain, prior: str | Prior | None) -> Prior:
    """A prior from itself, its name or None, with a prior over the rewards where they are unknown."""
    if prior is None:
        return domain.complete(domain.prior())
    made: Prior = find("prior", prior).factory() if isinstance(prior, str) else checked_prior(prior)
    return domain.complete(made)
