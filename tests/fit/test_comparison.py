"""Random-effects selection against independent computations, comparisons of simulated people, and groups."""

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.special import betaln, logsumexp

from bamdp.domains import Bandit
from bamdp.fit import (
    ChoiceRule,
    Exact,
    FreeParameter,
    Model,
    compare,
    fit,
    group,
    log_likelihood,
    random_effects,
    recover_models,
    simulate,
)
from reference.problems import shown
from reference.rejections import rejections

TASK = Bandit([0.5, 0.5], 1.0, horizon=6).problem()
MODELS = {name: Model.of(name, TASK) for name in ("posterior-means", "win-stay-lose-shift")}


def together(parts: list[dict[str, list[Any]]]) -> dict[str, list[Any]]:
    return {name: [cell for part in parts for cell in part[name]] for name in parts[0]}


def people(name: str, count: int, games: int = 12, **parameters: float) -> dict[str, list[Any]]:
    return together([simulate(MODELS[name], parameters, games=games, subject=i, seed=i) for i in range(count)])


def evidence(seed: int, people: int, models: int, spread: float = 3.0) -> Any:
    return np.random.default_rng(seed).normal(0, spread, (people, models)) - 100


def test_exceedance_is_that_of_the_dirichlet_distribution() -> None:
    """By 10⁶ draws: six standard errors are 0.003."""
    found = random_effects(evidence(0, 12, 4))
    drawn = np.random.default_rng(1).dirichlet(found.alpha, 10**6).argmax(axis=1)
    assert found.exceedance == pytest.approx(np.bincount(drawn, minlength=4) / 10**6, abs=0.003)
    assert found.alpha == pytest.approx(1 + found.responsibilities.sum(axis=0))


def test_two_models_against_the_exact_posterior() -> None:
    """Of two models everything is one integral over r; the approximation is near it, its free energy below."""
    L = evidence(2, 15, 2) + np.array([2.0, 0.0])
    r = (np.arange(20000) + 0.5) / 20000
    logs = np.logaddexp(L[:, :1] + np.log(r), L[:, 1:] + np.log1p(-r)).sum(axis=0)
    weights = np.exp(logs - logsumexp(logs))
    found = random_effects(L)
    assert found.frequencies[0] == pytest.approx(float(weights @ r), abs=0.01)
    assert found.exceedance[0] == pytest.approx(float(weights[r > 0.5].sum()), abs=0.02)
    exact = float(logsumexp(logs) - np.log(len(r)))
    equal = float((logsumexp(L, axis=1) - np.log(2)).sum())
    assert found.omnibus_risk >= 1 / (1 + np.exp(exact - equal)) - 1e-9, "the free energy is a lower bound"
    assert found.omnibus_risk == pytest.approx(1 / (1 + np.exp(exact - equal)), abs=0.1)


def test_certain_models_are_counted() -> None:
    """With overwhelming evidence the posterior is Dirichlet of the counts, and its evidence a ratio of beta functions."""
    L = np.full((10, 2), -1000.0)
    L[:8, 0], L[8:, 1] = -10, -10
    found = random_effects(L)
    assert found.alpha == pytest.approx([9, 3])
    odds = np.exp(betaln(9, 3) - betaln(1, 1) - 10 * np.log(0.5))
    assert found.omnibus_risk == pytest.approx(1 / (1 + odds), rel=1e-6)
    assert found.protected == pytest.approx((1 - found.omnibus_risk) * found.exceedance + found.omnibus_risk / 2)


@pytest.mark.parametrize("seed", range(5))
def test_mixtures_and_equal_models(seed: int) -> None:
    """Four of five people have one of three models; where all models are alike, none is chosen."""
    rng, true = np.random.default_rng(seed), seed % 3
    L = rng.normal(0, 2, (40, 3))
    L[np.arange(40), np.where(np.arange(40) < 32, true, rng.integers(0, 3, 40))] += 8
    assert random_effects(L).protected[true] > 0.95
    assert random_effects(rng.normal(0, 0.5, (40, 3))).protected.max() < 0.6


def test_a_comparison_finds_the_model_of_simulated_people(tmp_path: Any) -> None:
    data = people("posterior-means", 6, games=15, temperature=0.15)
    found = compare(data, MODELS, folds=3)
    assert found.best == "posterior-means"
    assert found.total("posterior-means", "held_out") > found.total("win-stay-lose-shift", "held_out")
    fits = fit(data, MODELS["posterior-means"])
    for one, two in zip(found.fits["posterior-means"], fits, strict=True):
        assert one.log_likelihood == pytest.approx(two.log_likelihood, abs=1e-3)
        assert np.isnan(one.low["temperature"])
        assert found.held_out["posterior-means"][one.subject] <= one.log_likelihood + 1e-6
    table = found.to_pandas()
    assert list(table.columns) == list(found.columns)
    assert table.groupby("subject")["probability"].sum().to_numpy() == pytest.approx(1)
    assert "protected" in str(found)
    assert "protected exceedance probability" in found.sentence()
    found.save(tmp_path / "compared.png")
    assert "<svg" in shown(found)
    confusion = recover_models(found.tasks(games=6), 2)
    assert np.array(confusion.matrix).sum() == pytest.approx(2)


def test_held_out_games_by_hand() -> None:
    """Four games, each predicted from the others; worse than all of them from all."""
    data = people("posterior-means", 1, games=4, temperature=0.15)
    model, total = MODELS["posterior-means"], 0.0
    for out in (1, 2, 3, 4):
        parts = [
            {name: [c for c, g in zip(cells, data["game"], strict=True) if (g == out) == held] for name, cells in data.items()}
            for held in (False, True)
        ]
        (estimated,) = fit(parts[0], model, intervals=False)
        total += log_likelihood(parts[1], model, estimated.estimates).value
    assert compare(data, MODELS, folds=4).total("posterior-means", "held_out") == pytest.approx(total, abs=1e-3)
    assert total < fit(data, model, intervals=False)[0].log_likelihood - 0.05


def test_held_out_fits_are_those_of_the_other_games_alone() -> None:
    """Of three parts and three parameters: the fit to two parts has its maximum far from that of all."""
    task = Bandit([0.5, 0.5], 1.0, horizon=10).problem()
    model, total = Model.of("rescorla-wagner", task), 0.0
    data = simulate(Model.of("exact", task), {"temperature": 0.06}, games=6, seed=35)
    parts = np.random.default_rng(0).permutation(6) % 3
    for out in range(3):
        rest, held = (
            {
                name: [c for c, g in zip(cells, data["game"], strict=True) if (parts[g - 1] == out) == is_held]
                for name, cells in data.items()
            }
            for is_held in (False, True)
        )
        total += log_likelihood(held, model, fit(rest, model, intervals=False)[0].estimates).value
    found = compare(data, {"a": model, "b": Model.of("posterior-means", task)}, folds=3)
    assert found.total("a", "held_out") == pytest.approx(total, abs=0.01)
    assert total < 60 * found.guessing
    assert found.notes()[-1].startswith("overfitted, worse than guessing in the games that were held out: a")


def test_guessing_and_few_choices_are_said() -> None:
    """People of Rescorla and Wagner with 36 choices each: BIC takes a simpler model, a group fit knows better."""
    wagner = Model.of("rescorla-wagner", TASK)
    models = {"wagner": wagner, "means": MODELS["posterior-means"]}
    true = {"learning_rate": 0.3, "temperature": 0.2, "stickiness": 0.8}
    data = together([simulate(wagner, true, games=6, subject=i, seed=i) for i in range(12)])
    found = compare(data, models, folds=0)
    assert found.guessing == pytest.approx(np.log(0.5))
    assert "guessing" in str(found)
    assert f"{12 * 36 * np.log(0.5):.1f}" in str(found)
    assert "few choices: 36 a person for the 3 parameters of wagner" in found.notes()[1]
    assert "bamdp.fit.group" in found.notes()[1]
    assert found.total("wagner", "bic") > found.total("means", "bic")
    assert group(data, wagner).bic < group(data, models["means"]).bic
    assert len(compare(data, {"a": models["means"], "b": models["means"]}, folds=0).notes()) == 1, "equally many parameters"


TEMPERATURE = {"temperature": FreeParameter(0.01, 5, "log")}
PLANNER = Model(TASK, Exact(), ChoiceRule, TEMPERATURE)


def drawn(count: int, effect: float = 0.0, games: int = 30) -> dict[str, list[Any]]:
    """Temperatures are log-normal around 0.15, with deviation 0.3."""
    rng, parts = np.random.default_rng(5), []
    for i in range(count):
        patient = i % 2
        t = float(np.exp(np.log(0.15) + 0.3 * rng.standard_normal() + effect * (patient - 0.5)))
        part = simulate(PLANNER, {"temperature": t}, games=games, subject=i, seed=i)
        parts.append(part | {"patient": ["yes" if patient else "no"] * len(part["step"]), "true": [t] * len(part["step"])})
    return together(parts)


@pytest.fixture(scope="module")
def found() -> Any:
    return group(drawn(16, games=8), PLANNER)


def test_a_group_is_recovered_and_people_are_shrunken(found: Any) -> None:
    data = drawn(16, games=8)
    true = dict(zip(data["subject"], data["true"], strict=True))
    assert found.low["temperature"] < 0.15 < found.high["temperature"]
    low, high = found.deviation["temperature"][1:]
    assert low < 0.3 < high
    alone = fit(data, PLANNER, intervals=False)
    errors = [
        np.mean([np.log(each.estimates["temperature"] / true[each.subject]) ** 2 for each in some])
        for some in (found.people, alone)
    ]
    assert errors[0] < errors[1], "estimates of people who share a group are better"
    spread = [np.std([np.log(each.estimates["temperature"]) for each in some]) for some in (found.people, alone)]
    assert spread[0] < spread[1]


def test_one_parameter_against_integration(found: Any) -> None:
    """The evidence of a person by the integral over the temperature, given the group."""
    person = found.people[0]
    data = drawn(16, games=8)
    own = {name: [c for c, s in zip(cells, data["subject"], strict=True) if s == 0] for name, cells in data.items()}
    z = np.linspace(np.log(0.02), np.log(2), 200)
    centre, variance = person.centre[0], person.variances[0]
    logs = [log_likelihood(own, PLANNER, {"temperature": float(np.exp(x))}).value for x in z]
    prior = -0.5 * (z - centre) ** 2 / variance - 0.5 * np.log(2 * np.pi * variance)
    assert person.log_evidence == pytest.approx(float(logsumexp(logs + prior) + np.log(z[1] - z[0])), abs=0.1)


def test_an_effect_between_people() -> None:
    found = group(drawn(24, effect=1.0, games=20), PLANNER, between=["patient"])
    low, high = found.effects["patient: yes − no"]["temperature"][1:]
    assert low < 1.0 < high
    assert low > 0
    assert "patient: yes − no" in str(found)
    assert "patient" in found.sentence()


def test_out(found: Any, tmp_path: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # that ArviZ gives once a day
        import arviz

    assert len(found.to_pandas()) == 16
    found.save(tmp_path / "group.svg")
    assert found.sentence().startswith("The model 'model' was fitted to 768 choices of 16 people")
    few = group(drawn(5, games=10), PLANNER)
    data = few.to_inferencedata(draws=100, chains=2)
    assert data.log_likelihood["choice"].shape == (2, 100, 300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 200 draws are few
        loo: Any = arviz.loo(data)  # type: ignore[no-untyped-call]
    assert loo.elpd_loo == pytest.approx(sum(person.log_likelihood for person in few.people), abs=15)
    means = np.log(data.posterior["temperature"]).mean(("chain", "draw")).to_numpy()
    assert means == pytest.approx([person.place[0] for person in few.people], abs=0.2)


test_rejected = rejections(
    (ValueError, "models must be two or more", lambda: compare(drawn(2, games=1), {"a": PLANNER})),
    (ValueError, "criterion must be one of", lambda: compare(drawn(2, games=1), MODELS, criterion="bix")),
    (ValueError, "folds must be 2 or more", lambda: compare(drawn(2, games=1), MODELS, folds=1)),
    (ValueError, "at least 3 people for a group, got 2", lambda: group(drawn(2, games=2), PLANNER)),
    (ValueError, "at least 4 people for a group, got 3", lambda: group(drawn(3, games=2), PLANNER, between=["patient"])),
    (ValueError, "data must have the column age", lambda: group(drawn(3, games=2), PLANNER, between=["age"])),
    (ValueError, "log_evidence must have a row for each person", lambda: random_effects([1.0, 2.0])),
)
