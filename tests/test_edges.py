"""Numbers at the edges, for every agent: no NaN leaves the library, and where the right decision is
known it is taken.
"""

from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp import MDP, Agent, agents, priors
from bamdp.agent import setting_defaults
from bamdp.domains import Bandit, Chain, RandomMDP, Tabular
from reference.problems import belief_of

NAMES = agents.__all__
LARGEST_REWARD = 1e130  # that is accepted

# Small budgets, and settings in units of reward or return, which scale with them.
SMALL: dict[str, dict[str, Any]] = {
    "BAMCP": {"simulations": 30, "depth": 50},
    "BAUCT": {"simulations": 30, "depth": 50},
    "BFS3": {"branching": 2, "depth": 3, "trajectories": 10},
    "BayesAdaptive": {"simulations": 30},
    "Gittins": {"tolerance": 0.01},
    "BOSS": {"models": 2},
    "SBOSS": {"models": 2},
}

UNITS: dict[str, dict[str, float]] = {
    "BAMCP": {"exploration": 3.0},
    "BAUCT": {"exploration": 3.0},
    "BEB": {"beta": 1.0},
    "Softmax": {"temperature": 0.1},
    "QLearning": {"temperature": 0.3},
    "IEQL": {"sigma_max": 0.1},
    "VPI": {"beta": 1.0},
}

RELATIVE = ("VPI",)


def units_of(name: str) -> dict[str, float]:
    solves = "tolerance" in setting_defaults(getattr(agents, name)) and name != "Gittins"
    return {**UNITS.get(name, {}), **({"tolerance": 1e-6} if solves else {})}


def played(
    name: str, world: Tabular, steps: int, prior: Any = None, **more: Any
) -> tuple[Agent, list[int]]:
    """What an agent does; whatever numbers it shows must be finite."""
    kind = getattr(agents, name)
    if name == "Gittins":
        world = Bandit([0.3, 0.7], world.discount, payoffs=float(world.rewards.flat[0]) or 1.0)
    if name == "SBOSS":
        prior = prior or priors.Dirichlet()
    told = {"world": world.mdp} if kind.uses_true_model else {}
    agent = kind(world.problem(prior), **SMALL.get(name, {}), **told, **more)
    record = bamdp.run(agent, world, steps, seed=1)
    if hasattr(agent, "plan"):
        plan = agent.plan(record.final_state if record.final_state not in world.terminal else 0)
        assert np.isfinite(plan.q_values).all()
        assert not np.isnan(plan.standard_errors).any()
    for method in ("q_values", "values_of_information") if name != "Random" else ():
        if hasattr(agent, method):
            assert np.isfinite(getattr(agent, method)(0)).all()
    assert np.isfinite(record.rewards).all()
    return agent, record.actions.tolist()


def one_state(low: float, high: float, discount: float) -> Tabular:
    """Two actions of which the second is better, whatever is believed."""
    return Tabular(MDP(np.ones((1, 2, 1)), [[low, high]]), discount)


CHAIN = Chain()
EDGES = {
    "discount 0": Tabular(MDP(CHAIN.transitions, CHAIN.rewards), 0.0),
    "discount 0.9999": one_state(0, 1, 0.9999),
    "one state, one action": Tabular(MDP(np.ones((1, 1, 1)), [[1.0]]), 0.9),
    "rewards of 1e-300": Tabular(MDP(CHAIN.transitions, CHAIN.rewards * 1e-301), 0.95),
    "subnormal rewards": Tabular(MDP(CHAIN.transitions, CHAIN.rewards * 5e-324), 0.95),
    "the largest rewards": Tabular(
        MDP(CHAIN.transitions, CHAIN.rewards * LARGEST_REWARD / 10), 0.95
    ),
    "the largest and the smallest": one_state(1e-300, LARGEST_REWARD, 0.5),
    "all equal": Tabular(MDP(CHAIN.transitions, np.full((5, 2), 0.3)), 0.95),
    "all zero": Tabular(MDP(CHAIN.transitions, np.zeros((5, 2))), 0.95),
    "all negative": Tabular(MDP(CHAIN.transitions, CHAIN.rewards - 20), 0.95),
}


@pytest.mark.slow
@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("name", NAMES)
def test_edges(name: str, edge: str) -> None:
    played(name, EDGES[edge], 12)


