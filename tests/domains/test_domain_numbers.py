"""Domains: the numbers of the literature, and the oracle that earns them."""

import numpy as np
import pytest

from bamdp import MDP
from bamdp.agents.oracle import Oracle
from bamdp.domains import Bandit, Chain, DoubleLoop, Grid, Maze, Tabular
from reference.known_mdp import optimal_total, policy_rewards


def random_total(world: Tabular) -> float:
    uniform = np.full((world.num_states, world.num_actions), 1 / world.num_actions)
    return policy_rewards(world, uniform, world.steps)


def oracle(world: Tabular) -> Oracle:
    return Oracle(world.problem(), world=world.mdp)


def oracle_total(world: Tabular) -> float:
    return policy_rewards(world, oracle(world).policy, world.steps)


def start_value(world: Tabular) -> float:
    return float(oracle(world).q_values(world.start).max())


# States, actions and steps; then optimum, uniform policy and value of the start, each with its precision.
NUMBERS: dict[str, tuple[Tabular, tuple[int, ...], tuple[tuple[float, float], ...]]] = {
    "DoubleLoop": (DoubleLoop(), (9, 2, 1000), ((400, 1e-9), (158.4, 0.05), (7.201, 5e-4))),
    "Grid5": (Grid(5), (25, 4, 1000), ((92.1, 0.05), (9.14, 5e-3), (1.4386, 5e-5))),
    "Grid10": (Grid(10), (100, 4, 2000), ((86.9, 0.05), (3.21, 5e-3), (0.4788, 5e-5))),
    "Maze": (Maze(), (264, 4, 20000), ((1826, 0.5), (96.9, 0.05), (0.7811, 5e-5))),
    "Bandit": (Bandit(), (2, 8, 300), ((270, 1e-9), (191.25, 1e-9), (90, 1e-7))),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_sizes_totals_and_values(name: str) -> None:
    world, sizes, numbers = NUMBERS[name]
    assert (world.num_states, world.num_actions, world.steps, world.start) == (*sizes, 0)
    for found, (expected, precision) in zip(
        (optimal_total(world, world.steps), random_total(world), start_value(world)), numbers, strict=True
    ):
        assert found == pytest.approx(expected, abs=precision)


def test_discounted_policy_of_the_chain_only_differs_at_the_end() -> None:
    # The last four steps before the end can't reach the reward of 10: going back pays more there.
    world = Chain()
    assert oracle_total(world) == pytest.approx(3663.69, abs=0.01)
    assert optimal_total(world, 1000) == pytest.approx(3665.83, abs=0.01)


@pytest.mark.parametrize(("paid", "first"), [([0, 1, 1 - 1e-12], 1), ([0, 1 - 1e-12, 1], 1), ([0, 1 - 1e-6, 1], 2)])
def test_oracle_takes_the_first_of_equal_actions(paid: list[float], first: int) -> None:
    assert oracle(Tabular(MDP(np.ones((1, 3, 1)), [paid]), 0.9)).act(0) == first
