"""A problem: checked once, in one place; names, copies, worlds."""

import copy
import dataclasses
import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP
from bamdp.agents import BAMCP, BayesAdaptive, PosteriorMean
from bamdp.domain import UNBOUNDED
from bamdp.domains import Chain, GridNavi, InfiniteGrid, Tabular
from bamdp.exact import bayes_optimal, solve_model_set, upper_bound
from bamdp.mdp import termination
from bamdp.priors import (
    BetaArms,
    Dirichlet,
    Finite,
    GridRewards,
    NormalArms,
    SharedSlip,
    UnknownRewards,
)
from bamdp.problem import checked_problem
from bamdp.spaces import action_name, state_name
from bamdp.steps import check_state
from reference.rejections import rejections

R = np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 0.0]])
PRIOR = Dirichlet(1.0)
ENDS = Finite(np.ones((2, 3, 2, 3)) / 3, terminal=[[0], [1]])
WIDE = np.zeros((1, 3))
TWO = Finite(np.full((3, 2, 2, 2), 0.5))
SLIP = SharedSlip([[0, 1], [1, 2], [2, 0]], slipped=[[1, 2], [2, 0], [0, 1]])
of: Any = partial(BAMDP, PRIOR, R, 0.9)

test_rejected = rejections(
    (
        ValueError,
        r"rewards must be finite, got nan at index \(0, 1\)",
        lambda: BAMDP(PRIOR, R + np.array([0, np.nan]), 0.9),
    ),
    (
        ValueError,
        r"discount must be .*or 1 with a horizon or terminal states, got 1",
        lambda: BAMDP(PRIOR, R, 1),
    ),
    (
        ValueError,
        "terminal must not be given with Finite",
        lambda: BAMDP(ENDS, R, 0.9, terminal=[2]),
    ),
    (ValueError, "episode_length goes with a horizon", lambda: of(episode_length=5, start=0)),
    (ValueError, "episode_length goes with start", lambda: of(episode_length=5, horizon=10)),
    (
        ValueError,
        "must be None where episodes end otherwise",
        lambda: of(episode_length=5, horizon=10, start=0, terminal=[1]),
    ),
    (ValueError, "start must not be terminal", lambda: of(start=1, terminal=[1])),
    (
        ValueError,
        r"states must be 3 different names, got \('a', 'b'\)",
        lambda: of(states=("a", "b")),
    ),
    (ValueError, "of 2 states for .*BetaArms.*, got 3 states", lambda: BAMDP(BetaArms(), R, 0.9)),
    (ValueError, "2 states and 2 actions .*, got 1 state and 3", lambda: BAMDP(TWO, WIDE, 0.9)),
    (ValueError, "must be of 4 states for .*Dirichlet", lambda: BAMDP(Dirichlet([1] * 4), R, 0.9)),
    (ValueError, "of 1 state and 2 actions", lambda: BAMDP(NormalArms([0, 1]), WIDE, 0.9)),
    (ValueError, "of 3 states and 2 actions", lambda: BAMDP(UnknownRewards(SLIP), WIDE, 0.9)),
    (TypeError, "no rewards of its own, got None", lambda: BAMDP(TWO, None, 0.9)),
    (TypeError, "how many states", lambda: BAMDP(UnknownRewards(PRIOR), None, 0.9)),
    (
        ValueError,
        "num_states must be finite for this prior",
        lambda: BAMDP(PRIOR, np.empty((0, 2)), 0.9).belief(),
    ),
    (
        TypeError,
        r"problem must be a bamdp.BAMDP, got Chain\(.*; a domain has one",
        lambda: checked_problem(Chain()),
    ),
    (
        TypeError,
        "bayes_optimal needs a table of rewards",
        lambda: bayes_optimal(InfiniteGrid().problem(), 0),
    ),
    (
        ValueError,
        "episode_length must be None for upper_bound",
        lambda: upper_bound(GridNavi(3).problem(), 0),
    ),
    (
        ValueError,
        "discount must be below 1",
        lambda: BAMCP(BAMDP(PRIOR, R, 1, terminal=[1])),
    ),
)


