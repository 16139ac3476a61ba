"""Comparing agents: the same worlds and randomness for all, the same numbers however it is run, and
what is rejected.
"""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import bamdp
from bamdp import BAMDP, Agent, Domain, Prior
from bamdp.agents import BAMCP, BEB, PosteriorMean, Random
from bamdp.comparing import comparison, engine
from bamdp.comparing.candidates import draw, make_candidate
from bamdp.comparing.comparison import Comparison
from bamdp.comparing.engine import Progress
from bamdp.comparing.rows import row_key
from bamdp.comparing.store import Store
from bamdp.comparing.table import Column, mean_or_point
from bamdp.config.names import AGENTS
from bamdp.config.spec import parse_spec
from bamdp.domains import Bandit, Grid, InfiniteGrid
from bamdp.exact import bayes_optimal
from bamdp.runs.loop import seeds
from bamdp.statistics import mean
from bamdp.suite import BBRLGC, Benchmark, PaperGrid, SmallChain, TwoArms
from reference.problems import shown, sized

compare = bamdp.compare


def greedy(domain: Domain, prior: Prior, seed: int) -> Agent:
    return PosteriorMean(domain.problem(prior), seed=seed)


MEASURES = (
    "discounted_return",
    "total_reward",
    "episodes",
    "mean_episode_return",
    "steps",
    "simulations",
)


def numbers(result: Comparison) -> dict[str, list[Mapping[str, Any]]]:
    """All that was measured but time."""
    return {
        agent: [{name: row[name] for name in MEASURES} for row in rows]
        for agent, rows in result.results.items()
    }


@pytest.mark.parametrize("problem", [SmallChain(), PaperGrid(3), TwoArms()], ids=repr)
def test_two_copies_of_an_agent_differ_in_nothing(problem: Benchmark) -> None:
    result = compare(
        problem, {"a": greedy, "b": greedy, "other": Random}, worlds=6, steps=30, against="a"
    )
    assert numbers(result)["a"] == numbers(result)["b"]
    difference = result.difference("b")
    assert (difference.value, difference.low, difference.high) == (0, None, None), (
        "no interval: one of width 0 claims certainty"
    )
    assert result.difference("other").half is not None
    assert "same in every world" in str(result)


def test_names_classes_and_functions_give_the_same_numbers() -> None:
    """By name in processes, as objects in threads; whatever the workers."""
    settings = {"simulations": 20, "exploration": 10.0}
    by_name = compare(
        "bbrl-gc",
        ["posterior-mean", "beb", ("bamcp", settings)],
        worlds=5,
        steps=20,
        workers=2,
        seed=3,
    )
    labels = dict(zip(by_name.results, (greedy, BEB, (BAMCP, settings)), strict=True))
    for workers in (1, 2):
        by_object = compare(BBRLGC(), labels, worlds=5, steps=20, workers=workers, seed=3)
        assert numbers(by_object) == numbers(by_name)
    assert list(by_name.results)[2] == "bamcp:simulations=20,exploration=10"
    again = compare("bbrl-gc", list(by_name.results), worlds=5, steps=20, workers=1, seed=3)
    assert numbers(again) == numbers(by_name), "a label is a name too"


def test_a_run_is_that_of_bamdp_run() -> None:
    problem = SmallChain()
    result = compare(problem, [greedy], worlds=3, seed=7)
    for run in range(3):
        agent_seed, world_seed = seeds(7, run)
        world = problem.world(world_seed)
        record = bamdp.run(
            greedy(world, problem.problem.prior, agent_seed), world, problem.steps, world_seed
        )
        assert result.values("greedy")[run] == record.discounted_return
        assert result.values("greedy", "total_reward")[run] == record.total_reward


