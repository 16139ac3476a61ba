"""Whole trees and trajectories of fixed seeds stay what they are. `python tests/golden/make.py`
writes them again.
"""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from golden.make import FOLDER, GOLDEN, text

SCRIPT = """
import sys
from golden.make import GOLDEN, text
for name in sys.argv[1:]:
    print(name, repr(text(GOLDEN[name]())))
"""


def close(found: Any, golden: Any) -> bool:
    """The same, but for the last digits of floats: they may depend on the compiler."""
    if isinstance(golden, dict):
        return found.keys() == golden.keys() and all(
            close(found[key], golden[key]) for key in golden
        )
    if isinstance(golden, list):
        return len(found) == len(golden) and all(map(close, found, golden))
    return bool(
        found
        == (pytest.approx(golden, rel=1e-9, abs=1e-12) if isinstance(golden, float) else golden)
    )


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str) -> None:
    file = FOLDER / f"{name}.json"
    assert file.exists(), f"a new agent needs a golden file: python tests/golden/make.py {name}"
    golden = json.loads(file.read_text(encoding="utf-8"))
    assert close(json.loads(json.dumps(GOLDEN[name]())), golden), (
        "if this is meant: python tests/golden/make.py"
    )


def test_no_golden_file_is_left_over() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(GOLDEN)


@pytest.mark.slow
def test_other_processes_give_the_same_bits() -> None:
    """Whatever Python hashes text to, and however many threads linear algebra has; in another
    order, too.
    """
    names = [name for name in GOLDEN if name.startswith(("agent_", "bamcp_"))]
    here = {name: repr(text(GOLDEN[name]())) for name in names}
    for changed in (
        {"PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "1"},
        {"PYTHONHASHSEED": "2", "OMP_NUM_THREADS": "3"},
    ):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, *names[::-1]],
            capture_output=True,
            text=True,
            cwd=FOLDER.parent,
            env={**os.environ, **changed},
            check=True,
        )
        assert dict(line.split(" ", 1) for line in done.stdout.splitlines()) == here
