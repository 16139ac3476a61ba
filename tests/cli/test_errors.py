"""Mistakes on the command line: one line that says what is wrong and what is right, and exit code 2."""

import socket
from pathlib import Path

import pytest

from bamdp.cli.main import main

LINES = {
    "bogus": "unknown command 'bogus'. Known: play, regret, ",
    "ply grid5 random": "unknown command 'ply'; did you mean 'play'? Known: ",
    "list all": "unknown",
    "play": "play needs an agent and a domain",
    "play grid5": "play needs an agent after the domain 'grid5'",
    "play grid5 --seed 1 random": "flags come last",
    "play grid5 bamcq": "unknown agent 'bamcq'; did you mean 'bamcp'?",
    "play grid1 random": "size must be",
    "play grid5 random --slip 2": "slip must be",
    "play grid5 random --steps 0": "steps must be",
    "play grid5 random --runs 0": "runs must be",
    "play grid5 random --workers 0": "workers must be",
    "play grid5 random --seed -1": "seed must be",
    "play grid5 random --prior dirichelt": "unknown prior 'dirichelt'; did you mean 'dirichlet'?",
    "play grid5 bamcp --simulations 0": "simulations must be",
    "play grid5 bamcp --alpha -1": "alpha must be",
    "play chain random --runs 2 --save x": "save and resume are for one run alone, got --runs 2",
    "play chain random --save no/such/folder/x": "save must be a file in a folder that exists",
    "play chain random --resume no-such-file": "no-such-file can't be read: No such file or directory",
    # Gymnasium
    "play gym:CartPole-v1 bamcp": "observation_space must be Discrete",
    "play gym:Nope-v0 bamcp": "got 'Nope-v0'; prefix an id of another package with its module",
    "play gym: bamcp": "an id that gymnasium.make accepts, got ''",
    "play gym:FrozenLak-v1 bamcp": "got 'FrozenLak-v1'; did you mean 'FrozenLake-v1'?",
    "play gym:frozen_lake bamcp": "got 'frozen_lake'; did you mean 'FrozenLake-v1'?",
    "play gym:Taxi-v3 bamcp": "got 'Taxi-v3'; did you mean 'Taxi-v4'?",
    "play gym:no_such_module:X-v0 bamcp": "No module named 'no_such_module'",
    "play FrozenLake-v1 bamcp": "unknown domain 'FrozenLake-v1'; did you mean 'gym:FrozenLake-v1'? Known: bandit",
    "play Gym:FrozenLake-v1 bamcp": "did you mean 'gym:FrozenLake-v1'?",
    "play gymnasium:Taxi-v4 bamcp": "did you mean 'gym:Taxi-v4'?",
    "play gym:FrozenLake-v1 bamcp --make map_nam=8x8": "FrozenLake-v1 has no setting 'map_nam'; did you mean 'map_name'?",
    "play gym:FrozenLake-v1 bamcp --make map_name=9x9": "can't be made with map_name='9x9': KeyError: '9x9'",
    "play gym:FrozenLake-v1 bamcp --values 0,1": "values are for learned rewards",
    "play gym:Blackjack-v1 bamcp --rewards table": "has no table",
    "play gym:FrozenLake-v1 random --save x": "Gymnasium can't be saved: it doesn't name what it learns",
    # The infinite grid, whose domain and prior have settings of the same name
    "play infinite-grid bamcp --columns 0 1": "columns must be two numbers above 0 and up to 1e6, got (0.0, 1.0)",
    "play infinite-grid bamcp --rows 1e9 1": "rows must be two numbers above 0",
    "play infinite-grid bamcp --prior-columns 0 1": "prior_columns must be two numbers above 0",
    "play infinite-grid bamcp --domain-seed -2": "domain_seed must be an integer of at least 0, got -2",
    "play infinite-grid bamcp --updates-per-search -1": "updates_per_search must be",
    "play infinite-grid bamcp --prior dirichlet": "use GridRewards, Lazy or Compiled there",
    # Other commands
    "compare": "compare needs agents and a problem before them",
    "compare bbrl-gc": "compare needs agents after the problem 'bbrl-gc', flags come last: bamdp compare bbrl-gc ",
    "compare bbrl-g random": "unknown problem 'bbrl-g'; did you mean 'bbrl-gc'?",
    "compare bbrl-gc randon": "unknown agent 'randon'; did you mean 'random'?",
    "compare bbrl-gc bamcp:simulation=3": "unknown setting 'simulation' of bamcp; did you mean 'simulations'?",
    "compare bbrl-gc bamcp:simulations=x": "simulations must be an integer or None, got 'x'",
    "compare bbrl-gc random --width 0": "width must be",
    "compare bbrl-gc random --worlds 0": "worlds must be",
    "compare bbrl-gc random --against x": "against must be one of the agents, got 'x'",
    "compare bbrl-gc random --picture x.gif": "the ending of picture must be one of '.svg', '.png', got '.gif'",
    "compare paper-infinite-grid oracle": "world must be the true MDP of a domain with tables",
    "compare infinite-grid bamcp": "domain must be a Tabular one, whose transitions can be drawn or relabelled",
    "regret chain": "regret needs an agent after the domain 'chain'",
    "regret chain random --limit 1000": "belief states would be needed",
    "regret bandit random": "regret bandit random: more than 10^12 belief states would be needed for 848 steps",
    "regret bandit gittins": "; try --steps 9 or --discount 0.58",
    "regret chain gittins --steps 2": "for bandits only",
    "regret bandit oracle": "agent must be one that learns the world, got Oracle, which knows it",
    "regret bandit bamcp --steps 0": "steps must be",
    "regret chain random --steps 2 --runs 0": "runs must be",
    "regret bandit bamcp --error -1": "error must be",
    "regret bandit bamcp --error 1e-300 --discount 0.9999": "error must be larger",
    "regret bandit bamcp --reuse-tree=2": "--reuse-tree takes no value",
    "regret gym:FrozenLake-v1 bamcp": "domain must be a Tabular one",
    "tune grid5": "tune needs an agent after the domain 'grid5'",
    "tune grid5 random": "agent 'random' has no grid to search",
    "tune grid5 beb --beta 1": "agent 'beb' has no grid to search",
    "tune grid5 beb --grid betta=1": 'grid must be like "name=1,2,3", with names of: beta, mean, ',
    "tune grid5 beb --grid betta=2": "got 'betta=2'; did you mean 'beta'?",
    "tune grid5 beb --grid beta": "grid must be like",
    "tune grid5 beb --grid beta=much": "beta must be a number, got 'much'",
    "tune grid5 beb --grid beta=1,-1": "beta must be",
    "tune grid5 beb --runs 0": "runs must be",
    "tune chain beb --runs 1000000000000": "runs must be",
    "tune chain beb --workers 1000000000000": "workers must be",
    "tune chain beb --steps 1000000000000": "steps=1000000000000 needs",
    "report results": "report takes flags only, got 'results'",
    "report --scale big --store .": "scale must be one of 'smoke', 'quick', 'paper', got 'big'",
    "report --store nowhere": "there is no store nowhere",
    "reproduce lazy --on slurm": "--on must be local, ray or ray://HOST:PORT, got 'slurm'",
    "watch grid5 bamcq": "unknown agent 'bamcq'",
    "watch grid5 random --steps 0": "steps must be",
    "watch grid5 random --seed -1": "seed must be",
    "watch grid5 random --port 70000": "port must be",
    "watch infinite-grid sboss": "SBOSS needs a table of rewards",
    "watch grid5 random --host 192.0.2.1 --no-open": "can't serve at 192.0.2.1",
}


def error(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(line.split()) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("bamdp: error: ")
    assert shown.err.count("\n") == 1
    return shown.err


@pytest.mark.parametrize("line", LINES)
def test_mistakes_get_one_line(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert LINES[line] in error(line, capsys)
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"port {port}" in error(f"watch grid5 random --port {port} --no-open", capsys)


# Words that are neither flags nor values: tyro answers, in a box.
TYPOS = {
    "--colums 1 2": "--columns",
    "--prior-colums 1 2": "--prior-columns",
    "--columns 1": "Expected 2 values",
    "--columns a b": "must be two numbers, got a b",
    "--prior-rows 1 2 3": "Unrecognized options: 3",
    "--proposal author": "'authors'",
    "--rollouts strait": "'straight'",
    "--cap non": "must be a number or 'none', got 'non'",
    "--domain-seed x": "INT",
    "--updates-per-search 1.5": "INT",
    "--simulation 3": "--simulations",
    "--prior": "--prior",
}


@pytest.mark.parametrize("words", TYPOS)
def test_typos_are_answered_with_what_is_right(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exited:
        main(["play", "infinite-grid", "bamcp", *words.split()])
    assert exited.value.code == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert TYPOS[words] in shown.err
