"""Domains, priors and agents from names and settings, without the command line."""

from typing import Any

import pytest

from bamdp.config.setup import setup

GRID = {"columns": (4.0, 1.0), "prior_rows": [1, 3]}


def test_settings_reach_the_domain_the_prior_and_the_agent() -> None:
    made = setup("infinite-grid", "bamcp", {**GRID, "simulations": 5.0, "domain_seed": 3})
    assert made.given == {
        "agent": {"simulations": 5},
        "domain": {"columns": (4.0, 1.0), "seed": 3},
        "prior": {"rows": (1.0, 3.0)},
    }
    assert repr(made.prior).startswith("GridRewards(columns=(4.0, 1.0), rows=(1.0, 3.0),"), "the rest is the domain's own"
    agent: Any = made.make_agent(0)
    assert agent.simulations == 5
    again: Any = made.make_agent(0, simulations=7)
    assert again.simulations == 7


def test_values_have_every_setting() -> None:
    values = setup("infinite-grid", "bamcp", GRID).values
    assert (values["columns"], values["prior_columns"], values["prior_rows"]) == ((4.0, 1.0), (4.0, 1.0), (1.0, 3.0))
    assert (values["simulations"], values["domain_seed"]) == (None, None)
    assert "seed" not in values


def test_a_setting_that_is_the_default_is_not_given() -> None:
    assert setup("chain", "random", {"slip": 0.2}).given == {"agent": {}, "domain": {}, "prior": {}}


def test_names_that_the_caller_uses_are_taken() -> None:
    assert "agent_workers" in setup("chain", "bamcp").values
    assert "workers" in setup("chain", "bamcp", taken=["seed"]).values


def test_another_prior() -> None:
    made = setup("grid3", "bamcp", {"alpha": 0.25}, prior="dirichlet")
    assert repr(made.prior) == "Dirichlet(0.25)"
    assert made.texts(made.make_agent(0))["prior"] == "Dirichlet(0.25)"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"simulation": 3},
            "unknown setting 'simulation' of bamcp in grid5; did you mean 'simulations'\\? Known: simulations, ",
        ),
        ({"workers": 2}, "unknown setting 'workers' of bamcp in grid5; did you mean 'agent_workers'\\?"),
        ({"domain_slip": 0.1}, "did you mean 'slip'\\?"),
        ({"columns": (1, 2)}, "unknown setting 'columns'"),
        ({"zzz": 2}, "unknown setting 'zzz' of bamcp in grid5. Known: "),
        ({"simulations": "many"}, "^simulations must be an integer or None, got 'many'"),
        ({"simulations": 0}, "^simulations must be"),
        ({"agent_workers": 0}, "^agent_workers must be"),
        ({"slip": 2}, "^slip must be"),
        ({"alpha": -1}, "^alpha must be"),
    ],
)
def test_mistakes_in_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        setup("grid5", "bamcp", settings).make_agent(0)
