"""Many steps at once are as many steps one by one, or none at all."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP, Belief, Domain, Prior
from bamdp.agents import BAMCP
from bamdp.config import names
from bamdp.domains import Bandit, Chain
from bamdp.priors import (
    Compiled,
    Dirichlet,
    Finite,
    Lazy,
    Sampled,
    SharedSlip,
    SparseDirichlet,
    UnknownRewards,
)
from bamdp.saving.state import state_of
from reference.problems import belief_of, sized
from reference.rejections import rejections

S, A, T = 3, 2, 40
RNG = np.random.default_rng(0)
TABLES = RNG.dirichlet([1] * S, size=(4, S, A))
REWARDS = RNG.integers(2, size=(4, S, A, S)).astype(float)


class Own:
    """A user's posterior: counts, with a model that is drawn from them. It fails on the reward 7."""

    def __init__(self, problem: BAMDP) -> None:
        self.counts, self.paid = np.ones((problem.num_states, problem.num_actions, problem.num_states)), 0.0

    def observe(self, state: int, action: int, reward: float | None, next_state: int, terminated: bool | None) -> None:
        self.counts[state, action, next_state] += 1
        if reward == 7:
            raise RuntimeError("seven")
        self.paid += reward or 0.0

    def sample(self, count: int, rng: np.random.Generator) -> Any:
        return np.broadcast_to(self.counts / self.counts.sum(axis=-1, keepdims=True), (count, *self.counts.shape))

    def sample_row(self, state: int, action: int, rng: np.random.Generator) -> Any:
        return self.counts[state, action] / self.counts[state, action].sum()


class OwnBelief(Belief):
    """A belief of a user's own class, which can't be saved."""

    def __init__(self, problem: BAMDP) -> None:
        self.problem, self.seen = problem, [0]

    def observe(self, state: int, action: int, reward: Any, next_state: int, terminated: Any = False) -> None:
        self.seen.append(next_state)
        if (state, action) == (2, 1):
            raise ValueError("never act so")


def stay(belief: Any, scratch: Any, state: int, action: int, rng: Any) -> tuple[int, float]:
    return state, 0.0


def add(data: Any, state: int, action: int, reward: float, next_state: int) -> None:
    data[next_state] += 1 + reward


PRIORS: dict[str, Prior] = {
    "compiled": Compiled(stay, observe=add, belief_array=np.zeros(S), compile=False),  # learns from whole steps only
    "dirichlet": Dirichlet(0.3),
    "sparse": SparseDirichlet(),
    "finite": Finite(TABLES),
    "finite with rewards": Finite(TABLES, rewards=np.ones((4, S, A))),
    "slip": SharedSlip(np.zeros((S, A), int), np.full((S, A, 2), [1, 2])),
    "rewards": UnknownRewards(Dirichlet(), values=[1.0, 2.0]),
    "sampled": Sampled(Own),
    "lazy": Lazy(Own),
}


BELIEFS = {name: partial(belief_of, prior, S, A) for name, prior in PRIORS.items()}


def log(count: int = T) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    return [rng.integers(S, size=count), rng.integers(A, size=count), np.ones(count), rng.integers(S, size=count)]


def known(belief: Any) -> str:
    arrays: dict[str, Any] = {}
    state = state_of(belief, arrays)
    return repr((state, {name: array.tobytes() for name, array in arrays.items()}))


@pytest.mark.parametrize("name", BELIEFS)
def test_it_is_as_many_observations(name: str) -> None:
    many, single = BELIEFS[name](), BELIEFS[name]()
    many.observe_many(*log())
    for state, action, reward, next_state in zip(*(column.tolist() for column in log()), strict=True):
        single.observe(state, action, reward, next_state)
    assert known(many) == known(single)
    assert known(many) != known(BELIEFS[name]())


@pytest.mark.parametrize("name", [name for name in BELIEFS if name != "compiled"])
def test_rewards_may_be_missing(name: str) -> None:
    states, actions, _, next_states = log()
    many, single = BELIEFS[name](), BELIEFS[name]()
    many.observe_many(states, actions, None, next_states)
    for state, action, next_state in zip(states.tolist(), actions.tolist(), next_states.tolist(), strict=True):
        single.observe(state, action, None, next_state)
    assert known(many) == known(single)


@pytest.mark.parametrize("name", BELIEFS)
def test_nothing_is_learned_if_a_row_is_bad(name: str) -> None:
    belief = BELIEFS[name]()
    belief.observe_many(*log(5))
    before = known(belief)
    for column, bad, where in ((0, S, "states"), (1, A, "actions"), (2, np.nan, "rewards"), (3, -1, "next_states")):
        columns = log()
        columns[column][T - 2] = bad
        with pytest.raises(ValueError, match=rf"{where} must be .* at index \({T - 2},\)"):
            belief.observe_many(*columns)
        assert known(belief) == before


