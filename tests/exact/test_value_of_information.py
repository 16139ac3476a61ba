"""What information is worth, against policies that are enumerated and the probabilities of whole
histories.
"""

import itertools
import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp import BAMDP, Outcome, priors
from bamdp.exact import bayes_optimal, value_of_information
from bamdp.priors import BetaArms, Dirichlet, Finite, NormalArms, Parametric, Worlds
from reference.marginal import History, Seen, Truth, dirichlet_row, of_rows, of_worlds
from reference.rejections import rejections
from reference.world_functions import rooms

S, A, STEPS = 2, 2, 3
KINDS = ["worlds", "paying worlds", "functions", "dirichlet", "state-dependent arms"]


def random_problem(kind: str, seed: int) -> tuple[Any, Truth, Any]:
    """A problem, its truth, and its worlds: weights, tables and rewards, where they are listed."""
    rng = np.random.default_rng(seed)
    discount = float(rng.choice([0.7, 1.0]))
    paid, listed = rng.normal(size=(S, A, S)).round(2), None
    rewards = np.broadcast_to(paid, (3, S, A, S))
    if kind in ("worlds", "paying worlds", "functions"):
        tables, weights = rng.dirichlet([0.4] * S, size=(3, S, A)), rng.dirichlet(np.ones(3))
        own = rng.choice([-1.0, 0.0, 2.0], size=(3, S, A)) if kind != "worlds" else None
        probability = of_worlds(weights, tables, own, np.zeros((3, S), bool))
        rewards = rewards if own is None else np.repeat(own[..., None], S, axis=-1)
        listed = weights, tables, rewards

    def outcomes(state: int, a: int) -> list[Seen]:
        pays: Any = (
            np.unique(rewards[:, state, a], axis=0) if kind != "worlds" else [paid[state, a]]
        )
        return [Seen(state, a, n, float(row[n]), False) for row in pays for n in range(S)]

    prior: Any
    if kind == "worlds":
        prior = Finite(tables, weights)
    elif kind == "paying worlds":
        prior = Finite(tables, weights, rewards=own)
    elif kind == "functions":

        def function(m: int, state: int, a: int) -> list[Outcome]:
            row = enumerate(tables[m, state, a])
            return [Outcome(s, rewards[m, state, a, s], probability=p) for s, p in row]

        prior = Worlds(range(3), function, weights=weights)
    elif kind == "dirichlet":
        alpha = rng.choice([0.3, 1.0, 2.5], size=(S, A, S))
        prior = Dirichlet(alpha)
        probability = of_rows(lambda n, s, a: dirichlet_row(n, alpha[s, a].tolist()), False, S)
    else:
        beta = rng.choice([0.5, 1.0, 3.0], size=(2, A))
        prior = BetaArms(successes=beta[1], failures=beta[0])
        counts = beta.T.tolist()
        probability = of_rows(lambda n, s, a: dirichlet_row(n, counts[a]), True, S)
    named: Any = {"actions": range(A), "start": 0} if kind == "functions" else {}
    problem = BAMDP(prior, None if named else paid, discount, horizon=STEPS, **named)
    return problem, Truth(probability, outcomes, A, discount), listed


def best_fixed_policy(truth: Truth) -> float:
    """By enumeration of all policies that choose by the state and the step alone."""
    slots = [(0, 0), *itertools.product(range(1, STEPS), range(S))]

    def value(policy: dict[Any, int], t: int, state: int, history: History) -> float:
        total = 0.0
        for seen in truth.outcomes(state, policy[t, state]):
            after = (*history, seen)
            probability = truth.probability(after)
            total += probability * seen.reward
            if probability > 0 and t + 1 < STEPS:
                total += truth.discount * value(policy, t + 1, seen.next_state, after)
        return total

    choices = itertools.product(range(A), repeat=len(slots))
    return max(value(dict(zip(slots, each, strict=True)), 0, 0, ()) for each in choices)


