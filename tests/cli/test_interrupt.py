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

class Sleeper(bamdp.Agent):
    \"\"\"Sleeps at every step, and looks up from it.\"\"\"

    def __init__(self, prior, rewards, discount, *, seconds: float = 60.0, seed: int = 0) -> None:
        self.on_tick = None
        self.seconds = seconds

    def act(self, state):
        until = time.monotonic() + self.seconds
        if self.seconds:
            Path("ready").touch()
        while time.monotonic() < until:
            time.sleep(0.01)
            self.on_tick()
        return 0

    def observe(self, state, action, reward, next_state):
        pass

    def reset(self, seed):
        pass

class SleepsOnlyLater(Sleeper):
    \"\"\"The first run is over at once.\"\"\"

    made = 0

    def __init__(self, prior, rewards, discount, *, seed: int = 0) -> None:
        type(self).made += 1
        super().__init__(prior, rewards, discount, seconds=60.0 if self.made > 1 else 0.0)

class Planner(bamdp.agents.BAMCP):
    def act(self, state):
        Path("ready").touch()
        return super().act(state)
"""


def interrupted(folder: Path, words: list[str]) -> tuple[int, str]:
    (folder / "mine.py").write_text(MINE)

    line = [sys.executable, "-m", "bamdp", *words]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True, cwd=folder, preexec_fn=hear_interrupts) as process:
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
    words = ["play", "chain", "mine:SleepsOnlyLater", "--runs", "3", "--steps", "5", "--workers", "2", *json_flag]
    code, out = interrupted(tmp_path, words)
    assert code == 130
    if json_flag:
        assert len(json.loads(out)["total_rewards"]) == 1
    else:
        assert "1 done of 3" in out


def test_it_reaches_a_native_search(tmp_path: Path) -> None:
    code, out = interrupted(tmp_path, ["play", "grid5", "mine:Planner", "--seconds", "600", "--json"])
    assert code == 130
    assert json.loads(out)["mean"] is None
