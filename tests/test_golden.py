"""Whole trees and trajectories of fixed seeds stay what they are. `python tests/golden/make.py` writes them anew."""

import json
from typing import Any

import pytest

from golden.make import FOLDER, GOLDEN


def close(found: Any, golden: Any) -> bool:
    """The same, but for the last digits of floats: they may depend on the compiler."""
    if isinstance(golden, dict):
        return found.keys() == golden.keys() and all(close(found[key], golden[key]) for key in golden)
    if isinstance(golden, list):
        return len(found) == len(golden) and all(map(close, found, golden))
    return bool(found == (pytest.approx(golden, rel=1e-9, abs=1e-12) if isinstance(golden, float) else golden))


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str) -> None:
    golden = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    assert close(json.loads(json.dumps(GOLDEN[name]())), golden), "if this is meant: python tests/golden/make.py"


def test_no_golden_file_is_left_over() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(GOLDEN)