KNOW_REWARDS = (
    "BAMCP",
    "BAUCT",
    "BFS3",
    "BOSS",
    "SBOSS",
    "BayesianDP",
    "BEB",
    "PosteriorMean",
    "Oracle",
)
PAID = [
    (0.0, 1.0),
    (-1.0, 0.0),
    (1e-300, 2e-300),
    (0.0, LARGEST_REWARD),
    (-LARGEST_REWARD, LARGEST_REWARD),
    (-2e-300, -1e-300),
]


@pytest.mark.parametrize("paid", PAID, ids=repr)
@pytest.mark.parametrize("name", KNOW_REWARDS)
def test_the_right_decision(name: str, paid: tuple[float, float]) -> None:
    scale = max(map(abs, paid))
    units = {unit: value * scale for unit, value in units_of(name).items()}
    _, actions = played(name, one_state(*paid, 0.0), 10, **units)
    assert actions == [1] * 10


@pytest.mark.parametrize("power", [-400, -10, 10, 400])
@pytest.mark.parametrize("name", NAMES)
def test_scaled_rewards_are_the_same_problem(name: str, power: int) -> None:
    """By a power of two, exactly: every number is scaled without rounding, so every comparison
    comes out as it did.
    """
    if name in RELATIVE and abs(power) > 10:
        pytest.skip("its prior has units of squared return, which may not be that far from 1")
    scale = 2.0**power
    world = RandomMDP(6, 3, rewards="uniform", seed=3)
    scaled = Tabular(MDP(world.transitions, world.rewards * scale), world.discount)
    units = units_of(name)
    more = {
        unit: value * (scale**2 if (name, unit) == ("VPI", "beta") else scale)
        for unit, value in units.items()
    }
    assert (
        played(name, scaled, 40, **more)[1]
        == played(name, Tabular(world.mdp, 0.95), 40, **units)[1]
    )


MILLION = 10**6
COUNTED = {
    "Dirichlet": priors.Dirichlet(),
    "SparseDirichlet": priors.SparseDirichlet(),
    "Finite": priors.Finite(np.stack([CHAIN.transitions, Chain(slip=0.3).transitions])),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COUNTED)
def test_a_million_observations_of_one_pair(name: str) -> None:
    """Four in five lead on: then the row is all but known, and one observation more changes next to
    nothing.
    """
    agent = agents.BAMCP(CHAIN.problem(COUNTED[name]), simulations=50)
    for next_state in (1, 1, 1, 1, 0):
        many = np.zeros(MILLION // 5, int)
        agent.belief.observe_many(many, many, None, many + next_state)
    row = agent.belief.predictive(0, 0)
    assert row.sum() == pytest.approx(1, abs=1e-12)
    assert row[1] == pytest.approx(0.8, abs=1e-4)
    assert np.isfinite(agent.plan(0).q_values).all()
    agent.observe(0, 0, 0.0, 1)
    np.testing.assert_allclose(agent.belief.predictive(0, 0), row, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["BAMCP", "BAUCT", "BFS3", "PosteriorMean", "BEB", "QLearning", "IEQL", "Random"]
)
def test_a_million_states(name: str) -> None:
    """A ring; the agents left out draw or solve whole models, whose time grows with the states."""
    states = np.arange(MILLION)
    successors = np.stack([(states + 1) % MILLION, states], axis=1)[:, :, None]
    rewards = np.zeros((MILLION, 2))
    rewards[-1] = 1
    world = Tabular(
        MDP(np.ones((MILLION, 2, 1)), rewards, successors=successors),
        0.9,
        prior=priors.SparseDirichlet(),
    )
    played(name, world, 5)


@pytest.mark.parametrize("alpha", [1e-12, 1e-6, 1.0, 1e6])
@pytest.mark.parametrize(
    "prior", [priors.Dirichlet, priors.SparseDirichlet], ids=lambda prior: str(prior.__name__)
)
def test_pseudo_counts(prior: Any, alpha: float) -> None:
    belief = belief_of(prior(alpha), 5, 2)
    for n in range(4):
        row = belief.predictive(0, 1)
        assert row.sum() == pytest.approx(1, abs=1e-12)
        assert row.min() >= 0
        if prior is priors.Dirichlet:
            assert row[3] == pytest.approx((alpha + n) / (5 * alpha + n), rel=1e-12)
        np.testing.assert_allclose(
            belief.sample(1, np.random.default_rng(n)).transitions[0].sum(axis=-1), 1
        )
        belief.observe(0, 1, None, 3)
    for name in ("BAMCP", "BAUCT", "BFS3", "BOSS", "BayesianDP", "BEB", "PosteriorMean"):
        played(name, CHAIN, 5, prior=prior(alpha))