def test_what_it_keeps() -> None:
    rewards = R.copy()
    problem = of(
        terminal=[1], horizon=np.int64(7), start=2, states=list("abc"), actions=("stay", "go")
    )
    rewards[:] = 0
    assert (problem.num_states, problem.num_actions, problem.discount, problem.horizon) == (
        3,
        2,
        0.9,
        7,
    )
    assert problem.terminal == {1}
    assert np.array_equal(problem.rewards, R)
    assert [state_name(problem, 2), action_name(problem, 0)] == ["c", "stay"]
    assert [state_name(of(), 2), action_name(of(), int(np.int64(0)))] == ["2", "0"]
    assert repr(problem) == "BAMDP(Dirichlet(1.0), 3 states, 2 actions, discount=0.9, horizon=7)"
    for change in (
        lambda: problem.rewards.__setitem__(0, 1),
        lambda: setattr(problem, "discount", 0.5),
    ):
        with pytest.raises((ValueError, AttributeError)):
            change()


def test_infinitely_many_states() -> None:
    problem = BAMDP(GridRewards(), np.empty((0, 4)), 0.97, terminal=[-5], start=-(2**63))
    assert problem.num_states == UNBOUNDED
    assert check_state(problem, -(2**63)) == -(2**63)
    assert "infinitely many states" in repr(problem)
    with pytest.raises(ValueError, match="different names"):
        dataclasses.replace(problem, states=("here",))


def test_replaced() -> None:
    problem = of(horizon=5, actions=("stay", "go"))
    other = dataclasses.replace(problem, prior=Dirichlet(2.0), discount=1)
    assert (other.discount, other.horizon, other.actions, other.prior.alpha) == (
        1,
        5,
        ("stay", "go"),
        2.0,
    )
    with pytest.raises(ValueError, match="discount"):
        dataclasses.replace(other, horizon=None)


@pytest.mark.parametrize(
    "make", [copy.copy, copy.deepcopy, lambda problem: pickle.loads(pickle.dumps(problem))]
)
def test_copies_are_the_same_problem(make: Any) -> None:
    problem = of(terminal=[2], states=("a", "b", "c"))
    copied = make(problem)
    assert repr(copied) == repr(problem)
    for field in dataclasses.fields(BAMDP):
        same = getattr(copied, field.name), getattr(problem, field.name)
        assert (
            np.array_equal(*same) if field.name == "rewards" else repr(same[0]) == repr(same[1])
        ), field.name
    assert not copied.rewards.flags.writeable
    acts = [[BAMCP(p, simulations=200, seed=3).act(s) for s in (0, 1)] for p in (problem, copied)]
    assert acts[0] == acts[1]


def test_worlds_are_of_the_problem() -> None:
    """Drawn from the prior: the predicted first step; with the problem's rewards and terminal
    states, or the world's own.
    """
    problem, rng = of(terminal=[2]), np.random.default_rng(0)
    worlds = [problem.sample_world(rng) for _ in range(400)]
    assert np.mean([world.transitions for world in worlds], axis=0) == pytest.approx(
        np.full((3, 2, 3), 1 / 3), abs=0.07
    )
    assert np.array_equal(worlds[0].rewards, R)
    assert worlds[0].terminal.tolist() == [False, False, True]
    ends = {tuple(BAMDP(ENDS, R, 1).sample_world(rng).terminal.tolist()) for _ in range(20)}
    assert ends == {(True, False, False), (False, True, False)}


def test_unknown_rewards_beside_unknown_ends() -> None:
    """What is learned of ends counts where rewards are unknown too; the mean ends where its worlds
    may.
    """
    problem = BAMDP(UnknownRewards(ENDS), R, 0.9)
    belief = problem.belief()
    assert belief.problem.prior.unknown_terminal
    assert termination(belief.mean())[2, 0].tolist() == pytest.approx([1 / 6, 1 / 6, 0])
    assert belief.sample(5, np.random.default_rng(0)).terminal.sum() == 5
    for make in (
        PosteriorMean,
        partial(BAMCP, simulations=50),
        partial(BayesAdaptive, simulations=50),
    ):
        agent = make(problem)
        agent.act(2)
        agent.observe(2, 0, 1.0, 1, terminated=True)
        assert agent.belief.transitions.weights.tolist() == [0, 1]
        with pytest.raises(ValueError, match="an episode that ends in state 0 is impossible"):
            agent.observe(2, 0, 1.0, 0, terminated=True)


