"""Two tasks to try a fit on, and four models of the first: what `bamdp fit recover` simulates.

- bandit: an arm that pays one with an unknown rate, or one half for sure, for ten steps. The
  person's prior for the arm is Beta(2 m, 2 (1 − m)), m their optimism. Values are exact.
- mdp: a path of three states. Advancing leads to the next state or, if it fails, to the first, and
  pays one at the end of the path; giving up leads to the first state and pays 0.3. Eight steps; the
  prior of each success is that of the bandit. Values are those of BAMCP.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from bamdp.agents.bamcp import BAMCP
from bamdp.agents.posterior_mean import PosteriorMean
from bamdp.choice_rule import ChoiceRule
from bamdp.config.registry import FunctionRegistry
from bamdp.domain import Domain
from bamdp.domains.bandit import Bandit
from bamdp.domains.normal_bandit import NormalBandit
from bamdp.domains.tabular import Tabular
from bamdp.fit.model import Model
from bamdp.fit.models.exact import Exact
from bamdp.fit.models.thompson import Thompson
from bamdp.fit.parameters import FreeParameter
from bamdp.fit.people import RecoveryTask
from bamdp.mdp import MDP
from bamdp.priors import BetaArms, Dirichlet, NormalArms
from bamdp.problem import BAMDP

SURE, STRENGTH, STEPS = 0.5, 2.0, 10
GIVE_UP, PATH_STEPS = 0.3, 8
LONG, SHORT = "long horizon", "short horizon"


def arm_problem(optimism: float) -> BAMDP:
    """The bandit as a person knows it: the arm is unknown, the sure payment is known."""
    return _arms(0.5).problem(BetaArms([STRENGTH * optimism, 1], [STRENGTH * (1 - optimism), 0]))


def arm_worlds(rng: np.random.Generator) -> Domain:
    """The arm and the sure payment, with a rate that is drawn evenly."""
    return _arms(rng.random())


def _arms(rate: float) -> Bandit:
    return Bandit([rate, 1], 1.0, payoffs=[1, SURE], horizon=STEPS)


def path_world(rate: float) -> Domain:
    """The path of three states, where advancing (action 1) succeeds at a rate."""
    rewards = [[GIVE_UP, 0], [GIVE_UP, 0], [GIVE_UP, 1]]
    return Tabular(MDP(_path_rows(1, 1 - rate, rate), rewards), 1.0, horizon=PATH_STEPS)


def path_problem(optimism: float) -> BAMDP:
    """The path as a person knows it: advancing succeeds at an unknown rate in each state."""
    counts = _path_rows(1, STRENGTH * (1 - optimism), STRENGTH * optimism)
    return path_world(0.5).problem(Dirichlet(counts))


def _path_rows(back: float, failure: float, success: float) -> Any:
    """Weights of the next states: giving up leads back, advancing fails or succeeds. [3, 2, 3]"""
    rows = np.zeros((3, 2, 3))
    rows[:, :, 0] += [back, failure]
    rows[[0, 1, 2], 1, [1, 2, 2]] += success
    return rows


PARAMETERS = {"optimism": FreeParameter(0.02, 0.98), "temperature": FreeParameter(0.02, 5.0, "log")}
PEOPLE = {"optimism": (0.25, 0.75), "temperature": (0.1, 0.4)}


def bandit(games: int = 20, simulations: int | None = None) -> RecoveryTask:
    """The bandit, with exact values; with `simulations`, those of the fit are of BAMCP, which shows
    what that changes.
    """
    model = Model(arm_problem, Exact(), ChoiceRule, PARAMETERS, name="bandit")
    searched = replace(model, agent=partial(BAMCP, simulations=simulations, rollouts="best-arm"))
    return RecoveryTask(model, PEOPLE, games, arm_worlds, None if simulations is None else searched)


def mdp(games: int = 20, simulations: int | None = None) -> RecoveryTask:
    """The path, with values of BAMCP."""
    agent = partial(
        BAMCP, simulations=simulations or 300, rollouts="posterior-mean", nodes="counts"
    )
    model = Model(path_problem, agent, ChoiceRule, PARAMETERS, name="mdp")
    return RecoveryTask(model, PEOPLE, games, lambda rng: path_world(rng.random()))


def models(games: int = 20) -> dict[str, RecoveryTask]:
    """Four models of people in the bandit who differ in how they plan; their prior is uniform,
    their temperature is free.
    """
    base = Model(arm_problem(0.5), Exact(), ChoiceRule, {"temperature": PARAMETERS["temperature"]})
    planners: dict[str, Any] = {
        "posterior mean": PosteriorMean,
        "Thompson": Thompson(),
        SHORT: Exact(depth=2),
        LONG: Exact(),
    }
    people = {"temperature": (0.05, 0.2)}
    return {
        n: RecoveryTask(replace(base, agent=agent, name=n), people, games, arm_worlds)
        for n, agent in planners.items()
    }


def bernoulli_arms(
    arms: int = 2, horizon: int = 10, discount: float = 1.0, sure: float | None = None
) -> BAMDP:
    """Arms that pay 1 at unknown rates with uniform priors; with `sure`, the last pays that for
    sure.

    Example:
        >>> bernoulli_arms(horizon=5, sure=0.5)  # doctest: +NORMALIZE_WHITESPACE
        BAMDP(BetaArms(successes=array([1., 1.]), failures=array([1., 0.])), 2 states, 2 actions,
        discount=1, horizon=5)
    """
    known = sure is not None
    rates = [0.5] * (arms - known) + [1.0] * known
    pays = [1.0] * (arms - known) + [sure or 0.0] * known
    prior = BetaArms([1.0] * arms, [1.0] * (arms - known) + [0.0] * known)
    return Bandit(rates, discount, payoffs=pays, horizon=horizon).problem(prior)


def normal_arms(
    arms: int = 2,
    mean: float = 0.0,
    deviation: float = 1.0,
    noise: float = 1.0,
    horizon: int = 10,
    discount: float = 1.0,
    sure: float | None = None,
) -> BAMDP:
    """Arms whose means are normal, with normal rewards of known noise; with `sure`, the mean of the
    last is known.

    Example:
        >>> normal_arms(deviation=10, noise=3).num_actions
        2
    """
    known = sure is not None
    prior = NormalArms(
        [mean] * (arms - known) + [sure or 0.0] * known,
        [deviation] * (arms - known) + [0.0] * known,
        noise,
    )
    return NormalBandit([0.0] * arms, noise, discount, horizon=horizon).problem(prior)


ARMS = FunctionRegistry(
    "task",
    "bamdp.problem:BAMDP",
    {"bernoulli-arms": bernoulli_arms, "normal-arms": normal_arms},
    more="the benchmarks and domains of bamdp list",
)
TASKS = {"bandit": bandit, "mdp": mdp}
