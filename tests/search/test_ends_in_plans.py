"""Planning with episode ends: every planner against exact values in which a terminal state is worth
nothing.
"""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bamdp import BAMDP, Prior
from bamdp.agents import (
    BAMCP,
    BAUCT,
    BEB,
    BFS3,
    BOSS,
    IEQL,
    VPI,
    BayesianDP,
    PosteriorMean,
    QLearning,
)
from bamdp.exact import bayes_optimal
from bamdp.priors import BetaArms, Dirichlet, Finite, SparseDirichlet
from reference.bfs3 import bounds
from reference.policy_iteration import exact_q, expected
from reference.problems import sized
from reference.rejections import rejections

Array = NDArray[np.float64]

DISCOUNT, HORIZON = 0.9, 3
END = (2,)
REWARDS = np.random.default_rng(1).normal([0, 0, 1.5], size=(3, 2, 3))  # it often pays to end
REWARDS[2] = 1000  # of a terminal state: no one earns it
TABLES = np.random.default_rng(0).dirichlet([0.5] * 3, size=(4, 3, 2))
PRIORS: list[Prior] = [Dirichlet(), Dirichlet([0.5, 1, 2]), SparseDirichlet(), Finite(TABLES)]


SAMPLINGS = [(BAMCP, "collapsed"), (BAMCP, "lazy"), (BAMCP, "full"), (BAUCT, "resampled")]
SEARCHES = [
    (prior, *how)
    for prior in PRIORS
    for how in SAMPLINGS
    if not (isinstance(prior, Finite) and how[0] is BAUCT)
]


@pytest.mark.parametrize("nodes", ["histories", "counts"])
@pytest.mark.parametrize(("prior", "agent", "sampling"), SEARCHES, ids=str)
def test_the_root_value_of_the_search(
    prior: Prior, agent: type[BAMCP], sampling: Any, nodes: Any
) -> None:
    """As in test_theorem_1: the optimal action's value, within 0.02 and 5 standard errors of its
    mean over 4 seeds.
    """
    settings: dict[str, Any] = {
        "simulations": 10_000,
        "depth": HORIZON,
        "exploration": 1.0,
        "nodes": nodes,
    }
    problem = BAMDP(prior, REWARDS, DISCOUNT, terminal=END)
    optimum = bayes_optimal(problem, 0, horizon=HORIZON)
    agents = [agent(problem, sampling=sampling, seed=i, **settings) for i in range(4)]
    values = np.array([planner.plan(0).q_values[optimum.action] for planner in agents])
    assert abs(values.mean() - optimum.value) < 0.02 + 5 * values.std(ddof=1) / 2


@pytest.mark.parametrize("rollouts", ["uniform", "learned", "posterior-mean"])
def test_a_roll_out_ends_too(rollouts: Any) -> None:
    """0 → 1 → 2 → the end: the first simulation is one step in the tree and a roll-out, the fourth
    four steps in the tree.
    """
    moves = np.eye(4, k=1)[None, :, None]
    moves[0, 3, 0, 0] = 1
    problem = BAMDP(Finite(moves), [[1.0], [2.0], [4.0], [1000.0]], 0.5, terminal=[3])
    for simulations in (1, 4, 10):
        plan = BAMCP(problem, simulations=simulations, depth=50, rollouts=rollouts).plan(0)
        assert plan.q_values[0] == pytest.approx(1 + 0.5 * 2 + 0.25 * 4, abs=1e-5)


@pytest.mark.parametrize("rollouts", ["best-arm", "hindsight", "uniform"])
def test_a_formula_for_what_comes_after_the_tree_is_not_for_ends(rollouts: Any) -> None:
    """A bandit that is over with the first success; the one arm succeeds always, so there is
    nothing after it.
    """
    prior, rewards = BetaArms(successes=1.0, failures=0.0), np.array([[[0.0, 1.0]]] * 2)
    plan = BAMCP(BAMDP(prior, rewards, 0.9, terminal=[1]), rollouts=rollouts, simulations=100).plan(
        0
    )
    assert plan.q_values[0] == 1


def test_bfs3_by_hand() -> None:
    """One step to the end, where both bounds are 0, and one to a place where every step pays 1."""
    moves = np.zeros((3, 2, 3))
    moves[0, 0, 2] = moves[0, 1, 1] = moves[1:, :, 1] = 1
    rewards = np.array([[3.0, 0], [1, 1], [9, 9]])
    problem = BAMDP(Dirichlet(moves), rewards, 0.5, terminal=[2])
    lower, upper = bounds(BFS3(problem, vmax=2.0, trajectories=50, tree="shared", depth=3), 0)
    assert (lower.tolist(), upper.tolist()) == (
        [3, 0],
        [3, 1],
    )  # no trajectory takes the action whose upper bound is less
    lower, upper = bounds(BFS3(problem, vmax=2.0, trajectories=50, tree="separate", depth=2), 0)
    assert (lower.tolist(), upper.tolist()) == ([3, 0.75], [3, 1])


