"""The log-likelihood: by hand, whatever the order of rows, with forced and missed trials, and
deterministic with a search.
"""

from dataclasses import replace
from functools import partial
from math import log
from typing import Any

import numpy as np
import pytest

from bamdp.agents import BAMCP, PosteriorMean
from bamdp.domains import Bandit
from bamdp.fit import ChoiceRule, Exact, FreeParameter, Model, Thompson, log_likelihood, simulate
from bamdp.fit.data import Choices
from bamdp.fit.likelihood import Planned, planned, valued
from bamdp.fit.tasks import mdp
from bamdp.priors import BetaArms
from reference import two_arms
from reference.rejections import rejections

ARMS = Bandit([0.5, 0.5], 1.0, horizon=3)
TEMPERATURE = {"temperature": FreeParameter(0.01, 10, "log")}


SEARCH = partial(BAMCP, simulations=40, trees=2, threads=1)
EXACT = Model(ARMS.problem(BetaArms([1, 2], [1, 3])), Exact(), ChoiceRule, TEMPERATURE)
SEARCHED = replace(EXACT, agent=SEARCH)
CHOICES = [(0, 1), (0, 0), (1, 1)]


def columns(choices: list[tuple[int, int]] = CHOICES, **more: Any) -> dict[str, Any]:
    actions, outcomes = map(list, zip(*choices, strict=True))
    n = len(choices)
    made: dict[str, Any] = {"subject": ["ann"] * n, "game": [1] * n, "step": list(range(1, n + 1))}
    return (
        made
        | {
            "state": [0, *outcomes[:-1]],
            "action": actions,
            "reward": outcomes,
            "next_state": outcomes,
        }
        | more
    )


def value(data: Any, model: Model = EXACT, temperature: float = 0.2) -> float:
    return log_likelihood(data, model, {"temperature": temperature}).value


@pytest.mark.parametrize("free", [(True, True, True), (False, True, True), (True, False, True)])
def test_by_hand(free: tuple[bool, ...]) -> None:
    expected = two_arms.log_likelihood(((1, 1), (2, 3)), CHOICES, 0.2, free)
    data = columns(forced=[int(not is_free) for is_free in free])
    assert value(data) == pytest.approx(expected, abs=1e-12)
    # Looking ahead to the horizon from each belief is the same as one solution for all of them.
    assert value(data, replace(EXACT, agent=Exact(depth=3))) == pytest.approx(expected, abs=1e-12)


def test_a_forced_choice_updates_the_belief() -> None:
    won, lost = (columns([(0, outcome), (0, 1)], forced=[1, 0]) for outcome in (1, 0))
    assert value(won) > value(lost) + 0.5
    assert log_likelihood(won, EXACT, {"temperature": 0.2}).choices == 1


def test_stickiness_is_to_the_action_before_within_a_game() -> None:
    model = Model(ARMS.problem(), Exact(depth=1), ChoiceRule(1e6, stickiness=1.0))
    data = {name: cells * 2 for name, cells in columns([(0, 1), (0, 1)]).items()} | {
        "game": [1, 1, 2, 2]
    }
    stay = np.e / (1 + np.e)
    assert log_likelihood(data, model, {}).value == pytest.approx(
        2 * (log(0.5) + log(stay)), abs=1e-5
    )


@pytest.mark.parametrize("model", [EXACT, SEARCHED], ids=["exact", "searched"])
def test_rows_may_come_in_any_order(model: Model) -> None:
    people = [
        columns() | {"subject": [name] * 3, "game": [game] * 3}
        for name in ("ann", "bob")
        for game in (1, 2)
    ]
    data = {name: [cell for person in people for cell in person[name]] for name in people[0]}
    order = np.random.default_rng(0).permutation(12)
    shuffled = {name: [cells[i] for i in order] for name, cells in data.items()}
    assert value(shuffled, model) == value(data, model)
    assert log_likelihood(data, model, {"temperature": 0.2}).subjects.keys() == {"ann", "bob"}


def test_a_constructor_of_agents_is_a_part() -> None:
    """Settings that it may take are no parameters, unless the model says so."""
    model = replace(EXACT, agent=PosteriorMean)
    assert model.planning == ()
    assert replace(
        EXACT, agent=SEARCH, parameters={**TEMPERATURE, "exploration": (1, 5)}
    ).planning == ("exploration",)
    assert np.isfinite(value(columns(), model))


