"""The solver against slow and obvious twins."""

import numpy as np
import pytest
from numpy.typing import NDArray

from bamdp.domains import Chain, DoubleLoop, Grid, Maze, RandomMDP, Tabular
from bamdp.exact.known_mdp import expected_rewards, optimal_total, policy_rewards, q_values
from reference import policy_iteration
from reference.policy_iteration import expected
from reference.rejections import rejections
from bamdp import MDP


def exact_q(world: Tabular) -> NDArray[np.float64]:
    return policy_iteration.exact_q(world.transitions, expected(world.transitions, world.rewards), world.discount)


def signed_world(seed: int, discount: float) -> Tabular:
    """A random world with rewards of both signs that depend on the next state."""
    rng = np.random.default_rng(seed)
    return Tabular(MDP(rng.dirichlet(np.full(6, 0.3), size=(6, 3)), rng.normal(size=(6, 3, 6))), discount)


WORLDS: list[Tabular] = [
    DoubleLoop(),
    Grid(4),
    Maze(discount=0.99),
    Chain(discount=0.99),
    RandomMDP(12, 3, rows="sparse", rewards="uniform", seed=5),
    *(signed_world(seed, discount) for seed in range(3) for discount in (0.0, 0.5, 0.95, 0.999)),
]


@pytest.mark.slow
@pytest.mark.parametrize("tolerance", [1.0, 1e-3, 1e-8])
@pytest.mark.parametrize("world", WORLDS, ids=repr)
def test_error_is_within_the_tolerance(world: Tabular, tolerance: float) -> None:
    q = world.mdp.solve(world.discount).q_values
    assert np.abs(q - exact_q(world)).max() <= tolerance


def test_discount_near_one_ends_at_the_precision_of_doubles() -> None:
    world = Chain(discount=0.99999)
    q = world.mdp.solve(world.discount, tolerance=1e-300).q_values
    rounding = 4 * (2 + 2) * np.finfo(float).eps * 10 * world.discount / (1 - world.discount) ** 2
    assert np.abs(q - exact_q(world)).max() <= rounding


def test_no_discount_is_the_expected_reward() -> None:
    world = signed_world(0, 0.0)
    means = expected_rewards(world.successors, world.probabilities, world.rewards)
    assert means == pytest.approx((world.transitions * world.rewards).sum(axis=2))
    assert world.mdp.solve(0.0).q_values == pytest.approx(means)


def forward_total(world: Tabular, policy: NDArray[np.float64], steps: int) -> float:
    """The distribution over states pushed forward, step by step."""
    P = np.einsum("sa,sat->st", policy, world.transitions)
    R = (policy * expected_rewards(world.successors, world.probabilities, world.rewards)).sum(axis=1)
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


LOOP = DoubleLoop()

test_rejected = rejections(
    (ValueError, "discount.*got 1.0", lambda: LOOP.mdp.solve(1.0).q_values),
    (ValueError, "tolerance.*got 0", lambda: LOOP.mdp.solve(0.9).q_values),
    (ValueError, r"policy must have shape \(9,\) or \(9, 2\), got \(8,\)", lambda: policy_rewards(LOOP, [0] * 8, 10)),
    (ValueError, "policy must have shape", lambda: policy_rewards(LOOP, 0, 1)),
    (ValueError, r"policy\[8\].*got", lambda: policy_rewards(LOOP, [0] * 8 + [2], 10)),
    (TypeError, r"policy\[0\].*0.5", lambda: policy_rewards(LOOP, [0.5] * 9, 10)),
    (ValueError, r"policy.*\(0,\) sums to 2", lambda: policy_rewards(LOOP, np.ones((9, 2)), 10)),
    (ValueError, "steps.*got 0", lambda: policy_rewards(LOOP, [0] * 9, 0)),
    (ValueError, "steps.*got -1", lambda: optimal_total(LOOP, -1)),
    (TypeError, "domain must have successors", lambda: optimal_total(None, 1)),  # type: ignore[arg-type]
)
