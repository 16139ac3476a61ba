"""Worlds that are a function of the user's."""

import copy
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

import bamdp
from bamdp import BAMDP, Outcome
from bamdp.pictures.belief_tables import summary
from bamdp.priors import Finite, Worlds
from bamdp.spaces import state_name
from reference.world_functions import mastermind, of_tables, rooms

agents: Any = bamdp.agents  # they take states that may be None, by their types

RNG = np.random.default_rng(0)
M, S, A = 4, 3, 2
TABLES = RNG.dirichlet([1] * S, size=(M, S, A))
REWARDS = RNG.integers(3, size=(M, S, A)).astype(float)


def coin(bias: float, state: int, action: str) -> list[Outcome]:
    return [
        Outcome(state + 1, 1.0, probability=bias),
        Outcome(state, 0.0, probability=1 - bias),
    ]


def tossed(worlds: Any = (0.2, 0.9), outcomes: Any = coin, **settings: Any) -> Any:
    return BAMDP(
        Worlds(worlds, outcomes, **settings), discount=1, horizon=5, start=0, actions=["toss"]
    )


def pair(start: int = 0) -> tuple[Any, Any]:
    """A problem of tables, by `Worlds` and by `Finite`."""
    worlds = Worlds(range(M), of_tables(TABLES, REWARDS), weights=[1, 2, 3, 4])
    settings: Any = {"discount": 0.9, "horizon": 6, "start": start}
    one = BAMDP(worlds, actions=range(A), **settings)
    other = BAMDP(Finite(TABLES, [1, 2, 3, 4], REWARDS), np.zeros((S, A)), **settings)
    return one, other


def test_weights_are_those_of_the_same_tables() -> None:
    worlds, finite = pair()
    number = [worlds.state(state) for state in range(S)]
    one, other, rng = worlds.belief(), finite.belief(), np.random.default_rng(1)
    for _ in range(60):
        s, a = int(rng.integers(S)), int(rng.integers(A))
        s_next = int(rng.choice(S, p=TABLES[2, s, a]))
        one.observe(number[s], a, REWARDS[2, s, a], number[s_next])
        other.observe(s, a, REWARDS[2, s, a], s_next)
        np.testing.assert_allclose(one.weights, other.weights, atol=1e-12)


@pytest.mark.parametrize("start", range(S))
def test_decisions_are_those_of_the_same_tables(start: int) -> None:
    worlds, finite = pair(start)
    one = agents.BayesAdaptive(worlds, simulations=2000).plan(worlds.start)
    other = agents.BayesAdaptive(finite, simulations=2000).plan(start)
    assert one.action == other.action
    np.testing.assert_allclose(one.q_lower, other.q_lower, atol=1e-9)
    np.testing.assert_allclose(one.q_upper, other.q_upper, atol=1e-9)


def test_an_observation_that_is_no_state_branches_and_teaches() -> None:
    problem = rooms()
    belief = problem.belief()
    state = problem.start
    for x in (-1, -2):
        after = problem.state((x, False))
        belief.observe(state, 0, -1.0, after)
        state = after
    assert belief.weights.max() == pytest.approx(1 / 12)
    belief.observe(state, 0, -1.0, problem.state((-3, True), seen=7))
    assert belief.weights[7] == pytest.approx(1)
    assert state_name(problem, problem.state((-3, True), seen=7)) == "(-3, True), seen 7"
    assert state_name(problem, problem.state((-3, True))) == "(-3, True)"


def test_an_episode_ends_with_an_outcome_that_is_done() -> None:
    problem = rooms()
    domain = problem.prior.domain(problem, 0)
    next_state, reward = domain.step(problem.start, 2, np.random.default_rng(0))
    assert (next_state in domain.terminal, reward) == (True, 0.0)
    for terminated, left in ((True, 0), (False, None)):
        belief = problem.belief()
        if left is None:
            with pytest.raises(ValueError, match="impossible"):
                belief.observe(problem.start, 2, 0.0, problem.start, terminated)
            continue
        belief.observe(problem.start, 2, 0.0, problem.start, terminated)
        assert belief.weights[left] == 1


def test_a_run_ends_with_its_only_episode() -> None:
    problem = rooms()
    domain = problem.prior.domain(problem, 2)
    record = bamdp.run(agents.BayesAdaptive(problem, simulations=50), domain)
    assert record.terminated.tolist() == [False] * (len(record.terminated) - 1) + [True]
    assert len(record.actions) < 30


