"""The user's function for the actions that are considered in a state, and values at leaves."""

from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp import BAMDP, Outcome, exact
from bamdp.priors import Worlds
from reference.rejections import rejections
from reference.world_functions import room, rooms

agents: Any = bamdp.agents  # they take states that may be None, by their types

ACTIONS = ["enter", "left", "right"]  # the first is not considered at the start


def sensible(state: tuple[int, bool]) -> list[str]:
    """Doors are where rooms are; nothing is beyond the map."""
    x, _ = state
    return ["enter", "right", "left"] if x >= 0 else ["right"] if x == -3 else ["right", "left"]


def only_sensible(goal: int, state: tuple[int, bool], action: str) -> Outcome:
    assert action in sensible(state), "an action was searched that is not considered"
    return room(goal, state, action)


def dear(goal: int, state: tuple[int, bool], action: str) -> Outcome:
    """The same without a restriction: what is not sensible is never worth it."""
    if action in sensible(state):
        return room(goal, state, action)
    return Outcome(state, -100.0)


def problem(outcomes: Any = only_sensible, count: int = 4, **settings: Any) -> Any:
    settings = {"actions_in": sensible, **settings}
    return BAMDP(
        Worlds(range(count), outcomes, **settings),
        discount=1,
        horizon=9,
        episodes=1,
        start=(-1, False),
        actions=ACTIONS,
    )


AGENTS: Any = {
    "bamcp": (agents.BAMCP, {"simulations": 40}),
    "bamcp of the program": (agents.BAMCP, {"simulations": 40, "variant": "program"}),
    "bamcp uniform": (agents.BAMCP, {"simulations": 40, "rollouts": "uniform", "trees": 2}),
    "bayes-adaptive": (agents.BayesAdaptive, {"simulations": 40}),
    "posterior-mean": (agents.PosteriorMean, {}),
    "bayesian-dp": (agents.BayesianDP, {}),
    "boss": (agents.BOSS, {}),
    "epsilon-greedy": (agents.EpsilonGreedy, {"epsilon": 1.0}),
    "softmax": (agents.Softmax, {"temperature": 100.0}),
    "index-policy": (agents.IndexPolicy, {}),
    "random": (agents.Random, {}),
    "q-learning": (agents.QLearning, {"epsilon": 0.5}),
}


@pytest.mark.parametrize("name", AGENTS)
def test_other_actions_are_neither_searched_nor_taken(name: str) -> None:
    """The function of the worlds fails if it is asked for another action, and so does the world."""
    target, settings = AGENTS[name]
    chosen = set()
    for seed in range(6):
        asked = problem()
        agent = target(asked, seed=seed, **settings)
        record = bamdp.run(agent, asked.prior.domain(asked, seed % 4), seed=seed)
        for state, action in zip(record.states, record.actions, strict=False):
            place = asked.prior.numbers[int(state)].state
            chosen.add((place[0], ACTIONS[action]))
            assert ACTIONS[action] in sensible(place)
    assert len(chosen) >= 2


def test_the_oracle_knows_them_too() -> None:
    asked = problem()
    oracle = agents.Oracle(asked, world=asked.prior.domain(asked, 2))
    assert oracle.q_values(asked.start).tolist() == [-np.inf, -5.0, -3.0]


def test_exact_values_are_those_of_the_others_made_dear() -> None:
    asked, without = problem(), problem(dear, actions_in=None)
    one, other = (exact.bayes_optimal(each, each.start) for each in (asked, without))
    np.testing.assert_allclose(one.q_values[1:], other.q_values[1:], atol=1e-9)
    assert one.q_values[0] == -np.inf
    assert one.action == other.action
    at_map = asked.state((-3, True))
    assert exact.bayes_optimal(asked, at_map).action == 2
    bounds = [exact.upper_bound(each, each.start, delay=1).value for each in (asked, without)]
    assert bounds[0] == pytest.approx(bounds[1], abs=1e-9)
    worth = [bamdp.value_of_information(each) for each in (asked, without)]
    assert worth[0].knowing.value == pytest.approx(worth[1].knowing.value, abs=1e-9)
    assert worth[0].never_learning.value == pytest.approx(worth[1].never_learning.value, abs=1e-9)


def test_plans_have_no_value_of_them() -> None:
    asked = problem()
    optimum = exact.bayes_optimal(asked, asked.start).value
    bounds = agents.BayesAdaptive(asked, simulations=500).plan(asked.start)
    assert bounds.lower == pytest.approx(optimum, abs=1e-9)
    assert bounds.q_values[0] == bounds.q_upper[0] == -np.inf
    assert (bounds.visits[0], bounds.standard_errors[0]) == (0, 0)
    tree = agents.BAMCP(asked, simulations=200).plan(asked.start)
    assert (tree.q_values[0], tree.visits[0]) == (-np.inf, 0)
    even = agents.BAMCP(asked, simulations=200).plan(asked.start, root="even")
    assert even.visits.tolist() == [0, 100, 100]


def test_roll_outs_and_searches_take_all_that_are_considered() -> None:
    """Each of the two actions is the first in a new node, by a uniform policy, half of the time:
    fewer than 25 of 100 have a probability below 10⁻⁶.
    """
    asked = problem()
    taken = np.zeros(3, int)
    for seed in range(100):
        agent = agents.BAMCP(asked, simulations=1, rollouts="uniform", seed=seed)
        taken += agent.plan(asked.start).visits
    assert taken[0] == 0
    assert taken[1:].min() >= 25


