"""The regret of a policy: optimal ones have none, others what can be computed."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from bamdp import MDP
from bamdp.comparing.policy_regret import PolicyRegret, policy_regret
from bamdp.comparing.regret import SolvedProblem, measure
from bamdp.domains import Bandit, Chain, GridNavi, Gymnasium, NormalBandit, Tabular
from bamdp.environments import BayesAdaptiveEnv, DomainEnv
from bamdp.exact import TooManyBeliefStatesError, bayes_optimal
from bamdp.priors import Dirichlet, Finite
from reference.rejections import rejections

ARMS = Bandit([0.5, 0.5], 1.0, horizon=8)
NAVI = GridNavi(3, episode_length=6, episodes=2)
TABLES = np.stack([Chain(slip=slip).transitions for slip in (0.05, 0.5)])
ENDING = Tabular(MDP(TABLES[0], Chain().rewards, terminal=[3]), 0.9, time_limit=4, steps=6)


def first(observation: Any) -> int:
    """Always the first action."""
    return 0


def greedy(observation: Any) -> int:
    """The arm with the highest mean, the first of equal ones."""
    counts = observation["belief"]
    return int(((counts[:, 1] + 1) / (counts.sum(axis=1) + 2)).argmax())


def best_arm(observation: Any) -> int:
    """The optimal arm, by the exact solution from the counts on."""
    return _best_arm(observation["belief"].tolist(), 8 - int(observation["step"]))


def _best_arm(counts: Any, left: int) -> int:
    belief = ARMS.problem().belief()
    for arm, seen in enumerate(counts):
        for outcome, n in enumerate(seen):
            for _ in range(int(n)):
                belief.observe(0, arm, None, outcome)
    return bayes_optimal(belief.problem, 0, horizon=max(left, 1), belief=belief).action


def test_the_optimal_policy_has_no_regret() -> None:
    """By losses exactly none, whatever luck it has; by returns within 5.73 standard errors, a false
    alarm of 1e-8.
    """
    env = BayesAdaptiveEnv(ARMS)
    result = policy_regret(best_arm, env, worlds=120)
    assert result.by == "losses"
    assert np.abs(result.regrets).max() < 1e-9
    assert (result.regret.value, result.regret.half) == pytest.approx((0, 0), abs=1e-9)
    assert result.optimal_value == pytest.approx(bayes_optimal(ARMS.problem(), 0).value)
    by_returns = policy_regret(best_arm, env, worlds=120, optimal_value=result.optimal_value)
    assert np.array_equal(result.returns, by_returns.returns)
    assert abs(by_returns.regret.value) < 5.73 * by_returns.returns.std() / np.sqrt(120)


def test_the_same_arm_always_has_the_regret_of_half_of_the_steps() -> None:
    """Its value is 8/2; both ways agree with it, false alarms of 1e-8."""
    env, true = BayesAdaptiveEnv(ARMS), bayes_optimal(ARMS.problem(), 0).value - 4
    by_losses, by_returns = (
        policy_regret(first, env, worlds=800, seed=2, optimal_value=v) for v in (None, true + 4)
    )
    for result in (by_losses, by_returns):
        assert len(result.regrets) == len(result.returns) == 800
        assert abs(result.regret.value - true) < 5.73 * result.regrets.std() / np.sqrt(800)
    assert by_losses.regrets.std() < 0.5 * by_losses.returns.std()
    assert by_losses.regret.low is not None
    assert by_losses.regret.low < true < by_losses.regret.high  # type: ignore[operator]


CASES: dict[str, dict[str, Any]] = {
    "terminal states": {"domain": ENDING, "prior": Dirichlet(0.5)},
    "one episode": {"domain": ENDING, "prior": Dirichlet(0.5), "episodes": 1},
    "worlds": {"domain": Chain(), "prior": Finite(TABLES), "steps": 7},
    "ends of worlds": {"domain": Chain(), "prior": Finite(TABLES, terminal=[[1], [3]]), "steps": 7},
    "grid-navi": {"domain": NAVI},
    "one episode of two": {"domain": NAVI, "episodes": 1},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_losses_and_returns_agree(name: str) -> None:
    """E[V − G] is the mean of the losses, whatever the policy and the kind of episodes; false alarm
    1e-8.
    """
    rng, worlds = np.random.default_rng(0), 13_000 if name == "one episode" else 4000
    env = BayesAdaptiveEnv(**CASES[name])
    result = policy_regret(lambda seen: rng.integers(env.domain.num_actions), env, worlds=worlds)
    assert result.by == "losses"
    sums = result.regrets + result.returns - result.optimal_value
    assert abs(sums.mean()) < 5.73 * sums.std() / np.sqrt(worlds)
    assert 5.73 * sums.std() / np.sqrt(worlds) < result.regret.value, (
        "a bound that could not fail would be no test"
    )


@pytest.mark.parametrize(
    ("size", "length", "episodes", "by"), [(3, 6, 2, "losses"), (5, 15, 4, "returns")]
)
def test_means_over_the_goals_of_grid_navi_have_no_noise(
    size: int, length: int, episodes: int, by: str
) -> None:
    """Of the exact path through the small grid no regret, of going to the nearest possible goal in
    the larger one 0.3143.
    """
    domain = GridNavi(size, episode_length=length, episodes=episodes)
    goals = np.asarray(domain.goals)

    def nearest(seen: Any) -> int:
        down, right = goals // size - seen["state"] // size, goals % size - seen["state"] % size
        goal = np.where(seen["belief"] > 0, abs(down) + abs(right), 99).argmin()
        return int(
            np.select(
                [down[goal] > 0, down[goal] < 0, right[goal] > 0, right[goal] < 0], [3, 1, 2, 4], 0
            )
        )

    env = BayesAdaptiveEnv(domain)
    found = policy_regret(nearest, env, worlds=400)
    assert found.by == by
    assert found.regret.value == pytest.approx({3: 0, 5: 0.3142857}[size], abs=1e-6)
    if by == "returns":
        assert found.optimal_value == pytest.approx(37.2142857)
        assert found.regret.half == pytest.approx(0, abs=1e-9), "nothing but the world is random"
    still = policy_regret(first, env, worlds=200)
    assert still.value.value == pytest.approx(-0.1 * length * episodes)


def test_a_seed_is_a_result() -> None:
    env = BayesAdaptiveEnv(ARMS)
    one, again = (policy_regret(greedy, env, worlds=17, seed=3) for _ in range(2))
    assert np.array_equal(one.returns, again.returns)
    assert len(one.returns) == len(one.regrets) == 17
    assert not np.array_equal(one.returns, policy_regret(greedy, env, worlds=17, seed=4).returns)


def test_a_policy_with_memory_is_reset() -> None:
    class Alternating:
        calls = 0

        def reset(self) -> None:
            self.calls += 1
            self.next = 0

        def __call__(self, observation: Any) -> int:
            self.next = 1 - self.next
            return 1 - self.next

    policy = Alternating()
    result = policy_regret(policy, BayesAdaptiveEnv(ARMS), worlds=5)
    assert policy.calls == 5
    assert len(result.returns) == 5


def test_an_optimal_value_that_is_known_or_a_bound() -> None:
    env = BayesAdaptiveEnv(NormalBandit([0.0, 0.0], 0.9), steps=5)
    result = policy_regret(first, env, worlds=40, optimal_value=3.0)
    assert (result.by, result.optimal_value) == ("returns", 3.0)
    assert np.allclose(result.regrets, 3.0 - result.returns)


def test_in_wrappers_and_as_text() -> None:
    env = gymnasium.make("bamdp/BayesAdaptive-v0", domain=ARMS, flat=True)
    result = policy_regret(lambda vector: 0, env, worlds=30)
    assert isinstance(result, PolicyRegret)
    text = str(result).splitlines()
    assert text[0].startswith("Bayes-optimal  4.7")
    assert text[1].startswith("regret ")
    assert text[-1] == "in 30 worlds drawn from the prior, by the losses"
    assert "…" not in str(policy_regret(lambda vector: 0, env, worlds=2)), "no interval of two"


def test_agents_have_a_regret_in_grid_navi_too() -> None:
    """Where the belief states can't be kept: optimal value minus return."""
    from bamdp.agents import Oracle, Random

    domain = GridNavi()
    problem = SolvedProblem.solve(domain, domain.problem().prior)
    assert problem.by == "returns"
    done = measure(problem, lambda seed, world: Random(world.problem(), seed=seed), runs=5)
    assert done.values("regret") == pytest.approx(
        problem.optimum.value - done.values("discounted_return")
    )
    with pytest.raises(ValueError, match="which knows it"):
        measure(problem, lambda seed, world: Oracle(world.problem(), world=world.mdp), runs=1)


