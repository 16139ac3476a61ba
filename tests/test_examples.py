"""Every example runs, and says what it should, word for word where the gallery shows it."""

import re
import runpy

import pytest

from reference.documents import ROOT, text

EXAMPLES = ROOT / "examples"
SHOWN_BLOCK = re.compile(r"^```sh\npython examples/(\w+)\.py\n```\n\n```text\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SHOWN = dict(SHOWN_BLOCK.findall(text("docs/gallery.md")))
SAYS = {
    "compiled_world": "simulations a second",
    "lazy_rows": "rows",
    "slip": "slip",
    "unknown_rewards": "found",
    "which_world": "world",
}


@pytest.mark.parametrize("name", SAYS)
def test_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name == "compiled_world":
        pytest.importorskip("numba")
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert SAYS[name] in said
    missing = [line for line in SHOWN.get(name, "").splitlines() if line not in said.splitlines()]
    assert not missing, f"docs/gallery.md shows what {name} doesn't say"
