"""Films of watched runs: a frame for each step, or at even distances, side by side, in both
formats; also by the command.
"""

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
from bamdp.viewer.stage import StoppedWatchingError
from reference.pixels import shows
from viewer.serving import played


def frames(data: bytes) -> list[np.ndarray[Any, Any]]:
    image = Image.open(io.BytesIO(data))
    result = []
    for index in range(getattr(image, "n_frames", 1)):
        image.seek(index)
        result.append(np.asarray(image.convert("RGB")))
    return result


@pytest.mark.parametrize("format", FORMATS)
def test_a_frame_for_each_step(format: str) -> None:
    shown = frames(film(played("grid5 random --seed 1", 9), format))
    assert len(shown) == 10
    assert all(frame.shape == shown[0].shape for frame in shown)
    assert any((a != b).any() for a, b in pairwise(shown))


@pytest.mark.parametrize(
    "words",
    [
        "bandit random",
        "double-loop random",
        "infinite-grid bamcp:simulations=20",
        "gym:Taxi-v4 random",
    ],
)
def test_every_kind_of_world(words: str) -> None:
    shown = frames(film(played(words, 3)))
    assert len(shown) == 4
    assert (shown[0][42:] != shown[-1][42:]).any(), "not the title alone"


@pytest.mark.parametrize(("steps", "count"), [(0, 1), (500, MOST_FRAMES)])
def test_long_runs_are_shown_at_even_distances(steps: int, count: int) -> None:
    assert len(frames(film(played("chain random --steps 500", steps)))) == count


def test_the_infinite_grid_is_shown_as_it_was_known_at_the_time() -> None:
    first, *_, last = frames(film(played("infinite-grid:seed=4 bamcp:simulations=20", 12)))
    strong = [
        (frame[:, :40] < (230, 200, 170)).all(axis=2).sum() for frame in (first, last)
    ]  # of the orange circles of rows
    assert strong[0] == 0 < strong[1], "pale before anything was seen"


def test_two_agents_side_by_side() -> None:
    stage = played("grid5 random posterior-mean --seed 3", 5)
    both, single = frames(film(stage)), frames(film(played("grid5 random", 5)))[0]
    height, width = both[0].shape[:2]
    assert (height, width) == (single.shape[0], 2 * single.shape[1])
    for run, half in zip(
        stage.runs, (both[-1][:, : width // 2], both[-1][:, width // 2 :]), strict=True
    ):
        x, y = run.setup.scene.place(run.state)
        middle = half[int(height - CELL * (5 - y - 0.4)), int(CELL * (x + 0.6))]
        assert shows(tuple(middle.tolist()), "agent"), "the agent is where the run has it"


def test_a_film_can_be_stopped_and_changes_nothing() -> None:
    stages = [played("grid5 bamcp:simulations=30", 5) for _ in range(2)]
    film(stages[0])
    for _ in range(5):
        for stage in stages:
            stage.step()
    assert stages[0].runs[0].recording == stages[1].runs[0].recording
    stages[0].stop()
    with pytest.raises(StoppedWatchingError):
        film(stages[0])


def test_the_command_writes_a_film(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.gif"
    assert (
        cli.main(
            ["watch", "grid5", "random", "posterior-mean", "--steps", "6", "--film", str(path)]
        )
        == 0
    )
    assert len(frames(path.read_bytes())) == 7
    assert capsys.readouterr().out.startswith(f"{path}: 6 steps, total reward: random ")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("run.exe", "must be one of 'webp', 'gif', got 'exe'"),
        ("no/run.gif", "film must be a file in a folder"),
    ],
)
def test_bad_paths(
    path: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["watch", "grid5", "random", "--film", str(tmp_path / path)]) == 2
    assert message in capsys.readouterr().err
