"""What is released is whole: an sdist, a wheel made of it, and that wheel in
an empty environment.
"""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import bamdp

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where `make release-check` put the sdist and the wheel; it also tries the wheel."""
    folder = tmp_path_factory.mktemp("dist")
    command = [str(ROOT / ".ci" / "release-check"), str(folder)]
    done = subprocess.run(
        command, env={**os.environ, "PYTHON": sys.executable}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert f"bamdp {bamdp.__version__}" in done.stdout
    return folder


def package_files() -> set[str]:
    """Every file of the package in the checkout but for what is compiled."""
    found = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "bamdp").rglob("*")
        if path.is_file()
    }
    return {
        name for name in found if "__pycache__" not in name and not name.endswith((".so", ".pyd"))
    }


@pytest.mark.heavy
def test_wheel_holds_the_package_and_nothing_else(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if not name.startswith("bamdp-")}
    native = {
        name for name in names if name.startswith("bamdp/_core.") and name.endswith((".so", ".pyd"))
    }
    assert len(native) == 1
    assert names - native == package_files()
    assert ("abi3" in wheel.name) == (sys.version_info >= (3, 12)) == ("abi3" in native.pop())


@pytest.mark.heavy
def test_sdist_holds_what_builds_tests_and_explains(dist: Path) -> None:
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {
        "pyproject.toml",
        "CMakeLists.txt",
        "LICENSE",
        "README.md",
        "DESCRIPTION.md",
        "CHANGELOG.md",
        "core/bindings/module.cpp",
        "tests/smoke.py",
    }
    assert wanted | {f"src/{name}" for name in package_files()} <= names
    assert {name.partition("/")[0] for name in names}.isdisjoint(
        {"results", "build", "dist", ".venv", ".git", "demo-output"}
    )
