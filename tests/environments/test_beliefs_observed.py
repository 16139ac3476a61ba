"""What observations say of every kind of prior is what its belief says, and worlds are drawn from
it.
"""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from numpy.typing import NDArray
from scipy import stats

import bamdp
from bamdp.domains import GridNavi
from bamdp.environments import BAYES_ADAPTIVE, BayesAdaptiveEnv
from bamdp.priors import Dirichlet, Finite, Normal, UnknownRewards
from bamdp.priors.beta_arms import has_independent_arms
from bamdp.priors.normal_arms import normal_outcomes
from bamdp.priors.unknown_rewards import transition_prior
from bamdp.steps import Step
from reference.bayes_adaptive import KINDS, PLAIN

Array = NDArray[np.float64]

EYE, FLIP = np.eye(2)[:, None], np.eye(2)[::-1][:, None]  # two worlds of one action: stay, switch


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("flat", [False, True], ids=["parts", "flat"])
def test_gymnasium_s_checker_has_nothing_to_say(name: str, flat: bool) -> None:
    pytest.importorskip("PIL")
    check_env(gymnasium.make(BAYES_ADAPTIVE, flat=flat, **KINDS[name]).unwrapped)


def expected(
    env: BayesAdaptiveEnv, belief: Any, counts: Array, rewards: list[list[list[float]]]
) -> dict[str, Any]:
    """The tables, from a belief that saw the same and from what it saw."""
    prior: Any = env.problem.prior
    rows, tied = (
        getattr(belief, "transitions", belief),
        has_independent_arms(transition_prior(prior)),
    )
    if env.belief == "mean":
        mean = belief.mean()
        known = {"belief": mean.transitions[0] if tied else mean.transitions}
        return known | ({"rewards": mean.rewards} if belief.problem.prior.unknown_rewards else {})
    parts = {
        "belief": rows.weights
        if env.belief == "weights"
        else counts.sum(axis=0)
        if tied
        else counts
    }
    if rows is not belief:
        normal = normal_outcomes(prior) is not None
        each = [
            [_moments(seen) if normal else [seen.count(v) for v in prior.values] for seen in row]
            for row in rewards
        ]
        parts["rewards"] = np.array(each)
    return parts


def _moments(seen: list[float]) -> list[float]:
    return [len(seen), float(np.mean(seen)), float(np.var(seen))] if seen else [0, 0, 0]


@pytest.mark.parametrize("name", KINDS)
def test_the_tables_are_those_of_a_belief_that_saw_the_same(name: str) -> None:
    env = BayesAdaptiveEnv(**KINDS[name])
    S, A = env.domain.num_states, env.domain.num_actions
    assert env.belief == KINDS[name].get("belief", env.belief)
    rng = np.random.default_rng(1)
    for seed in range(3):
        first, _ = env.reset(seed=seed)
        observation, before = first, {name: np.array(table) for name, table in first.items()}
        belief, counts, steps, over = env.problem.belief(), np.zeros((S, A, S)), 0, False
        seen: list[list[list[float]]] = [[[] for _ in range(A)] for _ in range(S)]
        while not over:
            state, action = int(observation["state"]), int(rng.integers(A))
            observation, reward, terminated, truncated, _ = env.step(action)
            over, steps = terminated or truncated, steps + 1
            next_state = env.seen.next_state  # before the next episode of the domain starts
            belief.observe(state, action, reward, next_state, next_state in env.world.terminal)
            counts[state, action, next_state] += 1
            seen[state][action].append(reward)
            parts = expected(env, belief, counts, seen)
            assert set(parts) == set(observation) - {"state", "step"}
            for part, table in parts.items():
                np.testing.assert_allclose(observation[part], table, rtol=1e-5, atol=1e-6)
            assert observation.get("step", steps) == steps
            assert ("step" in observation) == (env.problem.horizon is not None)
        assert all(np.array_equal(first[name], table) for name, table in before.items()), (
            "a later step changes no observation"
        )