def value_of_known(weights: Any, tables: Any, rewards: Any, discount: float) -> float:
    """The mean over worlds of the value of knowing each."""
    total = 0.0
    for weight, table, paid in zip(weights, tables, rewards, strict=True):
        value = np.zeros(S)
        for _ in range(STEPS):
            value = (table * (paid + discount * value)).sum(axis=-1).max(axis=-1)
        total += weight * value[0]
    return float(total)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_exact_values_are_those_of_enumeration(kind: str, seed: int) -> None:
    problem, truth, listed = random_problem(kind, seed)
    worth = value_of_information(problem, 0 if problem.start is None else problem.start)
    learning, fixed = float(truth.q_values(0, STEPS).max()), best_fixed_policy(truth)
    assert worth.learning.low == worth.learning.high == pytest.approx(learning, abs=1e-9)
    assert worth.never_learning.low == worth.never_learning.high
    assert worth.never_learning.value == pytest.approx(fixed, abs=1e-9)
    assert worth.of_learning.value == pytest.approx(learning - fixed, abs=1e-9)
    if listed is not None:
        weights, tables, rewards = listed
        known = value_of_known(weights, tables, rewards, problem.discount)
        assert worth.knowing.low == worth.knowing.high == pytest.approx(known, abs=1e-9)
        assert worth.of_the_world.value == pytest.approx(known - learning, abs=1e-9)


@pytest.mark.parametrize("seed", [1, 3, 20, 71])
def test_the_best_fixed_policy_where_improvement_gets_stuck(seed: int) -> None:
    """Steps are certain, and the world is hidden: by all rules for the places that a robot may be
    in, one in each world.
    """
    rng, worlds, places, horizon = np.random.default_rng(seed), range(3), 3, 5
    to = rng.integers(places, size=(3, places, 2)).tolist()
    paid = rng.integers(0, 4, size=(3, places, 2)).tolist()
    weights = rng.dirichlet(np.ones(3))

    def best(left: int, at: tuple[int, ...]) -> float:
        if left == 0:
            return 0.0
        values = []
        for rule in itertools.product(range(2), repeat=places):
            now = sum(weights[m] * paid[m][at[m]][rule[at[m]]] for m in worlds)
            after = tuple(to[m][at[m]][rule[at[m]]] for m in worlds)
            values.append(now + known(left - 1, after))
        return float(max(values))

    known = cache(best)

    def outcomes(m: int, state: int, action: int) -> Outcome:
        return Outcome(to[m][state][action], paid[m][state][action])

    prior = Worlds(worlds, outcomes, weights=weights)
    problem: Any = BAMDP(prior, discount=1, horizon=horizon, start=0, actions=range(2))
    fixed = value_of_information(problem).never_learning
    assert fixed.low == fixed.high == pytest.approx(known(horizon, (0, 0, 0)), abs=1e-9)


def test_parts_of_a_parameter_have_the_same_probability() -> None:
    """Of a coin with probability 0.1, 0.6, 0.8 or 0.9 of winning 1, else losing 1: the lower half
    is 0.1 alone, which is not played; the upper one wins with probability 0.725.
    """

    def bet(bias: float, state: int, action: str) -> list[Outcome]:
        if action == "wait":
            return [Outcome(0)]
        return [Outcome(0, 1.0, probability=bias), Outcome(0, -1.0, probability=1 - bias)]

    prior = Worlds(
        {"bias": [0.1, 0.6, 0.8, 0.9]},
        lambda world, s, a: bet(world.bias, s, a),
        weights=[4, 2, 1, 1],
    )
    problem: Any = BAMDP(prior, discount=1, horizon=1, start=0, actions=["wait", "bet"])
    worth = value_of_information(problem, parameters=["bias"], parts=2)
    assert worth.knowing_parameters["bias"].value == pytest.approx(0.5 * (2 * 0.725 - 1))
    every = value_of_information(problem, parameters=["bias"], parts=4)
    assert every.knowing_parameters["bias"].value == pytest.approx(every.knowing.value)