def test_one_step_ahead_is_the_expected_reward() -> None:
    model = replace(EXACT, agent=Exact(depth=1))
    means = [[1 / 2, 2 / 5], [2 / 3, 2 / 5], [2 / 4, 2 / 5]]
    scaled = np.array(means) / 0.2
    logs = scaled - np.logaddexp.reduce(scaled, axis=1, keepdims=True)
    assert value(columns(), model) == pytest.approx(
        sum(logs[k, a] for k, (a, _) in enumerate(CHOICES)), abs=1e-12
    )


def test_common_random_numbers() -> None:
    """A search gives the same values for all parameters of the rule, and with any number of
    threads; another seed others.
    """
    data = {name: cells * 3 for name, cells in columns().items()} | {
        "game": [1] * 3 + [2] * 3 + [3] * 3
    }
    found = [log_likelihood(data, SEARCHED, {"temperature": 0.2}, threads=n) for n in (1, 3, 1)]
    assert len({each.value for each in found}) == 1
    assert value(data, replace(SEARCHED, seed=1)) != found[0].value
    games = Choices(data, SEARCHED).games
    values = planned(games, map(valued(SEARCHED, {"temperature": 5.0}), games)).values
    assert np.array_equal(
        values, planned(games, map(valued(SEARCHED, {"temperature": 0.1}), games)).values
    )
    # The same history in another game has another seed, or errors would not average out.
    assert not np.array_equal(values[:, 0], values[:, 3])


@pytest.mark.slow
def test_the_noise_is_the_spread_over_seeds() -> None:
    """With 40 seeds the estimate and the spread differ by a factor of two with a probability below
    1e-7 if they agree.
    """
    task = mdp(games=4, simulations=400)
    model = replace(task.model, agent=partial(BAMCP, simulations=400, trees=8, threads=1))
    truth = {"optimism": 0.5, "temperature": 1.0}
    data = simulate(model, truth, games=4, worlds=task.worlds, seed=0)
    found = [log_likelihood(data, replace(model, seed=seed), truth) for seed in range(40)]
    spread, stated = (
        np.std([each.value for each in found], ddof=1),
        np.mean([each.noise for each in found]),
    )
    assert 0.5 < stated / spread < 2


def test_draws_average_probabilities() -> None:
    """Thompson sampling with many draws: the probability that the first of two unknown arms is
    better is 1/2.
    """
    model = replace(EXACT, problem=ARMS.problem(BetaArms()), agent=Thompson(4000))
    found = log_likelihood(columns([(0, 1)]), model, {"temperature": 0.011})
    assert found.value == pytest.approx(log(0.5), abs=0.1)  # 6 standard errors, 0.5/√4000/0.5 each
    assert 0.005 < found.noise < 0.03


def test_the_logarithm_of_a_mean_over_draws_has_no_bias() -> None:
    """Five draws of normal values for each of 40,000 choices. The logarithm of their mean is 0.031
    too low; corrected, 0.004 too high; six standard errors are 0.007.
    """
    n, rng = 40_000, np.random.default_rng(0)
    values = rng.normal(0.3, 1.0, (5, n, 2)) * [1, 0]
    found = Planned(values, np.zeros((n, 2)), np.zeros(n, int), np.full(n, -1))
    first = 1 / (1 + np.exp(-rng.normal(0.3, 1.0, 10**6) / 0.5))
    assert found.logs(ChoiceRule(0.5)).mean() == pytest.approx(np.log(first.mean()), abs=0.012)


def test_a_posterior_mean_is_not_noisy() -> None:
    model = replace(EXACT, agent=PosteriorMean)
    found = log_likelihood(columns(), model, {"temperature": 0.2})
    # In a bandit the values of the posterior mean differ like the means.
    assert found.value == pytest.approx(
        value(columns(), replace(EXACT, agent=Exact(depth=1))), abs=1e-5
    )
    assert found.noise == 0


