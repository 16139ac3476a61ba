import pytest

from bamdp.cli.parser import UsageError, parse, split, user_errors
from bamdp.config.parameters import Parameter

SEED, ALPHA = Parameter("seed", int, 0, ""), Parameter("alpha", float | None, None, "")
PAIR = Parameter("columns", tuple[float, float], (1.0, 2.0), "")


def test_values_by_name() -> None:
    groups = {"run": [SEED], "none": [], "prior": [SEED, ALPHA, PAIR]}
    values = parse(groups, ["--prior-seed", "3", "--alpha", "1", "--columns", "3", "0.5"], "prog", "")
    assert values == {"seed": 0, "prior_seed": 3, "alpha": 1.0, "columns": (3.0, 0.5)}


def test_switches_take_no_value() -> None:
    with pytest.raises(UsageError, match=r"--json takes no value, got '5'"):
        parse({"run": [Parameter("json", bool, False, "")]}, ["--json=5"], "prog", "")


def test_arguments_come_before_flags() -> None:
    assert split(["a", "b", "--c", "d"]) == (["a", "b"], ["--c", "d"])


def test_errors_name_the_flag() -> None:
    with pytest.raises(UsageError, match=r"^error must be small"), user_errors({"tolerance": "error"}):
        raise ValueError("tolerance must be small")
    with pytest.raises(ZeroDivisionError), user_errors():
        raise ZeroDivisionError
