"""What all priors have in common: the contract, logs of steps, copies, and searches that draw from
the posterior.
"""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP, Belief, Domain, Prior
from bamdp.agents import BAMCP
from bamdp.config import names
from bamdp.config.registry import Entry
from bamdp.domains import Bandit, Chain
from bamdp.priors import (
    BetaArms,
    Compiled,
    Dirichlet,
    Finite,
    Lazy,
    Normal,
    NormalArms,
    Parametric,
    Sampled,
    SparseDirichlet,
    UnknownRewards,
)
from bamdp.state import capture
from bamdp.steps import Step
from bamdp.testing import check_prior
from reference.comparison import assert_multinomial
from reference.problems import belief_of, sized
from reference.rejections import rejections
from reference.rows import DirichletRows
from reference.saved_agents import Counted
from search.test_sampling_schemes import nodes

S, A, T = 3, 2, 40
RNG = np.random.default_rng(0)
TABLES = RNG.dirichlet([1] * S, size=(4, S, A))
REWARDS = RNG.integers(2, size=(4, S, A, S)).astype(float)


class Own(Counted):
    """It fails on the reward 7."""

    paid = 0.0

    def observe(
        self, state: int, action: int, reward: float | None, next_state: int, terminated: bool
    ) -> None:
        super().observe(state, action, reward, next_state, terminated)
        if reward == 7:
            raise RuntimeError("seven")
        self.paid += reward or 0.0


class Sparse(Own):
    """Successors in reverse order, one more for each row that can't happen."""

    def sample(self, count: int, rng: np.random.Generator) -> Any:
        tables = super().sample(count, rng)
        successors = np.broadcast_to(np.arange(len(self.counts))[::-1], tables.shape)
        return np.pad(successors, [(0, 0)] * 3 + [(0, 1)]), np.pad(
            tables[..., ::-1], [(0, 0)] * 3 + [(0, 1)]
        )

    def sample_row(self, state: int, action: int, rng: np.random.Generator) -> Any:
        return np.arange(len(self.counts))[::-1], super().sample_row(state, action, rng)[::-1]


class Shared(Own):
    """One table of successors for all worlds."""

    def sample(self, count: int, rng: np.random.Generator) -> Any:
        tables = super().sample(count, rng)
        return np.broadcast_to(np.arange(len(self.counts))[::-1], tables.shape[1:]), tables[
            ..., ::-1
        ]


class OwnBelief(Belief):
    """A belief of a user's own class, which can't be saved."""

    def __init__(self, problem: BAMDP) -> None:
        self.problem, self.seen = problem, [0]

    def learn(self, step: Step) -> None:
        self.seen.append(step.next_state)
        if (step.state, step.action) == (2, 1):
            raise ValueError("never act so")


def stay(belief: Any, scratch: Any, state: int, action: int, rng: Any) -> tuple[int, float]:
    return state, 0.0


def add(data: Any, state: int, action: int, reward: float, next_state: int) -> None:
    data[next_state] += 1 + reward


def mixed(share: Any, state: int, action: int) -> Any:
    return np.outer(share, TABLES[0, state, action]) + np.outer(1 - share, TABLES[1, state, action])


PRIORS: dict[str, Prior] = {
    "compiled": Compiled(
        stay, observe=add, belief_array=np.zeros(S), compile=False
    ),  # learns from whole steps only
    "dirichlet": Dirichlet(0.3),
    "sparse": SparseDirichlet(),
    "arms": BetaArms(2.0, [0.5, 1]),
    "finite": Finite(TABLES, [1, 2, 0, 3]),
    "finite with rewards": Finite(TABLES, rewards=np.ones((4, S, A))),
    "parametric": Parametric(mixed, np.linspace(0, 1, 7)),
    "rewards": UnknownRewards(Dirichlet(), values=[1.0, 2.0]),
    "rewards and tables": UnknownRewards(Finite(TABLES), values=[1.0, 2.0], deterministic=True),
    "normal rewards": UnknownRewards(SparseDirichlet(), outcomes=Normal(0.0, degrees=4)),
    "normal arms": NormalArms(noise=2.0),
    "sampled": Sampled(Own),
    "sampled, sparse": Sampled(Sparse, batch=7),
    "sampled, one support": Sampled(Shared),
    "lazy": Lazy(Own),
    "lazy, sparse": Lazy(Sparse),
}


def states_of(name: str) -> int:
    return {"arms": 2, "normal arms": 1}.get(name, S)


