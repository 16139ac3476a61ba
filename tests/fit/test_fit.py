"""Fits: maxima against a grid, intervals against the profile, recovery of small cases, and bad
input.
"""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from scipy.stats import chi2, norm

from bamdp import BAMDP
from bamdp.agents import BAMCP
from bamdp.domains import Bandit
from bamdp.fit import (
    ChoiceRule,
    Exact,
    FreeParameter,
    Model,
    fit,
    log_likelihood,
    recover,
    recover_models,
    simulate,
)
from bamdp.fit.data import Choices
from bamdp.fit.search_noise import Points, explore
from bamdp.fit.surface import Surface
from bamdp.fit.tasks import arm_problem, bandit, mdp, models
from bamdp.priors import BetaArms
from reference.problems import shown
from reference.rejections import rejections

TASK = bandit()
CUT = chi2.ppf(0.95, 1) / 2
TRUTH = {"optimism": 0.6, "temperature": 0.2}


def people(*subjects: Any, games: int = 20, **parameters: float) -> dict[str, list[Any]]:
    made = [
        simulate(TASK.model, TRUTH | parameters, games=games, worlds=TASK.worlds, subject=s, seed=i)
        for i, s in enumerate(subjects)
    ]
    return {name: [cell for each in made for cell in each[name]] for name in made[0]}


def narrowed(low: float, high: float) -> Model:
    return replace(TASK.model, parameters={**TASK.model.parameters, "optimism": (low, high)})


DATA = people("ann")


LIKELIHOOD = Surface(TASK.model, Choices(DATA, TASK.model).games).log_likelihood


@pytest.fixture(scope="module")
def found() -> Any:
    return fit(DATA, TASK.model)[0]


def profile(optimism: Any, temperature: Any) -> float:
    """The highest log-likelihood of these values of optimism and temperature."""
    return max(
        LIKELIHOOD((float(m),), (float(np.log(t)),))
        for m in np.atleast_1d(optimism)
        for t in np.atleast_1d(temperature)
    )


def test_the_estimate_is_the_maximum_of_the_likelihood(found: Any) -> None:
    best = found.estimates
    assert found.log_likelihood == pytest.approx(log_likelihood(DATA, TASK.model, best).value)
    assert (
        found.log_likelihood >= profile(np.linspace(0.1, 0.9, 33), np.geomspace(0.05, 1, 25)) - 1e-3
    )
    assert (found.noise, found.choices) == (0, 200)
    assert found.aic == pytest.approx(4 - 2 * found.log_likelihood)
    assert found.bic == pytest.approx(2 * np.log(200) - 2 * found.log_likelihood)


@pytest.mark.parametrize("end", ["low", "high"])
def test_at_the_ends_of_the_interval_the_profile_has_fallen_by_half_a_quantile(
    found: Any, end: str
) -> None:
    at = getattr(found, end)
    for top in (
        profile(at["optimism"], np.geomspace(0.08, 0.6, 61)),
        profile(np.linspace(0.3, 0.9, 61), at["temperature"]),
    ):
        assert found.log_likelihood - top == pytest.approx(CUT, abs=0.1)


def test_from_a_data_frame_to_a_data_frame() -> None:
    fits = fit(pandas.DataFrame(people("ann", "bob", games=6)), TASK.model)
    table = fits.to_pandas()
    assert list(table.columns) == list(fits.columns)
    assert table["subject"].tolist() == ["ann", "ann", "bob", "bob"]
    assert table["parameter"].tolist() == ["optimism", "temperature"] * 2
    assert table["estimate"].tolist() == [
        value for each in fits for value in each.estimates.values()
    ]
    assert (table["low"] < table["estimate"]).all()
    assert table["choices"].dtype.kind == "i"
    assert "log-likelihood" in str(fits)
    assert "<svg" in shown(fits)


def test_all_together_have_one_set_of_parameters() -> None:
    data = people("ann", "bob", games=6)
    (both,) = fit(data, TASK.model, by=None)
    assert both.subject == "all"
    assert both.choices == 120
    assert both.log_likelihood <= sum(each.log_likelihood for each in fit(data, TASK.model)) + 1e-6


def test_a_strong_prior_decides() -> None:
    def near(m: float) -> float:
        return -(((m - 0.3) / 0.001) ** 2)

    parameters = {**TASK.model.parameters, "optimism": FreeParameter(0.02, 0.98, "logit", near)}
    (found,) = fit(people("ann", games=6), replace(TASK.model, parameters=parameters))
    assert found.estimates["optimism"] == pytest.approx(0.3, abs=0.005)
    assert found.high["optimism"] - found.low["optimism"] < 0.01


