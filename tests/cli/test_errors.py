"""Mistakes on the command line: one line that says what is wrong and what is right, and exit code
2.
"""

import socket
from pathlib import Path

import pytest

from bamdp.cli.main import main

LINES = {
    "bogus": "unknown command 'bogus'. Known: play, regret, ",
    "ply grid5 random": "unknown command 'ply'; did you mean 'play'? Known: ",
    "list all": "unknown",
    "play": "play needs DOMAIN AGENT, got nothing; for example: bamdp play grid5 bamcp",
    "play grid5": "play needs DOMAIN AGENT, got 'grid5'; for example: ",
    "play grid5 bamcp random": "play takes DOMAIN AGENT, got 'grid5 bamcp random'",
    "play grid5 --seed 1 random": "names come before flags, got 'random' after them",
    "play grid5 bamcq": "unknown agent 'bamcq'; did you mean 'bamcp'?",
    "play grid1 random": "size must be",
    "play grid5:slip=2 random": "slip must be",
    "play grid5 random --steps 0": "steps must be",
    "play grid5 random --runs 0": "runs must be",
    "play grid5 random --workers 0": "workers must be",
    "play grid5 random --seed -1": "seed must be",
    "play grid5 random --prior dirichelt": "unknown prior 'dirichelt'; did you mean 'dirichlet'?",
    "play grid5 bamcp:simulations=0": "simulations must be",
    "play grid5 bamcp --prior sparse-dirichlet:alpha=-1": "alpha must be",
    # Gymnasium
    "play gym:CartPole-v1 bamcp": "observation_space must be Discrete",
    "play gym:Nope-v0 bamcp": "got 'Nope-v0': NameNotFound: Environment `Nope` doesn't exist",
    "play gym: bamcp": "an id that gymnasium.make accepts, got ''",
    "play gym:FrozenLak-v1 bamcp": (
        "got 'FrozenLak-v1': NameNotFound: Environment `FrozenLak` doesn't exist. Did you mean"
    ),
    "play gym:Taxi-v3 bamcp": "Please use `Taxi-v4` instead",
    "play gym:no_such_module:X-v0 bamcp": "No module named 'no_such_module'",
    "play FrozenLake-v1 bamcp": (
        "unknown domain 'FrozenLake-v1'; did you mean 'gym:FrozenLake-v1'? Known: bandit"
    ),
    "play Gym:FrozenLake-v1 bamcp": "did you mean 'gym:FrozenLake-v1'?",
    "play gymnasium:Taxi-v4 bamcp": "did you mean 'gym:Taxi-v4'?",
    "play gym:FrozenLake-v1:map_nam=8x8 bamcp": "got an unexpected keyword argument 'map_nam'",
    "play gym:FrozenLake-v1:map_name=9x9 bamcp": (
        "got 'FrozenLake-v1', map_name='9x9': KeyError: '9x9'"
    ),
    "play gym:FrozenLake-v1:values=0,1 bamcp": "values are for learned rewards",
    "play gym:Blackjack-v1:rewards=table bamcp": "has no table",
    # The infinite grid, whose settings are pairs
    "play infinite-grid:columns=0,1 bamcp": (
        "columns must be two numbers above 0 and up to 1e6, got (0.0, 1.0)"
    ),
    "play infinite-grid:rows=1e9,1 bamcp": "rows must be two numbers above 0",
    "play infinite-grid bamcp --prior grid-rewards:columns=0,1": (
        "columns must be two numbers above 0"
    ),
    "play infinite-grid:seed=-2 bamcp": "seed must be an integer of at least 0, got -2",
    "play infinite-grid bamcp --prior grid-rewards:updates_per_search=-1": (
        "updates_per_search must be"
    ),
    "play infinite-grid bamcp --prior dirichlet": "use GridRewards, Lazy or Compiled there",
    # Other commands
    "compare": "compare needs BENCHMARK AGENT..., got nothing",
    "compare bbrl-gc": (
        "compare needs BENCHMARK AGENT..., got 'bbrl-gc'; for example: bamdp compare bbrl-gc "
    ),
    "compare bbrl-g random": "unknown benchmark 'bbrl-g'; did you mean 'bbrl-gc'?",
    "compare bbrl-gc randon": "unknown agent 'randon'; did you mean 'random'?",
    "compare bbrl-gc bamcp:simulation=3": (
        "unknown setting 'simulation' of bamcp; did you mean 'simulations'?"
    ),
    "compare bbrl-gc bamcp:simulations=x": "simulations must be an integer or None, got 'x'",
    "compare bbrl-gc random --worlds 0": "worlds must be",
    "compare bbrl-gc random --against x": "against must be one of the agents, got 'x'",
    "compare bbrl-gc random --picture x.gif": (
        "the ending of x.gif must be one of '.svg', '.png', got '.gif'"
    ),
    "compare paper-infinite-grid oracle": "world must be the true MDP of a domain with tables",
    "compare infinite-grid bamcp": (
        "domain must be a Tabular one, whose transitions can be drawn or relabelled"
    ),
    "regret chain": "regret needs DOMAIN AGENT, got 'chain'",
    "regret chain random --limit 1000": "belief states would be needed",
    "regret bandit random": (
        "regret bandit random: more than 10^12 belief states would be needed for 848 steps"
    ),
    "regret bandit gittins": "; try --steps 9",
    "regret chain gittins --steps 2": "for bandits only",
    "regret bandit oracle": "agent must be one that learns the world, got Oracle, which knows it",
    "regret bandit bamcp --steps 0": "steps must be",
    "regret chain random --steps 2 --runs 0": "runs must be",
    "regret bandit bamcp --error -1": "error must be",
    "regret bandit:discount=0.9999 bamcp --error 1e-300": "error must be larger",
    "regret bandit bamcp:reuse_tree=2": "reuse_tree must be True or False, got '2'",
    "regret gym:FrozenLake-v1 bamcp": "domain must be a Tabular one",
    "tune grid5": "tune needs DOMAIN AGENT, got 'grid5'",
    "tune grid5 random": "agent 'random' has no grid to search",
    "tune grid5 beb:beta=1": (
        "agent 'beb:beta=1' has no grid to search: give the values of a setting, as beb:mean=1/2/3"
    ),
    "tune grid5 beb:betta=1/2": "unknown setting 'betta' of beb; did you mean 'beta'?",
    "tune grid5 beb:beta=1,2": "got '1,2'; values to try are separated by slashes, as 0.3/1/3",
    "tune grid5 beb:beta=1/much": "beta must be a number, got 'much'",
    "tune grid5 beb:beta=1/-1": "beta must be",
    "tune grid5 beb:beta=1/": "beta must be a number, got ''",
    "tune grid5 beb --runs 0": "runs must be",
    "tune chain beb --runs 1000000000000": "runs must be",
    "tune chain beb --workers 1000000000000": "workers must be",
    "tune chain beb --steps 1000000000000": "steps=1000000000000 needs",
    "reproduce table1": "in a checkout of the repository, python -m reproduction NAME...",
    "report --store x": "in a checkout of the repository, python -m reproduction report",
    "export x.csv": "in a checkout of the repository, python -m reproduction export FILE",
    "watch": "watch needs DOMAIN",
    "watch grid5 bamcp random gittins": (
        "watch takes DOMAIN [AGENT [AGENT]], got 'grid5 bamcp random gittins'"
    ),
    "watch riverswin": "unknown benchmark 'riverswin'; did you mean 'riverswim'?",
    "watch riverswim bamcp --prior dirichlet": "prior must not be given for a benchmark",
    "watch http://127.0.0.1/?domain=grid5": (
        "a link must be that of a page of bamdp watch, with domain and agent"
    ),
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


# Flags that there aren't: settings follow the name they belong to.
FLAGS = {
    "play grid5 bamcp --simulations 300": (
        "'--simulations': simulations is a setting of bamcp, bamcp:simulations=300."
    ),
    "play grid5 bamcp --runs 4 --slip=0.1": "slip is a setting of grid5, grid5:slip=0.1.",
    "play grid5 bamcp:trees=2 --simulations 300": "bamcp:trees=2,simulations=300.",
    "play grid5 bamcp --no-reuse-tree --json": (
        "reuse_tree is a setting of bamcp, bamcp:reuse_tree=no."
    ),
    "play grid5 bamcp --reuse-tree": "bamcp:reuse_tree=yes.",
    "play infinite-grid bamcp --colums 1,2": (
        "columns is a setting of infinite-grid, infinite-grid:columns=1,2."
    ),
    "play grid5 bamcp --gamma 0.9": "grid5:discount=0.9.",
    "play grid5 bamcp --K 5": "bamcp:simulations=5.",
    "play grid5 bamcp --c 3": "bamcp:exploration=3.",
    "compare bbrl-gc random bamcp --simulations 5 --worlds 9": "bamcp:simulations=5.",
    "watch grid5 bamcp bayes-adaptive --simulations 5": "bayes-adaptive:simulations=5.",
    "play grid5 bamcp --stpes 3": (
        "unknown flag '--stpes'; did you mean '--steps'? See bamdp play --help"
    ),
    "play grid5 bamcp --alpha 3": (
        "unknown flag '--alpha'. Settings follow names, NAME:SETTING=VALUE. See bamdp play --help"
    ),
    "play grid5 bamcp --runs": "--runs: expected one argument; see bamdp play --help",
    "play grid5 bamcp --runs 1.5": "runs must be an integer, got '1.5'",
    "fit x.csv exact --tsak y": (
        "unknown flag '--tsak'; did you mean '--task'? See bamdp fit --help"
    ),
    "trial --patiens 9": (
        "unknown flag '--patiens'; did you mean '--patients'? See bamdp trial --help"
    ),
}


@pytest.mark.parametrize("line", FLAGS)
def test_flags_that_there_are_not(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert FLAGS[line] in error(line, capsys)
