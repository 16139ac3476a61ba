"""Discovery: a class is found by being in its package."""

from pathlib import Path

import pytest

from bamdp.config.registry import Registry, UnknownNameError
from bamdp.config.spec import parse_spec
from bamdp.fit.model import MODELS
from bamdp.fit.tasks import ARMS
from bamdp.trials.designs import DESIGNS

CONTRACT = """
class Shape:
    key = ""
"""
MODULE = '''
"""Shapes with corners."""
from shapes_contract import Shape

class Square(Shape):
    """Four corners."""
    key = "box"
    def __init__(self, side: float = 1.0) -> None:
        self.side = side

class Hexagon(Shape):
    """Six corners."""
    key = "honeycomb"

class _Hidden(Shape):
    key = "hidden"

def square(): return Square(7.0)
'''


@pytest.fixture
def shapes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with two modules beside its contract."""
    (tmp_path / "shapes_contract.py").write_text(CONTRACT)
    package = tmp_path / "shapes"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "square.py").write_text(MODULE)
    (package / "_private.py").write_text("raise AssertionError('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    return package


def test_by_module_one_class_each(shapes: Path) -> None:
    registry = Registry("shape", "shapes", "shapes_contract:Shape")
    assert registry.listing() == {"square": "Four corners."}
    assert parse_spec(registry, "square:side=3").make().side == 3.0
    assert parse_spec(registry, "shapes.square:square").make().side == 7.0
    assert parse_spec(registry, "shapes.square:Square:side=2").make().side == 2.0


def test_by_attribute_in_an_order(shapes: Path) -> None:
    registry = Registry("shape", "shapes", "shapes_contract:Shape", named_by="key")
    assert list(registry.listing()) == ["box", "honeycomb"]
    backwards = Registry(
        "shape",
        "shapes",
        "shapes_contract:Shape",
        named_by="key",
        order=lambda shape: -ord(shape.key[0]),
    )
    assert list(backwards.listing()) == ["honeycomb", "box"]


@pytest.mark.parametrize(
    ("registry", "text", "message"),
    [
        (DESIGNS, "tompson", "unknown design 'tompson'; did you mean 'thompson'? Known: equal, "),
        (DESIGNS, "gittins:discont=0.9", "unknown setting 'discont' of gittins; did you mean"),
        (DESIGNS, "gittins:discount=high", "discount must be a number, got 'high'"),
        (DESIGNS, "gittins:", "'gittins:' needs a value, gittins:SETTING=VALUE"),
        (MODELS, "exat", "unknown model 'exat'; did you mean 'exact'? Known: "),
        (MODELS, "exact:temprature=1", "did you mean 'temperature'? Known: depth, "),
        (MODELS, "thompson:draws=1.5", "draws must be an integer, got '1.5'"),
        (ARMS, "normal-arm", "unknown task 'normal-arm'; did you mean 'normal-arms'? Known: "),
        (ARMS, "zzz", "normal-arms, and the benchmarks and domains of bamdp list"),
        (ARMS, "normal-arms:nose=1", "unknown setting 'nose' of normal-arms; did you mean 'noise'"),
    ],
)
def test_mistakes(registry: Registry, text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (compared below)
        parse_spec(registry, text)
    assert message in str(caught.value)


def test_unknown_names_have_a_type_of_their_own() -> None:
    with pytest.raises(UnknownNameError):
        DESIGNS.find("nothing")
