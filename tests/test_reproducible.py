"""One seed, one trajectory, for any number of threads; in other processes, too: test_golden.py."""

from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp.agents import BAMCP
from bamdp.domains import Chain, DoubleLoop, Grid, InfiniteGrid
from bamdp.priors import SparseDirichlet, UnknownRewards


def values(**settings: Any) -> list[float]:
    found: list[float] = (
        BAMCP(Grid(5).problem(), simulations=60, **settings).plan(0).q_values.tolist()
    )
    return found


@pytest.mark.parametrize(
    "name", ["sparse", "infinite_grid", "unknown_rewards", "lattice", "reused"]
)
def test_any_number_of_threads(name: str) -> None:
    chain = Chain()
    world, settings = {
        "sparse": (Grid(5), {"simulations": 60}),
        "infinite_grid": (InfiniteGrid(seed=1), {"simulations": 30}),
        "unknown_rewards": (
            chain,
            {"prior": UnknownRewards(SparseDirichlet(), values=(0, 2, 10)), "simulations": 60},
        ),
        "lattice": (DoubleLoop(), {"nodes": "counts", "simulations": 60}),
        "reused": (DoubleLoop(), {"reuse_tree": True, "sampling": "lazy", "simulations": 60}),
    }[name]
    prior, found = settings.pop("prior", None), []  # type: ignore[attr-defined]
    for threads in (1, 2, 4):
        agent = BAMCP(world.problem(prior), seed=3, trees=4, threads=threads, **settings)  # type: ignore[arg-type]
        record = bamdp.run(agent, world, 12, seed=5)
        found.append([*record.actions.tolist(), *agent.plan(record.final_state).q_values.tolist()])
    assert found[0] == found[1] == found[2]


def test_dependence_on_seed_and_trees() -> None:
    assert values(seed=0) != values(seed=1)
    assert values(trees=1) != values(trees=2)


def test_looking_at_a_plan_changes_nothing() -> None:
    world = DoubleLoop()
    plain, curious = (
        BAMCP(world.problem(), simulations=100, seed=5, reuse_tree=True) for _ in range(2)
    )
    kept = []
    for _ in range(5):
        kept.append(curious.plan(0))
        kept[-1].tree.to_dict()
        curious.belief.predictive(0, 0)
        curious.belief.sample(1, np.random.default_rng(0)).transitions[0]
        assert plain.act(0) == kept[-1].action
        for agent in (plain, curious):
            agent.observe(0, 0, 0.0, 1)
            agent.observe(1, 0, 0.0, 0)
