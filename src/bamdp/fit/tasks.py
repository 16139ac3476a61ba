"""Two tasks to try a fit on, and four models of the first: what `bamdp fit recover` simulates.

- bandit: an arm that pays one with an unknown rate, or one half for sure, for ten steps. The person's prior for the arm is
  Beta(2 m, 2 (1 − m)), m their optimism. Values are exact.
- mdp: a path of three states. Going on leads to the next state or, if it fails, to the first, and pays one at the end of the
  path; giving up leads to the first state and pays 0.3. Eight steps; the prior of each success is that of the bandit. Values
  are those of BAMCP.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bamdp.agent import Agent
from bamdp.agents import BAMCP, PosteriorMean
from bamdp.choice_rule import ChoiceRule
from bamdp.domain import Domain
from bamdp.domains import Bandit
from bamdp.domains.tabular import Tabular
from bamdp.fit.model import Exact, Model, Parameter, Thompson
from bamdp.fit.simulation import Worlds
from bamdp.prior import Prior
from bamdp.priors import BetaArms, Dirichlet

SURE, STRENGTH, STEPS = 0.5, 2.0, 10
GIVE_UP, PATH_STEPS = 0.3, 8
LONG, SHORT = "long horizon", "short horizon"


@dataclass(frozen=True, eq=False)
class Task:
    """A model to recover: simulated people, and how they play.

    Attributes:
        model: the model.
        people: lowest and highest true value of each parameter; drawn evenly on its scale.
        games: games of each person.
        worlds: draws the world of a game; the domain of the model for all if None.
        fitted: the model that is fitted, with the same parameters, if it is another one.
    """

    model: Model
    people: Mapping[str, tuple[float, float]]
    games: int
    worlds: Worlds | None = None
    fitted: Model | None = None

    def person(self, rng: np.random.Generator) -> dict[str, float]:
        """The parameters of a person."""
        drawn = {}
        for name, ends in self.people.items():
            bounds = self.model.bounds(name)
            low, high = map(bounds.scaled, ends)
            drawn[name] = bounds.value(float(rng.uniform(low, high)))
        return drawn


def arm_prior(optimism: float) -> Prior:
    """The prior of the bandit: the arm is unknown, the sure payment is known."""
    return BetaArms([STRENGTH * optimism, 1], [STRENGTH * (1 - optimism), 0])


def arm_worlds(rng: np.random.Generator) -> Domain:
    """The arm and the sure payment, with a rate that is drawn evenly."""
    return Bandit([rng.random(), 1], 1.0, payoffs=[1, SURE], deadline=STEPS)


def path(rate: float) -> Domain:
    """The path of three states, where going on (action 1) succeeds at a rate."""
    transitions = np.zeros((3, 2, 3))
    transitions[:, :, 0] += [1, 1 - rate]
    transitions[[0, 1, 2], 1, [1, 2, 2]] += rate
    return Tabular(transitions, [[GIVE_UP, 0], [GIVE_UP, 0], [GIVE_UP, 1]], 1.0, deadline=PATH_STEPS)


def path_prior(optimism: float) -> Prior:
    """The prior of the path: going on succeeds at an unknown rate in each state."""
    alpha = np.zeros((3, 2, 3))
    alpha[:, :, 0] += [1, STRENGTH * (1 - optimism)]
    alpha[[0, 1, 2], 1, [1, 2, 2]] += STRENGTH * optimism
    return Dirichlet(alpha)


def softmax(temperature: float) -> ChoiceRule:
    """Softmax alone."""
    return ChoiceRule(temperature)


PARAMETERS = {"optimism": Parameter(0.02, 0.98), "temperature": Parameter(0.02, 5.0, "log")}
PEOPLE = {"optimism": (0.25, 0.75), "temperature": (0.1, 0.4)}


def bandit(games: int = 20, simulations: int | None = None) -> Task:
    """The bandit, with exact values; with `simulations`, those of the fit are of BAMCP, which shows what that changes."""
    domain = Bandit([0.5, 1], 1.0, payoffs=[1, SURE], deadline=STEPS)

    def searched(domain: Domain, prior: Prior) -> Agent:
        return BAMCP.for_domain(domain, prior, simulations=simulations, rollouts="best-arm")

    model = Model(domain, arm_prior, Exact(), softmax, PARAMETERS, name="bandit")
    return Task(model, PEOPLE, games, arm_worlds, None if simulations is None else replace(model, agent=searched))


def mdp(games: int = 20, simulations: int | None = None) -> Task:
    """The path, with values of BAMCP."""

    def agent(domain: Domain, prior: Prior) -> Agent:
        return BAMCP.for_domain(domain, prior, simulations=simulations or 300, rollouts="posterior-mean", nodes="counts")

    model = Model(path(0.5), path_prior, agent, softmax, PARAMETERS, name="mdp")
    return Task(model, PEOPLE, games, lambda rng: path(rng.random()))


def models(games: int = 20) -> dict[str, Task]:
    """Four models of people in the bandit who differ in how they plan; their prior is uniform, their temperature is free."""
    domain = Bandit([0.5, 1], 1.0, payoffs=[1, SURE], deadline=STEPS)
    free = {"temperature": PARAMETERS["temperature"]}
    base = Model(domain, arm_prior(0.5), Exact(), softmax, free)

    def myopic(domain: Domain, prior: Prior) -> Agent:
        return PosteriorMean.for_domain(domain, prior)

    planners: dict[str, Any] = {"posterior mean": myopic, "Thompson": Thompson(), SHORT: Exact(depth=2), LONG: Exact()}
    people = {"temperature": (0.05, 0.2)}
    return {n: Task(replace(base, agent=agent, name=n), people, games, arm_worlds) for n, agent in planners.items()}


TASKS = {"bandit": bandit, "mdp": mdp}
