"""Expected totals of policies against slow and obvious twins."""

import numpy as np
import pytest
from numpy.typing import NDArray

from bamdp import MDP
from bamdp.domains import DoubleLoop, Tabular
from bamdp.exact.known_mdp import optimal_total, policy_rewards
from reference.rejections import rejections


def forward_total(world: Tabular, policy: NDArray[np.float64], steps: int) -> float:
    """The distribution over states pushed forward, step by step."""
    P = np.einsum("sa,sat->st", policy, world.transitions)
    R = (policy * world.mdp.expected_rewards).sum(axis=1)
    over_states, total = np.eye(world.num_states)[world.start], 0.0
    for _ in range(steps):
        total += float(over_states @ R)
        over_states = over_states @ P
    return total


@pytest.mark.parametrize("seed", range(3))
def test_policy_rewards(seed: int) -> None:
    rng = np.random.default_rng(seed)
    world = Tabular(MDP(rng.dirichlet(np.ones(5), size=(5, 3)), rng.normal(size=(5, 3, 5))), 0.9, start=int(rng.integers(1, 5)))
    stochastic = rng.dirichlet(np.ones(3), size=5)
    deterministic = rng.integers(3, size=5)
    assert policy_rewards(world, stochastic, 37) == pytest.approx(forward_total(world, stochastic, 37))
    assert policy_rewards(world, deterministic, 37) == pytest.approx(forward_total(world, np.eye(3)[deterministic], 37))


def best(world: Tabular, state: int, steps: int) -> float:
    """The definition of the optimum, by recursion."""
    if steps == 0:
        return 0.0
    R = world.rewards
    return max(
        sum(float(p) * (float(R[state, a, t]) + best(world, t, steps - 1)) for t, p in enumerate(world.transitions[state, a]))
        for a in range(world.num_actions)
    )


@pytest.mark.parametrize("seed", range(3))
def test_optimal_total(seed: int) -> None:
    rng = np.random.default_rng(seed)
    world = Tabular(MDP(rng.dirichlet(np.ones(3), size=(3, 2)), rng.normal(size=(3, 2, 3))), 0.9, start=1)
    assert optimal_total(world, 4) == pytest.approx(best(world, 1, 4))


def test_a_terminal_state_is_followed_by_the_start() -> None:
    """Of four steps two pay, each the end of an episode of two steps."""
    chain = Tabular(MDP([[[0, 1, 0]], [[0, 0, 1]], [[0, 0, 1]]], [[0], [1], [5]], terminal=[2]), 0.9)
    assert policy_rewards(chain, [0, 0, 0], 4) == optimal_total(chain, 4) == 2


LOOP = DoubleLoop()

test_rejected = rejections(
    (ValueError, r"policy must have shape \(9,\) or \(9, 2\), got \(8,\)", lambda: policy_rewards(LOOP, [0] * 8, 10)),
)
