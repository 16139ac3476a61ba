"""Worlds whose steps are drawn by compiled functions: the same as those whose outcomes are listed,
and mistakes are met with a sentence.
"""

import copy
import math
from collections import namedtuple
from functools import cache
from typing import Any, cast

import numpy as np
import pytest

import bamdp
from bamdp import BAMDP, Outcome
from bamdp.agents import BAMCP
from bamdp.hooks import beta, choose, normal, poisson, uniform
from bamdp.priors import Worlds

pytest.importorskip("numba")


def step(bias: Any, state: Any, action: Any, rng: Any) -> Any:
    if action == 1:
        return state, 2.5, True
    return (state + 1, 1.0, False) if uniform(rng) < bias else (state, 0.0, False)


def likelihood(bias: Any, state: Any, action: Any, reward: Any, next_state: Any) -> Any:
    if action == 1:
        return 1.0 if next_state == ~state else 0.0
    return bias if next_state == state + 1 else 1 - bias


def outcomes(bias: float, state: int, action: int) -> Any:
    if action == 1:
        return Outcome(state, 2.5, done=True)
    return [Outcome(state + 1, 1.0, probability=bias), Outcome(state, 0.0, probability=1 - bias)]


def problem(worlds: Any = (0.2, 0.9), **settings: Any) -> Any:
    functions = {"step": step, "likelihood": likelihood}
    prior = Worlds(worlds, **{**functions, **settings})
    return BAMDP(prior, discount=1, horizon=5, episodes=1, start=0, actions=range(2))


@cache
def compiled() -> Any:
    """The default problem, compiled once."""
    return problem()


STEPS = [(0, 0, 1.0, 1), (1, 0, 0.0, 1), (1, 0, 1.0, 2)]


@pytest.mark.parametrize("compile", [True, False])
def test_weights_are_those_of_listed_outcomes(compile: bool) -> None:
    listed: Any = BAMDP(
        Worlds([0.2, 0.9], outcomes), discount=1, horizon=5, start=0, actions=range(2)
    )
    one, other = problem(compile=compile).belief(), listed.belief()
    for state, action, reward, next_state in STEPS:
        one.observe(state, action, reward, next_state)
        other.observe(listed.state(state), action, reward, listed.state(next_state))
        np.testing.assert_allclose(one.weights, other.weights, atol=1e-12)
    one.observe(2, 1, 2.5, ~2, terminated=True)
    assert one.observations == 4


def test_values_are_those_of_listed_outcomes() -> None:
    """Of the first toss: 0.55 and then the better of 2.5 and more tosses, by enumeration."""
    listed: Any = BAMDP(
        Worlds([0.2, 0.9], outcomes), discount=1, horizon=5, episodes=1, start=0, actions=range(2)
    )
    optimum = bamdp.exact.bayes_optimal(listed, listed.start)
    plan = BAMCP(compiled(), simulations=20_000, seed=1).plan(0)
    assert plan.action == optimum.action
    assert plan.q_values[1] == 2.5
    assert plan.q_values.max() == pytest.approx(optimum.value, abs=0.1)


def test_compiled_and_plain_functions_are_the_same() -> None:
    """To the last bit."""
    both = compiled(), problem(compile=False)
    plans = [BAMCP(made, simulations=200, seed=3).plan(0) for made in both]
    assert plans[0].q_values.tolist() == plans[1].q_values.tolist()
    runs = []
    for made in both:
        domain = made.prior.domain(made, 0.9)
        runs.append(bamdp.run(BAMCP(made, simulations=50), domain, seed=2).actions.tolist())
    assert runs[0] == runs[1]


Named = namedtuple("Named", ["rate", "price"])


@pytest.mark.parametrize(
    "worlds",
    [
        np.array([[2.0, 1.0], [5.0, 1.0]]),
        [(2.0, 1.0), (5.0, 1.0)],
        {"rate": [2.0, 5.0], "price": [1.0, 1.0]},
        [Named(2.0, 1.0), Named(5.0, 1.0)],
    ],
    ids=["rows", "tuples", "columns", "named"],
)
def test_forms_of_worlds(worlds: Any) -> None:
    """Demand that is Poisson: a hundred outcomes and more."""
    if hasattr(worlds[0] if isinstance(worlds, list) else None, "rate") or isinstance(worlds, dict):

        def sell(world: Any, state: Any, action: Any, rng: Any) -> Any:
            return state + 1, poisson(world.rate, rng) * world.price, False

        def demand(world: Any, state: Any, action: Any, reward: Any, next_state: Any) -> Any:
            return math.exp(-world.rate + reward * math.log(world.rate) - math.lgamma(reward + 1))
    else:

        def sell(world: Any, state: Any, action: Any, rng: Any) -> Any:
            return state + 1, poisson(world[0], rng) * world[1], False

        def demand(world: Any, state: Any, action: Any, reward: Any, next_state: Any) -> Any:
            return math.exp(-world[0] + reward * math.log(world[0]) - math.lgamma(reward + 1))

    compile = not isinstance(worlds, np.ndarray | dict)
    prior = Worlds(worlds, step=sell, likelihood=demand, compile=compile)
    made: Any = BAMDP(prior, discount=1, horizon=5, start=0, actions=["sell"])
    belief = made.belief()
    belief.observe(0, 0, 4.0, 1)
    odds = (5 / 2) ** 4 * math.exp(-3)
    assert belief.weights[1] == pytest.approx(odds / (1 + odds))
    assert BAMCP(made, simulations=1000).plan(0).q_values[0] == pytest.approx(17.5, abs=1.0)
    assert tuple(belief.likeliest) == (5.0, 1.0)


