"""Every example runs, and says what it should."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
SAYS = {
    "compiled_world": "simulations a second",
    "lazy_rows": "rows",
    "slip": "slip",
    "unknown_rewards": "found",
    "which_world": "world",
    "wind": "wind",
}


@pytest.mark.parametrize("name", SAYS)
def test_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name == "compiled_world":
        pytest.importorskip("numba")
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert SAYS[name] in capsys.readouterr().out
