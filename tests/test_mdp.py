"""A known MDP, or K of them: bad input, optimal values against closed forms and a slow twin,
averages, parts.
"""

import copy
import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamdp import MDP
from bamdp.domains import Chain, DoubleLoop, Grid, Maze, RandomMDP, Tabular
from bamdp.mdp import (
    Outcomes,
    always_ends,
    bellman_backup,
    continuation,
    resample,
    termination,
    values_by_steps,
    with_weights,
)
from reference.policy_iteration import exact_q, expected
from reference.rejections import rejections

T = np.random.default_rng(0).dirichlet([0.7] * 3, size=(4, 3, 2))  # [K, S, A, S]
R = np.random.default_rng(1).normal(size=(4, 3, 2))
ONE, K = partial(MDP, T[0], R[0]), partial(MDP, T, R)
HALF = np.full((3, 2, 2), 0.5)

test_rejected = rejections(
    (ValueError, r"transitions must have shape .* got \(3, 2, 2\)", lambda: MDP(HALF, R[0])),
    (
        ValueError,
        r"transitions must not be negative, got -1.0 at index \(0, 0, 1\)",
        lambda: MDP([[[2, -1]]] * 2, np.zeros((2, 1))),
    ),
    (
        ValueError,
        r"rewards must have shape \(3, 2\) or \(4, 3, 2\) or \(4, 3, 2, 3\)",
        lambda: MDP(T, R[:3]),
    ),
    (TypeError, "values with probabilities", lambda: ONE(outcomes=Outcomes(values=np.ones(2)))),
    (TypeError, "values with probabilities or deviations", lambda: ONE(outcomes=Outcomes())),
    (
        ValueError,
        "those of each state and action",
        lambda: MDP(T[0], T[0], outcomes=Outcomes(deviations=R[0])),
    ),
    (
        ValueError,
        "deviations must have shape",
        lambda: ONE(outcomes=Outcomes(deviations=np.ones(2))),
    ),
    (ValueError, "none negative", lambda: ONE(outcomes=Outcomes(deviations=-np.ones((3, 2))))),
    (ValueError, "one for each of values", lambda: ONE(outcomes=Outcomes(np.ones(3), HALF))),
    (
        ValueError,
        "rewards must be the means",
        lambda: ONE(outcomes=Outcomes(np.array([0.0, 9.0]), HALF)),
    ),
    (ValueError, "some policy never ends", lambda: avoiding()),
    (TypeError, r"take\(\) is of K MDPs", lambda: ONE().take(0)),
)


def avoiding() -> Any:
    """State 0 may stay where it is for ever."""
    mdp = MDP([[[1, 0], [0, 1]], [[0, 1], [0, 1]]], np.ones((2, 2)), terminal=[1])
    return values_by_steps(mdp, 1.0, None)


