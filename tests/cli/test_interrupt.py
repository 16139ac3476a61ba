"""Ctrl-C ends `bamdp play` soon, with the results of the runs that are done."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reference.signals import hear_interrupts

pytestmark = pytest.mark.slow

MINE = """
import time
from pathlib import Path
import bamdp

class SleepsOnlyLater(bamdp.agents.Random):
    \"\"\"The first run is over at once; later ones sleep at every step, and look up from it.\"\"\"

    made = 0

    def __init__(self, problem, *, seed: int = 0) -> None:
        type(self).made += 1
        super().__init__(problem, seed=seed)
        self.on_tick, self.seconds, self.acts = None, 60.0 if self.made > 1 else 0.0, 0

    def act(self, state):
        self.acts += 1
        if self.acts < 3:
            return 1  # back to the start, which pays 2 unless it slips
        until = time.monotonic() + self.seconds
        if self.seconds:
            Path("ready").touch()
        while time.monotonic() < until:
            time.sleep(0.01)
            self.on_tick()
        return 0

class Planner(bamdp.agents.BAMCP):
    def act(self, state):
        Path("ready").touch()
        return super().act(state)
"""


def interrupted(folder: Path, words: list[str]) -> tuple[int, str]:
    (folder / "mine.py").write_text(MINE)

    line = [sys.executable, "-m", "bamdp", *words]
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, text=True, cwd=folder, preexec_fn=hear_interrupts
    ) as process:
        try:
            while not (folder / "ready").exists():
                assert process.poll() is None, "it ended by itself"
                time.sleep(0.05)
            time.sleep(0.3)  # for a search to be under way
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=20)
        finally:
            process.kill()
    return process.returncode, out


@pytest.mark.parametrize("json_flag", [[], ["--json"]])
def test_it_stops_and_tells_what_is_done(tmp_path: Path, json_flag: list[str]) -> None:
    words = [
        "play",
        "chain:slip=0",
        "mine:SleepsOnlyLater",
        "--runs=3",
        "--steps=5",
        "--workers=2",
        *json_flag,
    ]
    code, out = interrupted(tmp_path, words)
    assert code == 130
    if json_flag:
        data = json.loads(out)
        assert len(data["total_rewards"]) == 1
        assert {"run": 1, "steps": 2, "total_reward": 4.0} in data["unfinished"], (
            "what it had earned"
        )
    else:
        assert "1 done of 3" in out
        assert "run 1: 4 in 2 of 5 steps" in out


def test_it_reaches_a_native_search(tmp_path: Path) -> None:
    code, out = interrupted(tmp_path, ["play", "grid5", "mine:Planner:seconds=600", "--json"])
    assert code == 130
    assert json.loads(out)["mean"] is None
