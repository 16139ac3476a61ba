"""Exact labels of the Bayes-adaptive environment, and the sentences where there are none."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import bamdp
from bamdp.domains import Bandit, Chain, Gymnasium, NormalBandit
from bamdp.environments import BayesAdaptiveEnv
from bamdp.exact import Labels, bayes_optimal
from bamdp.priors import Finite
from bamdp.suite import RL2MDP, SmallChain

ARMS = Bandit([0.5, 0.5], 1.0, horizon=8)


def episode(env: Any, seed: int, optimal: bool) -> list[dict[str, Any]]:
    """The infos of an episode, by optimal actions or by others."""
    _, info = env.reset(seed=seed)
    infos, over = [info], False
    while not over:
        action = info["optimal_action"]
        if not optimal:
            action = (action + len(infos)) % env.action_space.n
        _, _, terminated, truncated, info = env.step(action)
        infos.append(info)
        over = terminated or truncated
    return infos


def test_labels_are_the_exact_solution_from_the_counts_on() -> None:
    env = BayesAdaptiveEnv(ARMS, labels="exact")
    observation, info = env.reset(seed=3)
    for step in range(8):
        belief = ARMS.problem().belief()
        for arm, seen in enumerate(observation["belief"]):
            for outcome, n in enumerate(seen):
                for _ in range(int(n)):
                    belief.observe(0, arm, None, outcome)
        expected = bayes_optimal(belief.problem, 0, horizon=8 - step, belief=belief).q_values
        assert np.allclose(info["q_values"], expected, atol=1e-9)
        assert info["optimal_action"] == np.argmax(info["q_values"])
        assert info["q_error"] == 0
        observation, _, _, _, info = env.step(step % 2)
        assert info["regret"] == pytest.approx(expected.max() - expected[step % 2])
    assert np.isnan(info["q_values"]).all()
    assert info["optimal_action"] == -1


def test_regrets_add_up_to_the_difference_of_returns() -> None:
    """1500 episodes: 5.3 standard errors of the difference, false alarm 1e-7."""
    env = BayesAdaptiveEnv(ARMS, labels="exact")
    env.reset(seed=0)
    differences = []
    for n in range(1500):
        env.reset(seed=0 if n == 0 else None)
        lost = earned = 0.0
        for step in range(8):
            _, reward, _, _, info = env.step(step % 2)
            lost, earned = lost + info["regret"], earned + reward
        differences.append(lost + earned)
    optimum = bayes_optimal(ARMS.problem(), 0).value
    error = np.std(differences) / np.sqrt(len(differences))
    assert abs(np.mean(differences) - optimum) < 5.3 * error


@pytest.mark.parametrize(
    ("domain", "settings"),
    [
        (SmallChain(), {"steps": 9}),
        ("small-chain", {"steps": 9, "discount": 0.9}),
        (NormalBandit([0.0, 0.0], 1.0, 1.0, horizon=5), {}),
        ("two-arms", {"steps": 6}),
    ],
)
def test_the_optimal_action_has_no_regret(domain: Any, settings: dict[str, Any]) -> None:
    env = BayesAdaptiveEnv(domain, labels="exact", **settings)
    for seed in range(5):
        assert max(info["regret"] for info in episode(env, seed, optimal=True)) < 1e-9
    assert sum(info["regret"] for info in episode(env, 0, optimal=False)) > 0.01


def test_bounds_of_a_few_models_contain_the_exact_values() -> None:
    """The same problem by its belief states, and with too few of them allowed, by bounds."""
    tables = np.stack([Chain(slip=slip).transitions for slip in (0.05, 0.3, 0.5)])
    problem = bamdp.BAMDP(Finite(tables), Chain().rewards, 0.9, start=0, horizon=12)
    exact = Labels(problem, 0, 12).walk()
    bounds = Labels(problem, 0, 12, limit=5)
    assert not bounds.exact
    walk = bounds.walk()
    for action, next_state in ((0, 1), (0, 0), (1, 1), (0, 2)):
        assert 0 < bounds.error(walk) < 1
        assert np.abs(walk.q_values - exact.q_values).max() <= bounds.error(walk) + 1e-9
        walk.step(action, next_state)
        exact.step(action, next_state)


def test_without_labels_infos_are_empty() -> None:
    env = BayesAdaptiveEnv(ARMS)
    assert env.reset(seed=0)[1] == {}
    assert env.step(0)[4] == {}


def test_vector_environments_have_labels() -> None:
    envs = gymnasium.make_vec(
        "bamdp/BayesAdaptive-v0", num_envs=3, domain=ARMS, labels="exact", flat=True
    )
    _, infos = envs.reset(seed=0)
    assert infos["q_values"].shape == (3, 2)
    for _ in range(8):
        assert (infos["optimal_action"] == infos["q_values"].argmax(axis=1)).all()
        _, _, _, truncations, infos = envs.step(infos["optimal_action"])
        assert np.allclose(infos["regret"], 0)
    assert truncations.all()
    envs.close()


def test_names_of_problems_and_problems_are_accepted() -> None:
    named = BayesAdaptiveEnv("rl2-mdp")
    made = BayesAdaptiveEnv(RL2MDP(episodes=10))
    assert named.steps == made.steps == 100
    assert named.reset(seed=1)[0]["state"] == made.reset(seed=1)[0]["state"] == 0
    assert np.array_equal(named.world.transitions, made.world.transitions)


@pytest.mark.parametrize(
    ("domain", "settings", "message"),
    [
        ("grid", {"labels": "exact"}, "no exact labels for .* belief states would be needed"),
        ("rl2-mdp", {"labels": "exact"}, "no exact labels"),
        ("grid-navi", {"labels": "exact"}, "only the values at its start are known"),
        (ARMS, {"labels": "exakt"}, "labels must be one of 'exact', got 'exakt'; did you mean"),
        ("riverswim", {}, "worlds drawn from the prior of the agents, which those of riverswim"),
        ("rl2-mpd", {}, "did you mean"),
        (Gymnasium("Taxi-v4"), {"labels": "exact", "steps": 2}, "one start state"),
    ],
)
def test_sentences_where_there_are_none(domain: Any, settings: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        BayesAdaptiveEnv(domain, **settings)
