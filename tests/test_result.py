"""Results: what is printed, shown in a notebook and saved, for a result with a picture of its own
and for one drawn as intervals.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bamdp.pictures.markup import Interval
from bamdp.result import IntervalResult, Result, new_figure, picture_path
from reference.problems import shown


class Heights(Result):
    """Two columns, a note and a curve."""

    @property
    def columns(self) -> dict[str, list[Any]]:
        return {"name": ["a", "b < c"], "height": [1.0, 20.5]}

    def title(self) -> str:
        return "two heights"

    def table(self) -> list[list[str]]:
        rows = zip(*self.columns.values(), strict=True)
        return [list(self.columns), *([name, f"{height:g}"] for name, height in rows)]

    def notes(self) -> list[str]:
        return ["in metres"]

    def figure(self) -> Any:
        figure = new_figure(2, 1)
        figure.subplots().plot(self.columns["height"])
        return figure


class HeightIntervals(Heights, IntervalResult):
    """The same heights, the second with an interval."""

    def intervals(self) -> tuple[Sequence[str], Mapping[str, Sequence[Interval]]]:
        return ["a", "b < c"], {"height": [(1.0, None, None), (20.5, -2.0, 43.0)]}

    def figure(self) -> Any:
        return IntervalResult.figure(self)

    def notes(self) -> list[str]:
        return []


def test_what_is_printed() -> None:
    text = """two heights

name   height
-------------
a           1
b < c    20.5

in metres"""
    assert str(Heights()) == text
    assert str(HeightIntervals()) == text.removesuffix("\n\nin metres")


def test_what_a_notebook_shows() -> None:
    page = shown(Heights())
    places = [page.index(part) for part in ("two heights", "<table>", "<svg", "in metres")]
    assert places == sorted(places), "title, table, picture, notes"
    assert "b &lt; c" in page
    assert "b < c" not in page


def test_without_matplotlib_only_the_picture_of_intervals_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bamdp.result.find_spec", lambda name: None)
    assert Heights().picture() == ""
    assert HeightIntervals().picture().count("<circle") == 2


@pytest.mark.parametrize("result", [Heights(), HeightIntervals()])
@pytest.mark.parametrize(("ending", "magic"), [(".svg", b"<svg"), (".png", b"\x89PNG")])
def test_files(result: Result, ending: str, magic: bytes, tmp_path: Path) -> None:
    file = tmp_path / "new" / f"heights{ending}"
    result.save(file)
    assert magic in file.read_bytes()[:500]
    with pytest.raises(ValueError, match=r"must be one of '\.svg', '\.png'"):
        result.save(tmp_path / "heights.jpeg")


def test_intervals_are_lines_where_there_are_some_and_zero_is_marked() -> None:
    (axes,) = HeightIntervals().figure().axes
    spans = [tuple(line.get_xdata()) for line in axes.lines]
    assert spans == [(1.0,), (-2.0, 43.0), (20.5,), (0, 0)]
    assert axes.get_title() == "height"
    assert [text.get_text() for text in axes.get_yticklabels()] == ["a", "b < c"]


def test_a_data_frame() -> None:
    assert Heights().to_pandas()["height"].tolist() == [1.0, 20.5]


def test_a_png_without_matplotlib_is_refused_before_the_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert picture_path(tmp_path / "a.svg").suffix == ".svg"
    with pytest.raises(ImportError, match=r"a picture as \.png needs Matplotlib"):
        picture_path(tmp_path / "a.png")
