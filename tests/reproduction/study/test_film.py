"""Pictures of the infinite grid: what is drawn is what the world and the belief say, down to the
pixels.
"""

from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp.agents import BAMCP
from bamdp.domain import UNBOUNDED
from bamdp.domains import InfiniteGrid
from bamdp.pictures.grid import EMPTY, REWARD, SCALE, UNSEEN, belief_frame, drawing, world_frame
from bamdp.pictures.pillow import image
from bamdp.priors import GridRewards
from reference.grid import exact, observe
from reference.pixels import area, at, pixels, shows
from reference.problems import belief_of
from reference.rejections import rejections
from reproduction.film import explore, world_picture

pytest.importorskip("PIL.Image")

WORLD = InfiniteGrid(seed=4)
SQUARE = {(0, 0): 1, (0, 1): 0, (1, 1): 0, (1, 0): 0}
SHADES = {"unseen": UNSEEN, "seen": EMPTY, "ink": REWARD}  # by colour


def cells(picture: Any, shown: Any) -> list[str]:
    """The cells of a frame, by a pixel near their corners, where neither path nor dot comes."""
    side = int(shown.box[2] - 2.25)
    colours = [
        [at(picture, shown, x + 0.15, side - 1 - y + 0.15) for x in range(side)]
        for y in range(side)
    ]
    return [
        "".join(
            next(kind for name, kind in SHADES.items() if shows(colour, name, 3)) for colour in row
        )
        for row in colours
    ]


def test_the_picture_of_a_world_is_the_world() -> None:
    """Every cell and every circle in it, read from the pixels."""
    radius = 6
    frame = world_frame(WORLD, radius)
    picture, shown, side = (
        pixels(world_picture(WORLD, radius)),
        drawing(frame),
        range(-radius, radius + 1),
    )
    assert cells(picture, shown) == [
        "".join(REWARD if WORLD.holds(x, y) else EMPTY for x in side) for y in side
    ]
    whole = np.pi * 0.47**2
    p = [area(picture, shown, i + 0.5, 13.75, "a0") / whole for i in range(13)]
    q = [area(picture, shown, -0.75, 12.5 - j, "a1") / whole for j in range(13)]
    assert p == pytest.approx([WORLD.column(x) for x in side], rel=0.08, abs=0.03)
    assert q == pytest.approx([WORLD.row(y) for y in side], rel=0.08, abs=0.03)
    assert frame["title"] == "columns Beta(1, 2), rows Beta(2, 1)"


def test_a_frame_shows_the_posterior() -> None:
    """Means and variances against numerical integration; 0.03 is seven standard errors of 500
    independent draws.
    """
    prior = GridRewards((1, 2), (2, 1))
    belief = belief_of(prior, UNBOUNDED, 4)
    observe(belief, SQUARE)
    frame = belief_frame(belief, WORLD, [(0, 0), (0, 1)], corner=(-2, -1), radius=2, title="title")
    assert frame["cells"] == ["00000", "00210", "00110", "00000", "00000"]
    means, squares, _ = exact(prior, SQUARE)
    gone = np.clip(
        1 - (squares - means**2) / (1 / 18), 0, 1
    )  # Beta(1, 2) and Beta(2, 1) have variance 1/18
    for lines, first, known, offset, mean in (
        (frame["columns"], -2, (2, 3), 0, 1 / 3),
        (frame["rows"], -1, (1, 2), 2, 2 / 3),
    ):
        for k, (value, sureness, truth) in enumerate(lines):
            assert truth == pytest.approx(
                (WORLD.column if offset == 0 else WORLD.row)(first + k), abs=5e-4
            )
            if k in known:
                assert value == pytest.approx(means[offset + k - known[0]], abs=0.03)
                assert sureness == pytest.approx(gone[offset + k - known[0]], abs=0.2)
            else:
                assert (value, sureness) == (pytest.approx(mean, abs=5e-4), 0)
    assert frame["path"] == [[2, 1], [2, 2]]


def test_before_anything_is_seen_a_frame_shows_the_prior() -> None:
    belief = belief_of(GridRewards((4, 1), (0.5, 0.5)), UNBOUNDED, 4)
    frame = belief_frame(belief, WORLD, [(0, 0)], corner=(-1, -1), radius=1, title="")
    assert frame["cells"] == ["000"] * 3
    assert [line[:2] for line in (*frame["columns"], *frame["rows"])] == [[0.8, 0]] * 3 + [
        [0.5, 0]
    ] * 3


def test_a_path_that_left_the_picture_is_cut_off() -> None:
    belief = belief_of(GridRewards(), UNBOUNDED, 4)
    path = [(0, 0), (1, 0), (2, 0), (1, 0), (1, 1)]
    assert belief_frame(belief, WORLD, path, corner=(-1, -1), radius=1, title="")["path"] == [
        [2, 1],
        [2, 2],
    ]


def test_frames_show_the_run() -> None:
    """The same run again says what the last frame must show: what was seen, and where
    the agent is.
    """
    agents = [BAMCP(WORLD.problem(), simulations=20, seed=1) for _ in range(2)]
    frames, total = explore(agents[0], WORLD, steps=9, every=2, radius=4, seed=0)
    record = bamdp.run(agents[1], WORLD, steps=9, seed=0)
    assert total == record.total_reward
    assert [frame["title"].partition(",")[0] for frame in frames] == [
        f"step {n}" for n in (0, 2, 4, 6, 8, 9)
    ]
    visited = [
        InfiniteGrid().cell(int(state))[:2] for state in (*record.states, record.final_state)
    ]
    camera = np.zeros(2, dtype=int)
    for cell in visited[::2] + visited[-1:]:  # one frame each
        camera = np.where(np.abs(np.array(cell) - camera) > 2, cell, camera)
    walked = [[int(x - camera[0] + 4), int(y - camera[1] + 4)] for x, y in visited]
    expected = [[UNSEEN] * 9 for _ in range(9)]
    for (x, y), spot in zip(walked, visited, strict=True):
        expected[y][x] = REWARD if WORLD.holds(*spot) else EMPTY
    assert frames[-1]["cells"] == ["".join(row) for row in expected]
    assert frames[-1]["path"] == walked
    assert frames[0]["cells"] == [UNSEEN * 9] * 9, "nothing was observed yet"
    shown = drawing(frames[-1])
    x, y = walked[-1]
    assert shows(at(pixels(image(shown, SCALE)), shown, x + 0.6, 8.4 - y), "agent"), "the dot"


test_rejected = rejections(
    (TypeError, "world must be an InfiniteGrid", lambda: world_picture(bamdp.domains.Chain())),  # type: ignore[arg-type]
    (ValueError, "world must have a seed", lambda: world_picture(InfiniteGrid())),
    (ValueError, "radius must be", lambda: world_picture(WORLD, 101)),
)
