"""Agents that act on the posterior mean, BEB, greedy, ε-greedy and softmax, against closed forms
and slow twins.
"""

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import stats

import bamdp
from bamdp import BAMDP
from bamdp.agents import BEB, EpsilonGreedy, PosteriorMean, Softmax
from bamdp.agents.softmax import boltzmann
from bamdp.domains import Bandit, Chain, DoubleLoop, Grid
from bamdp.priors import Dirichlet, SparseDirichlet
from reference.problems import belief_of


@pytest.mark.parametrize(
    ("beta", "total"),
    [
        (0, 386),
        (0.5, 391),
        (1, 386),
        (1.5, 380),
        (2, 376),
        (2.5, 370),
        (3, 366),
        (5, 348),
        (10, 310),
        (15, 286),
        (20, 270),
    ],
)
def test_beb_totals_on_double_loop(beta: float, total: float) -> None:
    world = DoubleLoop()
    assert bamdp.run(BEB(world.problem(), beta=beta), world, 1000).total_reward == total


@pytest.mark.parametrize(("mean", "mass"), [("prior", None), ("flat", 5.0)])
def test_beb_against_value_iteration(mean: Any, mass: float | None) -> None:
    """On Grid5, step by step: own mean of the sparse prior, or that of a flat Dirichlet with alpha
    = 0.2.
    """
    world, rng = Grid(5), np.random.default_rng(0)
    agent = BEB(world.problem(), beta=2.0, mean=mean)
    slow = belief_of(SparseDirichlet() if mean == "prior" else Dirichlet(0.2), 25, 4)
    k = np.arange(1, 26)
    mass = mass or 0.2 * float((k / k**2).sum() / (1 / k**2).sum())
    visits, state = np.zeros((25, 4)), 0
    for step in range(60):
        if step % 10 == 0:
            P, R, V = (
                slow.mean().transitions,
                world.rewards + 2.0 / (1 + mass + visits),
                np.zeros(25),
            )
            for _ in range(600):
                V = (R + 0.95 * P @ V).max(axis=1)
            assert np.allclose(agent.q_values(state), (R + 0.95 * P @ V)[state], atol=2e-6)
        action = int(rng.integers(4))
        next_state, _ = world.step(state, action, rng)
        agent.observe(state, action, 0.0, next_state)
        slow.observe(state, action, None, next_state)
        visits[state, action] += 1
        state = next_state


def test_ties_are_broken_as_asked() -> None:
    world = Bandit([0.5, 0.5, 0.5])
    assert {PosteriorMean(world.problem(), seed=seed).act(0) for seed in range(30)} == {0, 1, 2}
    assert {
        PosteriorMean(world.problem(), seed=seed, ties="first").act(0) for seed in range(30)
    } == {0}


def test_epsilon_falls_by_half_lives() -> None:
    world = Chain()
    agent = EpsilonGreedy(world.problem(), epsilon=1.0, half_life=10.0, seed=0, ties="first")
    agent.observe(0, 1, 2.0, 0)  # back is the better one now
    for _ in range(9):
        agent.observe(0, 1, 2.0, 0)
    other = sum(agent.act(0) == 0 for _ in range(4000))
    assert abs(other - 1000) < 5 * np.sqrt(
        4000 * 0.25 * 0.75
    )  # epsilon is 1/2, half of it is the other action


def test_boltzmann_frequencies() -> None:
    rng, values = np.random.default_rng(0), np.array([0.0, 1.0, 3.0])
    counts = np.bincount([boltzmann(values, 2.0, rng) for _ in range(6000)], minlength=3)
    weights = np.exp(values / 2)
    assert stats.chisquare(counts, 6000 * weights / weights.sum()).pvalue > 1e-6
    assert boltzmann(np.array([0.0, 1e9, 1.0]), 1e-320, rng) == 1


@pytest.mark.parametrize(
    "make", [partial(EpsilonGreedy, epsilon=1.0), partial(Softmax, temperature=1e3)]
)
def test_exploration_begins_at_full_strength_and_fades_from_the_first_step_on(make: Any) -> None:
    """With so short a half-life nothing is left after one step. 40 even choices are all the same
    once in 10¹¹ times.
    """
    problem = BAMDP(Dirichlet(), [[0.0, 1.0]], 0.5)
    first, second = [], []
    for seed in range(40):
        agent = make(problem, half_life=1e-3, seed=seed)
        first.append(agent.act(0))
        agent.observe(0, 0, 0.0, 0)
        second.append(agent.act(0))
    assert set(first) == {0, 1}
    assert set(second) == {1}