def test_particles_are_moved() -> None:
    def draw(rng: np.random.Generator) -> float:
        return float(rng.random())

    belief = problem(draw, particles=2000).belief()
    for k in range(40):
        heads = k % 4 != 0
        belief.observe(0, 0, float(heads), int(heads))
    assert belief.times_moved > 0
    mean = belief.weights @ np.array(belief.worlds)
    assert mean == pytest.approx(31 / 42, abs=4 * math.sqrt(31 * 11 / 42**2 / 43 / 1000))
    assert 1000 <= belief.effective_sample_size <= 2000


def test_what_a_copy_learns_moves_no_other_particles() -> None:
    def draw(rng: np.random.Generator) -> float:
        return float(rng.random())

    made = problem(draw, particles=200, compile=False)
    first, alone = made.belief(), made.belief()
    twin = copy.copy(first)
    for _ in range(20):
        twin.observe(0, 0, 0.0, 0)
    for _ in range(12):
        first.observe(0, 0, 1.0, 1)
        alone.observe(0, 0, 1.0, 1)
    assert alone.times_moved > 0
    assert first.worlds == alone.worlds


# An urn without replacement: a memory counts what was drawn.
def urn_step(reds: Any, memory: Any, state: Any, action: Any, rng: Any) -> Any:
    red = uniform(rng) * (10 - memory[0] - memory[1]) < reds - memory[0]
    memory[0 if red else 1] += 1
    return state, 1.0 if red else 0.0, False


def urn_likelihood(
    reds: Any, memory: Any, state: Any, action: Any, reward: Any, next_state: Any
) -> Any:
    red = max(reds - memory[0], 0) / (10 - memory[0] - memory[1])
    return red if reward == 1 else 1 - red


def urn_observe(memory: Any, state: int, action: int, reward: float, next_state: int) -> None:
    memory[0 if reward == 1 else 1] += 1


URN: Any = {
    "step": urn_step,
    "likelihood": urn_likelihood,
    "observe": urn_observe,
    "memory": [0.0, 0.0],
}


def test_a_memory() -> None:
    """Hypergeometric: of an urn of 10, all drawn but one in any order."""
    made = problem([3.0, 4.0, 7.0], **URN)
    belief = made.belief()
    for reward in (1.0, 0.0, 1.0, 0.0):
        belief.observe(0, 0, reward, 0)
    expected = np.array([math.comb(6, reds - 2) for reds in (3, 4, 7)]) / [
        math.comb(10, reds) for reds in (3, 4, 7)
    ]
    np.testing.assert_allclose(belief.weights, expected / expected.sum())
    twin = copy.copy(belief)
    twin.observe(0, 0, 1.0, 0)
    assert belief.memory.tolist() == [2, 2]
    assert twin.memory.tolist() == [3, 2]
    agent = BAMCP(made, simulations=4000)
    for reward in (1.0, 0.0, 1.0, 0.0):
        agent.observe(0, 0, reward, 0)
    left = belief.weights @ (np.array([3.0, 4.0, 7.0]) - 2)
    one = BAMDP(made.prior, discount=1, horizon=5, start=0, actions=[0])
    alone = BAMCP(one, simulations=4000)
    for reward in (1.0, 0.0, 1.0, 0.0):
        alone.observe(0, 0, reward, 0)
    assert alone.plan(0).q_values[0] == pytest.approx(left / 6, abs=0.05)  # one step is left