def test_its_arrays_are_its_own_and_read_only() -> None:
    transitions, rewards = T.copy(), R.copy()
    mdp = MDP(transitions, rewards)
    transitions[:], rewards[:] = 0, 0
    assert np.array_equal(mdp.transitions, T)
    assert np.array_equal(mdp.rewards, R)
    for array in (mdp.transitions, mdp.rewards, mdp.terminal, mdp.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0  # type: ignore[index]
    with pytest.raises(AttributeError):
        mdp.rewards = rewards  # type: ignore[misc]


@pytest.mark.parametrize(
    "make", [copy.copy, copy.deepcopy, lambda mdp: pickle.loads(pickle.dumps(mdp))]
)
def test_copies(make: Any) -> None:
    mdp = K(terminal=[[0], [], [1], [2]], weights=[1, 2, 3, 4])
    expected = mdp.mean().solve(0.9).q_values
    assert np.array_equal(make(mdp).mean().solve(0.9).q_values, expected)
    assert repr(make(mdp)) == "MDP(4 of 3 states, 2 actions)"
    assert not make(mdp).rewards.flags.writeable


def test_closed_forms() -> None:
    """Stay or switch between a state that pays 1 and one that pays nothing; with an end, the reward
    of one step.
    """
    rows, paid = [[[1, 0], [0, 1]], [[0, 1], [1, 0]]], [[0, 0], [1, 1]]
    g = 0.9
    solution = MDP(rows, paid).solve(g)
    assert solution.q_values == pytest.approx(
        np.array([[g * g, g], [1, 1 - g + g * g]]) / (1 - g), abs=1e-7
    )
    assert solution.values == pytest.approx([g / (1 - g), 1 / (1 - g)], abs=1e-7)
    assert solution.policy.tolist() == [1, 0]
    ending = MDP(rows, [[-1, 2], [5, 5]], terminal=[1]).solve(g)
    assert ending.q_values == pytest.approx(np.array([[-1 + 2 * g, 2], [0, 0]]), abs=1e-7)
    slow = MDP([[[0.9, 0.1]], [[0.0, 1.0]]], [[1], [5]], terminal=[1]).solve(g, tolerance=1)
    assert slow.q_values[1, 0] == 0, "exactly, though others are only near"
    assert MDP(rows, [[-1, -2], [5, 5]], terminal=[1]).solve(g).policy[0] == 1, (
        "to the end, where staying costs more"
    )
    assert MDP(rows, paid).solve(1, horizon=3).q_values.tolist() == [[1, 2], [3, 2]]
    assert MDP([[[1.0]]], [[3.0]]).solve(0).q_values.tolist() == [[3.0]]


small = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@given(small, st.sampled_from([0.0, 0.5, 0.95, 0.999]), st.booleans(), st.booleans())
def test_solutions_against_the_twin(
    rng: np.random.Generator, discount: float, ends: bool, of_transitions: bool
) -> None:
    """Dense and sparse, without end and over five steps, as the slow twin has it."""
    S, A, width = (int(rng.integers(low, 5)) for low in (2, 1, 1))
    nexts, rows = rng.integers(S, size=(S, A, width)), rng.dirichlet(np.ones(width), size=(S, A))
    paid = rng.normal(size=(S, A, S) if of_transitions else (S, A))
    terminal = [0] if ends else []
    sparse = MDP(rows, paid, terminal=terminal, successors=nexts)
    dense = MDP(sparse.transitions, paid, terminal=terminal)
    means = (sparse.transitions * paid).sum(axis=2) if of_transitions else paid.copy()
    moves = sparse.transitions.copy()
    means[terminal], moves[terminal] = 0, 0
    moves[:, :, terminal] = 0
    right, values = exact_q(moves, means, discount), np.zeros(S)
    for _ in range(5):
        q = means + discount * moves @ values
        values = q.max(axis=1)
    for mdp in (sparse, dense):
        assert mdp.solve(discount, tolerance=1e-7).q_values == pytest.approx(right, abs=1.1e-7)
        assert mdp.solve(discount, 5).q_values == pytest.approx(q, abs=1e-12)
        assert values_by_steps(mdp, discount, 5)[-1] == pytest.approx(values, abs=1e-12)
        assert bellman_backup(mdp, values + 1, discount) == pytest.approx(
            means + discount * moves @ (values + 1), abs=1e-12
        )
    many = MDP(
        np.stack([rows] * 2),
        np.stack([paid, -paid]),
        terminal=terminal,
        successors=np.stack([nexts, nexts[::-1]]),
    )
    assert np.array_equal(many.take(1).transitions, many.transitions[1])
    assert np.array_equal(many.transitions[0], sparse.transitions)
    assert many.solve(discount).q_values[0] == pytest.approx(right, abs=1.1e-7)
    assert many.solve(discount).policy.shape == (2, S)


def twin(world: Tabular) -> Any:
    return exact_q(world.transitions, expected(world.transitions, world.rewards), world.discount)


WORLDS: list[Tabular] = [
    DoubleLoop(),
    Grid(4),
    Maze(discount=0.99),
    Chain(discount=0.999),
    RandomMDP(12, 3, rows="sparse"),
]


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS, ids=repr)
def test_the_error_is_within_the_tolerance(world: Tabular) -> None:
    for tolerance in (1.0, 1e-3, 1e-8):
        q = world.mdp.solve(world.discount, tolerance=tolerance).q_values
        assert np.abs(q - twin(world)).max() <= tolerance


def test_tolerances_finer_than_doubles_allow() -> None:
    world = Chain(discount=0.99999)
    q = world.mdp.solve(world.discount, tolerance=1e-300).q_values
    rounding = 4 * (2 + 2) * np.finfo(float).eps * 10 * world.discount / (1 - world.discount) ** 2
    assert np.abs(q - twin(world)).max() <= rounding


def test_episodes_of_a_run() -> None:
    """Two episodes of two steps in a chain of three states; only the last step of each pays."""
    chain = MDP([[[0, 1, 0]], [[0, 0, 1]], [[0, 0, 1]]], [[0], [1], [5]])
    assert values_by_steps(chain, 1.0, 4, episode_length=2, start=0)[:, 0].tolist() == [
        0,
        0,
        1,
        1,
        2,
    ]
    assert values_by_steps(chain, 1.0, 4)[:, 0].tolist() == [0, 0, 1, 6, 11]


@pytest.mark.parametrize("episodes", [{}, {"episode_length": 2, "start": 1}])
@pytest.mark.parametrize("terminal", [(), [[0], [1], [2], [0, 1]]])
def test_several_by_steps(terminal: Any, episodes: dict[str, int]) -> None:
    """All at once is each alone."""
    mdp = K(terminal=terminal)
    layers = values_by_steps(mdp, 0.9, 5, **episodes)
    q = bellman_backup(mdp, layers[-2], 0.9)
    for k in range(4):
        one = mdp.take(k)
        assert layers[:, k] == pytest.approx(values_by_steps(one, 0.9, 5, **episodes), abs=1e-12)
        assert q[k] == pytest.approx(bellman_backup(one, layers[-2, k], 0.9), abs=1e-12)


def test_without_a_discount_where_every_policy_ends() -> None:
    walk = MDP(
        [[[0.5, 0.5], [0.9, 0.1]], [[0.0, 1.0]] * 2], [[-1.0, -0.1], [0.0, 0.0]], terminal=[1]
    )
    assert always_ends(walk)
    assert values_by_steps(walk, 1.0, None) == pytest.approx(np.array([[-1.0, 0]]))
    assert not always_ends(MDP(walk.transitions, walk.rewards))


