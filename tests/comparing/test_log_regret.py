"""Regret from a log: the losses are those of the exact solution, and bad logs name their line."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp.agents import EpsilonGreedy
from bamdp.cli.main import main
from bamdp.comparing.dataset import Dataset, make_dataset
from bamdp.comparing.log import LogError, LogLine
from bamdp.comparing.log_regret import log_regret
from bamdp.domains import Bandit, Chain, NormalBandit, Tabular
from bamdp.exact import bayes_optimal
from bamdp.priors import Finite
from bamdp.suite import SmallChain

ARMS = Bandit([0.5, 0.5], 1.0, horizon=8)
TABLES = np.stack([Chain(slip=slip).transitions for slip in (0.05, 0.5)])
LIMITED = Tabular(bamdp.MDP(TABLES[0], Chain().rewards), 0.9, time_limit=3, prior=Finite(TABLES))
ENDING = Tabular(
    bamdp.MDP(TABLES[0], Chain().rewards, terminal=[2]), 0.9, steps=6, prior=Finite(TABLES)
)


def near_greedy(seed: int, world: Any) -> bamdp.Agent:
    return EpsilonGreedy(world.problem(), epsilon=0.2, seed=seed)


def written(data: Dataset, path: Path, columns: str = "episode step action reward") -> Path:
    """A log of the episodes of a data set."""
    every = [
        {
            "episode": n,
            "step": t + 1,
            "state": int(data.states[n, t]),
            "action": int(action),
            "reward": float(data.rewards[n, t]),
            "next_state": int(data.next_states[n, t]),
        }
        for (n, t), action in np.ndenumerate(data.actions)
    ]
    rows = [{name: row[name] for name in columns.split()} for row in every]
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, columns.split())
            writer.writeheader()
            writer.writerows(rows)
    return path


@pytest.mark.parametrize(
    ("problem", "steps", "columns"),
    [
        (ARMS, 8, "episode step action reward"),
        (SmallChain(), 6, "episode state action reward"),
        (SmallChain(), 6, "episode action reward next_state"),
        (LIMITED, 7, "episode step state action reward next_state"),
        (ENDING, 6, "episode action reward next_state"),
        (NormalBandit([0.0, 0.0], 1.0, 1.0, horizon=4), 4, "episode action reward"),
    ],
    ids=["arms", "states", "next states", "time limit", "ends", "normal"],
)
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_losses_are_those_of_the_labels(
    problem: Any, steps: int, columns: str, ending: str, tmp_path: Path
) -> None:
    data = make_dataset(problem, "random", episodes=6, steps=steps, seed=3)
    result = log_regret(written(data, tmp_path / f"log.{ending}", columns), problem, steps=steps)
    assert np.allclose(result.losses, data.regrets, atol=1e-9)
    assert np.array_equal(result.optimal_actions, data.optimal_actions)
    discounts = result.discount ** np.arange(steps)
    assert np.allclose(result.returns, data.rewards @ discounts)
    assert np.allclose(result.regrets, data.regrets @ discounts)
    assert (result.knowing_losses >= 0).all()


def test_knowing_losses_add_up_to_the_value_of_knowing(tmp_path: Path) -> None:
    """Both means are regrets to an agent that knows the world, of which arms pay 8 · 2/3 a run:
    5.3 standard errors. The price of not knowing is 16/3 less the optimum.
    """
    data = make_dataset(ARMS, near_greedy, episodes=150, seed=1)
    result = log_regret(written(data, tmp_path / "log.csv"), ARMS)
    price, optimum = result.price, bayes_optimal(ARMS.problem(), 0).value
    assert price.half is not None
    assert abs(price.value - (16 / 3 - optimum)) < 5.3 * price.half / 1.96
    by_returns = result.by_returns
    assert by_returns.half is not None
    assert abs(result.regret.value - by_returns.value) < 5.3 * by_returns.half / 1.96


def test_restarts_count_for_an_agent_that_knows_the_world(tmp_path: Path) -> None:
    """One possible world: it is known, so that both losses are the same."""
    for domain in (LIMITED, ENDING):
        known = Finite(TABLES[:1])
        data = make_dataset(domain, "random", episodes=5, steps=6, prior=known, seed=0)
        log = written(data, tmp_path / "log.csv", "episode action reward next_state")
        result = log_regret(log, domain, prior=known, steps=6)
        assert result.losses.max() > 0.1
        assert np.allclose(result.knowing_losses, result.losses, atol=1e-9)


def test_losses_near_a_time_limit(tmp_path: Path) -> None:
    """One known world: in room 0 to stay pays 1, to move pays 0 and leads to room 1, which pays 3 a
    step. Episodes of 3 steps: to stay loses 2 at first and 1 a step later; to move loses 1 at last.
    """
    tables = np.zeros((1, 2, 2, 2))
    tables[0, 0, 0, 0] = tables[0, 0, 1, 1] = tables[0, 1, :, 1] = 1
    world = bamdp.MDP(tables[0], np.array([[1.0, 0.0], [3.0, 3.0]]))
    domain = Tabular(world, 1.0, start=0, time_limit=3, horizon=6, prior=Finite(tables))
    log = tmp_path / "log.csv"
    log.write_text("action,reward\n0,1\n0,1\n1,0\n1,0\n0,3\n0,3\n")
    result = log_regret(log, domain)
    expected = [[2, 1, 1, 0, 0, 0]]
    assert np.allclose(result.losses, expected, atol=1e-9)
    assert np.allclose(result.knowing_losses, expected, atol=1e-9)
    assert result.optimal_value == pytest.approx(12)


def test_losses_need_far_fewer_episodes_than_returns(tmp_path: Path) -> None:
    """At least 20 times, for an agent that makes mistakes in one choice of ten."""
    arms = Bandit([0.5, 0.5], 1.0, horizon=20)
    data = make_dataset(
        arms, lambda seed, world: EpsilonGreedy(world.problem(), epsilon=0.1, seed=seed),
        episodes=60, seed=2,
    )  # fmt: skip
    discounts = np.ones(20)
    assert data.rewards.sum(axis=1).var() > 20 * (data.regrets @ discounts).var()


def test_names_of_columns_and_actions(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("Trial,Arm,Reward\n1,A,0\n2,arm a,0\n3,B,1\n")
    arms = Bandit([0.5, 0.5], 1.0, horizon=3)
    assert log_regret(log, arms).losses.round(3).tolist() == [[0, 0.167, 0]]


def test_names_that_end_in_numbers_are_names() -> None:
    """As data frames and JSON write numbers, too; never the number of another action."""
    line = LogLine(7, {"one": "1", "real": 1.0, "text": "2.0", "name": "Arm 2", "zero": "0"})
    for names in (("arm 1", "arm 2"), ("1", "2")):
        for name, place in (("one", 0), ("real", 0), ("text", 1)):
            assert line.index(name, names, 2) == place
        with pytest.raises(LogError, match=f"line 7: zero must be one of {', '.join(names)}, got"):
            line.index("zero", names, 2)
    assert line.index("name", ("arm 1", "arm 2"), 2) == 1
    assert line.index("zero", ("left", "right"), 2) == 0
    assert line.index("real", None, 2) == 1


LOG = ["episode,step,action,reward", *(f"{n},{t},{t % 2},{n}" for n in (0, 1) for t in range(8))]


@pytest.mark.parametrize(
    ("line", "text", "said"),
    [
        (4, "0,2,2,0", "line 4: action must be one of arm A, arm B, or 0 to 1, got '2'"),
        (4, "0,2,arn A,0", "did you mean 'arm A'?"),
        (5, None, "line 5: step 3 of episode 0 is missing, got step 4"),
        (9, None, "line 8: episode 0 ends after 7 of 8 steps"),
        (6, "0,4,0,0.5", "line 6: reward must be 0 or 1 after arm A, got 0.5"),
        (6, "0,4,0,yes", "line 6: reward must be a number, got 'yes'"),
        (6, "0,4,0", "line 6: there are 3 cells, and 4 names in line 1"),
        (6, "0,4,,0", "line 6: there is no action"),
        (2, "0,2,0,0", "line 2: episode 0 must begin with step 0 or 1, got 2"),
        (6, "0,4.5,0,0", "line 6: step must be a whole number, got 4.5"),
        (10, "0,8,0,0", "line 10: episode 0 has more than the 8 steps of the problem"),
        (1, "episode,step,acton,reward", "line 2: there is no action; did you mean 'acton'?"),
        (1, "episode,game,action,reward", "line 1: two columns mean the same"),
    ],
)
def test_bad_logs_name_their_line_and_nothing_is_written(
    line: int, text: str | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = LOG.copy()
    lines[line - 1 : line] = [] if text is None else [text]
    log = tmp_path / "log.csv"
    log.write_text("\n".join(lines))
    output = tmp_path / "losses.csv"
    command = ["regret", "--log", str(log), "--problem", "rl2-arms:pulls=8,arms=2"]
    assert main([*command, "--output", str(output)]) == 2
    assert said in capsys.readouterr().err
    assert not output.exists()


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["0,1,0,0,2"], "line 2: next_state must be one that pays 0 after action 1, got 2"),
        (["2,1,0,0,0"], "line 2: state must be 0, which the step before led to, got 2"),
        (["0,1,0,0,9"], "line 2: next_state must be 0 to 2, got '9'"),
    ],
)
def test_impossible_transitions_name_their_line(rows: list[str], said: str, tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("\n".join(["state,action,reward,step,next_state", *rows]))
    with pytest.raises(LogError) as error:
        log_regret(log, SmallChain(), steps=1)
    assert said in str(error.value)


def test_json_lines_name_their_line(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"action": 0, "reward": 0}\n\n{"action": 1\n')
    with pytest.raises(LogError, match="line 3: it is not JSON"):
        log_regret(log, ARMS)
    log.write_text("[1, 2]\n")
    with pytest.raises(LogError, match="line 1: there must be an object"):
        log_regret(log, ARMS)


def test_the_command_scores_a_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, output = tmp_path / "log.csv", tmp_path / "losses.csv"
    log.write_text("\n".join(LOG))
    command = ["regret", "--log", str(log), "--problem", "rl2-arms:pulls=8,arms=2"]
    assert main([*command, "--output", str(output)]) == 0
    shown = capsys.readouterr().out
    assert "to an agent that learns" in shown
    assert len(output.read_text().splitlines()) == 17
    assert main([*command, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["episodes"] == 2
    assert data["optimal_value"] == pytest.approx(bayes_optimal(ARMS.problem(), 0).value)
    assert data["price_of_not_knowing"] == pytest.approx(
        data["knowing_regret"] - data["regret"], abs=1e-9
    )


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("--log log.csv", "--log goes with --problem"),
        ("grid5 random --log log.csv --problem two-arms", "--log goes with --problem"),
        ("grid5 random --problem two-arms", "--problem goes with --log"),
        ("grid5", "regret needs DOMAIN AGENT, got 'grid5'"),
        ("--log log.txt --problem two-arms", "must be one of '.csv', '.jsonl'"),
        ("--log no.csv --problem two-arms", "No such file"),
        ("--log log.csv --problem two-amrs", "did you mean 'two-arms'?"),
        ("--log log.csv --problem rl2-mdp", "there are no exact labels"),
    ],
)
def test_what_is_typed_wrong_is_named(
    typed: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{t % 5},1\n" for t in range(100))
    Path("log.csv").write_text(f"action,reward\n{rows}")
    assert main(["regret", *typed.split()]) == 2
    assert said in capsys.readouterr().err
