"""Many copies at once are as many single environments: step by step in the same worlds, and in distribution."""

from collections import Counter
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode

import bamdp
from bamdp.domains import Chain, GridNavi, InfiniteGrid, Tabular
from bamdp.environments import BAYES_ADAPTIVE, BayesAdaptiveEnv, BayesAdaptiveVectorEnv
from bamdp.priors import Dirichlet, Finite, Normal, UnknownRewards
from reference.bayes_adaptive import KINDS, PAID, PLAIN, TABLES
from reference.comparison import assert_mean, assert_multinomial, assert_same_distribution
from reference.rejections import rejections

MODES = ["NextStep", "SameStep", "Disabled"]


class Scripted:
    """A world whose next outcome is given."""

    def __init__(self, world: Tabular) -> None:
        self.terminal, self.outcome = world.terminal, (0, 0.0)

    def step(self, state: int, action: int, rng: Any) -> tuple[int, float]:
        return self.outcome


def singles(envs: BayesAdaptiveVectorEnv, settings: dict[str, Any]) -> list[BayesAdaptiveEnv]:
    """Single environments in the same worlds."""
    made = [BayesAdaptiveEnv(**settings) for _ in range(envs.num_envs)]
    for copy, env in enumerate(made):
        enter(env, envs, copy)
    return made


def enter(env: BayesAdaptiveEnv, envs: BayesAdaptiveVectorEnv, copy: int) -> Any:
    """Start in the world of a copy; return the first observation."""
    observation, _ = env.reset(seed=0)
    env.world = Scripted(envs.world(copy))  # type: ignore[assignment]
    return observation


def one(observations: Any, copy: int) -> Any:
    """The observation of a copy."""
    return {name: part[copy] for name, part in observations.items()} if isinstance(observations, dict) else observations[copy]


def assert_equal(observation: Any, expected: Any) -> None:
    assert data_equivalence(observation, expected), (observation, expected)


@pytest.mark.parametrize("name", [name for name in KINDS if name != "learned"])
@pytest.mark.parametrize("flat", [False, True], ids=["parts", "flat"])
def test_given_the_same_outcomes_a_copy_is_a_single_environment(name: str, flat: bool) -> None:
    """Observations, rewards and ends, through several episodes; the reset of a single one takes the place of a step."""
    settings = {**KINDS[name], "flat": flat}
    envs = BayesAdaptiveVectorEnv(num_envs=4, **settings)
    observations, infos = envs.reset(seed=1)
    alone, over, resets = singles(envs, settings), [False] * 4, 0
    rng = np.random.default_rng(0)
    for _ in range(80):
        actions = rng.integers(envs.domain.num_actions, size=4)
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        assert infos == {}
        assert envs.observation_space.contains(observations)
        columns = (column.tolist() for column in (envs.seen.at, envs.seen.next_states, envs.seen.rewards))
        outcomes = {} if all(over) else {copy: outcome for copy, *outcome in zip(*columns, strict=True)}
        for copy, env in enumerate(alone):
            if over[copy]:
                expected: Any = (enter(env, envs, copy), 0.0, False, False)
                resets += 1
                assert copy not in outcomes
            else:
                env.world.outcome = outcomes[copy]  # type: ignore[attr-defined]
                expected = env.step(int(actions[copy]))[:4]
            assert_equal(one(observations, copy), expected[0])
            assert (rewards[copy], terminations[copy], truncations[copy]) == expected[1:]
            over[copy] = bool(expected[2] or expected[3])
    assert resets > 4


@pytest.mark.parametrize("name", ["rewards of transitions", "both", "values", "normal", "dirichlet", "grid-navi", "learned"])
def test_outcomes_are_those_of_the_worlds(name: str) -> None:
    """Next states by their probabilities in the world of the copy, and rewards as it pays; false alarms of 1e-8."""
    envs = BayesAdaptiveVectorEnv(num_envs=300, autoreset_mode="Disabled", **{**KINDS[name], "steps": 10**6, "episodes": None})
    envs.reset(seed=0)
    worlds = [envs.world(copy) for copy in range(300)]
    tables = np.stack([world.transitions for world in worlds])
    rng, samples, noise, inside = np.random.default_rng(2), [], [], []
    drawn: dict[tuple[int, int], list[float]] = {}
    copies = np.arange(300)
    for _ in range(480):
        envs.step(rng.integers(envs.domain.num_actions, size=300))
        _, states, actions, rewards, next_states, _ = envs.seen
        rows = tables[copies, states, actions]
        middle = (np.cumsum(rows, axis=1) - rows / 2)[copies, next_states]
        for state, action, at in zip(states.tolist(), actions.tolist(), middle.tolist(), strict=True):
            drawn.setdefault((state, action), []).append(at)
        inside.append(rows[copies, next_states])
        samples.append((next_states, rewards, states, actions))
    assert min(part.min() for part in inside) > 0, "impossible transitions"
    # The middle of the drawn part of [0, 1] has mean 1/2 whatever the row: E[c + p/2] = Σ p (c + p/2) = 1/2.
    for middles in drawn.values():
        if len(middles) > 500 and np.ptp(middles) > 0:
            assert_mean(np.array(middles), 0.5)
    for _, rewards, states, actions in samples:
        for copy in range(300):
            world: Any = worlds[copy]
            if world.random_rewards:
                noise.append(rewards[copy] - world.rewards[states[copy], actions[copy]])
    if noise:
        assert_mean(np.array(noise), 0.0)
    elif not worlds[0].random_rewards:
        for next_states, rewards, states, actions in samples[:40]:
            for copy in range(300):
                paid = worlds[copy].rewards[states[copy], actions[copy]]
                assert rewards[copy] == (paid if paid.ndim == 0 else paid[next_states[copy]])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dirichlet", "arms", "both", "values", "terminal", "time limit"])