TERMINAL = [[0], [], [1], [1, 2]]


@pytest.mark.parametrize(
    "paid", [R, np.random.default_rng(2).normal(size=(4, 3, 2, 3))], ids=["pairs", "transitions"]
)
def test_the_mean_has_the_exact_expectations(paid: Any) -> None:
    """Of a step that is taken in s, so in the worlds where s is not terminal: the reward, the next
    state, and ends.
    """
    weights = np.array([1, 2, 3, 4.0])
    mean = MDP(T, paid, terminal=TERMINAL, weights=weights).mean()
    V = np.array([3.0, -1.0, 2.0])
    for s in range(3):
        alive = [k for k in range(4) if s not in TERMINAL[k]]
        share = weights[alive] / weights[alive].sum()
        for a in range(2):
            rows = T[alive, s, a]
            rewards = (
                paid[alive, s, a] if paid.ndim == 3 else (rows * paid[alive, s, a]).sum(axis=1)
            )
            ahead = [
                sum(T[k, s, a, n] * V[n] for n in range(3) if n not in TERMINAL[k]) for k in alive
            ]
            assert mean.transitions[s, a] == pytest.approx(share @ rows)
            assert mean.expected_rewards[s, a] == pytest.approx(share @ rewards)
            assert bellman_backup(mean, V, 0.9)[s, a] == pytest.approx(
                share @ (rewards + 0.9 * np.array(ahead))
            )
    q = mean.solve(0.9, tolerance=1e-9).q_values
    assert q == pytest.approx(bellman_backup(mean, q.max(axis=1), 0.9), abs=3e-9)
    assert not mean.terminal.any()


def test_a_mean_whose_states_all_change_alike() -> None:
    """Each of two states is terminal in one of two worlds: half of all steps end, which must count
    in the bounds too.
    """
    mean = MDP(np.full((2, 2, 1, 2), 0.5), np.ones((2, 1)), terminal=[[0], [1]]).mean()
    assert mean.solve(0.9).values == pytest.approx([1 / (1 - 0.45)] * 2, abs=1e-7)


def test_the_mean_where_all_end_alike() -> None:
    mean = K(terminal=[1], weights=[0, 0, 1, 1]).mean()
    assert not termination(mean)[[0, 2]][..., [0, 2]].any(), "only with the terminal state"
    assert mean.terminal.tolist() == [False, True, False]
    assert mean.transitions[0] == pytest.approx((T[2, 0] + T[3, 0]) / 2)
    assert mean.rewards[1].tolist() == [0, 0]
    assert mean.mean() is mean


def test_parts() -> None:
    mdp = K(terminal=TERMINAL, weights=[1, 0, 2, 5], outcomes=Outcomes(deviations=np.abs(R)))
    assert mdp.weights == pytest.approx([0.125, 0, 0.25, 0.625])
    assert mdp.num_models == 4
    for cached in (False, True):
        one, two = mdp.take(2), mdp.take([3, 0])
        assert one.num_models is None
        assert np.array_equal(one.transitions, T[2])
        assert np.array_equal(two.rewards, R[[3, 0]])
        assert np.array_equal(continuation(two)[1], continuation(mdp.take(0)))
        assert one.terminal.tolist() == [False, True, False]
        assert two.weights.tolist() == [0.5, 0.5]  # type: ignore[union-attr]
        assert np.array_equal(one.outcomes.deviations, np.abs(R[2]))  # type: ignore[union-attr, arg-type]
        assert continuation(mdp).shape == T.shape or cached  # kept from here on
    other = with_weights(mdp, np.array([0, 0, 0, 1.0]))
    assert np.array_equal(other.mean().transitions[0], T[3, 0])
    assert mdp.weights[3] == 0.625, "unchanged"


def test_representatives() -> None:
    mdp = K(weights=[1, 0, 2, 5])
    assert resample(mdp, 3).weights == pytest.approx([0.125, 0.25, 0.625])
    assert np.array_equal(resample(mdp, 3).rewards, R[[0, 2, 3]])
    assert resample(K(), 4).num_models == 4
    two = resample(mdp, 2)  # the quantiles 1/4 and 3/4
    assert np.array_equal(two.rewards, R[[2, 3]])
    assert two.weights == pytest.approx([0.5, 0.5])
    assert np.array_equal(resample(mdp, 1).rewards, R[[3]])
    uneven = resample(K(weights=[1, 1, 2, 16]), 3)  # the quantiles 1/6, 1/2 and 5/6
    assert np.array_equal(uneven.rewards, R[[2, 3]])
    assert uneven.weights == pytest.approx([1 / 3, 2 / 3])
    many = MDP(np.ones((500, 1, 1, 1)), np.arange(500.0)[:, None, None], weights=np.arange(500))
    assert resample(many, 20).mean().rewards[0, 0] == pytest.approx(
        many.mean().rewards[0, 0], rel=0.01
    )