def test_a_parameter_of_one_number_is_the_world() -> None:
    points = np.array([0.1, 0.4, 0.9])

    def row(p: Any, state: int, action: int) -> Any:
        good = p if action else np.full_like(p, 0.5)
        return np.stack([1 - good, good], axis=-1)

    problem: Any = BAMDP(Parametric(row, points), [[0, 0], [1, 1]], discount=1, horizon=4)
    worth = value_of_information(problem, 0, parameters=["parameter"])
    assert worth.knowing_parameters["parameter"] == worth.knowing
    assert worth.of_the_world.value > 0.05


RATES = {"a": [0.2, 0.2, 0.8, 0.8], "b": [0.1, 0.6, 0.1, 0.6]}


def two_machines(worlds: Any = RATES, weights: Any = (1, 2, 3, 4), horizon: int = 4) -> Any:
    def play(world: Any, state: str, action: str) -> list[Outcome]:
        p = getattr(world, action)
        return [Outcome("x", 1.0, probability=p), Outcome("x", probability=1 - p)]

    return BAMDP(
        Worlds(worlds, play, weights=weights),
        discount=1,
        horizon=horizon,
        start="x",
        actions=["a", "b"],
    )


def test_knowing_a_parameter_is_to_solve_each_of_its_values() -> None:
    worth = value_of_information(two_machines(), parameters=["a", "b"])
    for name, groups in (("a", [[0, 1], [2, 3]]), ("b", [[0, 2], [1, 3]])):
        expected = 0.0
        for group in groups:
            part = {key: [column[m] for m in group] for key, column in RATES.items()}
            known = two_machines(part, [m + 1 for m in group])
            expected += sum(m + 1 for m in group) / 10 * bayes_optimal(known, known.start).value
        assert worth.knowing_parameters[name].value == pytest.approx(expected, abs=1e-9)
        assert 0 < worth.of_parameters[name].value < worth.of_the_world.value


def test_many_values_are_known_but_for_their_part() -> None:
    """With as many parts as values all is known; with fewer, less."""
    draws = np.random.default_rng(0).random((12, 2)).round(3)
    worlds = {"a": draws[:, 0], "b": draws[:, 1]}
    problem = two_machines(worlds, None, horizon=3)
    known = [
        value_of_information(problem, parameters="a", parts=parts).knowing_parameters["a"].value
        for parts in (2, 3, 12)
    ]
    worth = value_of_information(problem)
    assert worth.learning.value < known[0] < known[2]
    assert known[1] < known[2] == pytest.approx(worth.knowing.value, abs=1e-9)


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("kind", ["finite", "functions", "arms"])
def test_observations_before_a_single_bet(kind: str, count: int) -> None:
    """A coin of 0.2 or 0.8, or Beta(1, 1): bet at 0.55 on heads once, after so many tosses."""
    biases, weights = [0.2, 0.8], [0.7, 0.3]

    def bet(bias: float, state: str, action: str) -> list[Outcome]:
        if action == "wait":
            return [Outcome("x")]
        return [
            Outcome("x", 0.45, probability=bias),
            Outcome("x", -0.55, probability=1 - bias),
        ]

    problem: Any
    prior: Any
    if kind == "functions":
        prior = Worlds(biases, bet, weights=weights)
        problem = BAMDP(prior, discount=1, horizon=1, start="x", actions=["wait", "bet"])
    else:
        tables: Any = [[[[1, 0], [1 - p, p]]] * 2 for p in biases]
        pays: Any = [[[0, 0], [-0.55, 0.45]]] * 2
        one = [[[1, 0], [1, 1]]] * 2
        prior = Finite(tables, weights) if kind == "finite" else Dirichlet(one)
        problem = BAMDP(prior, pays, discount=1, horizon=1, actions=("wait", "bet"))
    worth = value_of_information(problem, 0, action="bet", observations=count)
    expected = 0.0
    for heads in range(count + 1):
        if kind == "arms":  # each number of heads is as likely
            mass, p = 1 / (count + 1), (1 + heads) / (2 + count)
        else:
            joint = [
                w * math.comb(count, heads) * b**heads * (1 - b) ** (count - heads)
                for b, w in zip(biases, weights, strict=True)
            ]
            mass, p = sum(joint), joint[0] / sum(joint) * 0.2 + joint[1] / sum(joint) * 0.8
        expected += mass * max(0.0, p - 0.55)
    assert worth.observing is not None
    assert worth.observing.value == pytest.approx(expected, abs=1e-12)
    assert worth.of_observations is not None
    assert worth.of_observations.value == pytest.approx(expected - worth.learning.value, abs=1e-12)