def test_the_same_in_distribution(name: str) -> None:
    """The states after some steps, of 3000 single episodes and 3000 copies, by one policy; false alarm 1e-8 each."""
    settings, horizon, A = KINDS[name], 8, KINDS[name]["domain"].num_actions
    envs = BayesAdaptiveVectorEnv(num_envs=3000, **settings)
    observations, _ = envs.reset(seed=5)
    totals = np.zeros(3000)
    alive = np.ones(3000, bool)
    paths: list[Any] = [observations["state"]]
    for step in range(horizon):
        observations, rewards, ended, cut, _ = envs.step((observations["state"] + step) % A)
        totals += np.where(alive, rewards, 0)
        paths.append(np.where(alive, observations["state"], -1))
        alive &= ~(ended | cut)
    together = Counter(zip(*(path.tolist() for path in paths[::4]), totals.round().tolist(), strict=True))
    env, alone = BayesAdaptiveEnv(**settings), Counter[Any]()
    env.reset(seed=6)
    for _ in range(3000):
        observation, _ = env.reset()
        path, total, over = [int(observation["state"])], 0.0, False
        for step in range(horizon):
            if over:
                path.append(-1)
                continue
            observation, reward, terminated, truncated, _ = env.step(int((observation["state"] + step) % A))
            total, over = total + reward, terminated or truncated
            path.append(int(observation["state"]))
        alone[(*path[::4], float(np.round(total)))] += 1
    assert_same_distribution(together, alone)


def indices(envs: BayesAdaptiveVectorEnv) -> Any:
    """Which of finitely many worlds each copy is in now."""
    assert envs.world_indices is not None
    return envs.world_indices.copy()


def test_worlds_are_drawn_from_the_prior_again_and_again() -> None:
    prior = Finite(TABLES, [1, 2, 5], rewards=PAID)
    envs = BayesAdaptiveVectorEnv(PLAIN, num_envs=800, prior=prior, steps=1)
    envs.reset(seed=0)
    for _ in range(3):
        drawn = Counter(indices(envs).tolist())
        assert_multinomial([(drawn, {0: 1 / 8, 1: 2 / 8, 2: 5 / 8})])
        before = indices(envs)
        envs.step(np.zeros(800, int))
        assert np.array_equal(before, indices(envs)), "as long as the episode lasts"
        envs.step(np.zeros(800, int))
        assert not np.array_equal(before, indices(envs))


@pytest.mark.parametrize("mode", MODES)
def test_what_follows_the_end_of_an_episode(mode: str) -> None:
    """As in Gymnasium's own vector environments, for which single ones are stepped here."""
    settings: dict[str, Any] = {"domain": GridNavi(3, episode_length=2, episodes=1)}
    envs = BayesAdaptiveVectorEnv(num_envs=3, autoreset_mode=mode, **settings)
    assert envs.metadata["autoreset_mode"] is AutoresetMode(mode)
    first, _ = envs.reset(seed=0)
    own = gymnasium.vector.SyncVectorEnv([lambda: BayesAdaptiveEnv(**settings)] * 3, autoreset_mode=mode)
    own.reset(seed=0)
    for step in range(1, 7):
        reset = mode == "Disabled" and step in (3, 5)
        if reset:
            with pytest.raises(gymnasium.error.ResetNeeded):
                envs.step([1, 2, 3])
            mask = np.array([True, True, True])
            observations, _ = envs.reset(options={"reset_mask": mask})
            assert_equal(observations, first)
            own.reset(options={"reset_mask": mask})
        ours, theirs = envs.step([1, 2, 3]), own.step(np.array([1, 2, 3]))
        assert np.array_equal(ours[0]["step"], theirs[0]["step"])
        assert np.array_equal(ours[0]["state"], theirs[0]["state"])
        assert np.array_equal(ours[2], theirs[2])
        assert np.array_equal(ours[3], theirs[3])
        assert set(ours[4]) == set(theirs[4])
        if "final_obs" in theirs[4]:
            assert [seen["step"] for seen in ours[4]["final_obs"]] == [2, 2, 2]
            assert np.array_equal(ours[4]["_final_obs"], theirs[4]["_final_obs"])
            assert_equal(ours[0], first)


