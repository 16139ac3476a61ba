from dataclasses import dataclass
from typing import Any, Literal

import pytest
from numpy.typing import ArrayLike

from bamdp.config import parameters
from bamdp.config.parameters import Parameter


class Base:
    """Base.

    Args:
        alpha: how much.
        budget: how
            long.
    """

    def __init__(
        self, table: list[int], *, alpha: float = 1, budget: "int | None" = None, hidden: Any = None
    ) -> None:
        pass


class Derived(Base):
    """Derived.

    Args:
        name: what for.
    """

    def __init__(self, table: list[int], *, name: str = "x", **settings: Any) -> None:
        super().__init__(table, **settings)


def test_parameters_are_those_of_the_constructor_and_of_the_base_it_passes_settings_to() -> None:
    found = {
        parameter.name: parameter
        for parameter in parameters.of_constructor(Derived, keyword_only=True)
    }
    assert list(found) == ["name", "alpha", "budget"]
    assert found["budget"].type == int | None
    assert found["budget"].help == "how long."
    assert found["alpha"].default == 1


def test_only_plain_types_count() -> None:
    def make(
        alpha: float | ArrayLike = 0.5,
        table: ArrayLike = (1, 2),
        columns: tuple[float, float] = (1, 2),
    ) -> None:
        pass

    found = [(parameter.name, parameter.type) for parameter in parameters.of_constructor(make)]
    assert found == [("alpha", float), ("columns", tuple[float, float])]


@dataclass(frozen=True)
class Settings:
    """Settings.

    Attributes:
        alpha: how much.
    """

    alpha: "float | None" = None
    rows: "tuple[int, ...]" = (1,)
    unknown: "Nowhere" = 0  # type: ignore[name-defined]  # noqa: F821


def test_parameters_of_an_object_have_its_values() -> None:
    assert parameters.of_object(Settings(0.5)) == [
        Parameter("alpha", float | None, 0.5, "how much.")
    ]
    assert parameters.of_object(object()) == []


CONVERTED: list[tuple[Any, Any, Any]] = [
    (float, 1, 1.0),
    (int, 2.0, 2),
    (int | None, None, None),
    (tuple[float, float], [1, 2], (1.0, 2.0)),
    (float | Literal["none"], "none", "none"),
    (bool, False, False),
    (str, "a", "a"),
]


@pytest.mark.parametrize(("kind", "value", "converted"), CONVERTED, ids=str)
def test_values_of_json_are_taken(kind: Any, value: Any, converted: Any) -> None:
    made = Parameter("x", kind, None, "").convert(value)
    assert made == converted
    assert type(made) is type(converted)


REJECTED: list[tuple[Any, Any, str]] = [
    (int, 1.5, "an integer"),
    (int, True, "an integer"),
    (int, "3", "an integer"),
    (int, float("inf"), "an integer"),
    (float | None, "3", "a number or None"),
    (float, 10**400, "a number"),
    (bool, 1, "True or False"),
    (str, 1, "a string"),
    (tuple[float, float], [1], "two numbers"),
    (tuple[float, float], 1, "two numbers"),
    (Literal["N", "N + 1"], "M", "'N' or 'N \\+ 1'"),
]


@pytest.mark.parametrize(("kind", "value", "accepted"), REJECTED, ids=lambda value: str(value)[:30])
def test_values_of_other_types_are_rejected(kind: Any, value: Any, accepted: str) -> None:
    with pytest.raises(ValueError, match=f"^x must be {accepted}, got "):
        Parameter("x", kind, None, "").convert(value)


READ: list[tuple[Any, str, Any]] = [
    *((int, text, 10_000) for text in ("10000", "1e4", "1E4", "10_000", "10000.0")),
    (int | None, "None", None),
    (float, "inf", float("inf")),
    (float, "1", 1.0),
    (bool, "yes", True),
    (bool, "false", False),
    (Literal["learned", "uniform"] | float | None, "learned", "learned"),
    (float | Literal["none"], "none", "none"),
    (tuple[float, float], "3,0.5", (3.0, 0.5)),
    (str, "3", "3"),
    (str | None, "None", None),
]


@pytest.mark.parametrize(("kind", "text", "value"), READ, ids=str)
def test_values_as_people_write_them(kind: Any, text: str, value: Any) -> None:
    read = Parameter("x", kind, None, "").read(text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize("text", ["1.5", "1e-1", "inf", "nan", "x", "", "[" * 1000])
def test_what_is_no_integer_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r"^x must be an integer, got "):
        Parameter("x", int, None, "").read(text)
