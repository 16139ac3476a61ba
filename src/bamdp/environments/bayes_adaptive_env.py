"""The Bayes-adaptive MDP of a domain as a Gymnasium environment, for meta-learning agents.

Its states are those of the domain together with what was observed since the reset (Duff 2002). Each
reset draws a world from the prior, and the steps follow it: given the observations, the next state
has the predictive probabilities of the belief. A policy that maximizes the expected return in this
environment is Bayes-optimal in the domain.

| observation    | space                         | content |
|----------------|-------------------------------|---|
| `"state"`      | Discrete(S)                   | the state |
| `"step"` | Discrete(steps + 1) | steps since the reset, if the problem has a horizon |
| `"belief"` | Box [S, A, S], float32 | `belief="counts"`: how often each transition was observed |
| | Box [M], float32 | `belief="weights"`: posterior probability of each world |
| | Box [S, A, S], float32 | `belief="mean"`: posterior mean of the transition probabilities |
| `"rewards"` | Box [S, A, V], float32 | counts of each reward, if unknown (`UnknownRewards`) |
| | Box [S, A, 3], float32 | number, mean and variance of the rewards observed, if normal |
| | Box [S, A], float32 | `belief="mean"`: posterior mean of unknown rewards |
| with `flat` | Box, float32 | the state, one-hot, then the others in this order, row by row |

With `BetaArms` rows are the same in all states: the belief is [A, 2], (failure, success) of each
arm. Counts and weights are sufficient: with the prior, the state and the step they give the
posterior. The mean lacks the uncertainty.

With `labels="exact"` each `info` has, for training and for evaluation:

| info               | content |
|--------------------|---|
| `"q_values"`       | [A] the Bayes-optimal value of each action, over what is left |
| `"optimal_action"` | the first of the best actions |
| `"q_error"`        | largest error of the values: 0, or half of the distance of bounds |
| `"regret"`         | what the last action lost: the highest value then, less its own |

After the last step no action is left: values are NaN and the action is −1.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import partial, singledispatch
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bamdp import validation
from bamdp.config.names import BENCHMARKS, DOMAINS, PRIORS, find_among
from bamdp.domain import Domain
from bamdp.domains.tabular import Tabular
from bamdp.environments.domain_env import RenderedEnv, as_domain, require_finite
from bamdp.environments.observations import BeliefKind, Observations
from bamdp.exact.labels import Labels
from bamdp.mdp import MDP
from bamdp.prior import Belief, Prior
from bamdp.priors.finite import FiniteBelief
from bamdp.problem import BAMDP
from bamdp.runs.loop import within_horizon
from bamdp.spaces import state_name
from bamdp.steps import Step
from bamdp.validation import boolean, positive_integer

if TYPE_CHECKING:
    from bamdp.suite import Benchmark


class BayesAdaptiveEnv(RenderedEnv):
    """The Bayes-adaptive MDP of a domain; each episode is in a new world drawn from the prior.

    Args:
        domain: a domain or a benchmark, its name on the command line, or a problem. Every world has
            its states, actions and start states, and its rewards and terminal states unless the
            prior has them. Without a `start`, a problem starts in state 0.
        prior: prior over the worlds, or its name on the command line; the domain's or problem's if
            not given.
        belief: how the belief is observed: "weights", for finite sets of worlds, "counts", for
            other priors, or "mean". If not given, weights or counts.
        flat: whether the observation is one vector instead of a dictionary.
        labels: "exact" for the Bayes-optimal values of the actions in each `info`; None for none.
        steps: number of steps after which an episode is truncated, not more than the horizon;
            `domain.steps` if not given.
        episodes: episodes of the domain, in the same world, per episode of the environment; as many
            as fit in `steps` if not given.
        render_mode: "rgb_array", an image (needs Pillow: `pip install 'bamdp[grid]'`), "ansi",
            text, or None.
        settings: arguments of the constructor, if `domain` is a name.

    Attributes:
        domain: the domain; of a problem, one of its worlds.
        problem: what the agent is told; worlds are drawn from its prior.
        steps: number of steps after which an episode is truncated.
        episodes: episodes of the domain per episode of the environment; None for as many as fit.
        flat: whether the observation is one vector.
        belief: how the belief is observed: "counts", "weights" or "mean".
        labels: the exact values of an episode; None without labels.
        world: the world of this episode, hidden from the agent.
        world_index: which of finitely many worlds it is; None if the prior has others.
        seen: the last step; its next state is that before a new episode of the domain starts.

    Example:
        >>> env = BayesAdaptiveEnv("bandit", probabilities=[0.5, 0.5], steps=10)
        >>> observation, info = env.reset(seed=0)
        >>> observation, *_ = env.step(1)
        >>> int(observation["state"]), observation["belief"].tolist()
        (1, [[0.0, 0.0], [0.0, 1.0]])
    """

    world: Tabular
    world_index: int | None
    seen: Step

    def __init__(
        self,
        domain: str | Domain | BAMDP | Benchmark = "double-loop",
        *,
        prior: str | Prior | None = None,
        belief: BeliefKind | None = None,
        flat: bool = False,
        labels: Literal["exact"] | None = None,
        steps: int | None = None,
        episodes: int | None = None,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        if isinstance(domain, str):
            domain, settings = find_among((DOMAINS, BENCHMARKS), domain)[1].factory(**settings), {}
        if not isinstance(domain, str | Domain | BAMDP):
            domain = _problem_of(domain)
        problem = domain if isinstance(domain, BAMDP) else None
        self.domain = as_domain(domain if problem is None else _as_domain(problem), settings)
        self.steps = within_horizon(self.domain.steps if steps is None else steps, self.domain)
        self.episodes = None if episodes is None else positive_integer("episodes", episodes)
        self.flat = boolean("flat", flat)
        require_finite(self.domain)
        if problem is None or prior is not None:
            problem = self.domain.problem(
                PRIORS.find(prior).factory() if isinstance(prior, str) else prior
            )
        self.problem = problem
        self._observations = Observations(problem, belief, self.steps, self.flat)
        self.belief, self.observation_space = self._observations.kind, self._observations.space
        self._length = self.domain.time_limit  # of an episode of the domain, at most
        if labels is not None:
            validation.one_of("labels", labels, ("exact",))
        self.labels = None if labels is None else Labels(self.problem, **exact_question(self))
        self._starts = copy(self.domain)
        self._prepare(self.domain, render_mode)
        marks = (
            {} if self.problem.prior.unknown_rewards else self._view.scene.marks
        )  # a goal is the domain's, not the world's
        label = (
            self._view.scene.label
            if self.problem.states is None
            else partial(state_name, self.problem)
        )
        self._view.scene = replace(self._view.scene, marks=marks, label=label)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Draw a new world; `seed` seeds the random generator, `options` are not used."""
        super().reset(seed=None if seed is None else validation.seed(seed))
        rng, start = self.np_random, self._starts.reset(self.np_random)
        drawn, self.world_index = _draw(self._observations.prior_belief, rng)
        self.world = Tabular(drawn, self.domain.discount, start=start, horizon=self.domain.horizon)
        self._observations.reset()
        self._view.enter(self.world)
        self._begin(start)
        self._steps, self._ended = 0, 0
        self._walk = None if self.labels is None else self.labels.walk()
        return self._observations.of(start, 0), self._info(0.0)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take an action; return observation, reward, terminated, truncated, and info, which is
        empty without labels.
        """
        action = validation.integer("action", action, 0, self.domain.num_actions - 1)
        state, rng = self._now(), self.np_random
        next_state, reward = self.world.step(state, action, rng)
        ended = next_state in self.world.terminal
        self.seen = Step(state, action, reward, next_state, ended)
        self._observations.observe(self.seen)
        self._went(action, reward, next_state)
        regret = 0.0
        if self._walk is not None:
            values = self._walk.q_values
            regret = float(values.max() - values[action])
            self._walk.step(action, next_state, reward, ended)
        self._steps += 1
        timed_out = self._steps == self._length
        if ended or timed_out:
            self._ended, self._steps = self._ended + 1, 0
        over = self._ended == self.episodes
        terminated, truncated = (
            over and ended,
            (over and not ended) or self._view.steps == self.steps,
        )
        if terminated or truncated:
            self._state = None
        else:
            self._state = next_state = self._starts.reset(rng) if ended or timed_out else next_state
        return (
            self._observations.of(next_state, self._view.steps),
            reward,
            terminated,
            truncated and not terminated,
            self._info(regret),
        )

    def _info(self, regret: float) -> dict[str, Any]:
        """The labels of the next action, and the regret of the last one."""
        if self._walk is None:
            return {}
        over = self._state is None
        values = np.full(self.domain.num_actions, np.nan) if over else self._walk.q_values
        return {
            "q_values": values,
            "optimal_action": -1 if over else int(values.argmax()),
            "q_error": 0.0 if over else Labels.error(self._walk),
            "regret": regret,
        }

    def __repr__(self) -> str:
        return f"<BayesAdaptiveEnv {self.domain!r}, {self.problem.prior!r}>"


@singledispatch
def _draw(belief: Belief, rng: np.random.Generator) -> tuple[MDP, int | None]:
    """A world drawn from a belief, and its index where there are finitely many."""
    worlds = belief.particles
    if worlds is None:
        return belief.sample(1, rng).take(0), None
    index = int(rng.choice(len(worlds.probabilities), p=worlds.weights))
    return worlds.take(index), index


@_draw.register
def _(belief: FiniteBelief, rng: np.random.Generator) -> tuple[MDP, int | None]:
    index = belief.draw(rng)
    return belief.particles.take(index), index


def exact_question(env: BayesAdaptiveEnv) -> dict[str, Any]:
    """What an exact solution of an episode of an environment is asked: arguments of `Labels`.

    Raises:
        TypeError: the domain has no one start state.
        ValueError: episodes that end in terminal states are counted.
    """
    start, length, steps = env.domain.problem(env.problem.prior).start, env._length, env.steps
    if start is None:
        raise TypeError(f"only a domain with one start state can be solved, got {env.domain!r}")
    restart: int | None = start
    if env.episodes is not None:
        if env.problem.terminal or env.problem.prior.unknown_terminal:
            if env.episodes > 1:
                raise ValueError(
                    f"episodes={env.episodes} can't be solved where episodes end in terminal states"
                )
            restart = None
        steps = steps if length is None else min(steps, env.episodes * length)
    limit = None if restart is None else length
    return {"start": start, "steps": steps, "restart": restart, "time_limit": limit}


def _problem_of(benchmark: Any) -> BAMDP:
    """The problem of a benchmark whose worlds are drawn from its prior."""
    from bamdp.suite import Benchmark  # takes a while

    if not isinstance(benchmark, Benchmark):
        raise TypeError(
            "domain must be a bamdp.Domain, a bamdp.BAMDP, a benchmark or a name, got "
            f"{validation.short_repr(benchmark)}"
        )
    if benchmark.draw != "prior":
        raise ValueError(
            "domain must have worlds drawn from the prior of the agents, which those of "
            f"{benchmark.name} are not"
        )
    return benchmark.problem


def _as_domain(problem: BAMDP) -> Domain:
    """A domain with all that a problem tells."""
    from bamdp.suite import Benchmark  # takes a while

    return Benchmark(problem).domain