call: Any = policy_regret
LONG = BayesAdaptiveEnv(Chain(), prior=Dirichlet(), steps=100)
EPISODES = BayesAdaptiveEnv(ENDING, prior=Dirichlet(), episodes=2)

test_rejected = rejections(
    (TypeError, "policy must be", lambda: call(3, LONG)),
    (TypeError, "env must be a BayesAdaptiveEnv, got", lambda: call(first, DomainEnv("chain"))),
    (TypeError, "env must be a BayesAdaptiveEnv", lambda: call(first, None)),
    (ValueError, "worlds must be an integer from 1", lambda: call(first, LONG, worlds=0)),
    (ValueError, "optimal_value must be", lambda: call(first, LONG, optimal_value=float("nan"))),
    (
        TooManyBeliefStatesError,
        "or give optimal_value: the value if you know it, or an upper",
        lambda: call(first, LONG),
    ),
    (ValueError, "episodes=2 can't be solved.*give optimal_value", lambda: call(first, EPISODES)),
    (
        TypeError,
        "two arms.*give optimal_value",
        lambda: call(first, BayesAdaptiveEnv("normal-bandit", steps=3)),
    ),
    (
        TypeError,
        "one start state",
        lambda: call(first, BayesAdaptiveEnv(Gymnasium("FrozenLake-v1"), steps=3)),
    ),
)
