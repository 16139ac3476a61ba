"""The native Bellman solver against policy iteration on dense tables, each policy solved as linear equations."""

import numpy as np
import pytest

from bamdp import Belief, Prior, _core
from bamdp.domains import Maze
from bamdp.priors import BetaArms, Dirichlet, SparseDirichlet
from bamdp.priors._conjugate import ConjugateBelief
from reference.policy_iteration import Array, exact_q, expected, solved
from reference.problems import belief_of

RNG = np.random.default_rng(0)
PRIORS: list[Prior] = [
    Dirichlet(),
    Dirichlet(2.0),
    SparseDirichlet(),
    SparseDirichlet(alpha=3.0, exponent=0.5),
    Dirichlet(RNG.uniform(0, 1, 6) * [1, 1, 0, 1, 1, 0]),
    Dirichlet(RNG.uniform(0, 1, (6, 2, 6)) * (RNG.random((6, 2, 6)) < 0.5) + 0.01 * np.eye(6)[:, None, :]),
]
REWARDS = [RNG.normal(size=(6, 2)), RNG.normal(size=(6, 2, 6))]


def walk(belief: Belief, steps: int, rng: np.random.Generator) -> None:
    """Transitions that the belief holds possible; states 4 and 5 are seldom left, so that some are never met."""
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
    belief, rng = belief_of(prior, 6, 2), np.random.default_rng(1)
    warm = _core.Solver(rewards, discount)
    for step in range(25):
        cold = _core.Solver(rewards, discount)
        for solver, tolerance in ((warm, 1e-3), (warm, 1e-9), (cold, 1e-6)):
            belief.load_mean(solver)
            mean = belief.mean().transitions
            error = np.abs(solved(solver, tolerance) - exact_q(mean, expected(mean, rewards), discount)).max()
            assert error <= tolerance, f"step {step}"
        walk(belief, 1 if step % 5 else 3, rng)


def test_few_states_met_of_many() -> None:
    prior, rng = SparseDirichlet(), np.random.default_rng(2)
    rewards = rng.normal(size=(60, 3))
    belief, solver = belief_of(prior, 60, 3), _core.Solver(rewards, 0.95)
    for _ in range(40):
        belief.observe(*(int(rng.integers(n)) for n in (5, 3, 8)))
        belief.load_mean(solver)
        assert np.abs(solved(solver, 1e-8) - exact_q(belief.mean().transitions, rewards, 0.95)).max() <= 1e-8


def test_equations_grow_with_what_was_observed_not_with_the_states() -> None:
    S = 1_000_000
    belief, solver = belief_of(SparseDirichlet(), S, 2), _core.Solver(np.zeros((S, 2)), 0.95)
    for step in range(100):
        belief.load_mean(solver)
        solver.solve(1e-6)
        assert solver.num_active == (step + 1 if step else 0)
        belief.observe(step, 0, None, step + 1)


@pytest.mark.parametrize("bonus", [0.5, 7.0])
def test_bonus(bonus: float) -> None:
    rng = np.random.default_rng(3)
    for prior, mass in ((Dirichlet(0.5), 3.0), (SparseDirichlet(), 0.2 * expected_support(6, 2.0))):
        belief, solver, visits = belief_of(prior, 6, 2), _core.Solver(REWARDS[0], 0.9), np.zeros((6, 2))
        for _ in range(20):
            belief.load_mean(solver, bonus)
            exact = exact_q(belief.mean().transitions, REWARDS[0] + bonus / (1 + mass + visits), 0.9)
            assert np.abs(solved(solver, 1e-8) - exact).max() <= 1e-8
            s, a, s_next = (int(rng.integers(n)) for n in (4, 2, 6))
            belief.observe(s, a, None, s_next)
            visits[s, a] += 1


def expected_support(S: int, exponent: float) -> float:
    k = np.arange(1, S + 1)
    return float((k * k**-exponent).sum() / (k**-exponent).sum())


@pytest.mark.parametrize("rewards", REWARDS, ids=["R(s,a)", "R(s,a,s')"])
def test_merged_tables(rewards: Array) -> None:
    models = np.random.default_rng(4).dirichlet(np.full(6, 0.2), size=(5, 6, 2))
    solver = _core.Solver(rewards, 0.95)
    solver.load_tables(models)
    wide = np.concatenate(list(models), axis=1)  # [S, A·K, S]
    paid = np.concatenate([expected(model, rewards) for model in models], axis=1)
    exact = exact_q(wide, paid, 0.95).reshape(6, 5, 2).max(axis=1)
    assert np.abs(solved(solver, 1e-8) - exact).max() <= 1e-8


@pytest.mark.parametrize("prior", PRIORS, ids=repr)
def test_samples_are_those_of_the_belief(prior: Prior) -> None:
    """The solver draws the very models that `sample_mdp` gives for the same seed."""
    belief = belief_of(prior, 6, 2)
    walk(belief, 30, np.random.default_rng(5))
    assert isinstance(belief, ConjugateBelief)
    solver = _core.Solver(REWARDS[1], 0.9)
    for seed in range(10):
        state = np.random.SeedSequence(seed).generate_state(4, np.uint64).tolist()
        solver.load_samples(belief._native, 1, state)
        model = belief._native.sample(1, state).transitions[0]
        assert np.abs(solved(solver, 1e-8) - exact_q(model, expected(model, REWARDS[1]), 0.9)).max() <= 1e-8


def test_samples_of_tied_rows() -> None:
    belief, solver = belief_of(BetaArms(), 2, 3), _core.Solver(np.broadcast_to([0.0, 1.0], (2, 3, 2)).copy(), 0.9)
    belief.load_samples(solver, 1, np.random.default_rng(0))
    q = solved(solver, 1e-9)
    assert np.allclose(q[0], q[1])
    assert len(set(q[0])) == 3


def test_models_with_absorbing_parts() -> None:
    """Samples of a sparse prior fall apart into parts that never meet: nothing that mixes can be taken for granted."""
    rng = np.random.default_rng(6)
    for _ in range(30):
        rewards, model = rng.normal(size=(20, 3)), np.eye(20)[rng.integers(20, size=(20, 3))]
        solver = _core.Solver(rewards, 0.95)
        solver.load_tables(model[None])
        backups = solver.solve(1e-8)
        assert backups < 100
        assert np.abs(solved(solver, 1e-8) - exact_q(model, rewards, 0.95)).max() <= 1e-8


def test_unreachable_precision_ends() -> None:
    solver = _core.Solver(REWARDS[0], 0.99)
    solver.load_tables(np.random.default_rng(7).dirichlet(np.ones(6), size=(1, 6, 2)))
    solver.solve(1e-300)


def test_it_can_be_stopped() -> None:
    class StopError(Exception):
        pass

    def stop() -> None:
        raise StopError

    world = Maze()
    belief, solver = belief_of(Dirichlet(), 264, 4), _core.Solver(world.rewards, world.discount)
    with pytest.raises(StopError):
        solver.load_samples(belief._native, 200, [1, 2, 3, 4], stop)
    solver.load_samples(belief._native, 1, [1, 2, 3, 4])
    solver.solve(1e-3)
