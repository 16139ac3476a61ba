"""Shapes: both back ends draw the same, roles are classes, and no text becomes markup."""

import re
import sys
import xml.etree.ElementTree as ET

import pytest

from bamdp.pictures.maps import visits_map
from bamdp.pictures.shapes import (
    COLOURS,
    STYLES,
    Arrow,
    Cell,
    Circle,
    Drawing,
    Label,
    Line,
    Shape,
    stylesheet,
)
from reference.pixels import area, at, pixels, shows

SVG = "{http://www.w3.org/2000/svg}"
EVIL = '</text><script>alert(\'1\')</script> & "quotes" onload="x'
SHAPES: dict[str, Shape] = {
    "rect": Cell(1, 1, role="goal"),
    "circle": Circle(1.5, 1.5, 0.4, role="agent"),
    "polyline": Line([(0, 1.5), (3, 1.5)], 0.5, role="trail"),
    "path": Arrow([(0, 1.5), (1.5, 0.5), (3, 1.5)], 0.2, 0.4, role="a0"),
    "text": Label(1.5, 1.5, "MM", 1, role="name"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_both_back_ends_draw_every_shape(name: str) -> None:
    shape = SHAPES[name]
    drawing = Drawing((0, 0, 3, 3), [shape], "words")
    root = ET.fromstring(drawing.svg(10))
    (group,) = root
    assert (root.get("viewBox"), root.get("width"), root.get("aria-label")) == (
        "0 0 3 3",
        "30",
        "words",
    )
    fill, edge, _ = STYLES[shape.role]
    assert (group.get("class"), group.get("fill")) == (
        shape.role,
        COLOURS[fill][0] if fill else "none",
    )
    assert len(list(group.iter(f"{SVG}{name}"))) == 1
    picture = pixels(image(drawing, 40))
    assert picture.shape == (120, 120, 3)
    assert 0.02 < area(picture, drawing, 1.5, 1.5, fill or edge) < 1.1
    assert {at(picture, drawing, x, y) for x in (0.05, 2.95) for y in (0.05, 2.95)} == {
        (255, 255, 255)
    }


def image(drawing: Drawing, scale: float) -> object:
    pytest.importorskip("PIL")
    from bamdp.pictures.pillow import image

    return image(drawing, scale)


def test_no_text_becomes_markup() -> None:
    shapes = [Label(0, 0, EVIL, 1, role="name", title=EVIL), Cell(0, 0, role="cell", title=EVIL)]
    text = Drawing((0, 0, 1, 1), shapes, EVIL).svg()
    root = ET.fromstring(text)
    assert "<script" not in text
    assert {node.tag.removeprefix(SVG) for node in root.iter()} == {
        "svg",
        "g",
        "text",
        "rect",
        "title",
    }
    assert root.get("aria-label") == EVIL
    assert [node.text for node in root.iter(f"{SVG}title")] == [EVIL, EVIL]
    assert not {name for node in root.iter() for name in node.attrib if name.startswith("on")}


def test_faint_shapes_are_mixed_with_what_is_behind_them() -> None:
    drawing = Drawing(
        (0, 0, 2, 1),
        [
            Cell(0, 0, role="visited", opacity=0.5),
            Circle(1.5, 0.5, 0.4, role="columns", opacity=0.5),
        ],
    )
    picture = pixels(image(drawing, 20))
    blue = int(COLOURS["a0"][0][1:3], 16)
    for x in (0.5, 1.5):
        assert at(picture, drawing, x, 0.5)[0] == pytest.approx((255 + blue) / 2, abs=2)
    assert drawing.svg().count('opacity="0.5"') == 2


def test_an_arrow_ends_at_its_point() -> None:
    drawing = Drawing((0, 0, 4, 2), [Arrow([(0.5, 1), (3.5, 1)], 0.1, 0.5, role="a1")])
    picture = pixels(image(drawing, 40))
    assert shows(at(picture, drawing, 3.3, 1), "a1")
    assert shows(at(picture, drawing, 2.9, 1.25), "a1"), "the head"
    assert not shows(at(picture, drawing, 2.5, 1.2), "a1"), "the shaft"
    assert not shows(at(picture, drawing, 3.6, 1), "a1")


def test_labels_fit() -> None:
    assert Label(0, 0, "short", 1, role="name", widest=5).fitted() == ("short", 1)
    text, size = Label(0, 0, "a name of middling length", 1, role="name", widest=10).fitted()
    assert text == "a name of middling length"
    assert size == pytest.approx(10 / (0.55 * 25))
    text, size = Label(0, 0, "x" * 100, 1, role="name", widest=5).fitted()
    assert text == "x" * 15 + "…"
    assert size == 0.55


def test_roles_have_looks_on_light_and_dark_pages() -> None:
    rules = stylesheet()
    assert set(re.findall(r"svg \.([\w-]+)", rules)) == set(STYLES)
    assert set(re.findall(r"var\(--([\w-]+)\)", rules)) <= set(COLOURS)
    assert all(rules.count(f"--{name}: ") == 2 for name in COLOURS)


def test_a_trail_is_cut_where_it_jumps() -> None:
    from collections import Counter

    path = [(0, 0), (1, 0), (1, 0), (5, 5), (5, 4)]
    cells = [(x, y) for x in range(6) for y in range(6)]
    root = ET.fromstring(
        visits_map(cells, Counter({(0, 0): 1, (1, 0): 2}), {(5, 5): "<"}, path).svg()
    )
    assert len(list(root.iter(f"{SVG}polyline"))) == 2
    assert len(list(root.iter(f"{SVG}rect"))) == 36 + 2
    assert [mark.text for mark in root.iter(f"{SVG}text")] == ["<"]
    tints = [float(group.get("opacity", "1")) for group in root if group.get("class") == "visited"]
    assert tints[0] < tints[1]


def test_without_pillow_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    from bamdp.pictures.pillow import image

    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(
        ImportError,
        match=r"an image needs Pillow, which is not installed: pip install 'bamdp\[grid\]'",
    ):
        image(Drawing((0, 0, 1, 1), []))