def test_a_function_is_called_once_for_each_row() -> None:
    calls: list[Any] = []

    def counted(bias: float, state: int, action: str) -> list[Outcome]:
        calls.append((bias, state, action))
        return coin(bias, state, action)

    agent = agents.BAMCP(tossed(outcomes=counted), simulations=300)
    for _ in range(3):
        agent.plan(agent.problem.start)
    assert len(calls) == len(set(calls)) > 5


def test_worlds_that_are_functions_are_their_own_outcomes() -> None:
    def lazy(state: int, action: str) -> Outcome:
        return Outcome(state)

    def busy(state: int, action: str) -> Outcome:
        return Outcome(state + 1)

    problem = tossed([lazy, busy], None)
    belief = problem.belief()
    belief.observe(problem.state(0), 0, 0.0, problem.state(1))
    assert belief.weights.tolist() == [0, 1]
    table: Any = summary(belief)[0]
    assert next(iter(table.rows)) == ["busy", "1.0000"]


NAMED = {"bias": np.array([0.2, 0.9])}


def by_name(draw: Any, state: int, action: str) -> list[Outcome]:
    return coin(draw.bias, state, action)


def by_column(draw: Any, state: int, action: str) -> list[Outcome]:
    return coin(draw[0], state, action)


@pytest.mark.parametrize(
    ("worlds", "outcomes", "settings"),
    [
        ([0.2, 0.9], coin, {}),
        (np.array([0.2, 0.9]), coin, {}),
        (np.array([[0.2], [0.9]]), by_column, {}),
        (np.array([[0.2], [0.9]]), by_name, {"names": ["bias"]}),
        (NAMED, by_name, {}),
        ((world for world in (0.2, 0.9)), coin, {}),
        (np.array([0.2, 0.9]), coin, {"vectorised": True}),
        (NAMED, by_name, {"vectorised": True}),
    ],
)
def test_forms_of_worlds(worlds: Any, outcomes: Any, settings: dict[str, Any]) -> None:
    problem = tossed(worlds, outcomes, **settings)
    belief = problem.belief()
    belief.observe(problem.state(0), 0, 1.0, problem.state(1))
    np.testing.assert_allclose(belief.weights, [2 / 11, 9 / 11])


def test_a_data_frame_has_named_worlds() -> None:
    pandas = pytest.importorskip("pandas")
    problem = tossed(pandas.DataFrame(NAMED), by_name)
    assert problem.belief().worlds[1].bias == 0.9


def test_named_parameters_are_summarized() -> None:
    problem = tossed(NAMED, by_name)
    belief = problem.belief()
    assert belief.parameters == {"bias": (0.55, 0.2, 0.9)}
    table: Any = summary(belief)[0]
    assert list(table.rows) == [["bias", "0.55", "0.2 to 0.9"]]


def test_copies_of_a_belief_are_independent() -> None:
    problem = tossed()
    first = problem.belief()
    first.observe(problem.state(0), 0, 1.0, problem.state(1))
    second = copy.copy(first)
    second.observe(problem.state(1), 0, 0.0, problem.state(1))
    np.testing.assert_allclose(first.weights, [2 / 11, 9 / 11])
    assert second.weights[1] < first.weights[1]


def test_effective_sample_size() -> None:
    assert tossed(weights=[1, 1]).belief().effective_sample_size == pytest.approx(2)
    assert tossed(weights=[1, 0]).belief().effective_sample_size == pytest.approx(1)


# ---- bad input


class Mutable:
    def __init__(self) -> None:
        self.x = 0

    def __hash__(self) -> int:
        return self.x

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mutable) and other.x == self.x


def mutating(world: Any, state: Mutable, action: Any) -> Outcome:
    state.x += 1
    return Outcome(state)


Wrong: Any = Outcome


def halves(*parts: Any) -> Callable[..., Any]:
    return lambda world, state, action: [Wrong(*part, probability=0.5) for part in parts]


def returns(*outcomes: Any) -> Callable[..., Any]:
    return lambda world, state, action: list(outcomes)


def fails(world: Any, state: Any, action: Any) -> Any:
    raise RuntimeError("seven")


