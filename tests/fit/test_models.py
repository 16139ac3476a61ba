"""Each model against its definition, written out by hand; and all of them by name."""

from math import exp, log
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from bamdp.domains import Bandit, NormalBandit
from bamdp.fit import Exact, FreeParameter, Model, fit, log_likelihood, simulate
from bamdp.fit.model import MODELS
from bamdp.fit.models import UCB, Hybrid, PosteriorMeans, RescorlaWagner, WinStayLoseShift
from bamdp.priors import BetaArms, NormalArms
from reference.rejections import rejections

NORMAL = NormalBandit([0, 0], 2.0, 1.0, horizon=6).problem(NormalArms([0.0, 1.0], [3.0, 2.0], 2.0))
BETA = Bandit([0.5, 0.5], 1.0, payoffs=[1, 2], horizon=6).problem(BetaArms([1, 2], [1, 3]))
ACTIONS, REWARDS = [0, 1, 1, 0], [3.0, -1.0, 2.0, 0.5]
WON = [1.0, 2.0, 0.0, 0.0]


def logs(values: Any, temperature: float = 1.0, actions: Any = ACTIONS) -> float:
    scaled = np.asarray(values) / temperature
    chosen = scaled[np.arange(len(scaled)), actions[: len(scaled)]]
    return float((chosen - np.logaddexp.reduce(scaled, axis=1)).sum())


def value(model: Model, rewards: Any = REWARDS, **parameters: float) -> float:
    return log_likelihood({"action": ACTIONS, "reward": rewards}, model, parameters).value


def normal_posteriors() -> tuple[Any, Any]:
    """One trial after the other, by Kalman gains."""
    mean, variance = np.array([0.0, 1.0]), np.array([9.0, 4.0])
    means, deviations = [], []
    for action, reward in zip(ACTIONS, REWARDS, strict=True):
        means.append(mean.copy())
        deviations.append(np.sqrt(variance))
        gain = variance[action] / (variance[action] + 4.0)
        mean[action] += gain * (reward - mean[action])
        variance[action] *= 1 - gain
    return np.array(means), np.array(deviations)


def beta_posteriors() -> tuple[Any, Any]:
    counts, pays, means, deviations = (
        np.array([[1.0, 1.0], [2.0, 3.0]]),
        np.array([1.0, 2.0]),
        [],
        [],
    )
    for action, reward in zip(ACTIONS, WON, strict=True):
        a, b = counts.T
        means.append(pays * a / (a + b))
        deviations.append(pays * np.sqrt(a * b / ((a + b) ** 2 * (a + b + 1))))
        counts[action, 0 if reward > 0 else 1] += 1
    return np.array(means), np.array(deviations)


def test_posterior_means_and_bonuses() -> None:
    for problem, rewards, (means, deviations) in (
        (NORMAL, REWARDS, normal_posteriors()),
        (BETA, WON, beta_posteriors()),
    ):
        found = value(Model.of(PosteriorMeans, problem), rewards, temperature=0.7)
        assert found == pytest.approx(logs(means, 0.7), abs=1e-12)
        found = value(Model.of("ucb", problem), rewards, bonus=1.5, temperature=0.7)
        assert found == pytest.approx(logs(means + 1.5 * deviations, 0.7), abs=1e-12)


def test_the_hybrid_is_a_probit() -> None:
    means, deviations = normal_posteriors()
    v, ru, tu = (
        means[:, 0] - means[:, 1],
        deviations[:, 0] - deviations[:, 1],
        np.hypot(*deviations.T),
    )
    first = norm.cdf(0.3 * v + 0.2 * ru + 0.5 * v / tu)
    expected = sum(
        log(p if action == 0 else 1 - p) for p, action in zip(first, ACTIONS, strict=True)
    )
    assert value(Model.of(Hybrid, NORMAL), value=0.3, relative=0.2, total=0.5) == pytest.approx(
        expected, abs=1e-10
    )
    thompson = Model.of(Hybrid, NORMAL, value=0, relative=0, total=1)
    rng = np.random.default_rng(0)
    better = rng.normal(means[:, 0], deviations[:, 0], (10**5, 4)) > rng.normal(
        means[:, 1], deviations[:, 1], (10**5, 4)
    )
    drawn = [log(p if a == 0 else 1 - p) for p, a in zip(better.mean(axis=0), ACTIONS, strict=True)]
    assert value(thompson) == pytest.approx(
        sum(drawn), abs=0.05
    )  # more than 6 standard errors, each below 0.005