def belief(name: str) -> Any:
    problem = sized(states_of(name), A, prior=PRIORS[name], misspecified=True)  # pays anything
    return problem.belief()


def log(name: str, count: int = T) -> list[np.ndarray]:
    rng, num_states = np.random.default_rng(1), states_of(name)
    return [
        *(rng.integers(n, size=count) for n in (num_states, A)),
        np.ones(count),
        rng.integers(num_states, size=count),
    ]


def known(subject: Any) -> str:
    arrays: dict[str, Any] = {}
    state = capture(subject, arrays)
    return repr((state, {name: array.tobytes() for name, array in arrays.items()}))


@pytest.mark.parametrize("name", PRIORS)
def test_contract(name: str) -> None:
    check_prior(PRIORS[name], states_of(name), A)


@pytest.mark.parametrize("rewards", [True, False], ids=["rewards", "no rewards"])
@pytest.mark.parametrize("name", PRIORS)
def test_many_observations_are_as_many_single_ones(name: str, rewards: bool) -> None:
    if name == "compiled" and not rewards:
        return
    many, single = belief(name), belief(name)
    states, actions, paid, next_states = log(name)
    many.observe_many(states, actions, paid if rewards else None, next_states)
    for state, action, reward, next_state in zip(
        *(column.tolist() for column in log(name)), strict=True
    ):
        single.observe(state, action, reward if rewards else None, next_state)
    assert known(many) == known(single)
    assert known(many) != known(belief(name))


@pytest.mark.parametrize("name", PRIORS)
def test_nothing_is_learned_if_a_row_is_bad(name: str) -> None:
    learned = belief(name)
    learned.observe_many(*log(name, 5))
    before = known(learned)
    for column, bad, where in (
        (0, S, "states"),
        (1, A, "actions"),
        (2, np.nan, "rewards"),
        (3, -1, "next_states"),
    ):
        columns = log(name)
        columns[column][T - 2] = bad
        with pytest.raises(ValueError, match=rf"{where} must be .* at index \({T - 2},\)"):
            learned.observe_many(*columns)
        assert known(learned) == before


@pytest.mark.parametrize("name", PRIORS)
def test_a_copy_learns_alone(name: str) -> None:
    first = belief(name)
    first.observe_many(*log(name, 5))
    before, second = known(first), copy.copy(first)
    assert known(second) == before
    second.observe_many(*log(name))
    assert known(first) == before
    first.observe_many(*log(name))
    assert known(first) == known(second)


@pytest.mark.parametrize("name", [name for name in PRIORS if name.startswith(("sampled", "lazy"))])
def test_samples_of_the_user_s_posterior_have_its_mean(name: str) -> None:
    """400 draws with variances below 0.16: six standard deviations are 0.12."""
    mean = belief(name).sample(400, np.random.default_rng(0)).mean().transitions
    assert mean == pytest.approx(np.full((S, A, S), 1 / 3), abs=0.12)


def rows_of(alpha: float) -> DirichletRows:
    return DirichletRows(S, 1, alpha)


HISTORIES: dict[str, tuple[Prior, Callable[[], Any], Any, str, int]] = {
    "sampled": (Sampled(Own, batch=64), lambda: rows_of(0.2), BAMCP, "full", 20_000),
    "sampled, sparse": (Sampled(Sparse, batch=40_000), lambda: rows_of(0.2), BAMCP, "full", 20_000),
    "sampled, one support": (
        Sampled(Shared, batch=1000),
        lambda: rows_of(0.2),
        BAMCP,
        "full",
        20_000,
    ),
    "lazy": (Lazy(Own), lambda: rows_of(0.2), BAMCP, "lazy", 4000),
    "lazy, sparse": (Lazy(Sparse), lambda: rows_of(0.2), BAMCP, "lazy", 4000),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HISTORIES)
def test_histories_have_their_closed_form(name: str) -> None:
    """Of conjugate priors in tests/search/test_sampling_schemes.py."""
    prior, make_rows, agent_class, sampling, simulations = HISTORIES[name]
    settings: dict[str, Any] = (
        {} if name.startswith(("sampled", "lazy")) else {"sampling": sampling}
    )
    rows, num_states = make_rows(), S
    agent = agent_class(
        sized(num_states, 1, prior=prior), simulations=5, depth=5, seed=3, **settings
    )
    for state, next_state in [(0, 1), (0, 2), (2, 1)]:
        agent.plan(0)  # leaves most of a batch, which is not used after the observation
        agent.observe(state, 0, 0.0, next_state)
        rows = rows.after(state, 0, next_state)
    agent.simulations = simulations
    assert_multinomial(list(nodes(agent.plan(0).tree.to_dict(depth=4), rows)))


