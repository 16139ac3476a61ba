"""An agent that was saved and loaded in another process goes on bit for bit like the one that was
not.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp import BAMDP, priors
from bamdp.agents import BAMCP, BayesAdaptive, Oracle, Random
from bamdp.domains import Chain, DoubleLoop, Grid, NormalBandit
from bamdp.saving import archive
from bamdp.saving.archive import SavedFileError
from reference.saved_agents import CASES_BY_NAME as CASES
from reference.saved_agents import MOMENTS, Journey, resumed

STEPS = 12
SCRIPT = """
import json, sys
import bamdp
from reference.saved_agents import CASES_BY_NAME as CASES, resumed

for line in sys.stdin:
    job = json.loads(line)
    case = CASES[job["case"]]
    agent = bamdp.load(job["path"], prior=case.given)
    print(json.dumps(resumed(agent, case.world, job["state"], job["left"], job["steps"])))
"""


@pytest.fixture(scope="module")
def both(
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[tuple[str, str], tuple[list[str], list[str]]]:
    """How each agent goes on here, and how the one goes on that another process has loaded."""
    folder = tmp_path_factory.mktemp("saved")
    here, jobs = {}, []
    for name, case in CASES.items():
        for moment in MOMENTS:
            journey = Journey(case.make(), case.world, seed=7)
            journey.go_to(moment)
            path = str(folder / f"{name}-{moment}.bamdp")
            journey.agent.save(path)
            jobs.append(
                {
                    "case": name,
                    "path": path,
                    "state": journey.state,
                    "left": journey.left,
                    "steps": STEPS,
                }
            )
            here[name, moment] = resumed(
                journey.agent, case.world, journey.state, journey.left, STEPS
            )
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input="\n".join(map(json.dumps, jobs)),
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[1],
        check=False,
    )
    assert done.returncode == 0, done.stderr
    there = map(json.loads, done.stdout.splitlines())
    return {key: (found, other) for (key, found), other in zip(here.items(), there, strict=True)}


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("name", CASES)
def test_it_goes_on_in_another_process(both: Any, name: str, moment: str) -> None:
    here, there = both[name, moment]
    assert here == there


def test_every_agent_and_prior_is_saved() -> None:
    found = {type(case.make()).__name__ for case in CASES.values()}
    assert found == set(bamdp.agents.__all__)
    used = {type(case.make().problem.prior).__name__ for case in CASES.values()}
    kinds = {name for name in priors.__all__ if issubclass(getattr(priors, name), bamdp.Prior)}
    assert kinds - used == {"Worlds"}  # is a function: not to be saved


def test_saving_changes_nothing(tmp_path: Path) -> None:
    for name in ("bamcp", "reuse-tree", "sampled", "infinite-grid", "boss"):
        case = CASES[name]
        plain, saved = (Journey(case.make(), case.world, seed=1) for _ in range(2))
        for _ in range(4):
            assert plain.go(3) == saved.go(3)
            saved.agent.save(tmp_path / "agent")


def test_arrays_are_saved_as_the_agent_knows_them(tmp_path: Path) -> None:
    rewards = np.array(DoubleLoop().rewards)
    agent = BAMCP(BAMDP(priors.Dirichlet(), rewards, 0.95), simulations=10)
    rewards[:] = 99.0
    agent.save(tmp_path / "agent")
    assert np.array_equal(bamdp.load(tmp_path / "agent").problem.rewards, DoubleLoop().rewards)


def test_all_of_a_problem_is_saved(tmp_path: Path) -> None:
    names = {"states": ("new", "worn"), "actions": ("run", "service", "replace")}
    end = {"horizon": 12, "episode_length": 3, "start": 1}
    for more in (end, {"terminal": [1]}):
        problem = BAMDP(priors.Dirichlet(), np.ones((2, 3, 2)), 0.9, **names, **more)  # type: ignore[arg-type]  # mixed types
        Random(problem).save(tmp_path / "agent")
        loaded = bamdp.load(tmp_path / "agent").problem
        for name in (
            "discount",
            "terminal",
            "horizon",
            "episode_length",
            "start",
            "states",
            "actions",
        ):
            assert getattr(loaded, name) == getattr(problem, name)
        assert np.array_equal(loaded.rewards, problem.rewards)


def test_the_world_of_an_oracle_is_saved_or_refused(tmp_path: Path) -> None:
    prior = priors.Finite(np.full((2, 2, 1, 2), 0.5), terminal=[[0], [1]])
    problem = BAMDP(prior, np.ones((2, 1)), 0.9)
    with pytest.raises(
        TypeError, match="the mean of MDPs with different terminal states can't be saved"
    ):
        Oracle(problem, world=problem.belief().mean()).save(tmp_path / "agent")
    for world in (NormalBandit([0.1, 0.7]), Grid(3)):
        Oracle(world.problem(), world=world.mdp).save(tmp_path / "agent")
        loaded: Any = bamdp.load(tmp_path / "agent")
        assert loaded.world.transitions.tolist() == world.mdp.transitions.tolist()
        assert (
            loaded.q_values(0).tolist()
            == Oracle(world.problem(), world=world.mdp).q_values(0).tolist()
        )


def test_what_was_searched_is_saved(tmp_path: Path) -> None:
    """Simulations, and searches that reached the memory limit, as the plans have them."""
    agent = BayesAdaptive(Chain().problem(), simulations=2000, memory=0.01)
    plans = [agent.plan(state) for state in (0, 1)]
    agent.simulations = 2
    plans += [agent.plan(state) for state in (2, 3, 4)]
    assert [plan.full for plan in plans] == [True, True, False, False, False]
    agent.save(tmp_path / "agent")
    loaded: Any = bamdp.load(tmp_path / "agent")
    assert loaded.simulations_done == sum(plan.simulations for plan in plans)
    assert loaded.full_searches == 2


def test_reset_after_loading_is_as_if_new(tmp_path: Path) -> None:
    for name in ("finite", "beb", "arms"):
        case = CASES[name]
        journey = Journey(case.make(), case.world, seed=1)
        journey.go(5)
        journey.agent.save(tmp_path / "agent")
        loaded = bamdp.load(tmp_path / "agent")
        loaded.reset(5)
        assert Journey(loaded, case.world, seed=2).go(10) == Journey(
            case.make(), case.world, seed=2
        ).go(10)


def test_the_same_state_is_the_same_file(tmp_path: Path) -> None:
    for name in ("one", "two"):
        CASES["bamcp"].make().save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_prior_of_the_users_own_must_be_given(tmp_path: Path) -> None:
    CASES["sampled"].make().save(tmp_path / "agent")
    with pytest.raises(
        SavedFileError, match=r"the user's own code, Sampled\(Counted, batch=30\): pass it"
    ):
        bamdp.load(tmp_path / "agent")
    CASES["bamcp"].make().save(tmp_path / "agent")
    with pytest.raises(
        SavedFileError, match=r"contains its prior: load\(path\), without prior=Dirichlet"
    ):
        bamdp.load(tmp_path / "agent", prior=priors.Dirichlet())


class Patient(Random):
    """An agent of the user's own that learns nothing more."""

    def act(self, state: int) -> int:
        return super().act(state) if state else 0