# --- the agents that solve a model

TRUE = np.random.default_rng(5).dirichlet([0.6] * 6, size=(6, 2))
PAID = np.random.default_rng(6).normal(size=(6, 2, 6))
STOPS, GOING = (3, 5), [0, 1, 2, 4]


def dense_q(transitions: Array, rewards: Array) -> Array:
    return exact_q(transitions, expected(transitions, rewards), 0.9, STOPS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "prior",
    [Dirichlet(), Dirichlet(np.arange(1.0, 7)), Dirichlet(TRUE), SparseDirichlet()],
    ids=repr,
)
@pytest.mark.parametrize("agent", [PosteriorMean, BEB])
def test_posterior_means_step_by_step(prior: Prior, agent: Any) -> None:
    rng, state = np.random.default_rng(0), 0
    planner = agent(
        BAMDP(prior, PAID, 0.9, terminal=STOPS), **({"beta": 0.0} if agent is BEB else {})
    )
    for _ in range(40):
        exact = dense_q(planner.belief.mean().transitions, PAID)
        assert np.array([planner.q_values(s) for s in GOING]) == pytest.approx(
            exact[GOING], abs=1e-5
        )
        action = int(rng.integers(2))
        next_state = int(rng.choice(6, p=TRUE[state, action]))
        planner.observe(state, action, PAID[state, action, next_state], next_state)
        state = 0 if next_state in STOPS else next_state


def test_a_bonus_is_not_for_terminal_states() -> None:
    planner = BEB(BAMDP(Dirichlet(), np.zeros((6, 2)), 0.9, terminal=STOPS), beta=7.0)
    # V = bonus / (1 + pseudo-counts) + discount P(goes on) V
    assert planner.q_values(0) == pytest.approx([7 / 2 / (1 - 0.9 * 4 / 6)] * 2, abs=1e-5)


@pytest.mark.parametrize("agent", [BayesianDP, BOSS])
def test_agents_that_sample_models(agent: Any) -> None:
    """Of a world that is all but known, what was drawn has all but its values."""
    planner = agent(BAMDP(Dirichlet(1e9 * TRUE), PAID, 0.9, terminal=STOPS), seed=1)
    values = np.array([planner.q_values(s) for s in GOING])
    assert values == pytest.approx(dense_q(TRUE, PAID)[GOING], abs=1e-3)


# --- the agents without a model


def test_no_bootstrap_past_an_end() -> None:
    """Unknown values are 10 at first: what follows a terminal state must not be."""
    agent = QLearning(sized(3, 1, 0.5, terminal=[2]), learning_rate=1.0, initial=10.0)
    agent.observe(0, 0, 1.0, 1)
    agent.observe(1, 0, 1.0, 2)
    assert (agent.q_values(0)[0], agent.q_values(1)[0]) == (6, 1)
    agent = IEQL(sized(3, 1, 0.5, terminal=[2]), alpha=1.0)  # type: ignore[assignment]
    agent.observe(1, 0, 1.0, 2)
    assert agent.q_values(1)[0] == pytest.approx(1 + agent.bonus(1))  # type: ignore[attr-defined]


@pytest.mark.parametrize("update", ["mix", "moment"])
def test_the_return_of_a_last_step_is_its_reward(update: Any) -> None:
    agent = VPI(sized(3, 1, 0.9, terminal=[2]), mu=20.0, lam=1.0, update=update)
    agent.observe(1, 0, 4.0, 2)
    assert agent.q_values(1)[0] == 12  # the middle of 20 and 4, both worth one observation


ENDED = "state must not be terminal, got the terminal state 2"
PAST = bayes_optimal(BAMDP(Dirichlet(), REWARDS, 0.9, terminal=END), 0, horizon=2)

test_rejected = rejections(
    (ValueError, ENDED, lambda: BAMCP(BAMDP(Dirichlet(), REWARDS, 0.9, terminal=END)).act(2)),
    (
        ValueError,
        ENDED,
        lambda: bayes_optimal(BAMDP(Dirichlet(), REWARDS, 0.9, terminal=END), 2, horizon=1),
    ),
    (ValueError, "or terminal", lambda: PAST.walk().step(0, 2)),
)
