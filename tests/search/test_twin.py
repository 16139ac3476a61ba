"""The core against the slow twin of tests/reference, in distribution: both search many times, and
all statistics must agree.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bamdp import BAMDP
from bamdp.agents import BAMCP
from bamdp.prior import Prior
from bamdp.priors import Dirichlet, SparseDirichlet
from reference.comparison import assert_same_distribution, assert_same_means
from reference.rows import DirichletRows, Rows, SparseRows
from reference.twin import Twin

pytestmark = pytest.mark.slow

S, A = 3, 2
REWARDS = np.array([[0.1, 0.0], [0.0, 0.5], [1.0, 0.3]])
BY_NEXT_STATE = np.arange(0, 90, 5, dtype=float).reshape(S, A, S) % 7 / 4
OBSERVED = [
    (0, 0, 0.1, 1),
    (1, 1, 0.5, 2),
    (2, 0, 1.0, 0),
    (0, 1, 0.0, 0),
    (0, 0, 0.1, 1),
    (1, 0, 0.0, 0),
]
AUTHORS = {"variant": "program"}


@dataclass(frozen=True)
class Case:
    settings: dict[str, Any]
    simulations: int = 25
    discount: float = 0.9
    depth: int = 4
    rewards: NDArray[np.float64] = field(default_factory=lambda: REWARDS)
    observed: int = 0  # how many of the steps above
    sparse: bool = False

    def prior(self) -> Prior:
        return SparseDirichlet(0.5, 1.0) if self.sparse else Dirichlet(0.5)

    def rows(self) -> Rows:
        return SparseRows(S, A, 0.5, 1.0) if self.sparse else DirichletRows(S, A, 0.5)


CASES = {
    "paper": Case({"exploration": 1.0}),
    "authors": Case({"exploration": 1.0, **AUTHORS}),
    "sparse, seen": Case({"exploration": 0.7, "epsilon": 0.2}, observed=6, sparse=True),
    "uniform roll-outs": Case({"exploration": 0.5, "rollouts": "uniform"}, observed=6),
    "learned roll-outs": Case(
        {"exploration": 0.5, "epsilon": 0.3, "learning_rate": 0.5}, observed=6
    ),
    "learned, authors": Case({"exploration": 0.5, "epsilon": 0.0, **AUTHORS}, observed=6),
    "no discount": Case(
        {"exploration": 0.3}, rewards=BY_NEXT_STATE, discount=0.0, depth=2, observed=3
    ),
    "rewards by next state": Case({"exploration": 0.5}, rewards=BY_NEXT_STATE, depth=3),
    "one step": Case({"exploration": 0.3}, rewards=BY_NEXT_STATE, depth=1, simulations=40),
}
SEARCHES = {"twin": 300, "core": 2000}
NAMES = ["Q(0)", "Q(1)", "N(0)", "N(0)²", "depth", "nodes", "value of the decision"]


def of_the_core(case: Case) -> tuple[list[list[float]], list[int]]:
    settings = {"simulations": case.simulations, "depth": case.depth, **case.settings}
    # Whatever the rewards, those observed are the ones of OBSERVED.
    problem = BAMDP(case.prior(), case.rewards, case.discount, misspecified=True)
    agent = BAMCP(problem, sampling="lazy", **settings)
    features, actions = [], []
    for seed in range(SEARCHES["core"]):
        agent.reset(seed)
        for step in OBSERVED[: case.observed]:
            agent.observe(*step)
        plan = agent.plan(0)
        n = int(plan.visits[0])
        features.append([*plan.q_values, n, n**2, plan.depth, plan.tree.num_nodes, plan.value])
        actions.append(plan.action)
    return features, actions


def of_the_twin(case: Case) -> tuple[list[list[float]], list[int]]:
    given = dict(case.settings)
    as_program = given.pop("variant", "paper") == "program"
    if given.pop("rollouts", "learned") == "uniform":
        given["epsilon"] = 1.0
    features, actions = [], []
    for seed in range(SEARCHES["twin"]):
        twin = Twin(
            case.rows(),
            case.rewards,
            case.discount,
            case.depth,
            as_program,
            np.random.default_rng(seed),
            **given,
        )
        for step in OBSERVED[: case.observed]:
            twin.observe(*step)
        actions.append(twin.search(0, case.simulations))
        n = twin.N_action[(), 0]
        q = [twin.Q[(), a] for a in range(A)]
        features.append([*q, n, n**2, twin.depth, len(twin.N), q[actions[-1]]])
    return features, actions


@pytest.mark.parametrize("name", CASES)
def test_the_core_searches_like_the_twin(name: str) -> None:
    core, core_actions = of_the_core(CASES[name])
    twin, twin_actions = of_the_twin(CASES[name])
    for i, what in enumerate(NAMES):
        assert_same_means([row[i] for row in core], [row[i] for row in twin], what)
    counts = [{a: actions.count(a) for a in range(A)} for actions in (core_actions, twin_actions)]
    assert_same_distribution(counts[0], counts[1])
