"""Films of watched runs: a frame for each step, or at even distances, side by side, in both formats; also by the command."""

import io
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from bamdp.cli import main as cli
from bamdp.pictures.pillow import CELL
from bamdp.viewer.film import FORMATS, MOST_FRAMES, film
from bamdp.viewer.stage import Stage
from bamdp.viewer.watched import StoppedWatchingError
from reference.pixels import shows
from viewer.serving import show_of


def frames(data: bytes) -> list[np.ndarray[Any, Any]]:
    image = Image.open(io.BytesIO(data))
    result = []
    for index in range(getattr(image, "n_frames", 1)):
        image.seek(index)
        result.append(np.asarray(image.convert("RGB")))
    return result


def played(words: str, steps: int) -> Stage:
    stage = Stage(show_of(words))
    for _ in range(steps):
        stage.step()
    return stage


@pytest.mark.parametrize("format", FORMATS)
def test_a_frame_for_each_step(format: str) -> None:
    shown = frames(film(played("grid5 random --seed 1", 9), format))
    assert len(shown) == 10
    assert all(frame.shape == shown[0].shape for frame in shown)
    assert any((a != b).any() for a, b in pairwise(shown))


@pytest.mark.parametrize(
    "words", ["bandit random", "double-loop random", "infinite-grid bamcp:simulations=20", "gym:Taxi-v4 random"]
)
def test_every_kind_of_world(words: str) -> None:
    shown = frames(film(played(words, 3), "webp"))
    assert len(shown) == 4
    assert (shown[0][42:] != shown[-1][42:]).any(), "not the title alone"


def test_long_runs_are_shown_at_even_distances() -> None:
    stage = played("chain random --steps 500", 500)
    assert len(frames(film(stage, "webp"))) == MOST_FRAMES


def test_before_the_first_step_it_is_a_still_picture() -> None:
    assert len(frames(film(played("grid5 random", 0), "webp"))) == 1


def test_two_agents_side_by_side() -> None:
    stage = played("grid5 random posterior-mean --seed 3", 5)
    both = frames(film(stage, "webp"))
    height, width = both[0].shape[:2]
    single = frames(film(played("grid5 random", 5), "webp"))[0]
    assert (height, width) == (single.shape[0], 2 * single.shape[1])
    for run, half in zip(stage.runs, (both[-1][:, : width // 2], both[-1][:, width // 2 :]), strict=True):
        x, y = run.show.domain.scene().place(run.state)  # type: ignore[union-attr]
        middle = half[int(height - CELL * (5 - y - 0.4)), int(CELL * (x + 0.6))]
        assert shows(tuple(middle.tolist()), "agent"), "the agent is where the run has it"


def test_a_film_can_be_stopped() -> None:
    stage = played("grid5 random", 3)
    stage.stop()
    with pytest.raises(StoppedWatchingError):
        film(stage, "webp", stage.check)


def test_a_film_changes_nothing() -> None:
    runs = [played("grid5 bamcp:simulations=30", 5) for _ in range(2)]
    film(runs[0], "webp")
    for _ in range(5):
        for stage in runs:
            stage.step()
    assert runs[0].runs[0].recording == runs[1].runs[0].recording


def test_the_command_writes_a_film(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.gif"
    assert cli.main(["watch", "grid5", "random", "posterior-mean", "--steps", "6", "--film", str(path)]) == 0
    assert len(frames(path.read_bytes())) == 7
    assert capsys.readouterr().out.startswith(f"{path}: 6 steps, total reward: random ")


@pytest.mark.parametrize(
    ("path", "message"),
    [("run.exe", "must be one of 'webp', 'gif', got 'exe'"), ("no/run.gif", "film must be a file in a folder")],
)
def test_bad_paths(path: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["watch", "grid5", "random", "--film", str(tmp_path / path)]) == 2
    assert message in capsys.readouterr().err