def test_narrower_bounds_hold(found: Any) -> None:
    (narrow,) = fit(DATA, narrowed(0.1, 0.3))
    assert narrow.estimates["optimism"] == pytest.approx(0.3, abs=1e-3)
    assert narrow.log_likelihood < found.log_likelihood


def test_what_choices_don_t_tell_is_said() -> None:
    fits = fit(people("eve", games=2, temperature=4.9), narrowed(0.45, 0.55))
    assert fits[0].unidentified == ["optimism"]
    assert fits[0].at_bounds == ["temperature"]
    assert "not identified: any value from 0.45 to 0.55" in str(fits)
    assert fits.notes()[0].startswith(
        "1 of 1 people have a parameter that their choices don't identify"
    )
    assert fits.notes()[1] == "temperature is at a bound for eve: values beyond may fit better"
    assert all(note in str(fits) for note in fits.notes())


@pytest.mark.parametrize("scale", ["linear", "log", "logit"])
def test_a_bound_is_itself_at_its_place(scale: str) -> None:
    """Or an interval up to it, found on the scale, would end before it by rounding, and count for
    one that excludes it.
    """
    rng = np.random.default_rng(0)
    for low, high in np.sort(rng.uniform(0.001, 0.999, (200, 2)), axis=1).tolist():
        bounds = FreeParameter(low, high, scale)
        at = float(rng.uniform(*bounds.ends))
        ends = [bounds.value(at + (end - at)) for end in bounds.ends]
        assert bounds.spanned(*ends)
        assert low < bounds.value(at) < high
        assert bounds.text(at, *ends) == f"not identified: any value from {low:g} to {high:g}"


@pytest.mark.slow
def test_several_planning_parameters_and_rules() -> None:
    def problem(optimism: float, strength: float) -> BAMDP:
        arms = Bandit([0.5, 1], 1.0, payoffs=[1, 0.5], horizon=10)
        return arms.problem(BetaArms([strength * optimism, 1], [strength * (1 - optimism), 0]))

    more: dict[str, Any] = {"strength": FreeParameter(0.5, 8, "log"), "lapse": (0.0, 0.5)}
    wide = replace(TASK.model, problem=problem, parameters={**TASK.model.parameters, **more})
    data = people("ann", games=3)
    (inside,), (nested,) = fit(data, wide), fit(data, TASK.model)
    assert inside.log_likelihood >= nested.log_likelihood - 0.01
    assert all(
        inside.low[name] <= inside.estimates[name] <= inside.high[name] for name in wide.parameters
    )


@pytest.mark.slow
def test_a_search_gives_nearly_the_exact_fit_and_a_wider_interval() -> None:
    """The planner's estimate is within its own interval of the exact one; deterministic."""
    task = mdp(games=4, simulations=200)
    data = simulate(task.model, TRUTH | {"temperature": 0.4}, games=4, worlds=task.worlds, seed=3)
    (searched,), (exact,) = fit(data, task.model), fit(data, replace(task.model, agent=Exact()))
    assert searched.low["optimism"] <= exact.estimates["optimism"] <= searched.high["optimism"]
    assert 0 < searched.noise < 10
    assert fit(data, task.model)[0] == searched


def test_search_noise_widens_both_ends_of_an_interval() -> None:
    """Each squared half-width is that of the profile plus (1.96 s)², on the scale
    of the parameter.
    """
    arms, parameters = (
        Bandit([0.5, 0.5], 1.0, horizon=5),
        {"temperature": FreeParameter(0.02, 50, "log")},
    )
    model = Model(arms.problem(), partial(BAMCP, simulations=60, threads=1), ChoiceRule, parameters)
    data = simulate(
        replace(model, agent=Exact()), {"temperature": 0.1}, games=16, worlds=arms, seed=1
    )
    (found,) = fit(data, model, repeats=3)
    low, at, high = np.log(
        [each["temperature"] for each in (found.low, found.estimates, found.high)]
    )
    surfaces = [Surface(model, Choices(data, model).games, repeat) for repeat in range(4)]
    points = explore(surfaces)
    alone = [surface.best(()).rule[0] for surface in surfaces]
    assert at == pytest.approx(np.mean(alone))
    error = norm.ppf(0.975) * np.std(alone, ddof=1) / 2
    assert (at - low, high - at) == pytest.approx(
        [np.hypot(at - end, error) for end in points.rule_interval(0, surfaces, at)]
    )