def test_an_agent_of_the_users_own(tmp_path: Path) -> None:
    agent = Patient(DoubleLoop().problem(), seed=1)
    agent.act(1)
    agent.save(tmp_path / "agent")
    with pytest.raises(SavedFileError, match=r"not in bamdp\.agents: pass its class Patient"):
        bamdp.load(tmp_path / "agent")
    loaded = bamdp.load(tmp_path / "agent", agent_class=Patient)
    assert isinstance(loaded, Patient)
    assert [loaded.act(1) for _ in range(20)] == [agent.act(1) for _ in range(20)]
    Random(DoubleLoop().problem()).save(tmp_path / "agent")
    with pytest.raises(SavedFileError, match=r"'Random', which bamdp\.agents has"):
        bamdp.load(tmp_path / "agent", agent_class=Patient)


def test_a_file_that_can_not_be_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "agent"
    Random(DoubleLoop().problem()).save(path)
    before = path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        Random(Grid(3).problem()).save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_no_file_joins_a_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents with workers are never saved: a file that says so was made on purpose."""
    monkeypatch.setattr(
        "bamdp.executors.joined_cluster", lambda: pytest.fail("a file has joined a cluster")
    )
    for cls in (BAMCP, bamdp.agents.BAUCT):
        path = tmp_path / cls.__name__
        cls(DoubleLoop().problem(), simulations=10).save(path)
        header, arrays = archive.unpack(path.read_bytes())
        header["arguments"]["workers"] = {"value": 1}
        path.write_bytes(archive.pack(header, arrays))
        with pytest.raises(SavedFileError, match="workers must be None in a file"):
            bamdp.load(path)
