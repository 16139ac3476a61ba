"""Pictures of the infinite grid: what is drawn is what the world and the belief say, down to the pixels."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp.agents import BAMCP
from bamdp.domain import UNBOUNDED
from bamdp.domains import InfiniteGrid
from bamdp.priors import GridRewards
from bamdp.priors._grid_cells import cell_of
from bamdp.rendering.canvas import BLUE, EMPTY, ORANGE, REWARD, UNSEEN, CellMap, size
from bamdp.rendering.film import belief_scene, film, world_picture, world_scene
from reference.grid import exact, observe
from reference.pixels import area, at, is_red, pixels, shades
from reference.problems import belief_of, sized
from reference.rejections import rejections

PIL = pytest.importorskip("PIL.Image")

WORLD = InfiniteGrid(seed=4)
SQUARE = {(0, 0): 1, (0, 1): 0, (1, 1): 0, (1, 0): 0}


def test_the_picture_of_a_world_is_the_world() -> None:
    """Every cell and every circle in it, read from the pixels."""
    radius = 6
    picture, scene = pixels(world_picture(WORLD, radius)), world_scene(WORLD, radius)
    side = range(-radius, radius + 1)
    assert shades(picture, scene).tolist() == [[REWARD if WORLD.holds(x, y) else EMPTY for x in side] for y in side]
    p = [area(picture, scene, i, -1, BLUE) for i in range(len(side))]
    q = [area(picture, scene, -1, j, ORANGE) for j in range(len(side))]
    assert p == pytest.approx([WORLD.column(x) for x in side], rel=0.06, abs=0.02)
    assert q == pytest.approx([WORLD.row(y) for y in side], rel=0.06, abs=0.02)
    assert scene.title == "columns Beta(1, 2), rows Beta(2, 1)"


def test_a_frame_shows_the_posterior() -> None:
    """Means and variances against numerical integration; 0.03 is seven standard errors of 500 independent draws."""
    prior = GridRewards((1, 2), (2, 1))
    belief = belief_of(prior, UNBOUNDED, 4)
    observe(belief, SQUARE)
    scene = belief_scene(belief, WORLD, [(0, 0), (0, 1)], corner=(-2, -1), radius=2, title="title")
    assert scene.cells.tolist() == [
        [UNSEEN] * 5,
        [UNSEEN, UNSEEN, REWARD, EMPTY, UNSEEN],
        [UNSEEN, UNSEEN, EMPTY, EMPTY, UNSEEN],
        [UNSEEN] * 5,
        [UNSEEN] * 5,
    ]
    means, squares, _ = exact(prior, SQUARE)
    gone = np.clip(1 - (squares - means**2) / (1 / 18), 0, 1)  # Beta(1, 2) and Beta(2, 1) have variance 1/18
    for lines, first, known, offset, mean in ((scene.columns, -2, (2, 3), 0, 1 / 3), (scene.rows, -1, (1, 2), 2, 2 / 3)):
        for k, line in enumerate(lines):
            assert line.truth == (WORLD.column if offset == 0 else WORLD.row)(first + k)
            if k in known:
                assert line.value == pytest.approx(means[offset + k - known[0]], abs=0.03)
                assert line.sureness == pytest.approx(gone[offset + k - known[0]], abs=0.2)
            else:
                assert line.value == pytest.approx(mean)
                assert line.sureness == 0
    assert scene.path == [(2, 1), (2, 2)]


def test_before_anything_is_seen_a_frame_shows_the_prior() -> None:
    belief = belief_of(GridRewards((4, 1), (0.5, 0.5)), UNBOUNDED, 4)
    scene = belief_scene(belief, WORLD, [(0, 0)], corner=(-1, -1), radius=1, title="")
    assert (scene.cells == UNSEEN).all()
    assert [(line.value, line.sureness) for line in (*scene.columns, *scene.rows)] == [(0.8, 0)] * 3 + [(0.5, 0)] * 3


def test_a_path_that_left_the_picture_is_cut_off() -> None:
    belief = belief_of(GridRewards(), UNBOUNDED, 4)
    path = [(0, 0), (1, 0), (2, 0), (1, 0), (1, 1)]
    assert belief_scene(belief, WORLD, path, corner=(-1, -1), radius=1, title="").path == [(2, 1), (2, 2)]


@pytest.mark.parametrize("suffix", [".webp", ".png", ".gif"])
def test_a_film_shows_the_run(suffix: str, tmp_path: Path) -> None:
    """The same run again says what the last frame must show: what was seen, and where the agent is."""
    agents, path = [BAMCP(WORLD.problem(), simulations=20, seed=1) for _ in range(2)], tmp_path / f"film{suffix}"
    total = film(agents[0], WORLD, path, steps=9, every=2, radius=4, seed=0)
    record = bamdp.run(agents[1], WORLD, steps=9, seed=0)
    assert total == record.total_reward
    with PIL.open(path) as image:
        assert image.n_frames == 6  # before steps 0, 2, 4, 6, 8, and at the end
        shown = []
        for frame in range(6):
            image.seek(frame)
            shown.append((pixels(image), image.info["duration"]))
    assert [duration for _, duration in shown] == [150] * 5 + [2000]
    visited = [cell_of(int(state))[:2] for state in (*record.states, record.final_state)]
    scene = CellMap(np.full((9, 9), UNSEEN, dtype=np.int8), [], [], "")
    assert (shown[0][0].shape[1], shown[0][0].shape[0]) == size(scene)
    camera = np.zeros(2, dtype=int)
    for cell in visited[::2] + visited[-1:]:  # one frame each
        camera = np.where(np.abs(np.array(cell) - camera) > 2, cell, camera)
    corner = camera - 4
    if suffix == ".gif":  # its few colours are not those that were drawn
        return
    expected = {(x - corner[0], y - corner[1]): REWARD if WORLD.holds(x, y) else EMPTY for x, y in visited}
    assert {(x, y): int(shade) for (y, x), shade in np.ndenumerate(shades(shown[-1][0], scene)) if shade != UNSEEN} == expected
    walked = [(int(x - corner[0]), int(y - corner[1])) for x, y in visited]
    assert all(0 <= k < 9 for cell in walked for k in cell), "the run is short enough to be seen whole"
    assert {cell for cell in np.ndindex(9, 9) if is_red(at(shown[-1][0], scene, *cell))} == set(walked)
    assert is_red(at(shown[-1][0], scene, *walked[-1], 2, -2))
    assert (shades(shown[0][0], scene) == UNSEEN).all(), "nothing was observed yet"


def filmed(**change: Any) -> Any:
    return lambda: film(**{"agent": BAMCP(WORLD.problem()), "world": WORLD, "path": "film.webp", **change})


test_rejected_before_anything_runs = rejections(
    (ValueError, "world must have a seed", filmed(world=InfiniteGrid())),
    (TypeError, "world must be an InfiniteGrid", filmed(world=bamdp.domains.Chain())),
    (TypeError, "belief of GridRewards, as BAMCP has, to be shown; got", filmed(agent=bamdp.agents.Random(sized(2, 4, 0.9)))),
    (ValueError, r"path must end in .webp, .png, .gif, got 'film.avi'", filmed(path="film.avi")),
    (ValueError, "existing folder, got 'nowhere/film.webp'", filmed(path="nowhere/film.webp")),
    (ValueError, "steps must be", filmed(steps=0)),
    (ValueError, "every must be", filmed(every=0)),
    (ValueError, "radius must be", filmed(radius=0)),
    (ValueError, "seed must be", filmed(seed=-1)),
    (ValueError, "world must have a seed", lambda: world_picture(InfiniteGrid())),
    (ValueError, "radius must be", lambda: world_picture(WORLD, 101)),
)
