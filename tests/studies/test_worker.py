"""Where rows come from."""

import subprocess
from pathlib import Path

import pytest

from bamdp.studies.worker import provenance

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not in a checkout")
def test_rows_of_a_checkout_carry_its_commit() -> None:
    head = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
    assert provenance()["commit"] == head.stdout.strip()
    assert provenance()["cpu"]