def test_an_observed_step_with_another_action_is_learned_from() -> None:
    asked = problem(room)
    agent = agents.BayesAdaptive(asked, simulations=20)
    place = asked.state((-3, True))
    left = ACTIONS.index("left")  # as someone else did, who knew no better
    agent.observe(place, left, -1.0, asked.state((-3, True), seen=2), terminated=False)
    assert agent.belief.weights[2] == pytest.approx(1)
    with pytest.raises(ValueError, match="impossible under the prior"):
        agent.observe(place, left, -7.0, asked.state((-3, True), seen=2), terminated=False)


def acting(**settings: Any) -> Any:
    asked = problem(room, **settings)
    return agents.BAMCP(asked, simulations=20).act(asked.start)


test_rejected = rejections(
    (
        ValueError,
        r"action must be one of \('left', 'right'\), those of actions_in in state \(-1, False\), "
        "got 'enter'",
        lambda: problem().prior.domain(problem(), 2).step(0, 0, np.random.default_rng(0)),
    ),
    (
        ValueError,
        r"stay\(\(-1, False\)\) must return some of the actions .*got \['stay'\]",
        lambda: acting(actions_in=stay),
    ),
    (
        ValueError,
        "must return one action at least, got none",
        lambda: acting(actions_in=lambda state: []),
    ),
    (
        TypeError,
        "must return a list of actions, got 'left'",
        lambda: acting(actions_in=lambda state: "left"),
    ),
    (
        ZeroDivisionError,
        "division",
        lambda: acting(actions_in=lambda state: [1 / 0]),
    ),
    (
        ValueError,
        r"must return one of the actions \('left', 'right'\) in state \(-1, False\), got 'enter'",
        lambda: acting(policy=lambda belief, state, rng: "enter"),
    ),
    (TypeError, "actions_in must be a function", lambda: problem(actions_in=["left"])),
)


def stay(state: tuple[int, bool]) -> list[str]:
    return ["stay"]


# ---- values at leaves


def way(goal: int, state: tuple[int, bool]) -> float:
    return -float(abs(goal - state[0]))


def test_a_leaf_is_worth_what_the_user_says() -> None:
    """In the only world, the first action: its reward, and the value of what follows."""
    expected = {30: [-3.0, -1.0, -4.0], 1: [-1.0, -1.0, -3.0]}  # nothing follows the horizon
    for horizon, values in expected.items():
        asked, tried = rooms(1, horizon=horizon, value=way), set()
        for seed in range(20):
            agent = agents.BAMCP(asked, simulations=1, rollouts="value", seed=seed)
            plan = agent.plan(asked.state((-1, False)))
            tried.add(plan.action)
            assert plan.value == values[plan.action]
        assert tried == {0, 1, 2}


def test_each_value_is_asked_for_once() -> None:
    calls: list[Any] = []

    def counted(goal: int, state: tuple[int, bool]) -> float:
        calls.append((goal, state))
        return way(goal, state)

    agent = agents.BAMCP(rooms(4, value=counted), simulations=200, rollouts="value")
    for _ in range(2):
        agent.act(agent.problem.start)
    assert len(calls) == len(set(calls)) > 4


def far(goal: int, x: int, action: str) -> Outcome:
    x += 1 if action == "right" else -1
    return Outcome(x, -1.0, done=x == goal)


def test_values_show_a_way_that_roll_outs_do_not_find() -> None:
    returns = {}
    for rollouts in ("value", "uniform"):
        prior = Worlds([20, 22], far, value=lambda goal, x: -float(abs(goal - x)))
        asked: Any = BAMDP(
            prior, discount=1, horizon=60, episodes=1, start=0, actions=["left", "right"]
        )
        agent = agents.BAMCP(asked, simulations=100, exploration=3.0, rollouts=rollouts)
        returns[rollouts] = bamdp.run(agent, prior.domain(asked, 22), seed=0).total_reward
    assert returns["value"] == -22
    assert returns["uniform"] < -30


def test_particles_that_moved_have_new_values() -> None:
    """All values are of worlds that are still there."""

    def draw(rng: np.random.Generator) -> float:
        return float(rng.random())

    def toss(bias: float, state: str, action: str) -> list[Outcome]:
        return [
            Outcome("x", 1.0, probability=bias),
            Outcome("x", probability=1 - bias),
        ]

    prior = Worlds(draw, toss, particles=100, value=lambda bias, state: 10 * bias)
    asked: Any = BAMDP(prior, discount=1, horizon=50, start="x", actions=["toss"])
    agent = agents.BAMCP(asked, simulations=300, depth=1, rollouts="value")
    for _ in range(15):
        agent.observe(asked.start, 0, 1.0, asked.start)
    bias = float(agent.belief.weights @ np.array(agent.belief.worlds))
    assert agent.plan(asked.start).value == pytest.approx(11 * bias, abs=0.5)


def test_leaf_values_need_a_function() -> None:
    with pytest.raises(TypeError, match="value of your own"):
        agents.BAMCP(rooms(3), rollouts="value")
    asked = rooms(3, value=lambda world, state: float("inf"))
    agent = agents.BAMCP(asked, simulations=5, rollouts="value")
    with pytest.raises(ValueError, match="must return a finite number, got inf"):
        agent.act(agent.problem.start)