@pytest.mark.parametrize(
    ("outcomes", "error", "message"),
    [
        (fails, RuntimeError, "seven"),
        (returns(Wrong(1, probability=0.7)), ValueError, r"sum to one.*0\.7"),
        (returns(Wrong(1, probability=-0.5)), ValueError, "from 0 to 1, got -0.5"),
        (returns(Wrong(1, probability=float("nan"))), ValueError, "from 0 to 1, got nan"),
        (returns(Wrong(1, probability="p")), TypeError, "probability must be a number"),
        (returns(Wrong([1])), TypeError, r"must be hashable.*\[1\]"),
        (returns(Wrong(1, seen=[1])), TypeError, "must be hashable"),
        (returns(Wrong(1, float("nan"))), ValueError, "reward must be finite, got nan"),
        (returns(Wrong(1, 1e200)), ValueError, "at most"),
        (returns(Wrong(1, "x")), TypeError, "reward must be a number"),
        (returns(Wrong(1, done="no")), TypeError, "done must be True or False"),
        (halves((1,), (1,)), ValueError, "1 with reward 0 twice"),
        (returns(), TypeError, "must return a bamdp.Outcome"),
        (returns(3), TypeError, "must return a bamdp.Outcome.*got 3"),
        (lambda world, state, action: None, TypeError, "must return.*got None"),
        (lambda world, state, action: "text", TypeError, "must return.*got 'text'"),
    ],
)
def test_a_function_that_is_wrong(outcomes: Any, error: type[Exception], message: str) -> None:
    problem = tossed([0.5], outcomes)
    agent = agents.BAMCP(problem, simulations=10)
    with pytest.raises(error, match=message) as raised:
        agent.act(problem.start)
    call = "(0.5, 0, 'toss')"
    assert call in str(raised.value) + "".join(getattr(raised.value, "__notes__", []))


def test_a_function_that_raises_keeps_its_traceback() -> None:
    problem = tossed([0.5], fails)
    with pytest.raises(RuntimeError) as raised:
        problem.belief().observe(problem.start, 0, 0.0, problem.start)
    assert "fails" in [entry.name for entry in raised.traceback]


def test_a_state_that_is_changed_is_rejected() -> None:
    problem: Any = BAMDP(Worlds([1], mutating), discount=0.5, start=Mutable(), actions=["go"])
    with pytest.raises(ValueError, match="must not change the state"):
        agents.BAMCP(problem, simulations=10).act(problem.start)


def test_an_agent_is_usable_after_an_error() -> None:
    broken = [True]

    def outcomes(bias: float, state: int, action: str) -> list[Outcome]:
        if broken[0]:
            raise RuntimeError("not yet")
        return coin(bias, state, action)

    agent = agents.BAMCP(tossed(outcomes=outcomes), simulations=10)
    with pytest.raises(RuntimeError, match="not yet"):
        agent.act(agent.problem.start)
    broken[0] = False
    assert agent.act(agent.problem.start) == 0


def test_an_impossible_step_teaches_nothing() -> None:
    problem = tossed()
    belief = problem.belief()
    belief.observe(problem.state(0), 0, 1.0, problem.state(1))
    before = belief.weights
    message = r"5 with reward 1 after action toss in state 1 is impossible under the prior"
    with pytest.raises(ValueError, match=message):
        belief.observe(problem.state(1), 0, 1.0, problem.state(5))
    steps: Any = {
        "states": [problem.state(1)] * 2,
        "actions": [0, 0],
        "rewards": [1.0, 0.5],
        "next_states": [problem.state(2)] * 2,
        "terminated": [False, False],
    }
    with pytest.raises(ValueError, match="row 1: "):
        belief.observe_many(**steps)
    assert (belief.weights == before).all()
    assert belief.observations == 1