def test_rescorla_and_wagner() -> None:
    values, now = [], [0.0, 1.0]
    for action, reward in zip(ACTIONS, REWARDS, strict=True):
        values.append(list(now))
        now[action] += 0.4 * (reward - now[action])
    sticky = [
        [v / 2.0 + 0.3 * (a == last) for a, v in enumerate(row)]
        for row, last in zip(values, [-1, *ACTIONS], strict=False)
    ]
    found = value(
        Model.of(RescorlaWagner, NORMAL), learning_rate=0.4, temperature=2.0, stickiness=0.3
    )
    assert found == pytest.approx(logs(sticky), abs=1e-12)
    (made,) = fit(
        simulate(
            Model.of(RescorlaWagner, BETA),
            {"learning_rate": 0.5, "temperature": 0.2, "stickiness": 0.5},
            games=40,
            seed=1,
        ),
        Model.of(RescorlaWagner, BETA),
    )
    assert made.low["learning_rate"] < 0.5 < made.high["learning_rate"]


def test_win_stay_lose_shift() -> None:
    """Wins are rewards above the mean of the arm, 0 and 1."""
    chances = [
        1 / 2,
        1 - 0.8,
        1 - 0.7,
        1 - 0.8,
    ]  # shift after a win; stay after a loss; shift after a win
    model = Model.of(WinStayLoseShift, NORMAL)
    assert value(model, stay=0.8, shift=0.7) == pytest.approx(sum(map(log, chances)))
    strict = Model.of(WinStayLoseShift, NORMAL, threshold=5)
    assert value(strict, stay=0.8, shift=0.7) == pytest.approx(
        sum(map(log, [1 / 2, 0.7, 0.3, 0.7]))
    )


@pytest.mark.parametrize("depth", [1, 2, None])
def test_exact_values_of_normal_arms(depth: int | None) -> None:
    """By the public solution of each belief."""
    from bamdp.exact import bayes_optimal

    belief, rows = NORMAL.belief(), []
    for step, (action, reward) in enumerate(zip(ACTIONS, REWARDS, strict=True)):
        left = 6 - step if depth is None else min(depth, 6 - step)
        rows.append(bayes_optimal(NORMAL, 0, horizon=left, belief=belief).q_values)
        belief.observe(0, action, reward, 0)
    model = Model.of(Exact, NORMAL) if depth is None else Model.of(Exact, NORMAL, depth=depth)
    assert value(model, temperature=3.0) == pytest.approx(logs(rows, 3.0), abs=1e-8)


@pytest.mark.parametrize("name", MODELS.classes)
@pytest.mark.parametrize("problem", [NORMAL, BETA], ids=["normal", "beta"])
def test_each_by_name_is_simulated_and_valued(name: str, problem: Any) -> None:
    model = Model.of(name, problem)
    middle = {parameter: model.bounds(parameter).middle for parameter in model.parameters}
    data = simulate(model, middle, games=2, seed=0)
    assert -12 * log(1e3) < log_likelihood(data, model, middle).value < 0
    assert model.name == name


def test_settings_fix_or_bound_parameters() -> None:
    model = Model.of(
        "ucb", NORMAL, bonus=0.5, lapse=(0.0, 0.2), temperature=FreeParameter(0.1, 2, "log")
    )
    assert model.parameters == {
        "temperature": FreeParameter(0.1, 2, "log"),
        "lapse": FreeParameter(0.0, 0.2),
    }

    def task(optimism: float) -> Any:
        return Bandit([0.5, 0.5], 1.0, horizon=6).problem(BetaArms(2 * optimism, 2 - 2 * optimism))

    assert set(Model.of("exact", task, optimism=(0.1, 0.9)).parameters) == {
        "optimism",
        "temperature",
    }
    assert set(Model.of("exact", task, optimism=0.5).parameters) == {"temperature"}
    assert exp(value(Model.of("exact", task, optimism=0.5), [1, 0, 0, 1], temperature=1.0)) < 1


test_rejected = rejections(
    (
        ValueError,
        "unknown model 'rescorla-wagnr'; did you mean 'rescorla-wagner'",
        lambda: Model.of("rescorla-wagnr", NORMAL),
    ),
    (
        ValueError,
        "UCB has no 'bonuss'; did you mean 'bonus'",
        lambda: Model.of("ucb", NORMAL, bonuss=1),
    ),
    (
        ValueError,
        "Hybrid takes two arms, got 3",
        lambda: value(
            Model.of(Hybrid, Bandit([0.5] * 3, 1.0, horizon=6).problem()),
            [1, 0, 0, 1],
            value=0,
            relative=0,
            total=1,
        ),
    ),
    (ValueError, "learning_rate must be", lambda: RescorlaWagner(learning_rate=2)),
    (ValueError, "stay must be", lambda: WinStayLoseShift(stay=1)),
    (ValueError, "bonus must be", lambda: UCB(bonus=float("nan"))),
)