NEVER = np.array([[[1.0, 0, 1]] * A] * S)  # no transition to state 1
ALWAYS = np.broadcast_to([0.5, 0.0, 0.5], (2, S, A, S))


@pytest.mark.parametrize(
    ("belief", "message"),
    [
        (belief_of(Dirichlet(NEVER), S, A), "row 3: next_state 1 .* its pseudo"),
        (belief_of(Finite(ALWAYS), S, A), "row 3: next_state 1 .* no table"),
        (belief_of(UnknownRewards(Dirichlet(NEVER)), S, A), "row 3: next_state 1 after state 0"),
        (belief_of(SharedSlip(np.zeros((S, A), int), np.full((S, A), 2)), S, A), "row 3: next_state 1 after state 0"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_impossible_steps(belief: Any, message: str) -> None:
    before = known(belief)
    with pytest.raises(ValueError, match=message):
        belief.observe_many([0, 1, 2, 0], [0, 1, 0, 0], [0.0, 0, 1, 1], [0, 2, 2, 1])
    assert known(belief) == before


def test_impossible_rewards_and_ends() -> None:
    belief = belief_of(Finite(np.stack([TABLES[0]] * 2), rewards=[REWARDS[0], 1 - REWARDS[0]], terminal=[[2], [1]]), S, A)
    paid = [REWARDS[0][0, 0, 0], 1 - REWARDS[0][0, 0, 0]]
    before = known(belief)
    with pytest.raises(ValueError, match=r"row 1: reward . after state 0, action 0 and next_state 0 is impossible"):
        belief.observe_many([0, 0], [0, 0], paid, [0, 0], [False, False])
    with pytest.raises(TypeError, match="terminated must be given"):
        belief.observe_many([0], [0], None, [2])
    with pytest.raises(ValueError, match="row 1: an episode that ends in state 0 is impossible"):
        belief.observe_many([0, 0], [0, 0], [paid[0]] * 2, [0, 0], terminated=[False, True])
    assert known(belief) == before
    belief.observe_many([0], [0], None, [2], terminated=[True])
    assert belief.weights.tolist() == [1, 0]


def test_beliefs_of_the_user() -> None:
    belief = belief_of(Sampled(Own), S, A)
    belief.observe(0, 0, 2.0, 1)
    before, counts = known(belief), belief.posterior.counts.copy()
    with pytest.raises(RuntimeError, match="seven"):
        belief.observe_many([0, 0, 0], [0, 0, 0], [1.0, 7.0, 1.0], [0, 0, 0])
    assert known(belief) == before
    assert belief.posterior.counts.tolist() == counts.tolist()
    assert belief.posterior.paid == 2
    own = OwnBelief(sized(S, A))
    own.observe_many([0, 1], [0, 1], None, [2, 1])
    with pytest.raises(ValueError, match="row 1: never act so"):
        own.observe_many([0, 2], [0, 1], [0.0, 0.0], [2, 2])
    assert own.seen == [0, 2, 1]


@pytest.mark.parametrize("found", names.find_all("agent"), ids=lambda found: found.name)
def test_agents_learn_from_logs(found: names.Found) -> None:
    domain: Domain = Bandit() if found.name == "gittins" else Chain()
    budget: dict[str, Any] = {"simulations": 20} if hasattr(found.target, "plan") and found.name != "bfs3" else {}
    budget = {"world": domain.mdp} if found.target.uses_true_model else budget
    many, single = (found.target(domain.problem(), seed=1, **budget) for _ in range(2))
    rng = np.random.default_rng(2)
    states, actions = rng.integers(domain.num_states, size=12), rng.integers(domain.num_actions, size=12)
    steps = [(int(s), int(a), *domain.step(int(s), int(a), rng)) for s, a in zip(states, actions, strict=True)]
    columns = [[step[i] for step in steps] for i in (0, 1, 3, 2)]
    many.observe_many(*columns)
    for state, action, next_state, reward in steps:
        single.observe(state, action, reward, next_state)
    assert many.steps_done == 0
    many.steps_done = single.steps_done  # those before don't count
    assert [many.act(0) for _ in range(3)] == [single.act(0) for _ in range(3)]
    assert known(many) == known(single)
    if found.name not in ("oracle", "random"):
        before = known(many)
        with pytest.raises(ValueError, match=r"actions must be integers from 0 to ., got 9 at index \(0,\)"):
            many.observe_many([0], [9], [0.0], [0])
        assert known(many) == before


AGENT: Any = BAMCP(Chain().problem())
ENDS: Any = BAMCP(sized(S, A, terminal=[2]))
test_bad_columns = rejections(
    (ValueError, "row 1: state must not be terminal", lambda: ENDS.observe_many([0, 2], [0, 0], [0.0, 0.0], [1, 1])),
    (TypeError, "rewards must be the reward of each step", lambda: AGENT.observe_many([0], [0], None, [0])),
)
