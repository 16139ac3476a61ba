"""The native Bellman solver against policy iteration on dense tables, each policy solved as linear
equations.
"""

import numpy as np
import pytest

from bamdp import BAMDP, MDP, Belief, Prior, _core
from bamdp.domains import Maze
from bamdp.priors import BetaArms, Dirichlet, SparseDirichlet
from bamdp.search.solver import ModelSolver
from reference.policy_iteration import Array, exact_q, expected
from reference.problems import belief_of

RNG = np.random.default_rng(0)
PRIORS: list[Prior] = [
    Dirichlet(),
    Dirichlet(2.0),
    SparseDirichlet(),
    SparseDirichlet(alpha=3.0, exponent=0.5),
    Dirichlet(RNG.uniform(0, 1, 6) * [1, 1, 0, 1, 1, 0]),
    Dirichlet(
        RNG.uniform(0, 1, (6, 2, 6)) * (RNG.random((6, 2, 6)) < 0.5) + 0.01 * np.eye(6)[:, None, :]
    ),
]
REWARDS = [RNG.normal(size=(6, 2)), RNG.normal(size=(6, 2, 6))]


def solved(solver: ModelSolver, tolerance: float) -> Array:
    solver.solve(tolerance)
    return solver.q_table()


def walk(belief: Belief, steps: int, rng: np.random.Generator) -> None:
    """Transitions that the belief holds possible; states 4 and 5 are seldom left, so that some are
    never met.
    """
    state = 0
    for _ in range(steps):
        action = int(rng.integers(2))
        next_state = int(rng.choice(6, p=belief.predictive(state, action)))
        belief.observe(state, action, None, next_state)
        state = next_state if next_state < 4 else int(rng.integers(3))


@pytest.mark.parametrize("discount", [0.0, 0.9, 0.99])
@pytest.mark.parametrize("rewards", REWARDS, ids=["R(s,a)", "R(s,a,s')"])
@pytest.mark.parametrize("prior", PRIORS, ids=repr)
def test_posterior_mean_step_by_step(prior: Prior, rewards: Array, discount: float) -> None:
    belief, rng = BAMDP(prior, rewards, discount).belief(), np.random.default_rng(1)
    warm = ModelSolver(belief)
    for step in range(25):
        for solver, tolerance in ((warm, 1e-3), (warm, 1e-9), (ModelSolver(belief), 1e-6)):
            solver.load_mean()
            mean = belief.mean().transitions
            error = np.abs(
                solved(solver, tolerance) - exact_q(mean, expected(mean, rewards), discount)
            ).max()
            assert error <= tolerance, f"step {step}"
        walk(belief, 1 if step % 5 else 3, rng)


def test_equations_grow_with_what_was_observed_not_with_the_states() -> None:
    S = 1_000_000
    belief = belief_of(SparseDirichlet(), S, 2)
    solver = ModelSolver(belief)
    for step in range(100):
        solver.load_mean()
        solver.solve(1e-6)
        assert solver.native.num_active == (step + 1 if step else 0)
        belief.observe(step, 0, None, step + 1)


@pytest.mark.parametrize("bonus", [0.5, 7.0])
def test_bonus(bonus: float) -> None:
    rng = np.random.default_rng(3)
    weights = np.arange(1, 7) ** -2.0  # of the support sizes
    for prior, mass in (
        (Dirichlet(0.5), 3.0),
        (SparseDirichlet(), 0.2 * weights @ np.arange(1, 7) / weights.sum()),
    ):
        belief, visits = BAMDP(prior, REWARDS[0], 0.9).belief(), np.zeros((6, 2))
        solver = ModelSolver(belief)
        for _ in range(20):
            solver.load_mean(bonus)
            exact = exact_q(
                belief.mean().transitions, REWARDS[0] + bonus / (1 + mass + visits), 0.9
            )
            assert np.abs(solved(solver, 1e-8) - exact).max() <= 1e-8
            s, a, s_next = (int(rng.integers(n)) for n in (4, 2, 6))
            belief.observe(s, a, None, s_next)
            visits[s, a] += 1


@pytest.mark.parametrize("rewards", REWARDS, ids=["R(s,a)", "R(s,a,s')"])
def test_merged_tables(rewards: Array) -> None:
    models = np.random.default_rng(4).dirichlet(np.full(6, 0.2), size=(5, 6, 2))
    solver = ModelSolver(BAMDP(Dirichlet(), rewards, 0.95).belief())
    solver.load(MDP(models, np.zeros((6, 2))))  # its rewards are known: those of the problem
    wide = np.concatenate(list(models), axis=1)  # [S, A·K, S]
    paid = np.concatenate([expected(model, rewards) for model in models], axis=1)
    exact = exact_q(wide, paid, 0.95).reshape(6, 5, 2).max(axis=1)
    assert np.abs(solved(solver, 1e-8) - exact).max() <= 1e-8


