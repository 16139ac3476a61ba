"""The profile of Hypothesis, by which the suite gives the same verdict every time, and fixtures."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("suite", derandomize=True, database=None, deadline=None, max_examples=20)
settings.load_profile("suite")

# Programs that tests start find `reproduction`, which is not installed, too.
ROOT = str(Path(__file__).parents[1])
os.environ["PYTHONPATH"] = os.pathsep.join([ROOT, *filter(None, [os.environ.get("PYTHONPATH")])])

MINE = """
import bamdp
from bamdp.domains import Chain

class Lazy(bamdp.agents.Random):
    \"\"\"Does the first thing.\"\"\"

    def __init__(self, problem, *, seconds: float = 60.0, seed: int = 0) -> None:
        self.seconds = seconds
        super().__init__(problem, seed=seed)

    def act(self, state):
        return 0

def my_chain():
    \"\"\"A chain of mine.\"\"\"
    return Chain(slip=0)

def my_agent():
    return bamdp.agents.Random(Chain().problem())

chain = Chain(slip=0.1)
agent = bamdp.agents.Random(Chain().problem())
number = 3

class NotADomain:
    pass
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for the tests of a file."""
    from browser.chromium import chromium

    with chromium() as opened:
        yield opened


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a module of the user's own, which is the current one."""
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    return tmp_path
