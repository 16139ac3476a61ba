"""Files, stores, tasks and experiments, as they should be. Files are written to the folder that the test is in."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st

from bamdp import agents, environments, priors
from bamdp.domains import Bandit, Tabular
from bamdp.runs.store import FILE
from bamdp.runs.task import Task
from bamdp.saving import archive
from bamdp.studies.experiment import SCALES, Entry, Experiment, by_group
from bamdp.studies.regret import SolvedProblem
from fuzz.worlds import Strategy, World
from reference.stored import row_of

names = st.sampled_from(sorted(name for name in environments.ids().values() if name != "maze"))  # which takes seconds


def thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1)


# --- files


@cache
def _saved() -> bytes:
    with TemporaryDirectory() as folder:
        agents.BayesianDP(Bandit([0.2, 0.8], 0.9).problem()).save(file := Path(folder, "agent"))
        return file.read_bytes()


def _written(name: str) -> Callable[[bytes], str]:
    def write(content: bytes) -> str:
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_bytes(content)
        return name

    return write


@st.composite
def _changed(draw: st.DrawFn) -> bytes:
    """A saved agent some bytes of which are others, with the checksum that belongs to them."""
    content = bytearray(_saved())
    for place in draw(st.lists(st.integers(0, len(content) - 1 - archive._DIGEST), max_size=3)):
        content[place] = draw(st.integers(0, 255))
    return archive._sealed(bytes(content[: -archive._DIGEST]))


files = st.one_of(st.binary(), _changed(), st.builds(_saved)).map(_written("file"))

_lines = st.one_of(st.binary(max_size=40), st.sampled_from([b"", b'{"key": "a"}\n', b'{"key": "b", "result": {"x": 1}}\n']))
stores = st.one_of(_lines.map(_written(f"store/{FILE}")), _lines.map(_written("store/more.jsonl.gz"))).map(
    lambda file: str(Path(file).parent)
)

# --- studies

settings = st.just({"domain": "chain", "agent": "random", "steps": 3})
tasks = st.builds(Task, st.just("play"), settings, st.integers(0, 3), st.integers(0, 3))
by_scale = st.just(dict.fromkeys(SCALES, 1))
entries = st.builds(
    Entry, st.just("random"), settings, st.sampled_from([({},), ({"steps": (2, 3)},)]), at=st.just({"quick": {"slip": 0.1}})
)
experiments = st.builds(
    Experiment, *map(st.just, ("name", "title", "source")), st.builds(lambda entry: {"chain": (entry,)}, entries), by_scale
)


_results = st.sampled_from([0.0, 1.0, -2.5]).map(lambda reward: {"total_reward": reward, "steps": 3, "cpu_seconds": 0.1})
rows = st.lists(st.builds(row_of, tasks, _results), max_size=3)
groups = rows.map(by_group)


def problems(world: World) -> Strategy:
    return st.sampled_from([0.0, 0.5]).map(_problem)


@cache
def _problem(discount: float) -> SolvedProblem:
    return SolvedProblem.solve(Tabular(Bandit([0.5, 0.5], discount).mdp, discount), priors.BetaArms(), steps=2)