@pytest.mark.parametrize("prior", PRIORS, ids=repr)
def test_samples_are_those_of_the_belief(prior: Prior) -> None:
    """The solver draws the very models that the belief gives for the same seed."""
    belief = BAMDP(prior, REWARDS[1], 0.9).belief()
    walk(belief, 30, np.random.default_rng(5))
    solver = ModelSolver(belief)
    for seed in range(10):
        solver.load_samples(1, np.random.default_rng(seed))
        model = belief.sample(1, np.random.default_rng(seed)).take(0)
        exact = exact_q(model.transitions, model.expected_rewards, 0.9)
        assert np.abs(solved(solver, 1e-8) - exact).max() <= 1e-8


def test_models_with_absorbing_parts() -> None:
    """Samples of a sparse prior fall apart into parts that never meet: nothing that mixes can be
    taken for granted.
    """
    rng = np.random.default_rng(6)
    for _ in range(30):
        rewards, model = rng.normal(size=(20, 3)), np.eye(20)[rng.integers(20, size=(20, 3))]
        solver = ModelSolver(BAMDP(Dirichlet(), rewards, 0.95).belief())
        solver.load(MDP(model, rewards))
        assert solver.native.solve(1e-8) < 100, "full backups"
        assert np.abs(solved(solver, 1e-8) - exact_q(model, rewards, 0.95)).max() <= 1e-8


def test_it_can_be_stopped() -> None:
    class StopError(Exception):
        pass

    def stop() -> None:
        raise StopError

    (native,), solver = belief_of(Dirichlet(), 264, 4).native, _core.Solver(Maze().rewards, 0.95)
    with pytest.raises(StopError):
        solver.load_samples(native, 200, [1, 2, 3, 4], stop)
    solver.load_samples(native, 1, [1, 2, 3, 4])
    solver.solve(1e-3)


# Where the states that it keeps as one, never met, carry the residual. After a full backup all
# states met may have changed alike: by these alone the values would be known exactly. That the
# others have not changed must count.
SEEN = {
    "nothing": [],
    "one step": [(0, 0)],
    "one state, often": [(0, 0)] * 20,
    "two states, to and fro": [(0, 1), (1, 0)] * 5,
    "two states, each to itself": [(0, 0), (1, 1)] * 5,
}
PAID = {
    "the states met pay": [1.0, 1.0, 0.0, 0.0, 0.0, 0.0],
    "the others pay": [0.0, 0.0, 1.0, 1.0, 1.0, 1.0],
    "one of each pays": [1.0, 0.0, -1.0, 0.0, 0.0, 2.0],
    "the others cost": [0.0, 0.0, -1.0, -1.0, -3.0, -1.0],
}


@pytest.mark.parametrize("paid", PAID)
@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize(
    "prior",
    [Dirichlet(1.0), SparseDirichlet(), Dirichlet([3.0, 0.5, 1.0, 1.0, 0.0, 2.0])],
    ids=repr,
)
def test_the_tolerance_bounds_the_error(prior: Prior, seen: str, paid: str) -> None:
    rewards = np.array(PAID[paid])[:, None]
    belief = BAMDP(prior, rewards, 0.9).belief()
    for state, next_state in SEEN[seen]:
        belief.observe(state, 0, None, next_state)
    exact = exact_q(belief.mean().transitions, rewards, 0.9)
    warm = ModelSolver(belief)
    for tolerance in (1.0, 1e-2, 1e-5, 1e-9):
        for solver in (ModelSolver(belief), warm):
            solver.load_mean()
            assert np.abs(solved(solver, tolerance) - exact).max() <= tolerance


def test_values_that_overflow_end_too() -> None:
    solver = _core.Solver(np.full((2, 1), 1e308), 0.99)
    solver.load_mean(belief_of(Dirichlet(1.0), 2, 1).native[0])
    solver.solve(1e-6)
    assert not np.isfinite(solver.q_values(0)).all()


def test_samples_of_tied_rows() -> None:
    solver = ModelSolver(BAMDP(BetaArms(), [[[0.0, 1.0]] * 3] * 2, 0.9).belief())
    solver.load_samples(1, np.random.default_rng(0))
    q = solved(solver, 1e-9)
    assert np.allclose(q[0], q[1])
    assert len(set(q[0])) == 3
