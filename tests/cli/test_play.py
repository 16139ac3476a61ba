"""`bamdp play`: its results, and what its flags do."""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bamdp.agents import Random
from bamdp.cli import main as cli
from bamdp.cli import play
from bamdp.cli.output import print_json
from bamdp.config import names
from bamdp.domains import Chain
from bamdp.runner import Job, Result, Results

JOB = Job(Chain(), lambda seed: Random(2, seed=seed), steps=1, runs=2, seed=0, workers=1)


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "bamdp", *words], capture_output=True, text=True, timeout=120)


def result(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    return json.loads(output(capsys, *words, "--json"))


def output(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert cli.main(["play", *words]) == 0
    return capsys.readouterr().out


def test_the_same_seed_gives_the_same_totals_whatever_the_workers() -> None:
    words = ("play", "grid3", "random", "--runs", "4", "--steps", "200", "--json")
    runs = [command(*words, "--workers", workers) for workers in ("1", "2", "2")]
    totals = [json.loads(done.stdout)["total_rewards"] for done in runs]
    assert totals[0] == totals[1] == totals[2]
    assert len(set(totals[0])) > 1
    assert all(done.returncode == 0 for done in runs)
    other = json.loads(command(*words, "--seed", "1").stdout)["total_rewards"]
    assert other != totals[0]


def test_planner_gives_the_same_totals_whatever_the_workers() -> None:
    words = ("play", "double-loop", "bamcp", "--simulations", "100", "--runs", "3", "--steps", "60", "--json")
    runs = [json.loads(command(*words, "--workers", workers).stdout) for workers in ("1", "3")]
    assert runs[0]["total_rewards"] == runs[1]["total_rewards"]
    assert runs[0]["simulations_per_second"] > 0
    assert runs[0]["settings"]["simulations"] == 100


def test_play_domain_agent_help_teaches_the_flags(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_info:
        cli.main(["play", "grid5", "bamcp", "--help"])
    assert exit_info.value.code == 0
    text = capsys.readouterr().out
    for flag in ("--steps", "--runs", "--seed", "--workers", "--prior", "--json", "--simulations", "--slip", "--alpha"):
        assert flag in text
    assert "turned by a quarter" in text  # from the documentation of Grid


def test_everything_can_be_played_with_its_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    for domain in names.find_all("domain"):
        assert len(result(capsys, domain.name, "random", "--steps", "3")["total_rewards"]) == 1
    for agent in names.find_all("agent"):
        domain_name = "bandit" if agent.name == "gittins" else "chain"
        assert len(result(capsys, domain_name, agent.name, "--steps", "3")["total_rewards"]) == 1


def test_json_has_exactly_what_was_promised(capsys: pytest.CaptureFixture[str]) -> None:
    data = result(capsys, "chain", "random", "--runs", "5", "--steps", "100", "--slip", "0.1")
    keys = {"total_rewards", "mean", "ci95", "seconds_per_step", "simulations_per_second", "settings"}
    assert set(data) == keys
    assert data["mean"] == pytest.approx(sum(data["total_rewards"]) / 5)
    assert data["ci95"][0] < data["mean"] < data["ci95"][1]
    assert data["seconds_per_step"] > 0
    assert data["simulations_per_second"] is None
    settings = data["settings"]
    assert settings["domain"].startswith("Chain(")
    assert settings["agent"].startswith("Random(")
    assert (settings["steps"], settings["runs"], settings["seed"], settings["slip"]) == (100, 5, 0, 0.1)


@pytest.mark.parametrize("runs", ["1", "4"])
def test_few_runs_have_no_interval(capsys: pytest.CaptureFixture[str], runs: str) -> None:
    assert result(capsys, "chain", "random", "--steps", "5", "--runs", runs)["ci95"] is None
    assert cli.main(["play", "chain", "random", "--steps", "5", "--runs", runs]) == 0
    assert "no interval from fewer than 5 runs" in capsys.readouterr().out


def test_steps_are_the_domains_unless_given(capsys: pytest.CaptureFixture[str]) -> None:
    assert result(capsys, "bandit", "random")["settings"]["steps"] == 300


def test_flags_reach_the_domain_and_the_prior(capsys: pytest.CaptureFixture[str]) -> None:
    sure = result(capsys, "chain", "oracle", "--slip", "0", "--steps", "10")
    assert sure["mean"] == 60  # four steps to the end, then ten each time
    data = result(capsys, "grid3", "bamcp", "--steps", "2", "--prior", "dirichlet", "--alpha", "0.25")
    assert data["settings"]["prior"].startswith("Dirichlet(")
    assert "0.25" in data["settings"]["prior"]
    assert data["settings"]["alpha"] == 0.25


def test_a_flag_whose_name_is_taken_has_its_group_before_it(capsys: pytest.CaptureFixture[str]) -> None:
    one, two = (result(capsys, "random-mdp", "oracle", "--domain-seed", seed) for seed in ("1", "2"))
    assert one["settings"]["seed"] == two["settings"]["seed"] == 0
    assert one["mean"] != two["mean"]


def test_the_table_shows_the_published_number_where_it_applies(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("double-loop", "bamcp", "--simulations", "1")
    assert "387.6 ± 1.5" in output(capsys, *words)
    assert "387.6" not in output(capsys, *words, "--steps", "10")
    assert "387.6" not in output(capsys, *words, "--discount", "0.9")


def test_json_never_has_numbers_that_json_has_not(capsys: pytest.CaptureFixture[str]) -> None:
    settings = {"domain": "d", "agent": "a", "prior": "p", "epsilon": math.inf}
    print_json(play.data(Results(JOB, [Result(math.nan, 0.0, 0.0, 5)]), settings))
    data = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert data["mean"] is None
    assert data["settings"]["epsilon"] is None


def test_table_of_no_results() -> None:
    rows = dict(play.rows(Results(JOB, []), {"domain": "d", "agent": "a", "prior": "p"}))
    assert (rows["mean total reward"], rows["runs"], rows["total rewards"]) == ("—", "0 done of 2, each of 1 steps", "—")


@pytest.mark.usefixtures("mine")
def test_classes_functions_and_objects_of_the_users_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert result(capsys, "mine:my_chain", "oracle", "--steps", "10")["mean"] == 60
    assert result(capsys, "mine:chain", "random", "--steps", "3")["total_rewards"]
    assert result(capsys, "chain", "mine:Lazy", "--seconds", "0", "--steps", "3")["settings"]["seconds"] == 0
    totals = result(capsys, "mine:chain", "mine:my_agent", "--runs", "2")["total_rewards"]
    assert totals[0] != totals[1]  # each run has its own seed


def test_an_error_while_running_keeps_its_traceback(mine: Path) -> None:
    broken = "from mine import Lazy\nclass Broken(Lazy):\n    def act(self, state):\n        return 1 / 0\n"
    (mine / "broken.py").write_text(broken)
    done = command("play", "chain", "broken:Broken", "--runs", "3")
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr
