"""Random-effects selection against independent computations, comparisons of simulated people, and
groups.
"""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.special import betaln, expit, logit, logsumexp
from scipy.stats import chi2, norm

from bamdp import BAMDP
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
from bamdp.priors import BetaArms
from reference.problems import shown
from reference.rejections import rejections

TASK = Bandit([0.5, 0.5], 1.0, horizon=6).problem()
MODELS = {name: Model.of(name, TASK) for name in ("posterior-means", "win-stay-lose-shift")}


Data = dict[str, list[Any]]


def together(parts: list[dict[str, list[Any]]]) -> dict[str, list[Any]]:
    return {name: [cell for part in parts for cell in part[name]] for name in parts[0]}


def people(name: str, count: int, games: int = 12, **parameters: float) -> dict[str, list[Any]]:
    return together(
        [simulate(MODELS[name], parameters, games=games, subject=i, seed=i) for i in range(count)]
    )


def evidence(seed: int, people: int, models: int, spread: float = 3.0) -> Any:
    return np.random.default_rng(seed).normal(0, spread, (people, models)) - 100


def test_exceedance_is_that_of_the_dirichlet_distribution() -> None:
    """By 10⁶ draws: six standard errors are 0.003."""
    found = random_effects(evidence(0, 12, 4))
    drawn = np.random.default_rng(1).dirichlet(found.alpha, 10**6).argmax(axis=1)
    assert found.exceedance == pytest.approx(np.bincount(drawn, minlength=4) / 10**6, abs=0.003)
    assert found.alpha == pytest.approx(1 + found.responsibilities.sum(axis=0))


def test_two_models_against_the_exact_posterior() -> None:
    """Of two models everything is one integral over r; the approximation is near it, its free
    energy below.
    """
    L = evidence(2, 15, 2) + np.array([2.0, 0.0])
    r = (np.arange(20000) + 0.5) / 20000
    logs = np.logaddexp(L[:, :1] + np.log(r), L[:, 1:] + np.log1p(-r)).sum(axis=0)
    weights = np.exp(logs - logsumexp(logs))
    found = random_effects(L)
    assert found.frequencies[0] == pytest.approx(float(weights @ r), abs=0.01)
    assert found.exceedance[0] == pytest.approx(float(weights[r > 0.5].sum()), abs=0.02)
    exact = float(logsumexp(logs) - np.log(len(r)))
    equal = float((logsumexp(L, axis=1) - np.log(2)).sum())
    assert found.omnibus_risk >= 1 / (1 + np.exp(exact - equal)) - 1e-9, (
        "the free energy is a lower bound"
    )
    assert found.omnibus_risk == pytest.approx(1 / (1 + np.exp(exact - equal)), abs=0.1)


def test_certain_models_are_counted() -> None:
    """With overwhelming evidence the posterior is Dirichlet of the counts, and its evidence a ratio
    of beta functions.
    """
    L = np.full((10, 2), -1000.0)
    L[:8, 0], L[8:, 1] = -10, -10
    found = random_effects(L)
    assert found.alpha == pytest.approx([9, 3])
    odds = np.exp(betaln(9, 3) - betaln(1, 1) - 10 * np.log(0.5))
    assert found.omnibus_risk == pytest.approx(1 / (1 + odds), rel=1e-6)
    assert found.protected == pytest.approx(
        (1 - found.omnibus_risk) * found.exceedance + found.omnibus_risk / 2
    )


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
    assert found.total("posterior-means", "held_out") > found.total(
        "win-stay-lose-shift", "held_out"
    )
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


def without(data: Data, games: set[int], held: bool = False) -> Data:
    """The choices of all other games, or of these."""
    rows = [i for i, game in enumerate(data["game"]) if (game in games) == held]
    return {name: [cells[i] for i in rows] for name, cells in data.items()}


def weak(model: Model) -> Model:
    """With normal priors around the middle of the scales, with bounds two deviations away."""

    def prior(low: float, high: float, scale: str) -> FreeParameter:
        scales: dict[str, Any] = {"log": np.log, "logit": logit, "linear": float}
        onto = scales[scale]
        normal = norm((onto(low) + onto(high)) / 2, (onto(high) - onto(low)) / 4)
        return FreeParameter(low, high, scale, lambda x: float(normal.logpdf(onto(x))))

    bounds = {name: model.bounds(name) for name in model.parameters}
    priors = {name: prior(each.low, each.high, each.scale) for name, each in bounds.items()}
    return replace(model, parameters=priors)


def test_held_out_games_of_one_person_by_hand() -> None:
    """Each game is predicted from the others, by weak priors; without, by a bound."""
    data, model = people("posterior-means", 1, games=4, temperature=0.15), MODELS["posterior-means"]
    totals = []
    for each in (weak(model), model):
        fits = {game: fit(without(data, {game}), each, intervals=False)[0] for game in (1, 2, 3, 4)}
        held = {game: without(data, {game}, True) for game in fits}
        totals.append(sum(log_likelihood(held[g], model, fits[g].estimates).value for g in fits))
        assert any(fit.at_bounds for fit in fits.values()) == (each is model)
    found = compare(data, MODELS, folds=4)
    assert found.held_out_prior == "weak"
    assert found.total("posterior-means", "held_out") == pytest.approx(totals[0], abs=1e-3)
    assert totals[1] < 24 * found.guessing < totals[0]


def test_held_out_fits_are_those_of_the_other_games_alone() -> None:
    """Of three parts and three parameters, by weak priors."""
    task = Bandit([0.5, 0.5], 1.0, horizon=10).problem()
    model, total = Model.of("rescorla-wagner", task), 0.0
    data = simulate(Model.of("exact", task), {"temperature": 0.06}, games=6, seed=35)
    parts = np.random.default_rng(0).permutation(6) % 3
    for part in range(3):
        games = {int(game) + 1 for game in np.flatnonzero(parts == part)}
        estimates = fit(without(data, games), weak(model), intervals=False)[0].estimates
        total += log_likelihood(without(data, games, True), model, estimates).value
    found = compare(data, {"a": model, "b": Model.of("posterior-means", task)}, folds=3)
    assert found.total("a", "held_out") == pytest.approx(total, abs=0.01)


def test_held_out_games_of_a_group_by_hand() -> None:
    """Each game is predicted by a group fitted to the others; nobody is far below guessing."""
    data = people("posterior-means", 6, games=4, temperature=0.15)
    model, by_hand, alone = MODELS["posterior-means"], np.zeros(6), np.zeros(6)
    for game in (1, 2, 3, 4):
        rest = without(data, {game})
        fits: tuple[Any, Any] = group(rest, model).people, fit(rest, model, intervals=False)
        for totals, some in zip((by_hand, alone), fits, strict=True):
            for each in some:
                held = log_likelihood(without(data, {game}, True), model, each.estimates)
                totals[each.subject] += held.subjects[each.subject]
    found = compare(data, MODELS, folds=4)
    assert found.held_out_prior == "group"
    assert list(found.held_out["posterior-means"].values()) == pytest.approx(by_hand, abs=1e-3)
    assert min(alone) < 1.5 * 24 * found.guessing < min(by_hand)
    by_held_out = compare(data, MODELS, folds=4, criterion="held_out")
    assert "held-out log-likelihood (refits regularised by the group)" in by_held_out.sentence()


def test_held_out_games_with_a_prior_of_the_model() -> None:
    """A strong one decides whatever the games are, in place of the group."""
    sure = FreeParameter(0.01, 5, "log", lambda temperature: -(((temperature - 1) / 1e-4) ** 2))
    model = replace(MODELS["posterior-means"], parameters={"temperature": sure})
    models = {"sure": model, **MODELS}
    data = people("posterior-means", 3, games=3, temperature=0.15)
    found = compare(data, models, folds=3)
    assert found.held_out_prior == "weak"
    expected = log_likelihood(data, model, {"temperature": 1.0}).value
    assert found.total("sure", "held_out") == pytest.approx(expected, abs=0.01)


def test_a_person_with_one_game_predicts_nothing_and_counts_for_the_group() -> None:
    data = people("posterior-means", 4, games=3, temperature=0.15)
    kept = [i for i, who in enumerate(data["subject"]) if who != 3 or data["game"][i] == 1]
    some = {name: [cells[i] for i in kept] for name, cells in data.items()}
    found = compare(some, MODELS, folds=3)
    held = found.held_out["posterior-means"]
    assert np.isnan(held[3])
    assert np.isfinite([held[who] for who in (0, 1, 2)]).all()
    assert "—" in str(found)


def test_fits_at_a_bound_are_said() -> None:
    """Cold people, with a model that is too hot; whether games are held out or not."""
    hot = {"temperature": FreeParameter(1.0, 5, "log")}
    narrow = replace(MODELS["posterior-means"], parameters=hot)
    data = people("posterior-means", 3, games=10, temperature=0.1)
    found = compare(data, {"narrow": narrow, "wide": MODELS["posterior-means"]}, folds=2)
    assert found.held_out_at_bounds["narrow"] == dict.fromkeys(range(3), ("temperature",))
    assert found.held_out_at_bounds["wide"] == dict.fromkeys(range(3), ())
    whole, held_out = (note for note in found.notes() if "at a bound" in note)
    at = "temperature is at a bound for 0, 1, 2"
    assert whole == f"narrow: {at}: values beyond may fit better"
    assert held_out == f"narrow, held out: {at} in a fit without some of the games"


@pytest.mark.parametrize("shift", range(4))
def test_one_held_out_fit_at_a_bound_is_said(shift: int) -> None:
    """Whichever game it is that alone keeps the fits with it from a bound."""
    low = {"temperature": FreeParameter(0.4, 5, "log")}
    narrow = replace(MODELS["posterior-means"], parameters=low)
    data = people("posterior-means", 1, games=4, temperature=0.05)
    data["game"] = [(game + shift) % 4 + 1 for game in data["game"]]
    alone = [fit(without(data, {game}), weak(narrow), intervals=False)[0] for game in (1, 2, 3, 4)]
    assert sum(each.at_bounds == ["temperature"] for each in alone) == 1
    found = compare(data, {"narrow": narrow, **MODELS}, folds=4)
    assert found.held_out_at_bounds["narrow"] == {0: ("temperature",)}


def test_guessing_and_few_choices_are_said() -> None:
    """People of Rescorla and Wagner with 36 choices each: BIC takes a simpler model, a group fit
    knows better.
    """
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
    assert len(compare(data, {"a": models["means"], "b": models["means"]}, folds=0).notes()) == 1, (
        "equally many parameters"
    )


TEMPERATURE = {"temperature": FreeParameter(0.01, 5, "log")}
PLANNER = Model(TASK, Exact(), ChoiceRule, TEMPERATURE)


def drawn(count: int, effect: float = 0.0, games: int = 30) -> dict[str, list[Any]]:
    """Temperatures are log-normal around 0.15, with deviation 0.3."""
    rng, parts = np.random.default_rng(5), []
    for i in range(count):
        patient = i % 2
        t = float(np.exp(np.log(0.15) + 0.3 * rng.standard_normal() + effect * (patient - 0.5)))
        part = simulate(PLANNER, {"temperature": t}, games=games, subject=i, seed=i)
        parts.append(
            part
            | {
                "patient": ["yes" if patient else "no"] * len(part["step"]),
                "true": [t] * len(part["step"]),
            }
        )
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
    spread = [
        np.std([np.log(each.estimates["temperature"]) for each in some])
        for some in (found.people, alone)
    ]
    assert spread[0] < spread[1]


def test_one_parameter_against_integration(found: Any) -> None:
    """The evidence of a person by the integral over the temperature, given the group."""
    person = found.people[0]
    data = drawn(16, games=8)
    own = {
        name: [c for c, s in zip(cells, data["subject"], strict=True) if s == 0]
        for name, cells in data.items()
    }
    z = np.linspace(np.log(0.02), np.log(2), 200)
    centre, variance = person.centre[0], person.variances[0]
    logs = [log_likelihood(own, PLANNER, {"temperature": float(np.exp(x))}).value for x in z]
    prior = -0.5 * (z - centre) ** 2 / variance - 0.5 * np.log(2 * np.pi * variance)
    assert person.log_evidence == pytest.approx(
        float(logsumexp(logs + prior) + np.log(z[1] - z[0])), abs=0.1
    )


def test_an_effect_between_people() -> None:
    found = group(drawn(24, effect=1.0, games=20), PLANNER, between=["patient"])
    low, high = found.effects["patient: yes − no"]["temperature"][1:]
    assert low < 1.0 < high
    assert low > 0
    assert "patient: yes − no" in str(found)
    assert "patient" in found.sentence()


def stays(counts: list[int], choices: int) -> dict[str, list[Any]]:
    """People who always win, and repeat the last choice so often."""
    moves = [[0] * (count + 1) + [1] * (choices - count) for count in counts]
    return {
        "subject": [i for i in range(len(counts)) for _ in range(choices + 1)],
        "action": [int(place) % 2 for move in moves for place in np.cumsum(move)],
        "reward": [1] * (len(counts) * (choices + 1)),
    }


def test_the_interval_of_a_deviation_against_integration() -> None:
    """The log-likelihood of the log of a deviation, of binomial counts, by integrals over people
    and their mean: its curvature is 2 ν, if the interval has ν degrees of freedom."""
    N, n, rng = 100, 20, np.random.default_rng(0)
    counts = rng.binomial(n, expit(1 + 0.6 * norm.ppf((np.arange(N) + 0.5) / N)))
    task = Bandit([0.5, 0.5], 1.0, horizon=n + 1).problem()
    model = Model.of("win-stay-lose-shift", task, shift=0.5)
    deviation, low, high = group(stays(counts.tolist(), n), model).deviation["stay"]

    z, means = np.linspace(-4, 7, 1500), np.linspace(0.3, 1.7, 57)
    likelihoods = np.exp(counts[:, None] * z - n * np.logaddexp(0, z))

    def log_density(log: float) -> float:
        people = np.log(likelihoods @ norm.pdf(z, means[:, None], np.exp(log)).T)  # [N, means]
        return float(logsumexp(people.sum(axis=0)))

    at, h = np.log(deviation), 0.2
    best = minimize_scalar(lambda log: -log_density(log) - log, (-2, 0)).x
    assert at == pytest.approx(best, abs=0.06)
    curvature = (2 * log_density(at) - log_density(at + h) - log_density(at - h)) / h**2
    ratio = (high / low) ** 2
    freedom = brentq(lambda v: chi2.ppf(0.975, v) / chi2.ppf(0.025, v) - ratio, 1, N)
    assert 2 * freedom == pytest.approx(curvature, rel=0.25)


@pytest.mark.parametrize("name", [*MODELS, "ucb", "rescorla-wagner"])
def test_people_who_do_the_same_are_a_group(name: str) -> None:
    """Few choices, the same ones: what they don't tell is said."""
    once = {"game": [1, 1, 1, 2, 2, 2], "action": [0, 1, 0, 1, 1, 0], "reward": [1, 0, 1, 0, 1, 0]}
    data = together([once | {"subject": [i] * 6} for i in range(8)])
    model = Model.of(name, TASK)
    found, alone = group(data, model), fit(once, model, intervals=False)[0]
    assert np.isfinite([found.log_evidence, found.bic, *found.mean.values()]).all()
    assert found.log_evidence < 8 * alone.log_likelihood
    assert len({round(person.log_likelihood, 3) for person in found.people}) == 1
    differ = f"differences between people in {', '.join(found.mean)} can't be told from noise"
    assert any(note.startswith(differ) for note in found.notes())
    if name == "posterior-means":
        assert "people don't identify the typical value of temperature: fix it" in str(found)
        assert "not identified: any value from 0.005 to 20" in str(found)


def test_the_typical_value_of_a_group_that_tells_nothing_is_the_middle_of_its_bounds() -> None:
    """At such temperatures all choices are guesses, whatever the temperature is: the
    prior is left.
    """
    data = people("posterior-means", 4, games=3, temperature=1.0)
    for low, high in ((1e3, 1e5), (1e4, 1e5)):
        hot = {"temperature": FreeParameter(low, high, "log")}
        found = group(data, replace(MODELS["posterior-means"], parameters=hot))
        assert found.mean["temperature"] == pytest.approx(np.sqrt(low * high), rel=0.02)
        assert (found.low["temperature"], found.high["temperature"]) == pytest.approx((low, high))


@pytest.mark.parametrize("seed", range(6))
def test_people_who_guess_are_a_group(seed: int) -> None:
    """Also with a covariate, which explains nothing: the interval of its effect has 0."""
    rng, n = np.random.default_rng(seed), 8 * 2 * 6
    cells = {"action": rng.integers(2, size=n).tolist(), "reward": rng.integers(2, size=n).tolist()}
    who = [i for i in range(8) for _ in range(12)]
    games, age = ([1] * 6 + [2] * 6) * 8, [20 + 5 * (i % 4) for i in who]
    data = cells | {"subject": who, "game": games, "age": age}
    found = group(data, MODELS["posterior-means"], between=["age"])
    low, high = found.effects["age"]["temperature"][1:]
    assert low < 0 < high
    assert found.log_evidence == pytest.approx(n * np.log(0.5), abs=8)


def averaged(data: Data, model: Model, people: list[dict[str, float]]) -> float:
    """The log-evidence of choices, if each person is one of these, as likely as another."""
    logs = []
    for person in people:
        bounds = {name: model.bounds(name) for name in person}
        inside = {n: min(max(x, bounds[n].low), bounds[n].high) for n, x in person.items()}
        logs.append(list(log_likelihood(data, model, inside).subjects.values()))
    return float((logsumexp(logs, axis=0) - np.log(len(people))).sum())


def test_people_who_tell_two_parameters_only_together_are_a_group() -> None:
    """Learning rate and temperature: a group by hand explains choices no better."""
    task = Bandit([0.5, 0.5], 1.0, horizon=20).problem()
    model, source = Model.of("rescorla-wagner", task), Model.of("posterior-means", task)
    true = [{"temperature": t} for t in (0.03, 0.1, 0.15, 0.3) * 3]
    parts = [simulate(source, true[i], games=4, subject=i, seed=200 + i) for i in range(12)]
    data = together(parts)
    found, rng = group(data, model), np.random.default_rng(0)
    names = ("learning_rate", "temperature", "stickiness")
    drawn = [(expit(x - 2), 0.1 * np.exp(y), z / 2) for x, y, z in rng.standard_normal((150, 3))]
    by_hand = averaged(data, model, [dict(zip(names, each, strict=True)) for each in drawn])
    assert found.log_evidence > by_hand - 2
    assert found.converged
    assert not any("converge" in note for note in found.notes())


def test_people_who_hardly_tell_how_far_they_plan_are_a_group() -> None:
    """Long horizons explain choices alike; the true group does so no better than the one fitted."""

    def task(horizon: float, sure: float) -> BAMDP:
        arms = Bandit([0.5, 1], 1 - 1 / horizon, payoffs=[1, sure], horizon=10)
        return arms.problem(BetaArms([1, 1], [1, 0]))

    ends = {"horizon": (1.05, 60), "temperature": (0.01, 2)}
    bounds = {name: FreeParameter(low, high, "log") for name, (low, high) in ends.items()}
    model = Model(task, Exact(), ChoiceRule, bounds, conditions=["sure"])
    design = [{"sure": sure} for sure in (0.5, 0.55, 0.6, 0.65, 0.7)]
    rng, parts = np.random.default_rng([7, 3003]), []

    def person() -> dict[str, float]:
        horizon, temperature = np.exp(np.array([0.4, 0.3]) * rng.standard_normal(2))
        return {"horizon": 4 * float(horizon), "temperature": 0.08 * float(temperature)}

    for i in range(8):
        true, seed = person(), int(rng.integers(2**31))
        parts.append(simulate(model, true, games=5, subject=i, seed=seed, conditions=design))
    data = together(parts)
    found = group(data, model)
    assert found.log_evidence > averaged(data, model, [person() for _ in range(150)])
    assert found.converged


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
    assert loo.elpd_loo == pytest.approx(
        sum(person.log_likelihood for person in few.people), abs=15
    )
    means = np.log(data.posterior["temperature"]).mean(("chain", "draw")).to_numpy()
    assert means == pytest.approx([person.place[0] for person in few.people], abs=0.2)


test_rejected = rejections(
    (ValueError, "models must be two or more", lambda: compare(drawn(2, games=1), {"a": PLANNER})),
    (
        ValueError,
        "criterion must be one of",
        lambda: compare(drawn(2, games=1), MODELS, criterion="bix"),
    ),
    (ValueError, "folds must be 2 or more", lambda: compare(drawn(2, games=1), MODELS, folds=1)),
    (ValueError, "at least 3 people for a group, got 2", lambda: group(drawn(2, games=2), PLANNER)),
    (
        ValueError,
        "at least 4 people for a group, got 3",
        lambda: group(drawn(3, games=2), PLANNER, between=["patient"]),
    ),
    (
        ValueError,
        "data must have the column age",
        lambda: group(drawn(3, games=2), PLANNER, between=["age"]),
    ),
    (
        ValueError,
        "log_evidence must have a row for each person",
        lambda: random_effects([1.0, 2.0]),
    ),
)