def test_episodes_of_a_fixed_length_start_over_in_the_same_world() -> None:
    env = BayesAdaptiveEnv(GridNavi(3, episode_length=4, episodes=3))
    observation, _ = env.reset(seed=2)
    weights = [observation["belief"]]
    for step in range(1, 13):
        observation, _, terminated, truncated, _ = env.step([2, 2, 3, 3][(step - 1) % 4])
        weights.append(observation["belief"])
        assert (terminated, truncated) == (False, step == 12)
        assert observation["step"] == step
        assert observation["state"] == ([8, 1, 2, 5][step % 4] if step % 4 or step == 12 else 0)
    assert np.array_equal(weights[4], weights[12]), "nothing is to be learned on the same way"
    assert not np.array_equal(weights[0], weights[4])


def test_a_map_shows_no_goal_that_is_not_the_world_s() -> None:
    env = BayesAdaptiveEnv("grid-navi3", render_mode="ansi")
    env.reset(seed=0)
    assert "G" not in env.render()


def test_rewards_are_drawn_as_their_world_says() -> None:
    """In one world: 4000 steps, each test with a false alarm of 1e-7."""
    for prior in (
        UnknownRewards(Dirichlet(), values=(0.0, 1.0, 5.0)),
        UnknownRewards(Dirichlet(), outcomes=Normal(1, 2, 3)),
    ):
        env = BayesAdaptiveEnv(PLAIN, prior=prior, steps=4001)
        env.reset(seed=3)
        outcomes: Any = env.world.outcomes
        seen: dict[tuple[int, int], list[float]] = {}
        state = 0
        for step in range(4000):
            observation, reward, *_ = env.step(step % 2)
            seen.setdefault((state, step % 2), []).append(reward)
            state = int(observation["state"])
        pair = max(seen, key=lambda pair: len(seen[pair]))
        assert len(seen[pair]) > 200
        if outcomes.values is None:
            law = stats.norm(env.world.rewards[pair], outcomes.deviations[pair])
            assert stats.kstest(seen[pair], law.cdf).pvalue > 1e-7
        else:
            counts = [seen[pair].count(value) for value in outcomes.values]
            assert (
                stats.chisquare(counts, len(seen[pair]) * outcomes.probabilities[pair]).pvalue
                > 1e-7
            )


def test_a_world_that_an_observation_rules_out_is_gone() -> None:
    env = BayesAdaptiveEnv(
        GridNavi(3),
        prior=Finite(np.tile(GridNavi(3).transitions, (2, 1, 1, 1)), rewards=_two_goals()),
    )
    env.reset(seed=0)
    observation, reward, *_ = [env.step(action) for action in (2, 2)][-1]
    assert observation["belief"].tolist() == ([1, 0] if reward == 1 else [0, 1])


def _two_goals() -> Any:
    return np.stack([np.asarray(GridNavi(3, goal=goal).rewards) for goal in (2, 6)])


class OwnBelief(bamdp.Belief):
    """A belief of the user's own over finitely many worlds, with nothing but what is documented."""

    def __init__(self, problem: bamdp.BAMDP) -> None:
        self.problem, self.rows = problem, Finite(np.stack([EYE, FLIP]), [1, 3]).belief(problem)

    @property
    def particles(self) -> bamdp.MDP:
        return self.rows.particles

    def learn(self, step: Step) -> None:
        self.rows.learn(step)

    def mean(self) -> bamdp.MDP:
        return self.rows.mean()

    def sample(self, count: int, rng: np.random.Generator) -> bamdp.MDP:
        return self.rows.sample(count, rng)


class OwnPrior(bamdp.Prior):
    def belief(self, problem: bamdp.BAMDP) -> OwnBelief:
        return OwnBelief(problem)


def test_worlds_of_a_prior_of_one_s_own_are_drawn_by_their_weights() -> None:
    """3 in 4 of 400 draws are the second world; draws of equal worlds would pass once in 10⁷."""
    problem = bamdp.BAMDP(OwnPrior(), np.zeros((2, 1)), 0.9)
    env = BayesAdaptiveEnv(problem, steps=3)
    seen = []
    for seed in range(400):
        observation, _ = env.reset(seed=seed)
        assert observation["belief"].tolist() == [0.25, 0.75]
        assert env.world_index is not None
        seen.append(env.world_index)
        assert np.array_equal(env.world.transitions, [EYE, FLIP][env.world_index])
    assert 255 < sum(seen) < 345  # all but one in 10⁶ choices of seeds pass
