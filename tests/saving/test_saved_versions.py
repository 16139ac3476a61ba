"""The format of saved agents changes only with its version: those of the golden file load and go on
as they did.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import bamdp
from bamdp.saving import archive
from golden.saved import COURSES, course, file_of
from reference.saved_agents import CASES_BY_NAME as CASES
from test_golden import close

RISE = (
    "what is saved has changed its meaning: raise bamdp.saving.archive.VERSION, then python "
    "tests/golden/saved.py"
)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of agents that were saved when this version of the format was made."""
    file, folder = file_of(archive.VERSION), tmp_path_factory.mktemp("saved")
    assert file.exists(), (
        "a new version of the format needs a golden file: python tests/golden/saved.py"
    )
    shutil.unpack_archive(file, folder)
    return folder


def goes_on_as_before(saved: Path, name: str) -> bool:
    was: dict[str, Any] = json.loads((saved / COURSES).read_text(encoding="utf-8"))[name]
    agent = bamdp.load(saved / name, prior=CASES[name].given)
    return close(course(agent, name, was["state"], was["left"]), was["goes_on"])


@pytest.mark.parametrize("name", CASES)
def test_agents_saved_long_ago_go_on(saved: Path, name: str) -> None:
    if not (saved / name).exists():
        pytest.fail(f"{name} is newer than the golden file: python tests/golden/saved.py adds it")
    try:
        same = goes_on_as_before(saved, name)
    except bamdp.SavedFileError as error:
        pytest.fail(f"{error}: {RISE}")
    assert same, RISE