def test_ties_are_random_unless_given(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    original = BEB.__init__

    def spy(self: Any, *arguments: Any, **settings: Any) -> None:
        seen.append(settings.get("ties", "default"))
        original(self, *arguments, **settings)

    monkeypatch.setattr(BEB, "__init__", spy)
    compare("small-chain", ["beb", "beb:ties=first"], worlds=1, steps=2, workers=1)
    assert set(seen[::2]) == {"random"}
    assert set(seen[1::2]) == {"first"}


class LeftFirst(PosteriorMean):
    """Breaks ties by the number of the action, and can't be told otherwise."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **{**settings, "ties": "first"})


@pytest.mark.slow
def test_permuted_labels_leave_nothing_to_gain_by_the_number_of_an_action() -> None:
    """On the fixed grid the first action leads to the goal; with permuted labels ties to the first
    are ties at random.

    The paired difference is within 4.9 standard errors of 0, but with probability 1e-6; on the
    fixed grid it is beyond.
    """
    agents = {"first": LeftFirst, "random": PosteriorMean}
    off = {}
    for drawn in ("fixed", "permuted"):
        result = compare(Benchmark(Grid(5), draw=drawn), agents, worlds=40, steps=60)
        differences = result.values("first", "total_reward") - result.values(
            "random", "total_reward"
        )
        off[drawn] = abs(differences.mean()) / (differences.std() / np.sqrt(len(differences)))
    assert off["permuted"] < 4.9 < off["fixed"]


def test_gittins_earns_the_bayes_optimal_value() -> None:
    """The mean return over worlds from the prior is the exact value: 4.9 standard errors, a false
    alarm below 1e-6.
    """
    problem = TwoArms()
    exact = bayes_optimal(problem.problem, 0, tolerance=1e-3)
    returns = compare(problem, ["gittins"], worlds=600, workers=2).values("gittins")
    assert abs(returns.mean() - exact.value) < 4.9 * returns.std() / np.sqrt(len(returns)) + 2e-3


def test_pairing_makes_differences_precise() -> None:
    """Less than half the variance of independent runs: the good arm is the good one for both
    agents.
    """
    result = compare(
        "eight-arms:discount=0.9", ["gittins:tolerance=0.01", "posterior-mean"], worlds=60, steps=40
    )
    one, other = result.values("gittins:tolerance=0.01"), result.values("posterior-mean")
    assert (one - other).var() < 0.5 * (one.var() + other.var())


def test_a_comparison_continues_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agents = ["random", "posterior-mean"]
    whole = compare("small-chain", agents, worlds=8, workers=1)
    complete = engine.complete

    def stopped(tasks: Any, store: Store, **named: Any) -> Progress:
        """The first eleven tasks, and then Ctrl-C."""
        done = complete(list(tasks)[:11], store, **named)
        done.interrupted = True
        return done

    with monkeypatch.context() as patch:
        patch.setattr(engine, "complete", stopped)
        partial = compare("small-chain", agents, worlds=8, workers=1, store=tmp_path)
    assert partial.interrupted
    assert partial.runs == (0, 1, 2, 3, 4), "only worlds that all agents have done"
    assert "Interrupted" in str(partial)
    assert numbers(partial)["random"] == numbers(whole)["random"][:5]
    done: list[int] = []

    def counted(tasks: Any, store: Store, **named: Any) -> Progress:
        progress = complete(tasks, store, **named)
        done.append(progress.done)
        return progress

    monkeypatch.setattr(engine, "complete", counted)
    assert numbers(compare("small-chain", agents, worlds=8, workers=1, store=tmp_path)) == numbers(
        whole
    )
    assert done == [5]
    more = compare("small-chain", [*agents, "oracle"], worlds=9, workers=1, store=tmp_path)
    assert done == [5, 2 + 9], "what is there is not done again"
    assert numbers(more)["random"][:8] == numbers(whole)["random"]


def test_rows_of_other_versions_are_reused_with_a_note(tmp_path: Path) -> None:
    agents = ["random", "posterior-mean"]

    def again() -> Comparison:
        return compare("small-chain", agents, worlds=6, steps=10, workers=1, store=tmp_path)

    assert again().other_versions == {}
    assert "version" not in str(again())
    file = tmp_path / "runs.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    settings = {"problem": "small-chain", "problem_settings": {}, "agent_settings": {}, "steps": 10}
    keys = {row_key("compare", {**settings, "agent": a}, 0, n) for a in agents for n in range(6)}
    assert keys == {row["key"] for row in rows}, "by names alone"
    old = [{**row, "version": "0.0.1", "commit": "deadbee" if row["run"] else None} for row in rows]
    file.write_text("".join(json.dumps(row) + "\n" for row in old))
    result = again()
    assert result.other_versions == {"version 0.0.1": 2, "version 0.0.1 (commit deadbee)": 10}
    counted = "2 of version 0.0.1, 10 of version 0.0.1 (commit deadbee)"
    note = f"Rows of other versions, reused from the store: {counted}; this is version"
    assert note in str(result)
    assert note in shown(result)
    assert json.loads(result.to_json())["other_versions"] == result.other_versions


@pytest.fixture
def counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Number of runs of each comparison, in a folder from which modules are imported."""
    complete, done = engine.complete, []

    def counted(*arguments: Any, **named: Any) -> Progress:
        progress = complete(*arguments, **named)
        done.append(progress.done)
        return progress

    monkeypatch.setattr(engine, "complete", counted)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return done


def test_changed_code_of_yours_is_run_again(tmp_path: Path, counts: list[int]) -> None:
    """Also if a module that it imports has changed, here in a function; the other agent is not."""
    package = tmp_path / "fixed_policies"
    package.mkdir()
    package.joinpath("__init__.py").write_text("")
    helper, module = package / "helper.py", package / "policy.py"
    code = """
from bamdp.agents import Random

class Fixed(Random):
    def act(self, state):
        from .helper import ACTION
        return ACTION
"""
    module.write_text(code)

    def total(action: int) -> float:
        helper.write_text(f"ACTION = {action}\n")
        agents = {"fixed": "fixed_policies.policy:Fixed", "random": "random"}
        result = compare("small-chain", agents, worlds=5, steps=20, workers=1, store="rows")
        return result.mean("fixed", "total_reward").value

    first, other = total(0), total(1)
    assert counts == [10, 5]
    assert first != other
    assert total(0) == first
    module.write_text(code.replace("return ACTION", "return 1 - ACTION"))
    assert total(0) == other
    assert counts == [10, 5, 0, 5]


@pytest.mark.parametrize("changed", ["near", "above"])
def test_changed_code_beside_or_above_a_nested_module_is_run_again(
    tmp_path: Path, counts: list[int], changed: str
) -> None:
    """By relative imports with one and two dots."""
    package = f"nested_{changed}"  # a name of its own: imported packages stay
    inner = tmp_path / package / "inner"
    inner.mkdir(parents=True)
    files = {"near": inner / "near.py", "above": inner.parent / "above.py"}
    for file in files.values():
        file.with_name("__init__.py").write_text("")
        file.write_text("ACTION = 0\n")
    imports = "from bamdp.agents import Random\nfrom . import near\nfrom ..above import ACTION\n"
    act = "class Fixed(Random):\n    def act(self, state):\n        return ACTION or near.ACTION\n"
    inner.joinpath("policy.py").write_text(imports + act)
    for action in (0, 1):
        files[changed].write_text(f"ACTION = {action}\n")
        agents = [f"{package}.inner.policy:Fixed"]
        compare("small-chain", agents, worlds=2, steps=5, workers=1, store="rows")
    assert counts == [2, 2]


def test_a_changed_environment_of_yours_is_run_again(tmp_path: Path, counts: list[int]) -> None:
    """Its class is in another module than the one that registers it."""
    register = 'gymnasium.register("Wet-v0", entry_point="wet_lake:Lake")'
    (tmp_path / "wet_lakes.py").write_text(f"import gymnasium\n{register}\n")
    for slippery in (True, False, True):
        (tmp_path / "wet_lake.py").write_text(
            "from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv\n"
            "class Lake(FrozenLakeEnv):\n"
            "    def __init__(self, **more):\n"
            f"        super().__init__(is_slippery={slippery}, **more)\n"
        )
        compare("gym:wet_lakes:Wet-v0", ["random"], worlds=2, steps=9, workers=1, store="rows")
    assert counts == [2, 2, 0]


def test_stopped_before_the_first_world(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        engine, "complete", lambda *arguments, **named: Progress(total=2, interrupted=True)
    )
    with pytest.raises(KeyboardInterrupt):
        compare("small-chain", ["random"], worlds=8)


def rewards_of(agent: str, run: int) -> NDArray[np.float64]:
    """The rewards of an agent in a world of small-chain, 250 steps."""
    agent_seed, world_seed = seeds(0, run)
    make = partial(make_candidate, parse_spec(AGENTS, agent))
    made, world = draw(SmallChain(), make, agent_seed, world_seed)
    return bamdp.run(made, world, 250, world_seed).rewards


@pytest.mark.parametrize("problem", ["small-chain", SmallChain()], ids=repr)
def test_learning_curves_are_running_means_of_the_rewards(problem: Any) -> None:
    """Also where the parts of a run differ in length, here 50 parts of three steps and
    50 of two.
    """
    result = compare(
        problem, ["random", "posterior-mean"], worlds=6, steps=250, curves=True, workers=1
    )
    curves, ends = result.curves, [*range(3, 151, 3), *range(152, 251, 2)]
    for agent in result.agents:
        rewards = np.array([rewards_of(agent, run) for run in range(6)])
        of = [i for i, name in enumerate(curves["agent"]) if name == agent]
        assert [curves["step"][i] for i in of] == ends
        for i, end in zip(of, ends, strict=True):
            expected = mean(rewards[:, :end].mean(axis=1).tolist())
            found = [curves[name][i] for name in ("reward", "reward_low", "reward_high")]
            assert found == pytest.approx([expected.value, expected.low, expected.high])
    pytest.importorskip("matplotlib")
    axes = result.plot_curves().axes[0]
    assert [line.get_label() for line in axes.lines] == list(result.agents)
    assert len(axes.collections) == 2, "a band for each"
    with pytest.raises(ValueError, match="give curves=True"):
        assert compare(SmallChain(), [Random], worlds=2, steps=3).curves


@pytest.mark.parametrize(
    ("problem", "of_domain"),
    [("chain", True), (Grid(3), True), ("small-chain", False), (TwoArms(), False)],
)
def test_the_table_says_where_the_worlds_of_a_domain_come_from(
    problem: Any, of_domain: bool
) -> None:
    assert (
        "drawn from the domain's prior" in str(compare(problem, ["random"], worlds=2, steps=3))
    ) == of_domain


class Own(Random):
    """An agent that fails."""

    def act(self, state: int) -> int:
        raise RuntimeError("broken")


def test_an_agent_that_fails_ends_it() -> None:
    with pytest.raises(RuntimeError, match="broken"):
        compare(SmallChain(), [Own], worlds=3)
    with pytest.raises(RuntimeError, match=r"failed in world 0 of small-chain:(.|\n)*broken"):
        compare("small-chain", [f"{__name__}:Own"], worlds=1, workers=1)


def test_the_table() -> None:
    result = compare(
        "riverswim",
        ["posterior-mean", "random", "oracle"],
        worlds=6,
        steps=50,
        workers=2,
        against="random",
    )
    columns = result.columns
    assert (
        columns["agent"]
        == list(result.agents)
        == sorted(result.agents, key=lambda a: -result.values(a).mean())
    )
    assert columns["worlds"] == [6, 6, 6]
    assert columns["episodes"] == [2, 2, 2], "of 20 steps, in 50"
    for i, agent in enumerate(columns["agent"]):
        expected = mean(result.values(agent).tolist())
        assert columns["return"][i] == expected.value
        assert columns["return_low"][i] == expected.low
        pairs = result.values(agent) - result.values("random")
        assert columns["difference"][i] == pytest.approx(pairs.mean(), abs=1e-12)
        if agent != "random":
            assert columns["difference_high"][i] == pytest.approx(mean(pairs.tolist()).high)
        per_episode = result.values(agent, "mean_episode_return").mean()
        assert columns["return_per_episode"][i] == pytest.approx(per_episode)
        assert columns["seconds_per_decision"][i] == pytest.approx(
            result.values(agent, "agent_seconds").sum() / 300
        )
    text = str(result).splitlines()
    assert text[0] == "riverswim: 6 worlds of 50 steps, the same for every agent"
    assert [line.split()[0] for line in text[4:7]] == list(result.agents)
    assert "minus random" in text[2]
    assert text[2].split()[:3] == ["agent", "discounted", "return"], "what they are sorted by leads"
    assert "return per episode  episodes" in text[2]
    assert "success rate" in text[-1]
    none = compare("riverswim", ["random"], worlds=2, steps=5, workers=1)
    assert none.columns["episodes"] == [0]
    assert str(none).splitlines()[4].split()[2:4] == ["—", "0"], "said where none has ended, too"
    assert "<table>" in shown(result)
    assert shown(result).count("<circle") == 6
    data = json.loads(result.to_json(), parse_constant=pytest.fail)
    assert data["columns"] == columns
    assert data["results"]["oracle"]["discounted_return"] == result.values("oracle").tolist()


def test_a_column_is_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """And rows of an older store, which have not what it shows, don't disturb it."""
    column = Column("simulations", "simulations", mean_or_point("simulations"), interval=True)
    result = compare(
        SmallChain(), {"search": (BAMCP, {"simulations": 7}), "old": Random}, worlds=5, steps=3
    )
    old = [
        {name: value for name, value in row.items() if name != "simulations"}
        for row in result.results["old"]
    ]
    monkeypatch.setattr(comparison, "COLUMNS", (*comparison.COLUMNS, column))
    result = replace(result, results={**result.results, "old": old})
    lines = {line.split()[0]: line.split() for line in str(result).splitlines()[2:6]}
    assert (lines["agent"][-1], lines["search"][-1], lines["old"][-1]) == ("simulations", "21", "—")
    columns = json.loads(result.to_json(), parse_constant=pytest.fail)["columns"]
    assert dict(zip(columns["agent"], columns["simulations"], strict=True)) == {
        "search": 21,
        "old": None,
    }


def test_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    result = compare(SmallChain(), [Random, greedy], worlds=6)
    frame = result.to_pandas()
    assert frame["agent"].tolist() == list(result.agents)
    assert frame["return"].tolist() == result.columns["return"]
    assert frame["difference_low"].isna().tolist() == [True, False], "of the first there is none"
    assert list(frame.columns) == list(result.columns)
    assert frame.set_index("agent").loc["Random", "return"] == pytest.approx(
        result.values("Random").mean()
    )
    monkeypatch.setitem(sys.modules, "pandas", None)  # as if it were not installed
    with pytest.raises(ImportError, match="pip install pandas; `columns` is the same without it"):
        result.to_pandas()


def test_few_worlds_have_no_intervals() -> None:
    result = compare(SmallChain(), [Random, greedy], worlds=4)
    assert result.columns["return_low"] == [None, None]
    assert "No intervals from fewer than 5 worlds" in str(result)
    assert "per episode" not in str(result)


def test_pictures(tmp_path: Path) -> None:
    result = compare(SmallChain(), {"a < b": Random, "greedy": greedy}, worlds=6)
    result.save(tmp_path / "new" / "picture.svg")
    text = (tmp_path / "new" / "picture.svg").read_text(encoding="utf-8")
    assert text.startswith("<svg")
    assert "a &lt; b" in text
    pytest.importorskip("matplotlib")
    result.save(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(
        ValueError, match=r"the ending of .* must be one of '.svg', '.png', got '.gif'"
    ):
        result.save(tmp_path / "picture.gif")


def test_a_script_needs_no_guard(tmp_path: Path) -> None:
    """Worker processes don't run it again."""
    script = tmp_path / "script.py"
    call = "bamdp.compare('small-chain', ['random'], worlds=2, workers=2)"
    script.write_text(f"import bamdp\nprint('begun')\nprint({call}.worlds)\n")
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=100
    )
    assert (done.stdout, done.stderr) == ("begun\n2\n", "")


ONE = ["random"]
REJECTED: list[tuple[type[Exception], str, Any, Any, dict[str, Any]]] = [
    (ValueError, "unknown benchmark 'bbrl-gd'; did you mean 'bbrl-gdl'\\?", "bbrl-gd", ONE, {}),
    (ValueError, "Known: .*bbrl-gc.*See bamdp list", "qqqqqq", ONE, {}),
    (
        TypeError,
        "problem must be a name, a bamdp.BAMDP, a bamdp.suite.Benchmark or a bamdp.Domain, got 3",
        3,
        ONE,
        {},
    ),
    (TypeError, "domain must be a Tabular one", InfiniteGrid(), ONE, {}),
    (TypeError, "agents must be a list or a dictionary", "bbrl-gc", "random", {}),
    (TypeError, "agents must be a list", "bbrl-gc", 3, {}),
    (ValueError, "agents must not be empty", "bbrl-gc", [], {}),
    (
        ValueError,
        "got 'random' twice; a dictionary gives them labels",
        "bbrl-gc",
        ["random", "random"],
        {},
    ),
    (ValueError, "unknown agent 'bamcq'; did you mean 'bamcp'", "bbrl-gc", ["bamcq"], {}),
    (ValueError, "simulations must be an integer from 1", "bbrl-gc", ["bamcp:simulations=0"], {}),
    (TypeError, "each of agents must be a name, a class", "bbrl-gc", [3], {}),
    (TypeError, "agents must be classes or functions", "bbrl-gc", [Random(sized(2, 3, 0.9))], {}),
    (
        TypeError,
        "agents must make a bamdp.Agent, got None",
        "bbrl-gc",
        {"none": lambda domain, prior, seed: None},
        {},
    ),
    (TypeError, "each label of agents must be a string", "bbrl-gc", {3: "random"}, {}),
    (TypeError, "for bandits only", "bbrl-gc", ["gittins"], {}),
    (
        TypeError,
        "world must be the true MDP of a domain with tables",
        "paper-infinite-grid",
        ["oracle"],
        {},
    ),
    (ValueError, "worlds must be an integer", "bbrl-gc", ONE, {"worlds": 0}),
    (ValueError, "seed must be", "bbrl-gc", ONE, {"seed": -1}),
    (ValueError, "steps must be", "bbrl-gc", ONE, {"steps": 0}),
    (ValueError, "workers must be", "bbrl-gc", ONE, {"workers": 0}),
    (TypeError, "curves must be True or False", "bbrl-gc", ONE, {"curves": 3}),
    (
        ValueError,
        "against must be one of the agents, got 'randon'; did you mean 'random'",
        "bbrl-gc",
        ONE,
        {"against": "randon"},
    ),
    (ValueError, "store is for problems and agents by name", "bbrl-gc", [Random], {"store": "x"}),
    (ValueError, "store is for problems and agents by name", BBRLGC(), ONE, {"store": "x"}),
]


@pytest.mark.parametrize(("kind", "message", "problem", "agents", "settings"), REJECTED)
def test_rejected(
    kind: type[Exception], message: str, problem: Any, agents: Any, settings: dict[str, Any]
) -> None:
    with pytest.raises(kind, match=message):
        compare(problem, agents, **{"worlds": 2, "steps": 3, **settings})


def test_values_of_nobody() -> None:
    result = compare(SmallChain(), [Random], worlds=2, steps=3)
    with pytest.raises(ValueError, match="unknown agent 'random'; did you mean 'Random'"):
        result.values("random")
    with pytest.raises(ValueError, match="measure must be one of"):
        result.mean("Random", "luck")


def test_a_domain_is_a_problem_whose_worlds_are_drawn_from_its_prior() -> None:
    by_name = compare("bandit:discount=0.9", ["random"], worlds=3, steps=9, workers=1)
    for same in (Bandit(discount=0.9), Bandit(discount=0.9).problem()):
        assert numbers(by_name) == numbers(compare(same, {"random": "random"}, worlds=3, steps=9))
    assert by_name.problem == "bandit:discount=0.9"


def test_the_return_per_episode_is_that_of_all_episodes() -> None:
    """FrozenLake pays 1 at the goal, where the episode ends: all rewards over all episodes; in some
    worlds there are more.
    """
    result = compare("frozen-lake", ["posterior-mean", "random"], worlds=12, steps=300, workers=1)
    for i, agent in enumerate(result.agents):
        right = result.values(agent, "total_reward").sum() / result.values(agent, "episodes").sum()
        assert abs(result.values(agent, "mean_episode_return").mean() - right) > 1e-4, (
            "of no use otherwise"
        )
        assert result.columns["return_per_episode"][i] == pytest.approx(right, rel=1e-9)


class Interrupting(Random):
    """Presses Ctrl-C in its fourth world and then waits for it."""

    made = 0

    def __init__(self, problem: BAMDP, *, seed: int = 0) -> None:
        super().__init__(problem, seed=seed)
        self.on_tick: Any = None  # set by the runner; raises when it is to stop
        type(self).made += 1

    def act(self, state: int) -> int:
        if type(self).made == 5:  # the first was made to check its settings
            signal.raise_signal(signal.SIGINT)
            for _ in range(3000):
                self.on_tick()
                time.sleep(0.01)
            raise TimeoutError("Ctrl-C is not heard")
        return super().act(state)


def test_objects_keep_the_worlds_done_before_an_interruption() -> None:
    """A run in the background has inherited that Ctrl-C is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        result = compare(SmallChain(), {"a": Random, "b": Interrupting}, worlds=50, workers=1)
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.interrupted
    assert result.runs == (0, 1, 2)


def test_a_run_ends_after_its_episodes() -> None:
    """A chain of three steps to its end: one episode has three steps, two have six."""
    tables = np.zeros((1, 4, 1, 4))
    tables[0, [0, 1, 2, 3], 0, [1, 2, 3, 3]] = 1
    problem = bamdp.BAMDP(bamdp.priors.Finite(tables), -np.ones((4, 1)), 0.9, terminal=[3], start=0)
    for episodes in (1, 2):
        result = bamdp.compare(
            problem, ["random"], worlds=2, steps=50, episodes=episodes, workers=1
        )
        assert [row["steps"] for row in result.results["random"]] == [3 * episodes] * 2
    with pytest.raises(ValueError, match="episodes"):
        bamdp.compare(problem, ["random"], worlds=2, steps=50, episodes=0)