def test_some_copies_are_reset_and_the_others_go_on() -> None:
    envs = BayesAdaptiveVectorEnv(GridNavi(3), num_envs=3, autoreset_mode="Disabled")
    envs.reset(seed=0)
    envs.step([2, 2, 2])
    observations, _ = envs.reset(options={"reset_mask": np.array([False, True, False])})
    assert observations["step"].tolist() == [1, 0, 1]
    assert observations["state"].tolist() == [1, 0, 1]


def test_it_is_made_by_its_id() -> None:
    settings: dict[str, Any] = {"num_envs": 5, "vectorization_mode": "vector_entry_point", "domain": "grid-navi"}
    envs = gymnasium.make_vec(BAYES_ADAPTIVE, **settings)
    assert isinstance(envs, BayesAdaptiveVectorEnv)
    assert isinstance(gymnasium.make_vec(BAYES_ADAPTIVE, num_envs=2), BayesAdaptiveVectorEnv), "Gymnasium prefers it"
    observations, _ = envs.reset(seed=3)
    again, _ = gymnasium.make_vec(BAYES_ADAPTIVE, **settings).reset(seed=3)
    assert_equal(observations, again)
    assert envs.observation_space.contains(observations)
    assert envs.single_observation_space == gymnasium.make(BAYES_ADAPTIVE, domain="grid-navi").observation_space
    assert "5 × GridNavi" in repr(envs)
    envs.close()


def test_seeds_are_worlds_and_trajectories() -> None:
    envs = BayesAdaptiveVectorEnv(Chain(), prior=Dirichlet(0.5), num_envs=6, steps=30)

    def path(seed: int | None) -> list[Any]:
        envs.reset(seed=seed)
        return [envs.step(np.full(6, 1))[0]["state"].tolist() for _ in range(20)]

    assert path(1) == path(1)
    assert path(1) != path(2)
    assert path(None) != path(None)


def test_what_was_returned_stays_as_it_was() -> None:
    for name in ("grid-navi", "dirichlet", "values mean", "normal arms", "slip"):
        envs = BayesAdaptiveVectorEnv(num_envs=3, **KINDS[name])
        observations, _ = envs.reset(seed=0)
        kept = {part: table.copy() for part, table in observations.items()}
        envs.step([0, 1, 1])
        assert_equal(observations, kept)


def test_wrappers_of_gymnasium_go_with_it() -> None:
    envs = BayesAdaptiveVectorEnv("bandit", probabilities=[0.5, 0.5], num_envs=4, steps=5, flat=True)
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    wrapped.reset(seed=0)
    for _ in range(5):
        *_, infos = wrapped.step(np.array([0, 1, 0, 1]))
    assert infos["episode"]["l"].tolist() == [5, 5, 5, 5]


make: Any = BayesAdaptiveVectorEnv


def stepped(actions: Any, **settings: Any) -> Any:
    envs = make(Chain(), num_envs=2, **settings)
    envs.reset(seed=0)
    return envs.step(actions)


test_rejected = rejections(
    (ValueError, "num_envs must be an integer from 1 to 10000000, got 0", lambda: make(Chain(), num_envs=0)),
    (
        ValueError,
        "autoreset_mode must be one of 'NextStep', 'SameStep', 'Disabled', got 'no'",
        lambda: make(autoreset_mode="no"),
    ),
    (ValueError, "actions must be one integer for each of the 2 copies, got an array of shape ", lambda: stepped([0, 1, 1])),
    (ValueError, "actions must be one integer for each of the 2 copies, .* float64", lambda: stepped([0.0, 1.0])),
    (ValueError, "actions must be from 0 to 1, got 0 to 2", lambda: stepped([0, 2])),
    (ValueError, "actions must be from 0 to 1, got -1 to 0", lambda: stepped([0, -1])),
    (gymnasium.error.ResetNeeded, "none has begun", lambda: make(Chain()).step([0])),
    (gymnasium.error.ResetNeeded, "no world has been drawn", lambda: make(Chain()).world(0)),
    (ValueError, "copy must be an integer from 0 to 0, got 1", lambda: make(Chain()).world(1)),
    (ValueError, "must be an array of one boolean for each", lambda: make(Chain()).reset(options={"reset_mask": np.ones(1)})),
    (ValueError, "domain must have finitely many states", lambda: make(InfiniteGrid())),
    (MemoryError, "num_envs=10000000 needs a table", lambda: make(Chain(), num_envs=10**7)),
    (TypeError, "prior must be", lambda: make(Chain(), prior=3)),
    (TypeError, "normal rewards|must not be given", lambda: UnknownRewards(Dirichlet(), [1], outcomes=Normal(0))),
    (TypeError, "settings are only for a domain given by name", lambda: make(bamdp.domains.Chain(), slip=0.1)),
)
