"""Agents as this version of the format saves them, and how each continues: `python
tests/golden/saved.py` writes the file.

Agents are added, never replaced. If one of the file can't be loaded any more, or continues
differently, then what is saved has changed its meaning: `bamdp.saving.archive.VERSION` must rise,
and the new version gets a file of its own.
"""

import json
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
if __name__ == "__main__":
    sys.path.insert(0, str(FOLDER.parent))

import bamdp  # noqa: E402
from bamdp.saving.archive import VERSION  # noqa: E402
from reference.saved_agents import CASES_BY_NAME, Journey, resumed  # noqa: E402

STEPS = 6
COURSES = "courses.json"


def file_of(version: int) -> Path:
    return FOLDER / f"saved-{version}.zip"


def course(agent: Any, name: str, state: int, left: list[int]) -> list[Any]:
    """What it does in a few steps, and what it takes its actions to be worth."""
    return [
        json.loads(step)[:2]
        for step in resumed(agent, CASES_BY_NAME[name].world, state, left, STEPS)
    ]


def write() -> None:
    """Add the cases that the file does not have yet."""
    old: dict[str, bytes] = {}
    if file_of(VERSION).exists():
        with zipfile.ZipFile(file_of(VERSION)) as archive:
            old = {name: archive.read(name) for name in archive.namelist()}
    courses = json.loads(old.pop(COURSES, b"{}"))
    with tempfile.TemporaryDirectory() as folder:
        for name, case in CASES_BY_NAME.items():
            if name in old:
                continue
            journey = Journey(case.make(), case.world, seed=7)
            journey.go_to("planned")
            path = Path(folder) / name
            journey.agent.save(path)
            old[name] = path.read_bytes()
            loaded = bamdp.load(path, prior=case.given)
            goes_on = course(loaded, name, journey.state, journey.left)
            courses[name] = {"state": journey.state, "left": journey.left, "goes_on": goes_on}
    with zipfile.ZipFile(file_of(VERSION), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {**old, COURSES: json.dumps(courses).encode()}.items():
            archive.writestr(name, data)


if __name__ == "__main__":
    write()
    print(f"wrote {file_of(VERSION).name}")