def test_observations_teach_ends_and_rewards() -> None:
    """In one world the first state pays and the episode ends there; it is seen at once."""
    tables = np.ones((2, 1, 2, 1))
    rewards = np.array([[[0.0, 1.0]], [[0.0, -1.0]]])
    problem: Any = BAMDP(Finite(tables, rewards=rewards), [[0, 0]], discount=1, horizon=3)
    worth = value_of_information(problem, 0, action=1)
    assert worth.learning.value == pytest.approx(1.0)  # 0 or 3, on average, after −1 or 1
    assert worth.observing == worth.knowing
    assert worth.knowing.value == pytest.approx(1.5)
    assert worth.never_learning.value == 0


def test_uniform_arms() -> None:
    pays: Any = [[[0, 1], [0, 1]]] * 2
    problem: Any = BAMDP(BetaArms(), pays, discount=1, horizon=12)
    pytest.importorskip("scipy")
    worth = value_of_information(problem, 0)
    assert worth.never_learning.value == pytest.approx(6)
    assert worth.learning.value == pytest.approx(bayes_optimal(problem, 0).value)
    assert worth.knowing.value == pytest.approx(8, abs=1e-10), "E max of two is 2/3"
    pays = [[[0, -1], [-0.5, -0.5]]] * 2
    costs: Any = BAMDP(BetaArms(), pays, discount=1, horizon=1)
    assert value_of_information(costs, 0).knowing.value == pytest.approx(-0.375, abs=1e-10)


def test_normal_arms() -> None:
    """E max of two standard normal numbers is 1/√π; of three, 3/(2 √π)."""
    for arms, largest in ((2, 1 / math.sqrt(math.pi)), (3, 1.5 / math.sqrt(math.pi))):
        prior = NormalArms(deviation=1.0, noise=2.0)
        problem: Any = BAMDP(prior, [[0.0] * arms], discount=1, horizon=5)
        worth = value_of_information(problem, 0)
        assert worth.knowing.value == pytest.approx(5 * largest, abs=1e-9)
        assert worth.never_learning.value == 0
        assert worth.learning.low is not None
        assert 0 <= worth.learning.low <= worth.learning.value <= worth.knowing.value
    known: Any = BAMDP(NormalArms(mean=[1.0, 2.0], deviation=0.0), [[0.0, 0.0]], 0.5, horizon=2)
    assert value_of_information(known, 0).knowing.value == pytest.approx(3.0)


def test_the_map_is_worth_fetching() -> None:
    """The best policy that never learns opens one door after the other: 4k for room k."""
    worth = value_of_information(rooms(12))
    assert worth.learning.value == pytest.approx(-11.5, abs=1e-9)
    assert worth.knowing.value == pytest.approx(-5.5)
    low, high = worth.never_learning.low, worth.never_learning.high
    assert low is not None
    assert high is not None
    assert -25 <= low <= -22 <= high <= -11.5
    small = value_of_information(rooms(3, horizon=9))
    assert small.never_learning.value == small.never_learning.low == pytest.approx(-4)