def test_messages_have_the_names_of_states_and_actions() -> None:
    prior, names = Dirichlet([1.0, 0.0]), (("new", "worn"), ("run", "service"))
    belief = BAMDP(prior, np.zeros((2, 2)), 0.9, states=names[0], actions=names[1]).belief()
    with pytest.raises(
        ValueError,
        match=r"next_state 1 \(worn\) after state 0 \(new\) and action 1 \(service\) is impossible",
    ):
        belief.observe(0, 1, 0.0, 1)
    ends = BAMDP(Dirichlet(), np.zeros((2, 2)), 0.9, terminal=[1], states=names[0])
    for act in (BAMCP(ends).act, partial(bayes_optimal, ends, horizon=1)):
        with pytest.raises(
            ValueError, match=r"state must not be terminal, got the terminal state 1 \(worn\)"
        ):
            act(1)


def test_names_go_with_a_world_into_a_domain() -> None:
    problem = of(states=("a", "b", "c"), actions=("stay", "go"))
    world = Tabular(
        problem.sample_world(np.random.default_rng(0)),
        0.9,
        states=problem.states,
        actions=problem.actions,
    )
    assert (world.problem().states, world.problem().actions) == (problem.states, problem.actions)
    plan = BayesAdaptive(world.problem(), simulations=200).plan(0)
    assert f"action={plan.action} ({('stay', 'go')[plan.action]}) worth" in repr(plan)


@pytest.mark.parametrize(
    ("prior", "shape"),
    [
        (Finite(np.full((2, 3, 2, 3), 1 / 3), rewards=[R, 2 * R]), (3, 2)),
        (UnknownRewards(SLIP, values=[1.0, 2.0]), (3, 2)),
        (NormalArms([0.0, 1.0, 2.0]), (1, 3)),
    ],
    ids=repr,
)
def test_rewards_of_the_prior_need_no_table(prior: Any, shape: tuple[int, int]) -> None:
    """The same values as with a table of any numbers, of which only the shape counts."""
    without, with_table = (BAMDP(prior, table, 0.9) for table in (None, np.full(shape, 8.0)))
    assert (without.num_states, without.num_actions) == shape
    plans = [BAMCP(problem, simulations=200, seed=1).plan(0) for problem in (without, with_table)]
    assert plans[0].q_values.tolist() == plans[1].q_values.tolist()


MOVES = [[[0.1, 0.9], [0.9, 0.1]], [[0.5, 0.5], [0.2, 0.8]]]
KNOWN = BAMDP(Finite([MOVES]), [[0, 1], [2, 0]], 0.5, horizon=3)
PAYING = Finite([MOVES, MOVES], rewards=[[[0, 1], [2, 0]], [[9, 9], [9, 9]]])
ELSEWHERE = {
    "prior": dataclasses.replace(KNOWN, prior=PAYING),
    "rewards": dataclasses.replace(KNOWN, rewards=np.array([[0.0, 1.0], [2.0, 9.0]])),
    "terminal": dataclasses.replace(KNOWN, terminal=frozenset([1])),
    "discount": dataclasses.replace(KNOWN, discount=0.4),
}


@pytest.mark.parametrize("name", ELSEWHERE)
@pytest.mark.parametrize("solve", [bayes_optimal, upper_bound, solve_model_set])
def test_a_belief_of_another_problem_is_rejected(name: str, solve: Any) -> None:
    with pytest.raises(ValueError, match=rf"belief must be one of .*differs in {name}$"):
        solve(KNOWN, 0, belief=ELSEWHERE[name].belief())


def test_a_belief_of_an_equal_problem_is_accepted() -> None:
    """Of a copy, or of other steps left; three steps by hand."""
    values = np.zeros(2)
    for _ in range(3):
        q = KNOWN.rewards + 0.5 * np.array(MOVES) @ values
        values = q.max(axis=1)
    longer = dataclasses.replace(KNOWN, horizon=9, states=("a", "b"))
    for other in (pickle.loads(pickle.dumps(KNOWN)), longer):
        assert bayes_optimal(KNOWN, 0, belief=other.belief()).q_values == pytest.approx(q[0])
