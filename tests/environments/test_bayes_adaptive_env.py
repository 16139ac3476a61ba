"""The Bayes-adaptive MDP as an environment: its best policy earns what is Bayes-optimal, and
observations are the belief.
"""

from collections import Counter
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

from bamdp import BAMDP, MDP, Belief, Prior
from bamdp.domains import Bandit, Chain, DoubleLoop, Grid, InfiniteGrid, Tabular
from bamdp.environments import BAYES_ADAPTIVE, BayesAdaptiveEnv
from bamdp.exact import bayes_optimal
from bamdp.priors import BetaArms, Dirichlet, Finite, GridRewards, SparseDirichlet
from reference.comparison import assert_multinomial
from reference.mute import Mute
from reference.rejections import rejections


class Own(Prior):
    """A prior of the user's own that can't sample."""

    def belief(self, problem: BAMDP) -> Belief:
        return Mute(problem)


SHORT = Chain(discount=1.0, horizon=4)
CHAINS = Finite([Chain().transitions, Chain(slip=0.5).transitions])
SMALL = Tabular(MDP([[[0.5, 0.5], [0.5, 0.5]]] * 2, [[0, 0.4], [1, 0.4]]), 0.8)
PROBLEMS: list[tuple[Any, Any, int]] = [
    (SMALL, Dirichlet(0.5), 6),
    (SMALL, SparseDirichlet(), 6),
    (Bandit([0.5, 0.5, 1], 0.8, payoffs=[1, 1, 0.6]), BetaArms([1, 1, 1], [1, 1, 0]), 7),
]


@pytest.mark.slow
@pytest.mark.parametrize(("domain", "prior", "horizon"), PROBLEMS, ids=str)
def test_the_best_policy_earns_the_bayes_optimal_value(
    domain: Any, prior: Any, horizon: int
) -> None:
    """The exact solution tells policy and value; whether worlds are drawn from the prior shows in
    what the policy earns.
    """
    exact = bayes_optimal(domain.problem(prior), 0, horizon=horizon)
    env = BayesAdaptiveEnv(domain, prior=prior, steps=horizon)
    returns = []
    for seed in range(4000):
        (observation, _), walk, earned = env.reset(seed=seed), exact.walk(), 0.0
        for t in range(horizon):
            action = int(walk.q_values.argmax())
            observation, reward, _, truncated, _ = env.step(action)
            assert truncated == (t == horizon - 1)
            earned += domain.discount**t * reward
            if not truncated:
                walk.step(action, int(observation["state"]))
        returns.append(earned)
    error = np.std(returns) / np.sqrt(len(returns))
    assert abs(np.mean(returns) - exact.value) < 5.73 * error  # false alarm 1e-8
    assert 5.73 * error < 0.05 * exact.value, "a bound that could not fail would be no test"


@pytest.mark.slow
@pytest.mark.parametrize("prior", [Dirichlet(0.3), SparseDirichlet()], ids=repr)
def test_the_mean_observed_is_how_often_the_next_state_follows(prior: Any) -> None:
    """After two steps the third has the probabilities that the observation states, whatever world
    was drawn.
    """
    env = BayesAdaptiveEnv(
        Tabular(MDP(np.full((3, 1, 3), 1 / 3), np.zeros((3, 1))), 0.9),
        prior=prior,
        belief="mean",
        steps=5,
    )
    followed: dict[Any, Counter[int]] = {}
    stated = {}
    for seed in range(2500):
        observation, _ = env.reset(seed=seed)
        history = []
        for _ in range(2):
            observation, *_ = env.step(0)
            history.append(int(observation["state"]))
        row = observation["belief"][observation["state"], 0]
        stated[tuple(history)] = dict(enumerate((row / row.sum()).tolist()))
        followed.setdefault(tuple(history), Counter())[int(env.step(0)[0]["state"])] += 1
    assert len(stated) == 9
    assert_multinomial([(followed[history], stated[history]) for history in stated])


def test_the_flat_observation_holds_the_same() -> None:
    flat, whole = (BayesAdaptiveEnv(DoubleLoop(), steps=9, flat=flat) for flat in (True, False))
    for env in (flat, whole):
        env.reset(seed=4)
    for _ in range(8):
        vector, expected = flat.step(1)[0], whole.step(1)[0]
        assert vector.shape == (9 + 9 * 2 * 9,)
        assert np.flatnonzero(vector[:9]).tolist() == [expected["state"]]
        assert (vector[9:].reshape(9, 2, 9) == expected["belief"]).all()


def test_seeds_are_worlds_and_trajectories() -> None:
    env = BayesAdaptiveEnv(Grid(3), steps=40)

    def world(seed: int | None) -> list[float]:
        env.reset(seed=seed)
        for _ in range(40):
            last = env.step(1)[0]
        drawn: list[float] = [
            *env.world.transitions.ravel().tolist(),
            *last["belief"].ravel().tolist(),
        ]
        return drawn

    assert world(1) == world(1)
    assert world(1) != world(2)
    env.reset(seed=1)
    assert world(None) != world(None)


ENDING = Tabular(MDP(np.full((3, 1, 3), 1 / 3), np.ones((3, 1)), terminal=[2]), 0.9)
LIMITED = Tabular(MDP(np.full((3, 1, 3), 1 / 3), np.ones((3, 1))), 0.9, time_limit=4)