def test_draws_too_many_for_tables_have_bounds() -> None:
    """The bounds of a search close on what is known by tables."""
    draws = np.random.default_rng(1).random((400, 2)).round(3)
    problem = two_machines({"a": draws[:, 0], "b": draws[:, 1]}, None, horizon=4)
    worth = value_of_information(problem)
    assert worth.learning.low is not None
    assert worth.learning.high is not None
    assert worth.learning.high - worth.learning.low < 0.05
    means = draws.mean(axis=0)
    assert worth.never_learning.value == pytest.approx(4 * means.max(), abs=1e-9)
    assert worth.knowing.value == pytest.approx(4 * draws.max(axis=1).mean(), abs=1e-9)


def test_too_many_belief_states_leave_intervals() -> None:
    pays: Any = [[0, 0.2], [1, 1]]
    problem: Any = BAMDP(Dirichlet(), pays, discount=0.9, horizon=40)
    worth = value_of_information(problem, 0, worlds=400)
    assert worth.never_learning.low is not None
    assert worth.learning.low is not None
    assert worth.learning.high is not None
    assert worth.knowing.value > worth.never_learning.value
    assert worth.learning.low < worth.learning.high
    shorter = bayes_optimal(problem, 0, horizon=10).value
    assert worth.learning.high > shorter, "rewards are not negative: 40 steps are worth more"


def test_after_observations_less_is_left_to_know() -> None:
    problem = two_machines()
    belief = problem.belief()
    before = value_of_information(problem)
    for _ in range(20):
        belief.observe(problem.start, 0, 1.0, problem.start)
        belief.observe(problem.start, 1, 0.0, problem.start)
    after = value_of_information(problem, belief=belief)
    assert after.of_the_world.value < 0.01 * before.of_the_world.value


def test_it_is_shown_as_a_table() -> None:
    worth = value_of_information(two_machines(), parameters="a", action="b", observations=2)
    rows = worth.table()
    assert [row["what"] for row in rows] == [
        "never learning",
        "learning (V*)",
        "2 observations of b",
        "knowing a",
        "knowing the world",
    ]
    assert [line.split("  ")[0].strip() for line in str(worth).splitlines()[1:]] == [
        row["what"] for row in rows
    ]
    assert rows[0]["worth"] == pytest.approx(-worth.of_learning.value)


def test_it_is_a_function_of_the_library() -> None:
    assert bamdp.value_of_information is value_of_information


TOSS: Any = BAMDP(BetaArms(), [[[0, 1], [0, 1]]] * 2, discount=0.9)
test_rejected = rejections(
    (
        ValueError,
        "horizon must be given, the number of steps that count.*44 steps leave out 1 %",
        lambda: value_of_information(TOSS, 0),
    ),
    (ValueError, "state must be given", lambda: value_of_information(TOSS, horizon=3)),
    (
        ValueError,
        "episode_length must be None",
        lambda: value_of_information(
            BAMDP(BetaArms(), [[[0, 1]]] * 2, 1, horizon=4, episode_length=2, start=0), 0
        ),
    ),
    (
        ValueError,
        r"each of parameters must be one of \['a', 'b'\], got 'c'",
        lambda: value_of_information(two_machines(), parameters=["c"]),
    ),
    (
        ValueError,
        "each of parameters must be none",
        lambda: value_of_information(TOSS, 0, horizon=3, parameters=["p"]),
    ),
    (
        ValueError,
        r"action must be one of \('a', 'b'\), got 'c'",
        lambda: value_of_information(two_machines(), action="c"),
    ),
    (
        ValueError,
        "observations must be fewer",
        lambda: value_of_information(
            BAMDP(Dirichlet(), np.zeros((9, 1)), 0.5, horizon=1), 0, action=0, observations=12
        ),
    ),
    (
        TypeError,
        "action must be None for NormalArms",
        lambda: value_of_information(BAMDP(NormalArms(), [[0.0, 0.0]], 1, horizon=2), 0, action=0),
    ),
    (
        TypeError,
        "prior must be Finite, Parametric, Worlds",
        lambda: value_of_information(
            BAMDP(priors.GridRewards((1, 1), (1, 1)), np.empty((0, 4)), 0.9, horizon=2), 0
        ),
    ),
)