@pytest.mark.parametrize("number", [10**6, -99, 99])
def test_a_number_that_is_no_state(number: int) -> None:
    problem = tossed()
    with pytest.raises(ValueError, match=r"problem\.state"):
        agents.BAMCP(problem, simulations=10).act(number)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Worlds([]), "1 to"),
        (lambda: Worlds(3, coin), "list of worlds"),
        (lambda: Worlds([1], cast(Any, "coin")), "outcomes must be a function"),
        (lambda: Worlds([1, 2]), "outcomes must be a function"),
        (lambda: Worlds([1, 2], coin, weights=[1]), "weights must be one number for each"),
        (lambda: Worlds([1, 2], coin, names=["a"]), "names must be None"),
        (lambda: Worlds(np.ones((3, 2)), coin, names=["a"]), "names must be 2 names"),
        (lambda: Worlds({"a": [1, 2], "b": [1]}, coin), "same length"),
        (lambda: Worlds({"a b": [1, 2]}, coin), "names of Python"),
        (lambda: Worlds(np.array([1.0, np.nan]), coin), "finite"),
        (lambda: Worlds(np.ones((2, 2, 2)), coin), "shape"),
        (lambda: Worlds([coin], vectorised=True), "all worlds"),
        (lambda: BAMDP(Worlds([1], coin), discount=0.5, start=0), "actions must be"),
        (lambda: BAMDP(Worlds([1], coin), discount=0.5, start=0, actions=[]), "actions must be"),
        (
            lambda: BAMDP(Worlds([1], coin), discount=0.5, start=0, actions=["a", "a"]),
            "different",
        ),
        (lambda: BAMDP(Worlds([1], coin), discount=0.5, start=[0], actions=["a"]), "hashable"),
        (
            lambda: BAMDP(Worlds([1], coin), np.zeros((2, 1)), 0.5, start=0, actions=["a"]),
            "rewards",
        ),
        (
            lambda: BAMDP(Worlds([1], coin), discount=0.5, start=0, actions=["a"], terminal=[1]),
            "terminal",
        ),
    ],
)
def test_arguments_that_are_wrong(make: Callable[[], Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        make()


def test_vectorised_outcomes_that_are_wrong() -> None:
    biases = np.array([0.2, 0.9])
    wrong: list[tuple[Any, str]] = [
        (lambda b, s, a: Outcome(s, probability=b), "those of world 0 sum to 0.2"),
        (lambda b, s, a: Outcome(s, reward=cast(Any, np.ones(3))), "one for each of the 2 worlds"),
        (lambda b, s, a: [Outcome(s, probability=-b), Outcome(1, probability=1 + b)], "negative"),
        (lambda b, s, a: Outcome(s, reward=b * np.nan), "finite"),
        (lambda b, s, a: [Outcome(s, probability=0.5)] * 2, "0 with reward 0 twice"),
    ]
    for outcomes, message in wrong:
        problem = tossed(biases, outcomes, vectorised=True)
        with pytest.raises((TypeError, ValueError), match=message):
            problem.belief().observe(problem.start, 0, 1.0, problem.state(1))


def test_states_seen_by_several_problems_have_the_same_numbers() -> None:
    prior = Worlds([0.5], coin)
    one, other = (BAMDP(prior, discount=1, horizon=n, start=0, actions=["toss"]) for n in (3, 5))
    assert [one.state(x) for x in range(4)] == [other.state(x) for x in range(4)]


def test_mastermind_is_solved() -> None:
    """Two pegs of three colours: by enumeration of all strategies, 2.444… guesses."""
    problem = mastermind()
    codes = problem.belief().worlds
    agent = agents.BayesAdaptive(problem, simulations=2000)
    total = 0
    for code in codes:
        agent.reset(0)
        total += len(bamdp.run(agent, problem.prior.domain(problem, code)).actions)
    assert total / len(codes) == pytest.approx(best_guesses(codes), abs=1e-9)


def best_guesses(codes: list[tuple[int, ...]]) -> float:
    """The least mean number of guesses, by recursion over the sets of codes that are left."""

    def answer(code: Any, guess: Any) -> tuple[int, int]:
        black = sum(a == b for a, b in zip(code, guess, strict=True))
        return black, sum(min(code.count(c), guess.count(c)) for c in range(3))

    def total(left: tuple[Any, ...], most: int) -> float:
        if most == 0:
            return float("inf")
        best = float("inf")
        for guess in codes:
            groups: dict[Any, list[Any]] = {}
            for code in left:
                groups.setdefault(answer(code, guess), []).append(code)
            if len(groups) == 1 and guess not in left:
                continue
            rest = (
                total(tuple(group), most - 1)
                for key, group in groups.items()
                if key[0] < len(guess)
            )
            best = min(best, len(left) + sum(rest))
        return best

    return total(tuple(codes), 4) / len(codes)


def test_the_map_is_fetched() -> None:
    problem = rooms()
    agent = agents.BayesAdaptive(problem, simulations=1000)
    earned = []
    for goal in range(12):
        agent.reset(0)
        earned.append(bamdp.run(agent, problem.prior.domain(problem, goal)).total_reward)
    # Three steps to the map, as many back, and on to the room: no room is entered before.
    assert earned == [-6.0 - goal for goal in range(12)]
