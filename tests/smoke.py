"""Is the installed package whole? For a wheel in an environment of its own: python tests/smoke.py

What `make release-check` and cibuildwheel run; neither pytest nor the checkout is needed.
"""

import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import bamdp as package

FILES = Path(package.__file__).parent
NAME = re.compile(
    r"""["'](?:\./)?([\w-]+\.(?:js|css|svg))["']"""
)  # of another file, in a file of the viewer's page


def bamdp(*words: str) -> str:
    """What the command prints."""
    done = subprocess.run(
        [Path(sys.executable).with_name("bamdp"), *words], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def missing_of_page() -> list[str]:
    """The files that the viewer's page asks for, from index.html on, and that aren't there."""
    wanted, met = ["index.html"], set[str]()
    while wanted:
        name = wanted.pop()
        met.add(name)
        file = FILES / "viewer" / "page" / name
        wanted += (
            [other for other in NAME.findall(file.read_text(encoding="utf-8")) if other not in met]
            if file.is_file()
            else []
        )
    made = {"roles.css"}  # by the server, from the roles of shapes
    return [name for name in sorted(met - made) if not (FILES / "viewer" / "page" / name).is_file()]


def main() -> None:
    assert package.__version__ == version("bamdp"), "the version is not that of the code"
    missing = [
        name for name in ("py.typed", "_core.pyi") if not (FILES / name).is_file()
    ] + missing_of_page()
    assert not missing, f"not in the package: {missing}"
    assert {"bamcp", "gittins", "double-loop"} <= set(bamdp("list").split()), (
        "bamdp list leaves something out"
    )
    played = json.loads(
        bamdp("play", "double-loop", "bamcp:simulations=100", "--steps", "200", "--json")
    )
    assert played["mean"] > 0, f"nothing was earned: {played}"
    print(f"bamdp {package.__version__} in {FILES}: whole")


if __name__ == "__main__":
    main()
