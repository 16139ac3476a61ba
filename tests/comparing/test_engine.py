"""The engine of runs: the same rows on threads and processes, and one kind of error."""

import os
import signal
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import bamdp
from bamdp.agents import BAMCP, Random
from bamdp.comparing import engine
from bamdp.comparing.engine import RunError, is_portable
from bamdp.comparing.planned import PlannedRun, measures, plays, searches_natively
from bamdp.comparing.store import Store
from bamdp.domains import Chain


def draw(kind: type[Random], agent_seed: int, world_seed: int) -> tuple[Random, Chain]:
    return kind(Chain().problem(), seed=agent_seed), Chain()


def planned(kind: type[Random], runs: int = 6) -> list[PlannedRun]:
    return [PlannedRun(partial(draw, kind), 20, 0, run) for run in range(runs)]


class Broken(Random):
    """Fails at once."""

    def act(self, state: int) -> int:
        raise ZeroDivisionError("as planned")


class Exits(Random):
    """Ends its process."""

    def act(self, state: int) -> int:
        raise SystemExit(7)


class Dies(Random):
    """Kills its process."""

    def act(self, state: int) -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return 0


class NeverMade(Random):
    """Rejects its settings."""

    def __init__(self, *arguments: object, **settings: object) -> None:
        raise ValueError("beta must be more")


BOTH = pytest.mark.parametrize("processes", [False, True], ids=["threads", "processes"])


def test_threads_and_processes_give_the_same_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tables = [
        engine.complete(runs, processes=processes, workers=workers).table(runs)
        for runs in [planned(Random)]
        for processes in (False, True)
        for workers in (1, 2)
    ]
    assert list(tmp_path.iterdir()) == [], "no files without a store"
    for table in tables:
        assert [row["run"] for row in table.rows] == list(range(6))
        assert table.values("total_reward").tolist() == tables[0].values("total_reward").tolist()
        assert table.to_pandas()["steps"].tolist() == [20] * 6
        assert {row["version"] for row in table.rows} == {bamdp.__version__}
    with pytest.raises(ValueError, match=r"measure must be one of agent_seconds, .*, got 'luck'"):
        tables[0].values("luck")


@BOTH
@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Broken, "run 0 failed: ZeroDivisionError: as planned"),
        (Exits, "run 0 failed: SystemExit: 7"),
    ],
)
def test_a_run_that_fails_is_one_kind_of_error(
    kind: type[Random], said: str, processes: bool
) -> None:
    with pytest.raises(RunError, match=f"^{said}$") as caught:
        engine.complete(planned(kind, 1), processes=processes, workers=2)
    assert "in act" in str(caught.getrepr()) or caught.value.__cause__ is not None


@BOTH
def test_an_agent_that_cannot_be_made_is_its_own_error(processes: bool) -> None:
    with pytest.raises(ValueError, match="beta must be more"):
        engine.complete(planned(NeverMade), processes=processes, workers=2)


def test_a_process_that_dies_is_an_error() -> None:
    with pytest.raises(RunError, match="a worker process died"):
        engine.complete(planned(Dies), processes=True, workers=2)


def test_rows_are_stored_as_they_arrive(tmp_path: Path) -> None:
    """Those before a failure are not lost, and not done again."""
    runs = planned(Random, 4)
    broken = [PlannedRun(partial(draw, Broken), 20, 1, 0)]
    with pytest.raises(RunError):
        engine.complete([*runs, *broken], Store(tmp_path), workers=1)
    assert {row["key"] for row in Store(tmp_path).rows()} == {run.key for run in runs}
    again = engine.complete(runs, Store(tmp_path), workers=1)
    assert (again.total, again.done, len(again.rows)) == (0, 0, 4)


@pytest.mark.parametrize(
    ("make", "portable"),
    [
        (partial(draw, Random), True),
        (lambda agent, world: draw(Random, agent, world), False),
        (partial(draw, type("Mine", (Random,), {"__module__": "__main__"})), False),
    ],
    ids=["importable", "lambda", "of the script"],
)
def test_what_other_processes_can_make(
    make: Callable[[int, int], tuple[Random, Chain]], portable: bool
) -> None:
    assert is_portable(PlannedRun(make, 20, 0)) == portable


def test_native_searches_share_threads() -> None:
    problem = Chain().problem()
    assert searches_natively(BAMCP(problem))
    assert not searches_natively(Random(problem))


def test_settings_of_any_kind_tell_runs_apart() -> None:
    """Those of tuned agents may be objects."""
    runs = [
        run
        for prior in (bamdp.priors.Dirichlet(1.0), bamdp.priors.Dirichlet(2.0))
        for run in plays(
            Chain(), lambda seed: Random(Chain().problem(), seed=seed), 5, 2, settings={"p": prior}
        )
    ]
    assert len({run.key for run in runs}) == 4
    assert len(engine.complete(runs, workers=1).table(runs).rows) == 4
    assert runs[0].measures is measures