def test_episodes_go_on_in_the_same_world() -> None:
    """With the same counts, from the start; the environment's ends after so many of them, or after
    its steps.
    """
    env = BayesAdaptiveEnv(ENDING, prior=Dirichlet(1), steps=1000, episodes=3)
    observation, _ = env.reset(seed=0)
    world, ends, terminated = env.world, 0.0, False
    while not terminated:
        before = observation["belief"].sum()
        observation, _, terminated, truncated, _ = env.step(0)
        assert env.world is world
        assert observation["belief"].sum() == before + 1
        assert not truncated
        if observation["belief"][:, :, 2].sum() > ends and not terminated:
            assert observation["state"] == 0, "where the next one starts"
        ends = observation["belief"][:, :, 2].sum()
    assert (ends, observation["state"]) == (3, 2)
    endless = BayesAdaptiveEnv(ENDING, prior=Dirichlet(1), steps=50)
    endless.reset(seed=0)
    assert [endless.step(0)[2:4] for _ in range(50)] == [(False, False)] * 49 + [(False, True)]


def test_the_domain_s_time_limit_ends_its_episodes() -> None:
    env = BayesAdaptiveEnv(LIMITED, steps=1000, episodes=2)
    env.reset(seed=0)
    steps = [env.step(0) for _ in range(8)]
    assert steps[3][0]["state"] == 0
    assert [step[2:4] for step in steps] == [(False, False)] * 7 + [(False, True)]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_it_is_drawn_as_its_domain_is() -> None:
    env = BayesAdaptiveEnv(Grid(2), render_mode="ansi")
    env.reset(seed=0)
    assert env.render() == "step 0, reward 0, (0, 0)\n. G\n@ ."


def test_a_problem_needs_no_domain() -> None:
    """The same worlds and observations as in a domain that tells it, with the names
    of its states.
    """
    names: dict[str, Any] = {"states": ("new", "worn"), "actions": ("run", "mend")}
    problem = BAMDP(
        Dirichlet(0.5), [[1, 0], [0, -1]], 1.0, horizon=6, episode_length=3, start=1, **names
    )
    template = Tabular(
        MDP([[[1, 0], [0, 1]]] * 2, problem.rewards), 1.0, start=1, horizon=6, episode_length=3
    )
    alone, along = (
        BayesAdaptiveEnv(problem, render_mode="ansi"),
        BayesAdaptiveEnv(template, prior=Dirichlet(0.5)),
    )
    assert alone.problem is problem
    assert alone.steps == 6
    assert alone.observation_space == along.observation_space
    for env in (alone, along):
        env.reset(seed=1)
    assert alone.render() == "step 0, reward 0, worn\n new [worn]"
    for step in range(6):
        assert data_equivalence(alone.step(step % 2), along.step(step % 2))
    other = BayesAdaptiveEnv(problem, prior=SparseDirichlet())
    assert repr(other.problem.prior) == repr(SparseDirichlet())


def test_gymnasium_s_vector_environments_have_many_copies() -> None:
    envs: Any = gymnasium.make_vec(BAYES_ADAPTIVE, num_envs=3, domain="grid-navi")
    observations, _ = envs.reset(seed=[4, 5, 6])
    assert observations["belief"].shape == (3, 21)
    for step in range(5):
        observations = envs.step(np.full(3, 2 + step % 2))[0]
    for seed, env in zip((4, 5, 6), envs.envs, strict=True):
        alone = BayesAdaptiveEnv("grid-navi")
        alone.reset(seed=seed)
        last = [alone.step(2 + step % 2)[0] for step in range(5)][-1]
        assert env.unwrapped.world_index == alone.world_index
        assert all(
            np.array_equal(part[seed - 4], last[name]) for name, part in observations.items()
        )


make: Any = BayesAdaptiveEnv

test_rejected = rejections(
    (
        ValueError,
        "domain must have finitely many states, got InfiniteGrid",
        lambda: make(InfiniteGrid()),
    ),
    (
        ValueError,
        "belief must be one of 'counts', 'weights', 'mean', got 'all'",
        lambda: make(Chain(), belief="all"),
    ),
    (
        TypeError,
        "is for priors other than Finite.*use belief=.weights",
        lambda: make(Chain(), prior=CHAINS, belief="counts"),
    ),
    (
        TypeError,
        "is for Finite and Parametric, not for .*use belief=.counts",
        lambda: make(Chain(), belief="weights"),
    ),
    (TypeError, "prior must be able to sample tables", lambda: make(Chain(), prior=Own())),
    (TypeError, r"prior must be one of bamdp\.priors", lambda: make(Chain(), prior=3)),
    (
        ValueError,
        "unknown prior 'dirichle'; did you mean 'dirichlet'",
        lambda: make(Chain(), prior="dirichle"),
    ),
    (ValueError, "steps must be an integer of at least 1, got 0", lambda: make(Chain(), steps=0)),
    (ValueError, r"at most 4, the horizon of Chain\(.*, got 5", lambda: make(SHORT, steps=5)),
    (ValueError, "steps must be at most 4", lambda: make(SHORT.problem(), steps=5)),
    (TypeError, "flat must be True or False", lambda: make(Chain(), flat="yes")),
    (
        MemoryError,
        r"the belief in an observation needs a table of 3\.0 GiB",
        lambda: make(Grid(100)),
    ),
    (ValueError, "GridRewards", lambda: make(Chain(), prior=GridRewards())),
    (TypeError, "action must be", lambda: make(Chain()).step("1")),
)


@pytest.mark.parametrize("steps", [None, 3, 4])
def test_an_episode_is_over_at_the_horizon(steps: int | None) -> None:
    env = BayesAdaptiveEnv(SHORT.problem(), steps=steps)
    env.reset(seed=0)
    last = 3 if steps is None else steps - 1
    assert [env.step(0)[3] for _ in range(last + 1)] == [False] * last + [True]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
