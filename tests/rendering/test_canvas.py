"""Scenes: what is drawn can be read back from the pixels."""

import sys

import numpy as np
import pytest

pytest.importorskip("PIL")

from bamdp.rendering.canvas import BLUE, CELL, EMPTY, LARGEST, ORANGE, REWARD, UNSEEN, CellMap, Circle, centre, draw, size
from reference.pixels import area, at, is_red, pixels, shades


def test_cells_and_circles_of_a_scene_can_be_read_back() -> None:
    cells = np.array([[UNSEEN, EMPTY, REWARD], [REWARD, REWARD, UNSEEN]], dtype=np.int8)
    columns, rows = [Circle(0.1), Circle(0.5), Circle(1.0)], [Circle(0.0, truth=1e-9), Circle(0.8)]
    scene = CellMap(cells, columns, rows, "title")
    picture = pixels(draw(scene))
    assert (picture.shape[1], picture.shape[0]) == size(scene)
    assert shades(picture, scene).tolist() == cells.tolist()
    assert [area(picture, scene, x, -1, BLUE) for x in range(3)] == pytest.approx([0.1, 0.5, 1.0], rel=0.05, abs=0.01)
    assert [area(picture, scene, -1, y, ORANGE) for y in range(2)] == pytest.approx([0.0, 0.8], rel=0.05, abs=0.01)
    assert (picture[:20] < 128).any(), "the title"
    assert not (pixels(draw(CellMap(cells, columns, rows, "")))[:20] < 128).any()


def test_what_is_not_known_is_pale_and_truth_is_a_ring() -> None:
    cells = np.full((3, 3), EMPTY, dtype=np.int8)
    columns = [Circle(0.5, 1.0), Circle(0.5, 0.4), Circle(0.5, 0.0)]
    rows = [Circle(0.1, 1.0, truth=0.9), Circle(0.9, 1.0, truth=0.1), Circle(0.5)]
    scene = CellMap(cells, columns, rows, "")
    picture = pixels(draw(scene))
    strengths = [(255 - at(picture, scene, x, -1)[0]) / (255 - BLUE[0]) for x in range(3)]
    assert strengths == pytest.approx([1.0, 0.55, 0.25], abs=0.01)
    for y, (inside, outside) in enumerate(((0.1, 0.9), (0.9, 0.1))):
        row = picture[round(centre(scene, -1, y)[1]), : round(centre(scene, -1, y)[0])].sum(axis=1)  # from the edge inwards
        darkest = row.argmin()
        radius = centre(scene, -1, y)[0] - darkest
        assert radius == pytest.approx(LARGEST * outside**0.5, abs=1.2), f"the ring of {outside} around the circle of {inside}"
    assert pixels(draw(CellMap(cells, columns, [Circle(0.5)] * 3, "")))[:, :20].sum(axis=2).min() > 250, (
        "no ring without a truth"
    )


def test_a_path_is_a_red_line_that_ends_in_a_dot() -> None:
    cells = np.full((3, 3), EMPTY, dtype=np.int8)
    scene = CellMap(cells, [Circle(0.5)] * 3, [Circle(0.5)] * 3, "", path=[(0, 0), (1, 0), (1, 1)])
    picture = pixels(draw(scene))
    red = {cell for cell in np.ndindex(3, 3) if is_red(at(picture, scene, *cell))}
    assert red == {(0, 0), (1, 0), (1, 1)}
    assert is_red(at(picture, scene, 0, 0, right=CELL / 2)), "between two cells"
    # Beside the lines only the dot is red.
    assert {(x, y) for x, y in red if is_red(at(picture, scene, x, y, 2, -2)) and is_red(at(picture, scene, x, y, -2, 2))} == {
        (1, 1)
    }


def test_without_pillow_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match=r"an image needs Pillow, which is not installed: pip install 'bamdp\[grid\]'"):
        draw(CellMap(np.zeros((1, 1), dtype=np.int8), [], [], ""))
