"""How far any policy is from Bayes-optimal: a function from observations of the Bayes-adaptive
environment to actions, in worlds drawn from the prior.

Its regret is that of `bamdp.comparing.regret`, by the losses of its actions where the values of all
belief states are known, else by returns. In a finite set of worlds, means of the worlds are
weighted by their probabilities, so that it doesn't matter how often each happened to be drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from bamdp import statistics, validation
from bamdp.comparing.regret import By, Optimum
from bamdp.environments.bayes_adaptive_env import BayesAdaptiveEnv, exact_question
from bamdp.exact import BayesOptimal, TooManyBeliefStatesError, bayes_optimal
from bamdp.statistics import Mean
from bamdp.steps import Step

Array = NDArray[np.float64]

MOST_WORLDS = 10**7
GIVE = (
    "give optimal_value: the value if you know it, or an upper bound, such as that of "
    "bamdp.exact.upper_bound"
)


@dataclass(frozen=True)
class PolicyRegret:
    """The regret of a policy.

    Attributes:
        optimal_value: the Bayes-optimal value.
        regret: mean regret of an episode of the environment, with a 95 % interval over worlds. Of a
            finite set of worlds, that of the returns is without a spread if nothing but the world
            is random.
        value: mean return of the policy, with a 95 % interval.
        regrets: regret in each world. [worlds]
        returns: discounted return in each world. [worlds]
        by: what the regrets are computed from: exact "losses" of the actions, or "returns".
    """

    optimal_value: float
    regret: Mean
    value: Mean
    regrets: Array
    returns: Array
    by: By

    def __str__(self) -> str:
        lines = [f"{'Bayes-optimal':14} {statistics.digits(self.optimal_value, self.regret.half)}"]
        lines += [
            f"{name:14} {mean.range()}"
            for name, mean in (("regret", self.regret), ("return", self.value))
        ]
        return "\n".join(
            [*lines, f"in {len(self.returns)} worlds drawn from the prior, by the {self.by}"]
        )


def policy_regret(
    policy: Callable[[Any], Any],
    env: gymnasium.Env[Any, Any],
    *,
    worlds: int = 1000,
    seed: int = 0,
    optimal_value: float | None = None,
) -> PolicyRegret:
    """The regret of a policy to the Bayes-optimal one, with a 95 % interval over worlds drawn from
    the prior.

    Args:
        policy: function from an observation to an action. If it has a method `reset`, that is
            called before each episode.
        env: a `BayesAdaptiveEnv`, perhaps in wrappers that don't change actions or rewards.
        worlds: number of worlds.
        seed: seed of the worlds and what happens in them.
        optimal_value: Bayes-optimal value of an episode of the environment; solved for if not
            given. With an upper bound, the regret is at most the one reported.

    Raises:
        TooManyBeliefStatesError: the problem is too large to be solved, and no `optimal_value` was
            given.

    Example:
        >>> env = BayesAdaptiveEnv("bandit", probabilities=[0.5, 0.5], discount=1.0, horizon=10)
        >>> def greedy(observation):
        ...     return ((observation["belief"][:,
        ...     1] + 1) / (observation["belief"].sum(axis=1) + 2)).argmax()
        >>> result = policy_regret(greedy, env, worlds=200)
        >>> round(result.optimal_value, 3), bool(0 < result.regret.value < 0.2)
        (6.022, True)
    """
    validation.function("policy", policy)
    worlds, seed = validation.positive_integer("worlds", worlds, MOST_WORLDS), validation.seed(seed)
    inside = getattr(env, "unwrapped", None)
    if not isinstance(inside, BayesAdaptiveEnv):
        raise TypeError(f"env must be a BayesAdaptiveEnv, got {env!r}")
    if optimal_value is None:
        optimum = Optimum.of(_solution(inside))
    else:
        optimum = Optimum(validation.real("optimal_value", optimal_value))
    columns = zip(
        *(_episode(env, inside, policy, optimum, None if n else seed) for n in range(worlds)),
        strict=True,
    )
    regrets, returns, drawn = (np.array(column) for column in columns)
    regret, value = (_mean_over_worlds(inside, values, drawn) for values in (regrets, returns))
    return PolicyRegret(optimum.value, regret, value, regrets, returns, optimum.by)


def _episode(
    env: gymnasium.Env[Any, Any],
    inside: BayesAdaptiveEnv,
    policy: Callable[[Any], Any],
    optimum: Optimum,
    seed: int | None,
) -> tuple[float, float, int]:
    """Regret, return, and index of the world if it is one of a finite set."""
    if hasattr(policy, "reset"):
        policy.reset()
    observation, _ = env.reset(seed=seed)
    steps, total, factor, over = list[Step](), 0.0, 1.0, False
    while not over:
        observation, _, terminated, truncated, _ = env.step(policy(observation))
        over = terminated or truncated
        steps.append(inside.seen)
        total += factor * (inside.seen.reward or 0.0)
        factor *= inside.domain.discount
    return optimum.regret(steps, inside.domain.discount, total), total, inside.world_index or 0


def _mean_over_worlds(env: BayesAdaptiveEnv, values: Array, drawn: NDArray[np.int64]) -> Mean:
    """The mean, by worlds if they are a finite set and each was drawn; an interval of rounding
    errors is none.
    """
    worlds = None if env.world_index is None else env.problem.belief().particles
    if worlds is None or worlds.weights is None:
        mean = statistics.mean(values.tolist())
    else:
        mean = statistics.stratified(values.tolist(), drawn.tolist(), worlds.weights.tolist())
    exact = mean.half is not None and mean.half < 1e-9 * max(1.0, abs(mean.value))
    return Mean(mean.value, mean.value, mean.value) if exact else mean


def _solution(env: BayesAdaptiveEnv) -> BayesOptimal:
    """The exact solution of an episode of the environment."""
    try:
        asked = exact_question(env)
        start, steps = asked.pop("start"), asked.pop("steps")
        return bayes_optimal(env.problem, start, steps, **asked)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{error}; {GIVE}") from error
    except TooManyBeliefStatesError as error:
        error.args = (f"{error}; or {GIVE}",)
        raise