def test_the_jackknife_sees_what_the_seeds_add() -> None:
    """Parabolas with vertices moved by each set of seeds; the mean of the vertices is known, and so
    is its error.
    """
    z, block = np.linspace(-1, 1, 36), np.arange(36) % 4
    moved = np.array([0.1, -0.1, 0.05, -0.05])
    scores = -8 * (z - moved[block]) ** 2 + np.array([5.0, 0.0, -3.0, 1.0])[block]
    points = Points(
        np.array([[-1.0], [1.0]]), z[:, None], block, scores, np.zeros((36, 0)), np.ones(36)
    )
    assert points.estimate() == pytest.approx([0], abs=0.01)
    low, high = points.interval(0, (-1, 1))
    assert (high - low) / 2 == pytest.approx(np.sqrt(CUT / 8), abs=0.02)
    assert points.noise() == pytest.approx([moved.std(ddof=1) / 2], rel=0.15)


def test_recovery_is_stored_and_continued(tmp_path: Path) -> None:
    task, rows = bandit(games=1), tmp_path / "rows.jsonl"
    first = recover(task, 3, rows=rows, command="x")
    lines = rows.read_text().splitlines()
    changed = [json.loads(line) for line in lines]
    changed[0]["estimate"]["optimism"] = 0.123
    rows.write_text("\n".join(json.dumps(row) for row in changed[:2]) + "\n" + lines[2][:20] + "\n")
    again = recover(task, 4, rows=rows, command="x")
    assert again.rows[0]["estimate"]["optimism"] == 0.123, "a stored person isn't simulated again"
    assert again.rows[2] == first.rows[2], "a row cut short is"
    assert len(again.rows) == 4
    assert recover(task, 3, seed=0).rows[1]["estimate"] == first.rows[1]["estimate"]
    assert "coverage" in str(again)


@pytest.mark.slow
def test_the_truth_comes_back_from_many_choices() -> None:
    """Of 10 intervals at 95 % fewer than 8 contain the truth with a probability of 1 %; seeds are
    fixed.
    """
    found = recover(bandit(games=25), 5, seed=1)
    assert np.mean([found.coverage(name).value for name in found.parameters]) >= 0.8
    assert all(
        abs(row["estimate"]["optimism"] - row["true"]["optimism"]) < 0.2 for row in found.rows
    )


@pytest.mark.slow
def test_people_are_taken_for_what_they_are() -> None:
    both = {
        name: task
        for name, task in models(games=40).items()
        if name in ("posterior mean", "long horizon")
    }
    cold = {
        name: replace(task, people={"temperature": (0.03, 0.05)}) for name, task in both.items()
    }
    found = recover_models(cold, 2)
    assert found.matrix == [[1.0, 0.0], [0.0, 1.0]]
    assert "lowest BIC" in str(found)


test_rejected = rejections(
    (
        ValueError,
        "subject ann, game 1, step 10: 10 free choices can't",
        lambda: fit(people("ann", games=1), eleven()),
    ),
    (ValueError, "by must be one of", lambda: fit(DATA, TASK.model, by="game")),  # type: ignore[arg-type]
    (TypeError, "model must be a bamdp.fit.Model", lambda: fit(DATA, TASK)),  # type: ignore[arg-type]
    (ValueError, "people must be", lambda: recover(TASK, 0)),
    (
        ValueError,
        "did you mean 'optimism'",
        lambda: replace(TASK, people={"optimsm": (0.2, 0.3), "temperature": (0.1, 0.4)}),
    ),
    (
        ValueError,
        "parameter temperature",
        lambda: replace(TASK, people=TASK.people | {"temperature": (0.0, 0.4)}),  # type: ignore[operator]
    ),
    (
        ValueError,
        "dictionaries with horizon",
        lambda: simulate(by_horizon(), {"temperature": 1.0}, games=1),
    ),
    (
        ValueError,
        "steps must be given",
        lambda: simulate(replace(TASK.model, problem=endless), TRUTH, games=1),
    ),
)


def by_horizon() -> Model:
    return Model.of(
        "exact",
        lambda horizon: Bandit([0.5, 0.5], 1.0, horizon=horizon).problem(),
        conditions=["horizon"],
    )


def eleven() -> Any:
    """A model with eleven parameters."""
    names = [f"x{i}" for i in range(11)]
    rule = eval(
        f"lambda {', '.join(names)}: ChoiceRule(1 + {' + '.join(names)})",
        {"ChoiceRule": ChoiceRule},
    )
    return replace(
        TASK.model, problem=arm_problem(0.5), rule=rule, parameters=dict.fromkeys(names, (0, 1))
    )


def endless(optimism: float) -> BAMDP:
    return Bandit([0.5, 1], 0.9).problem()
