"""The rivals: who can't work where, and which settings are refused, with sentences that say who and what can."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import bamdp
from bamdp import Belief, Domain, Prior
from bamdp.agents import BEB, BFS3, BOSS, SBOSS, BayesianDP, EpsilonGreedy, PosteriorMean, Softmax
from bamdp.domain import UNBOUNDED
from bamdp.domains import Chain, DoubleLoop
from bamdp.priors import BetaArms, Dirichlet

Array = NDArray[np.float64]


class Unknowable(Prior):
    """A prior whose beliefs can do nothing but observe."""

    def belief(self, num_states: int, num_actions: int) -> Belief:
        class Mute(Belief):
            def observe(self, state: int, action: int, next_state: int) -> None:
                pass

        mute = Mute()
        mute.num_states, mute.num_actions = num_states, num_actions
        return mute


class Unbounded(Domain):
    """A world without tables."""

    num_actions, discount = 2, 0.9
    num_states, rewards = UNBOUNDED, np.empty((0, 2))

    def reset(self, rng: np.random.Generator) -> int:
        return 0

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        return state + action, 0.0


@pytest.mark.parametrize("kind", [BEB, PosteriorMean, EpsilonGreedy, Softmax, BayesianDP, BOSS, SBOSS, BFS3])
def test_refusals_say_who_can(kind: Any) -> None:
    with pytest.raises(TypeError, match=r"needs a table of rewards, and Unbounded has none; BAMCP .* Random work there"):
        kind.for_domain(Unbounded())
    with pytest.raises(TypeError, match=r"needs a table of rewards, and rewards is empty; BAMCP .* Random work there"):
        kind(Dirichlet(), np.empty((0, 2)), 0.9)
    with pytest.raises(TypeError, match=r"(; (use )?(BAMCP|BOSS|PosteriorMean)|BayesianDP need)"):
        kind(Unknowable(), np.zeros((3, 2)), 0.9)
    with pytest.raises(TypeError, match="prior must be"):
        kind("prior", np.zeros((3, 2)), 0.9)


def test_a_prior_of_the_users_own_works_by_its_tables() -> None:
    """Mean and samples of any belief will do; only BEB's bonus needs counts."""

    class Table(Belief):
        num_states, num_actions = 9, 2

        def observe(self, state: int, action: int, next_state: int) -> None:
            pass

        def predictive(self, state: int, action: int) -> Array:
            return np.asarray(DoubleLoop().transitions[state, action])

        def sample_mdp(self, rng: np.random.Generator) -> Array:
            return DoubleLoop().transitions

    class TablePrior(Prior):
        def belief(self, num_states: int, num_actions: int) -> Belief:
            return Table()

    world, oracle = DoubleLoop(), bamdp.agents.Oracle(DoubleLoop())
    for kind in (PosteriorMean, BayesianDP, BOSS):
        agent = kind(TablePrior(), world.rewards, world.discount, tolerance=1e-9)
        assert np.allclose([agent.q_values(s) for s in range(9)], oracle.values, atol=1e-8)
    with pytest.raises(TypeError, match="no counts to make an exploration bonus of; PosteriorMean needs no counts"):
        BEB(TablePrior(), world.rewards, world.discount)


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        (BEB, {"beta": -1}, "beta must be"),
        (BEB, {"mean": "median"}, "mean must be one of 'prior', 'flat'"),
        (BOSS, {"models": 0}, "models must be"),
        (BOSS, {"visits": -1}, "visits must be"),
        (SBOSS, {"delta": float("nan")}, "delta must be"),
        (SBOSS, {"criterion": "range"}, "criterion must be"),
        (BayesianDP, {"period": 0}, "period must be"),
        (BayesianDP, {"resample": "never"}, "resample must be"),
        (PosteriorMean, {"tolerance": 0}, "tolerance must be"),
        (PosteriorMean, {"ties": "last"}, "ties must be"),
        (EpsilonGreedy, {"epsilon": 2}, "epsilon must be"),
        (Softmax, {"temperature": 0}, "temperature must be"),
        (BFS3, {"branching": 0}, "branching must be"),
        (BFS3, {"depth": 0}, "depth must be"),
        (BFS3, {"trajectories": 0}, "trajectories must be"),
        (BFS3, {"vmin": 1, "vmax": 0}, "vmax must be"),
        (BFS3, {"tree": "oak"}, "tree must be"),
        (BFS3, {"leaves": "green"}, "leaves must be"),
    ],
)
def test_bad_settings(kind: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind.for_domain(Chain(), **settings)


def test_flat_mean_needs_pseudo_counts() -> None:
    with pytest.raises(TypeError, match='mean="flat" needs a prior with one pseudo-count'):
        BEB(BetaArms(), np.zeros((2, 2)), 0.9, mean="flat")
    with pytest.raises(TypeError, match="use BOSS"):
        SBOSS(BetaArms(), np.zeros((2, 2)), 0.9)