@pytest.mark.parametrize("agent", [Exact(), Thompson(3), SEARCH])
def test_the_noise_of_choices_that_underflow_is_a_number(agent: Any) -> None:
    model = replace(
        EXACT,
        problem=ARMS.problem(BetaArms([50, 1], [1, 50])),
        agent=agent,
        rule=ChoiceRule(1e-5),
        parameters={},
    )
    found = log_likelihood(columns([(0, 1), (0, 1), (1, 0)]), model, {})
    assert found.value < -1000
    assert not np.isnan(found.noise)


def test_a_path_has_states() -> None:
    task = mdp(games=3)
    truth = {"optimism": 0.5, "temperature": 0.3}
    exact = replace(task.model, agent=Exact())
    data = simulate(exact, truth, games=3, worlds=task.worlds, seed=2)
    ahead = replace(task.model, agent=Exact(depth=8))
    assert log_likelihood(data, exact, truth).value == pytest.approx(
        log_likelihood(data, ahead, truth).value, abs=1e-9
    )
    data["state"][1] = 1 if data["state"][1] != 1 else 2
    with pytest.raises(
        ValueError, match=r"subject 1, game 1, step 2: state is \d, and the step before led to"
    ):
        log_likelihood(data, exact, truth)


def likelihood(model: Model = EXACT, temperature: float = 0.2, **changed: Any) -> Any:
    return lambda: log_likelihood(columns(**changed), model, {"temperature": temperature})


SURE = replace(EXACT, problem=ARMS.problem(BetaArms([1, 1], [1, 0])))

test_rejected = rejections(
    (ValueError, "subject ann, game 1, step 3: .*", likelihood(SURE, next_state=[1, 0, 0])),
    (
        ValueError,
        "parameter temperature must be a finite number in \\[0.01, 10\\], got 11",
        likelihood(temperature=11),
    ),
    (
        ValueError,
        "parameters must be values of temperature",
        lambda: log_likelihood(columns(), EXACT, {"heat": 1}),
    ),
    (
        ValueError,
        "did you mean 'temperature'",
        lambda: log_likelihood(columns(), EXACT, {"temprature": 1}),
    ),
    (TypeError, "agent must be Exact.* got 'bamcp'", lambda: replace(EXACT, agent="bamcp")),  # type: ignore[arg-type]
    (
        ValueError,
        "steps must be at most 3, the horizon",
        lambda: simulate(EXACT, {"temperature": 1}, games=1, steps=4),
    ),
    (
        ValueError,
        "bounds for temperature",
        lambda: Model(ARMS.problem(), rule=lambda temperature: ChoiceRule(temperature)),
    ),
    (ValueError, "no part takes heat", lambda: Model(ARMS.problem(), parameters={"heat": (0, 1)})),
    (ValueError, "high must be above low", lambda: FreeParameter(1, 1)),
    (ValueError, "above 0 with scale='log'", lambda: FreeParameter(0, 1, "log")),
    (
        ValueError,
        "needs a problem with a horizon",
        likelihood(replace(EXACT, problem=Bandit([0.5, 0.5]).problem())),
    ),
    (TypeError, r"problem must be a bamdp.BAMDP.*domain.problem\(\)", lambda: Model(ARMS)),  # type: ignore[arg-type]
    (TypeError, "agent must be Exact", lambda: replace(EXACT, agent=PosteriorMean(ARMS.problem()))),  # type: ignore[arg-type]
    (TypeError, "agent must be Exact", likelihood(replace(EXACT, agent=lambda: 3))),  # type: ignore[arg-type, return-value]
)


@pytest.mark.parametrize("lapse", [0.0, 0.1])
def test_variances_are_those_of_small_errors(lapse: float) -> None:
    """By finite differences, with stickiness to the action before."""
    rule, actions, last = ChoiceRule(0.5, lapse, 1.5), np.array([0, 2]), np.array([1, 2])
    values, errors = np.array([[1.0, 1.4, 0.7], [0.2, 0.0, 0.5]]), np.full((2, 3), 0.01)
    errors[1] = 0.01, 0.03, 0.02

    def logs(changed: Any) -> Any:
        return Planned(changed[None], errors, actions, last).logs(rule)

    expected = np.zeros(2)
    for action in range(3):
        step = np.eye(3)[action] * 1e-5
        expected += ((logs(values + step) - logs(values - step)) / 2e-5 * errors[:, action]) ** 2
    variances = Planned(values[None], errors, actions, last).variances(rule)
    np.testing.assert_allclose(variances, expected, rtol=1e-6)
