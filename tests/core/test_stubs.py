"""The typed stub of the native module says what the module is: it can't go stale."""

import subprocess
import sys
from pathlib import Path

import bamdp

COMMITTED = Path(bamdp.__file__).parent / "_core.pyi"


def test_stub_is_what_stubgen_makes(tmp_path: Path) -> None:
    made = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "bamdp._core", "-o", str(made)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert COMMITTED.read_text(encoding="utf-8") == made.read_text(encoding="utf-8"), (
        "run: make stubs"
    )
