from dataclasses import dataclass
from typing import Any

from bamdp.config import parameters


class Base:
    """Base.

    Args:
        alpha: how much.
        budget: how
            long.
    """

    def __init__(self, table: list[int], *, alpha: float = 1, budget: "int | None" = None, hidden: Any = None) -> None:
        pass


class Derived(Base):
    """Derived.

    Args:
        name: what for.
    """

    def __init__(self, table: list[int], *, name: str = "x", **settings: Any) -> None:
        super().__init__(table, **settings)


def test_flags_come_from_the_constructor_and_those_it_passes_on_to() -> None:
    found = {flag.parameter: flag for flag in parameters.of_constructor(Derived, keyword_only=True)}
    assert list(found) == ["name", "alpha", "budget"]
    assert found["budget"].type == int | None
    assert found["budget"].help == "how long."
    assert found["alpha"].default == 1


def test_numbers_or_arrays_become_numbers() -> None:
    from numpy.typing import ArrayLike

    def make(alpha: float | ArrayLike = 0.5, table: ArrayLike = (1, 2)) -> None:
        pass

    assert [(flag.parameter, flag.type) for flag in parameters.of_constructor(make)] == [("alpha", float)]


@dataclass(frozen=True)
class Settings:
    """Settings.

    Attributes:
        alpha: how much.
    """

    alpha: "float | None" = None
    rows: "tuple[int, ...]" = (1,)
    unknown: "Nowhere" = 0  # type: ignore[name-defined]  # noqa: F821


def test_flags_of_an_object_have_its_values() -> None:
    assert parameters.of_object(Settings(0.5)) == [parameters.Flag("alpha", float | None, 0.5, "how much.")]
    assert parameters.of_object(object()) == []


def test_parse_gives_values_by_group() -> None:
    seed, alpha = parameters.Flag("seed", int, 0, ""), parameters.Flag("alpha", float | None, None, "")
    groups = {"run": [seed], "none": [], "prior": [seed, alpha]}
    values = parameters.parse(groups, ["--prior-seed", "3", "--alpha", "1"], "prog", "")
    assert values == {"run": {"seed": 0}, "none": {}, "prior": {"seed": 3, "alpha": 1.0}}
    assert parameters.changed(values["prior"], groups["prior"]) == {"seed": 3, "alpha": 1.0}
    assert parameters.changed(values["run"], groups["run"]) == {}


def test_two_numbers_are_one_flag() -> None:
    def make(columns: tuple[float, float] = (1.0, 2.0), many: tuple[float, ...] = ()) -> None:
        pass

    found = parameters.of_constructor(make)
    assert [flag.parameter for flag in found] == ["columns"]
    assert parameters.parse({"domain": found}, ["--columns", "3", "0.5"], "prog", "") == {"domain": {"columns": (3.0, 0.5)}}
