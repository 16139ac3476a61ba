"""Charts and other pictures of experiments, drawn from stored results."""

import io

import numpy as np
import pytest

from bamdp.pictures.grid import SCALE, drawing
from bamdp.pictures.pillow import image
from report.page_check import checked
from reproduction.experiments import named
from reproduction.paper.figure_s3 import FIGURE_S3
from reproduction.paper.figure_s4 import FIGURE_S4
from reproduction.query import Query
from reproduction.report.chart import pictures
from reproduction.worker import task_row as row

Image = pytest.importorskip("PIL.Image")


def test_the_film_is_that_of_the_row() -> None:
    (task,) = named(["figure-s4/one world/film of BAMCP"])[0].tasks("smoke", [])
    stored = row(task)
    world, film = pictures(FIGURE_S4, Query([stored], ("smoke",)))
    assert world.inline().split('"')[3] in film.inline(), "a still for those who want no motion"
    assert "6 steps of 20 simulations" in film.title
    frames = stored["frames"]
    with Image.open(io.BytesIO(film.content())) as moving:
        assert moving.n_frames == len(frames) == 4
        for i, scene in enumerate(frames):
            moving.seek(i)
            assert np.array_equal(
                np.asarray(moving.convert("RGB")), np.asarray(image(drawing(scene), SCALE))
            )
    checked(film.inline())


def test_the_tree_is_that_of_the_row_and_leaves_it_as_it_was(cheap: Query) -> None:
    before = repr(cheap.rows)
    (tree,) = pictures(FIGURE_S3, cheap)
    assert all(
        label in tree.content().decode() for label in ("a = 0 · N = 3", "Q = 1.2", "Q = 1.8")
    )
    assert repr(cheap.rows) == before
    checked(tree.inline())


def test_nothing_is_drawn_without_rows() -> None:
    assert [pictures(experiment, Query([])) for experiment in named(["all"])] == [[]] * len(
        named(["all"])
    )