def test_an_own_move_with_a_memory() -> None:
    """The memory is all that the posterior depends on."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        return rng.beta(1, 1, size=1)

    def toss(world: Any, memory: Any, state: Any, action: Any, rng: Any) -> Any:
        heads = uniform(rng) < world[0]
        memory[0 if heads else 1] += 1
        return state, 1.0 if heads else 0.0, False

    def chance(
        world: Any, memory: Any, state: Any, action: Any, reward: Any, next_state: Any
    ) -> Any:
        return world[0] if reward == 1 else 1 - world[0]

    def gibbs(world: Any, memory: Any, rng: Any) -> None:
        world[0] = beta(1 + memory[0], 1 + memory[1], rng)

    settings = {**URN, "step": toss, "likelihood": chance, "move": gibbs, "particles": 1000}
    belief = problem(draw, **settings).belief()
    for k in range(40):
        belief.observe(0, 0, float(k % 4 != 0), 0)
    assert belief.times_moved > 0
    mean = belief.weights @ np.array(belief.worlds).ravel()
    assert mean == pytest.approx(31 / 42, abs=4 * math.sqrt(31 * 11 / 42**2 / 43 / 500))


def test_variates_of_hooks() -> None:
    """Means of 20,000 draws, within 5 deviations: false alarms below 1e-6."""
    rng = np.random.default_rng(0).integers(2**64, size=4, dtype=np.uint64)
    n, weights = 20_000, np.array([1.0, 0.0, 3.0])
    draws = np.array([(normal(2, 3, rng), poisson(4, rng), choose(weights, rng)) for _ in range(n)])
    for values, mean, deviation in zip(draws.T, (2, 4, 1.5), (3, 2, 0.75**0.5), strict=True):
        assert values.mean() == pytest.approx(mean, abs=5 * deviation / n**0.5)
        assert values.std() == pytest.approx(deviation, rel=0.05)
    assert set(draws[:, 2]) == {0, 2}


def test_compiled_variates_are_the_same() -> None:
    import numba

    def three(rng: Any, weights: Any) -> Any:
        return normal(2.0, 3.0, rng), poisson(4.0, rng), choose(weights, rng)

    compiled, weights = numba.njit(three), np.array([1.0, 0.0, 3.0])
    one, other = (np.array([1, 2, 3, 4], dtype=np.uint64) * 2**40 for _ in range(2))
    for _ in range(100):
        assert three(one, weights) == compiled(other, weights)


# ---- bad input


def ignores_the_seed(bias: Any, state: Any, action: Any, rng: Any) -> Any:
    return state, np.random.random(), False  # noqa: NPY002


def negative(bias: Any, state: Any, action: Any, rng: Any) -> Any:
    return -3, 0.0, False


def fails(bias: Any, state: Any, action: Any, rng: Any) -> Any:
    if state == 0:
        raise ValueError("seven")
    return state, 0.0, False


@pytest.mark.parametrize(
    ("function", "message", "compile"),
    [
        (negative, r"negative\(.*\) must return", False),
        (fails, "seven", False),
        (fails, "seven", True),
    ],
)
def test_a_step_that_is_wrong(function: Any, message: str, compile: bool) -> None:
    agent = BAMCP(problem([0.5], step=function, compile=compile), simulations=10)
    with pytest.raises((TypeError, ValueError), match=message) as raised:
        agent.act(0)
    text = str(raised.value) + "".join(getattr(raised.value, "__notes__", []))
    assert "(0.5, 0, " in text


def test_numbers_of_numpy_are_rejected() -> None:
    with pytest.raises(TypeError, match=r"np\.random.*agent's seed.*bamdp\.hooks"):
        problem(step=ignores_the_seed)


def test_a_likelihood_that_is_wrong() -> None:
    made = problem(likelihood=lambda bias, state, action, reward, next_state: -bias)
    with pytest.raises(ValueError, match=r"\(0\.2, 0, 0, 1, 1\) must return .*got -0\.2"):
        made.belief().observe(0, 0, 1.0, 1)


def test_an_impossible_step_teaches_nothing() -> None:
    belief = compiled().belief()
    belief.observe(0, 0, 1.0, 1)
    before = belief.weights
    with pytest.raises(ValueError, match="impossible under the prior"):
        belief.observe(1, 1, 2.5, 7, terminated=True)
    assert belief.weights.tolist() == before.tolist()
    assert belief.observations == 1


def test_many_steps_are_all_or_none() -> None:
    belief = compiled().belief()
    columns: Any = [list(column) for column in zip(*STEPS, (2, 1, 2.5, 7), strict=True)]
    with pytest.raises(ValueError, match="row 3: "):
        belief.observe_many(*columns, [False, False, False, True])
    assert belief.weights.tolist() == [0.5, 0.5]
    assert belief.observations == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"likelihood": None}, "likelihood must be a function"),
        ({"outcomes": outcomes}, "outcomes must be None with step"),
        ({"policy": outcomes}, "policy must be None with step"),
        ({"vectorised": True}, "vectorised must be False"),
        ({"memory": [0.0]}, "memory and observe"),
        ({"step": lambda world, state: None}, r"step must be a function of \(world, state, action"),
        ({"worlds": ["a"]}, "worlds must be numbers"),
        ({"worlds": lambda rng: 0.5, **URN}, r"move must be a function move\(world, memory, rng\)"),
    ],
)
def test_bad_settings(settings: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        problem(**settings)


def test_agents_that_list_outcomes_say_so() -> None:
    made = compiled()
    with pytest.raises(TypeError, match="BAMCP and Random"):
        cast(Any, bamdp.agents.Oracle)(made, world=made.prior.domain(made, 0.2)).act(0)


def test_agents_are_compared() -> None:
    entries: Any = {"bamcp": (BAMCP, {"simulations": 30}), "random": bamdp.agents.Random}
    result = bamdp.compare(compiled(), entries, worlds=10, workers=1)
    assert result.mean("bamcp").value > result.mean("random").value
