"""What takes `seed` takes a NumPy generator or seed sequence too, and draws an integer from it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp import statistics, testing, validation
from bamdp.comparing import dataset, policy_regret, regret
from bamdp.environments import BayesAdaptiveEnv
from bamdp.fit import ChoiceRule, Model, simulate
from bamdp.fit.recovery import recover
from bamdp.fit.tasks import bandit

ARMS = bamdp.domains.Bandit([0.5, 0.5], discount=1.0, horizon=5)
GRID = bamdp.domains.Grid(3)
SOLVED = regret.SolvedProblem.solve(ARMS, tolerance=0.01)
MODEL = Model(ARMS.problem(), rule=ChoiceRule(0.1))


def run(seed: Any) -> Any:
    """The states of a run."""
    return bamdp.run(bamdp.agents.Random(GRID.problem()), GRID, steps=20, seed=seed).states.tolist()


def compare(seed: Any) -> Any:
    """The seed and the returns of a comparison."""
    agents = {"random": lambda domain, prior, own: bamdp.agents.Random(domain.problem(), seed=own)}
    result = bamdp.compare("small-chain", agents, worlds=5, steps=20, seed=seed, workers=1)
    return result.seed, result.values("random").tolist()


def bound(seed: Any) -> Any:
    """An upper bound from sampled worlds."""
    return bamdp.exact.upper_bound(GRID.problem(), 0, worlds=5, batches=5, delay=0, seed=seed).value


def measure(seed: Any) -> Any:
    """The returns of an agent in a solved problem."""

    def made(own: int, world: bamdp.Domain) -> bamdp.Agent:
        return bamdp.agents.Random(world.problem(), seed=own)

    return regret.measure(SOLVED, made, runs=5, seed=seed).values("return").tolist()


def of_policy(seed: Any) -> Any:
    """The returns of a policy."""
    env = BayesAdaptiveEnv(ARMS)
    result = policy_regret.policy_regret(lambda _: 0, env, worlds=5, seed=seed)
    return result.returns.tolist()


TAKE_A_SEED: list[Callable[[Any], Any]] = [
    run,
    compare,
    bound,
    measure,
    of_policy,
    lambda seed: simulate(MODEL, {}, games=4, seed=seed),
    lambda seed: dataset.make_dataset(ARMS, episodes=5, seed=seed).actions.tolist(),
    lambda seed: statistics.bootstrap([1.0, 2.0, 4.0, 8.0, 9.0, 9.5], seed=seed),
]


@pytest.mark.parametrize("call", TAKE_A_SEED)
def test_a_generator_is_the_integer_drawn_from_it(call: Callable[[Any], Any]) -> None:
    rng = np.random.default_rng(1)
    first, second = call(rng), call(rng)
    again = np.random.default_rng(1)
    assert first == call(int(again.integers(2**63)))
    assert second == call(int(again.integers(2**63))), "one draw for each call"
    assert first != second
    assert call(np.random.SeedSequence(1)) == call(np.random.SeedSequence(1))
    assert call(np.random.SeedSequence(1)) != call(np.random.SeedSequence(2))


def test_recovery_takes_a_generator() -> None:
    first, *others = (
        recover(bandit(games=2), people=1, seed=seed).rows[0]["true"]
        for seed in (np.random.default_rng(1), np.random.default_rng(1), np.random.default_rng(2))
    )
    assert [first == other for other in others] == [True, False]


def test_checks_take_a_generator() -> None:
    testing.check_domain(GRID, seed=np.random.default_rng(0))
    testing.check_prior(bamdp.priors.Dirichlet(), 3, 2, seed=np.random.SeedSequence(0))


def test_a_drawn_seed_fits_a_signed_integer_of_64_bits() -> None:
    rng = np.random.default_rng(0)
    drawn = [validation.integer_seed(rng) for _ in range(100)]
    drawn += [validation.integer_seed(np.random.SeedSequence(n)) for n in range(100)]
    assert len(set(drawn)) == 200
    assert 2**62 < max(drawn) < 2**63
    assert min(drawn) >= 0


@pytest.mark.parametrize("wrong", [None, "0", 1.5, np.random.PCG64(0), np.random.RandomState(0)])
def test_what_is_no_seed_is_refused(wrong: Any) -> None:
    with pytest.raises(
        TypeError, match=r"seed must be an integer of at least 0, a numpy\.random\."
    ):
        run(wrong)
    with pytest.raises(ValueError, match="seed must be an integer of at least 0, got -1"):
        run(-1)