NEVER = np.array([[[1.0, 0, 1]] * A] * S)  # no transition to state 1
ALWAYS = np.broadcast_to([0.5, 0.0, 0.5], (2, S, A, S))


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (Dirichlet(NEVER), "row 3: next_state 1 .* its pseudo"),
        (Finite(ALWAYS), "row 3: next_state 1 .* no table"),
        (UnknownRewards(Dirichlet(NEVER)), "row 3: next_state 1 after state 0"),
    ],
    ids=repr,
)
def test_impossible_steps(prior: Prior, message: str) -> None:
    learned = belief_of(prior, S, A)
    before = known(learned)
    with pytest.raises(ValueError, match=message):
        learned.observe_many([0, 1, 2, 0], [0, 1, 0, 0], [0.0] * 4, [0, 2, 2, 1])
    assert known(learned) == before


def test_impossible_rewards_and_ends() -> None:
    prior = Finite(
        np.stack([TABLES[0]] * 2), rewards=[REWARDS[0], 1 - REWARDS[0]], terminal=[[2], [1]]
    )
    learned = belief_of(prior, S, A)
    paid = [REWARDS[0][0, 0, 0], 1 - REWARDS[0][0, 0, 0]]
    before = known(learned)
    with pytest.raises(
        ValueError, match=r"row 1: reward . after state 0, action 0 and next_state 0 is impossible"
    ):
        learned.observe_many([0, 0], [0, 0], paid, [0, 0], [False, False])
    with pytest.raises(TypeError, match="terminated must be given"):
        learned.observe_many([0], [0], None, [2])
    with pytest.raises(ValueError, match="row 1: an episode that ends in state 0 is impossible"):
        learned.observe_many([0, 0], [0, 0], [paid[0]] * 2, [0, 0], terminated=[False, True])
    assert known(learned) == before
    learned.observe_many([0], [0], None, [2], terminated=[True])
    assert learned.weights.tolist() == [1, 0]


@pytest.mark.parametrize("prior", [Sampled(Own), Lazy(Own)], ids=repr)
def test_what_fails_in_code_of_the_user_is_not_learned(prior: Prior) -> None:
    learned: Any = sized(S, A, prior=prior, random_rewards=True).belief()
    learned.observe(0, 0, 2.0, 1)
    before, counts = known(learned), learned.posterior.counts.copy()
    with pytest.raises(RuntimeError, match="seven"):
        learned.observe(0, 0, 7.0, 2)
    with pytest.raises(RuntimeError, match="seven"):
        learned.observe_many([0, 0, 0], [0, 0, 0], [1.0, 7.0, 1.0], [0, 0, 0])
    assert known(learned) == before
    assert learned.posterior.counts.tolist() == counts.tolist()
    assert learned.posterior.paid == 2
    own = OwnBelief(sized(S, A))
    own.observe_many([0, 1], [0, 1], None, [2, 1])
    with pytest.raises(ValueError, match="row 1: never act so"):
        own.observe_many([0, 2], [0, 1], [0.0, 0.0], [2, 2])
    assert own.seen == [0, 2, 1]


@pytest.mark.parametrize("found", names.AGENTS.find_all(), ids=lambda found: found.name)
def test_agents_learn_from_logs(found: Entry) -> None:
    domain: Domain = Bandit() if found.name == "gittins" else Chain()
    budget: dict[str, Any] = (
        {"simulations": 20} if hasattr(found.target, "plan") and found.name != "bfs3" else {}
    )
    budget = {"world": domain.mdp} if found.target.uses_true_model else budget
    many, single = (found.target(domain.problem(), seed=1, **budget) for _ in range(2))
    rng = np.random.default_rng(2)
    states, actions = (
        rng.integers(domain.num_states, size=12),
        rng.integers(domain.num_actions, size=12),
    )
    steps = [
        (int(s), int(a), *domain.step(int(s), int(a), rng))
        for s, a in zip(states, actions, strict=True)
    ]
    many.observe_many(*([step[i] for step in steps] for i in (0, 1, 3, 2)))
    for state, action, next_state, reward in steps:
        single.observe(state, action, reward, next_state)
    assert many.steps_done == 0
    many.steps_done = single.steps_done  # those before don't count
    assert [many.act(0) for _ in range(3)] == [single.act(0) for _ in range(3)]
    assert known(many) == known(single)
    if found.name not in ("oracle", "random"):
        before = known(many)
        with pytest.raises(
            ValueError, match=r"actions must be integers from 0 to ., got 9 at index \(0,\)"
        ):
            many.observe_many([0], [9], [0.0], [0])
        assert known(many) == before


