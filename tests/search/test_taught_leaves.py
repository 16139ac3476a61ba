"""Leaves worth what the posterior mean says: exact where the mean is the truth, and still
Bayes-optimal in the limit.
"""

import numpy as np
import pytest

import bamdp
from bamdp import BAMDP
from bamdp.agents import BAMCP, BAUCT, PosteriorMean
from bamdp.exact import bayes_optimal
from bamdp.priors import Dirichlet, SparseDirichlet

WORLD = bamdp.domains.Grid(3)


@pytest.mark.parametrize("prior", [Dirichlet(0.3), SparseDirichlet()])
@pytest.mark.parametrize("sampling", ["collapsed", "lazy", "full"])
def test_one_simulation_sees_the_value_of_the_state_behind_the_first_step(
    prior: bamdp.Prior, sampling: str
) -> None:
    for seed in range(10):
        settings = {"simulations": 1, "rollouts": "posterior-mean", "sampling": sampling}
        search = BAMCP(WORLD.problem(prior), seed=seed, **settings)  # type: ignore[arg-type]  # many types
        mean = PosteriorMean(WORLD.problem(prior))
        world = np.random.default_rng(seed)
        for _ in range(30):
            state, action, next_state = (int(world.integers(n)) for n in (9, 4, 9))
            for agent in (search, mean):
                agent.observe(state, action, float(WORLD.rewards[state, action]), next_state)
        plan = search.plan(4)
        action = int(plan.visits.argmax())
        leaves = WORLD.rewards[4, action] + WORLD.discount * np.array(
            [mean.q_values(s).max() for s in range(9)]
        )
        assert np.abs(leaves - plan.q_values[action]).min() < 1e-5


@pytest.mark.parametrize("agent", [BAMCP, BAUCT])
def test_the_limit_is_bayes_optimal(agent: type[BAMCP]) -> None:
    problem = BAMDP(Dirichlet(), [[0.9, 1.0], [0.2, 0.8], [-0.3, -0.5]], 0.9)
    optimum = bayes_optimal(problem, 0, horizon=3)
    plan = agent(
        problem, simulations=200_000, depth=3, rollouts="posterior-mean", exploration=2.0
    ).plan(0)
    # Without a tree the taught values, of steps without end, would be off by more than 1.
    assert plan.q_values[plan.action] == pytest.approx(optimum.value, abs=0.05)
    assert plan.action == optimum.action
