"""Data sets with exact labels: what is drawn, what is written, and what is not."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp.agents import BayesAdaptive, PosteriorMean
from bamdp.cli.main import main
from bamdp.comparing.dataset import Dataset, make_dataset
from bamdp.comparing.regret import SolvedProblem, measure
from bamdp.domains import Bandit, Chain, NormalBandit, Tabular
from bamdp.environments import BayesAdaptiveEnv
from bamdp.exact import bayes_optimal
from bamdp.priors import BetaArms, Finite
from bamdp.suite import RL2Arms, SmallChain

ARMS = Bandit([0.5, 0.5], 1.0, horizon=8)
TABLES = np.stack([Chain(slip=slip).transitions for slip in (0.05, 0.5)])
LIMITED = Tabular(bamdp.MDP(TABLES[0], Chain().rewards), 0.9, time_limit=3, prior=Finite(TABLES))
ENDING = Tabular(
    bamdp.MDP(TABLES[0], Chain().rewards, terminal=[2]), 0.9, steps=6, prior=Finite(TABLES)
)


def replayed(data: Dataset, domain: Any, steps: int, episodes: int) -> None:
    """The values of some episodes are those of the environment, when its world does the same."""
    env = BayesAdaptiveEnv(domain, labels="exact", steps=steps)
    for n in range(episodes):
        walk = env.labels.walk()  # type: ignore[union-attr]
        for t in range(steps):
            assert np.allclose(data.q_values[n, t], walk.q_values, atol=1e-9)
            step = data.actions[n, t], data.next_states[n, t], data.rewards[n, t]
            terminal = int(data.next_states[n, t]) in env.problem.terminal
            walk.step(int(step[0]), int(step[1]), float(step[2]), terminal)


@pytest.mark.parametrize(
    ("problem", "steps"),
    [
        (ARMS, 8),
        (SmallChain(), 6),
        (LIMITED, 7),
        (ENDING, 6),
        (NormalBandit([0.0, 0.0], 1.0, 1.0, horizon=4), 4),
    ],
    ids=["arms", "chain", "time limit", "ends", "normal"],
)
def test_values_are_those_of_a_walk(problem: Any, steps: int) -> None:
    for policy in ("random", "optimal"):
        data = make_dataset(problem, policy, episodes=25, steps=steps, seed=1)
        replayed(data, problem, steps, 10)
        assert (data.regrets >= 0).all()
        assert policy == "random" or data.regrets.max() < 1e-9


def test_worlds_and_steps_have_their_distribution() -> None:
    """The returns of the optimal policy average to its value, those of random actions to half of
    the pulls; 8,000 episodes, 5.3 standard errors, false alarm 1e-7 each.
    """
    value = bayes_optimal(ARMS.problem(), 0).value
    for policy, expected in (("optimal", value), ("random", 4.0)):
        data = make_dataset(ARMS, policy, episodes=8_000, seed=2)
        returns = data.rewards.sum(axis=1)
        assert abs(returns.mean() - expected) < 5.3 * returns.std() / np.sqrt(8_000)
        assert abs((data.actions == 0).mean() - 0.5) < 0.03, "ties at random"
        lost = expected + data.regrets.sum(axis=1).mean() - value
        assert abs(lost) < 5.3 * data.regrets.sum(axis=1).std() / np.sqrt(8_000) + 1e-9


def test_next_states_start_again_after_the_end_of_an_episode() -> None:
    data = make_dataset(ENDING, "random", episodes=50, seed=0)
    ended = data.next_states == 2
    assert ended.any()
    assert (data.states[:, 1:][ended] == 0).all()
    assert (data.states[:, 1:][~ended] == data.next_states[~ended]).all()
    limited = make_dataset(LIMITED, "random", episodes=20, steps=7, seed=0)
    assert (limited.states[:, ::3] == 0).all()


def test_agents_act_as_in_a_measurement_of_regret() -> None:
    def make(seed: int, world: Any) -> bamdp.Agent:
        return PosteriorMean(world.problem(), ties="first", seed=seed)

    data = make_dataset(ARMS, make, episodes=150, seed=5)
    lost = data.regrets.sum(axis=1)
    regret = measure(SolvedProblem.solve(ARMS), make, runs=150).mean("regret")
    assert regret is not None
    assert regret.half is not None
    # two samples of 150: 5.3 standard errors of their difference
    assert abs(lost.mean() - regret.value) < 5.3 * np.sqrt(2) * regret.half / 1.96
    assert lost.max() > 0


def test_the_planner_is_a_policy() -> None:
    data = make_dataset(
        ARMS,
        lambda seed, world: BayesAdaptive(world.problem(), simulations=50, seed=seed),
        episodes=5,
    )
    assert data.regrets.sum(axis=1).max() < 0.1


def test_columns_are_those_of_minari() -> None:
    data = make_dataset(ARMS, "random", episodes=3, seed=0)
    columns = data.columns()
    assert {len(column) for column in columns.values()} == {27}
    last = columns["episode_id"] != np.roll(columns["episode_id"], -1)
    assert np.isnan(columns["infos.q_values"][last]).all()
    assert (columns["infos.optimal_action"][last] == -1).all()
    assert columns["truncations"].reshape(3, 9)[:, -2].all()
    assert columns["truncations"].sum() == 3
    assert np.allclose(columns["infos.regret"].reshape(3, 9)[:, 1:], data.regrets)
    assert np.array_equal(columns["actions"].reshape(3, 9)[:, :8], data.actions)


def test_dpt_has_a_label_for_each_part_of_the_context() -> None:
    data = make_dataset(ARMS, "random", episodes=4, seed=0)
    keys = data.dpt()
    shapes = {name: array.shape for name, array in keys.items()}
    assert shapes == {
        "context_states": (4, 8, 2),
        "context_actions": (4, 8, 2),
        "context_next_states": (4, 8, 2),
        "context_rewards": (4, 8, 1),
        "query_states": (4, 8, 2),
        "optimal_actions": (4, 8, 2),
    }
    assert np.array_equal(keys["optimal_actions"].argmax(axis=2), data.optimal_actions)
    assert np.array_equal(keys["context_next_states"].argmax(axis=2), data.next_states)


def test_the_command_writes_the_same_file_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = "dataset rl2-arms:pulls=6,arms=2 --episodes 40 --policy random --seed 3 --output"
    files = [tmp_path / "a" / "one.npz", tmp_path / "two.npz"]
    for file in files:
        assert main([*command.split(), str(file)]) == 0
    one, two = (np.load(file) for file in files)
    for name in one.files:
        assert name == "about" or np.array_equal(
            one[name], two[name], equal_nan=name[:5] == "infos"
        )
    about = json.loads(str(one["about"]))
    assert about["command"].startswith("bamdp dataset rl2-arms:pulls=6,arms=2 --policy random")
    assert about["seed"] == 3
    assert "240 steps, 40 episodes" in capsys.readouterr().out


def test_another_prior(tmp_path: Path) -> None:
    """All arms but surely pay: 5.3 standard errors of 1200 rewards."""
    sure = BetaArms(99.0, 1.0)
    data = make_dataset(RL2Arms(pulls=6, arms=2), "random", episodes=200, prior=sure, seed=0)
    assert abs(data.rewards.mean() - 0.99) < 5.3 * np.sqrt(0.99 * 0.01 / 1200)
    typed = "dataset rl2-arms --prior beta-arms:successes=99 --episodes 9 --output"
    assert main([*typed.split(), str(tmp_path / "x.npz")]) == 0
    about = json.loads(str(np.load(tmp_path / "x.npz")["about"]))
    assert "successes=99" in about["problem"]


def test_parquet_holds_the_same_columns(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    data = make_dataset(ARMS, "random", episodes=5, seed=0)
    data.save(tmp_path / "data.parquet")
    table = parquet.read_table(tmp_path / "data.parquet")
    columns = data.columns()
    assert table.column("actions").to_pylist() == columns["actions"].tolist()
    infos = table.column("infos").to_pylist()
    assert [info["optimal_action"] for info in infos] == columns["infos.optimal_action"].tolist()
    assert np.allclose(infos[3]["q_values"], columns["infos.q_values"][3])
    assert json.loads(table.schema.metadata[b"bamdp"])["policy"] == "random"


def test_minari_reads_what_its_writer_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    data = make_dataset(ARMS, "random", episodes=3, seed=0)
    data.save("minari:arms/random-v0")
    episodes = list(minari.load_dataset("arms/random-v0").iterate_episodes())
    assert [episode.actions.tolist() for episode in episodes] == data.actions.tolist()
    assert np.allclose(episodes[1].infos["q_values"][:-1], data.q_values[1])


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("two-arms", "--output is needed"),
        ("two-arms --output x.csv", "output must end in .npz or .parquet"),
        ("two-arms --layout dpt --output x.parquet", "output must end in .npz with layout dpt"),
        ("two-arms --layout dtp --output x.npz", "did you mean 'dpt'?"),
        ("two-arms --policy optimla --output x.npz", "did you mean 'optimal'?"),
        ("two-arms --policy bayes-adaptiv --output x.npz", "did you mean 'bayes-adaptive'?"),
        ("two-arm --output x.npz", "did you mean 'two-arms'?"),
        ("riverswim --output x.npz", "worlds drawn from the prior"),
        ("rl2-mdp --output x.npz", "there are no exact labels"),
        ("two-arms --episodes 0 --output x.npz", "episodes must be"),
        ("rl2-arms --steps 11 --output x.npz", "steps must be"),
    ],
)
def test_errors_are_sentences_and_nothing_is_written(
    typed: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["dataset", *typed.split()]) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