AGENT: Any = BAMCP(Chain().problem())
ENDS: Any = BAMCP(sized(S, A, terminal=[2]))
test_bad_columns = rejections(
    (
        ValueError,
        "row 1: state must not be terminal",
        lambda: ENDS.observe_many([0, 2], [0, 0], [0.0, 0.0], [1, 1]),
    ),
)


# ---- observed rewards that contradict known ones

PAID = np.array([[0.0, 1.0], [2.0, 0.1], [3.0, 0.0]])
OTHERS = {"compiled", "arms", "normal arms", *(name for name in PRIORS if "rewards" in name)}
KNOWN_REWARDS = [name for name in PRIORS if name not in OTHERS]


def paying(name: str, **more: Any) -> BAMDP:
    return BAMDP(PRIORS[name], PAID, 0.9, **more)


@pytest.mark.parametrize("name", [name for name in KNOWN_REWARDS if not name.startswith("lazy")])
def test_rewards_that_the_problem_does_not_pay(name: str) -> None:
    states, actions, _, next_states = log(name)
    paid = PAID[states, actions]
    learned: Any = paying(name).belief()
    agent = BAMCP(paying(name), simulations=5)
    wrong = np.where(np.arange(T) < 3, paid, 999.0)
    for observe_many in (learned.observe_many, agent.observe_many):
        with pytest.raises(ValueError, match=r"^row 3: reward must be .*, got 999; .*random"):
            observe_many(states, actions, wrong, next_states)
    for observe in (learned.observe, agent.observe):
        with pytest.raises(ValueError, match=r"^reward must be 2, .* 0 in state 1 pays, got 999"):
            observe(1, 0, 999.0, 1)
    assert known(learned) == known(paying(name).belief())
    assert known(agent) == known(BAMCP(paying(name), simulations=5))
    rounded = paid.astype(np.float32)  # where 0.1 is another number
    learned.observe_many(states, actions, rounded, next_states)
    agent.observe_many(states, actions, paid, next_states)
    assert learned.observations == agent.belief.observations == T


@pytest.mark.parametrize("name", KNOWN_REWARDS)
@pytest.mark.parametrize("flag", ["random_rewards", "misspecified"])
def test_other_rewards_where_the_problem_says_so(name: str, flag: str) -> None:
    states, actions, _, next_states = log(name)
    other: Any = paying(name, **{flag: True}).belief()
    same = paying(name).belief()
    other.observe_many(states, actions, np.full(T, 9.0), next_states)
    same.observe_many(states, actions, None, next_states)
    other.observe(1, 0, 999.0, 1)
    same.observe(1, 0, None, 1)
    if not name.startswith(("sampled", "lazy")):  # these keep the rewards for code of the user
        assert known(other) == known(same)
    assert other.observations == T + 1


def test_rewards_by_next_state_are_named_with_it() -> None:
    domain = Bandit([0.5, 0.5])
    with pytest.raises(ValueError, match=r"arm B\) in state 0 \(failure\) pays with next_state 1"):
        domain.problem().belief().observe(0, 1, 0.0, 1)


@pytest.mark.parametrize("found", names.AGENTS.find_all(), ids=lambda found: found.name)
def test_agents_learn_from_logs_without_rewards(found: Entry) -> None:
    """As if the problem's rewards had been recorded."""
    domain: Domain = Bandit() if found.name == "gittins" else Chain()
    budget: dict[str, Any] = {"world": domain.mdp} if found.target.uses_true_model else {}
    without, recorded = (found.target(domain.problem(), seed=1, **budget) for _ in range(2))
    states, actions, next_states = [0, 1, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]
    paid = [domain.rewards[step] for step in zip(states, actions, next_states, strict=True)]
    without.observe_many(states, actions, None, next_states)
    recorded.observe_many(states, actions, paid, next_states)
    assert known(without) == known(recorded)


@pytest.mark.parametrize("name", ["rewards", "finite with rewards", "compiled", "lazy"])
def test_rewards_are_needed_where_the_problem_does_not_say_what_they_are(name: str) -> None:
    agent = BAMCP(sized(S, A, prior=PRIORS[name]), simulations=5)
    with pytest.raises(TypeError, match=r"^rewards must be the reward of each step, .*got None"):
        agent.observe_many([0], [0], None, [0])
