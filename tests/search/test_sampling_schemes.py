"""Full, lazy, collapsed and resampled sampling draw the same histories: those of the chain rule of
predictive probabilities.

With one action every simulation is a draw of a history, and the tree counts its prefixes. The first
visit of a node is the one that adds it and ends there, so the visits of its children are a
multinomial draw of one less than its own visits.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP
from bamdp.agents import BAMCP, BAUCT
from bamdp.prior import Prior
from bamdp.priors import BetaArms, Dirichlet, SparseDirichlet
from bamdp.search.planner import Planner
from reference.comparison import Z_BOUND, assert_multinomial, errors_of_returns
from reference.histories import expected_return
from reference.rows import DirichletRows, Rows, SparseRows

SCHEMES: list[tuple[type[BAMCP], str]] = [
    (BAMCP, "full"),
    (BAMCP, "lazy"),
    (BAMCP, "collapsed"),
    (BAUCT, "resampled"),
    (BAUCT, "collapsed"),
]
IDS = [f"{agent.__name__}-{sampling}" for agent, sampling in SCHEMES]
TABLE = np.array(
    [[[1, 0, 2]], [[0.5, 0.5, 0]], [[0.1, 0.1, 3]]]
)  # zeros, and self-loops: rows are met again in a history
UNEQUAL = np.array(
    [[[1, 1, 1]], [[5, 5, 5]], [[0.1, 0.1, 0.1]]]
)  # a row taken for another state's shows
SEEN = [(0, 0), (0, 0), (0, 2), (2, 2)]

CASES: dict[str, tuple[Prior, Callable[[], Rows], list[tuple[int, int]]]] = {
    "dirichlet": (Dirichlet(0.4), lambda: DirichletRows(3, 1, 0.4), []),
    "dirichlet, seen": (Dirichlet(0.4), lambda: DirichletRows(3, 1, 0.4), SEEN),
    "row of pseudo-counts": (
        Dirichlet([0.2, 1.5, 0.3]),
        lambda: DirichletRows(3, 1, [0.2, 1.5, 0.3]),
        SEEN,
    ),
    "table of pseudo-counts": (Dirichlet(TABLE), lambda: DirichletRows(3, 1, TABLE), SEEN),
    "unequal masses": (
        Dirichlet(UNEQUAL),
        lambda: DirichletRows(3, 1, UNEQUAL),
        [(0, 0), (0, 1), (0, 2)],
    ),
    "sparse": (SparseDirichlet(), lambda: SparseRows(4, 1, 0.2, 2.0), []),
    "sparse, seen": (SparseDirichlet(0.7, 1.0), lambda: SparseRows(4, 1, 0.7, 1.0), SEEN),
    "tied arms": (BetaArms(0.5, 1.5), lambda: DirichletRows(2, 1, [1.5, 0.5], tied=True), []),
    "tied arms, seen": (
        BetaArms(0.5, 1.5),
        lambda: DirichletRows(2, 1, [1.5, 0.5], tied=True),
        [(0, 1), (1, 1), (1, 0)],
    ),
}
SIMULATIONS, DEPTH, DISCOUNT = 20_000, 6, 0.9


def prepared(
    case: str, agent_class: type[BAMCP], sampling: Any, **settings: Any
) -> tuple[Planner, Rows]:
    """The agent and the reference after what the case has seen; the agent plans in between, so its
    model grows bit by bit.
    """
    prior, make_rows, seen = CASES[case]
    rows = make_rows()
    rewards = np.arange(rows.num_states, dtype=float)[:, None] ** 2
    settings = {"depth": DEPTH, "sampling": sampling, "seed": 5, **settings}
    agent = agent_class(BAMDP(prior, rewards, DISCOUNT), simulations=100, **settings)
    for state, next_state in seen:
        agent.plan(state)
        agent.observe(state, 0, float(rewards[state, 0]), next_state)
        rows.observe(state, 0, next_state)
    agent.simulations = SIMULATIONS
    return agent, rows


def nodes(node: dict[str, Any], rows: Rows) -> Iterator[tuple[dict[int, int], dict[int, float]]]:
    """For each node of the tree worth the time: the visits of its children, and the probabilities
    of each.
    """
    (edge,) = node["actions"]
    visits = {child["state"]: child["visits"] for child in edge["children"]}
    assert sum(visits.values()) == node["visits"] - 1
    yield visits, dict(enumerate(rows.predictive(node["state"], 0)))
    for child in edge["children"]:
        if child["visits"] >= 50 and child["actions"][0]["children"]:
            yield from nodes(child, rows.after(node["state"], 0, child["state"]))


@pytest.mark.slow
@pytest.mark.parametrize(("agent_class", "sampling"), SCHEMES, ids=IDS)
@pytest.mark.parametrize("case", CASES)
def test_histories_have_their_closed_form(
    case: str, agent_class: type[BAMCP], sampling: str
) -> None:
    agent, rows = prepared(case, agent_class, sampling)
    plan = agent.plan(0)
    assert_multinomial(list(nodes(plan.tree.to_dict(depth=DEPTH - 1), rows)))
    expected = expected_return(rows, 0, DEPTH, agent.problem.rewards, DISCOUNT)
    assert abs(plan.q_values[0] - expected) < Z_BOUND * errors_of_returns(plan)[0]


@pytest.mark.slow
def test_states_are_met_first_in_a_simulation_forgotten_and_then_observed() -> None:
    """A large world of which little is known: most successors are new to the model, and some become
    known later.
    """
    S = 200
    rows = SparseRows(S, 1, 0.5, 1.0)
    agent = BAMCP(
        BAMDP(SparseDirichlet(0.5, 1.0), np.zeros((S, 1)), 0.9), simulations=10_000, depth=5, seed=1
    )
    for state, next_state in [(0, 7), (7, 0), (0, 150), (150, 150), (0, 7)]:
        agent.observe(state, 0, 0.0, next_state)
        rows.observe(state, 0, next_state)
        assert_multinomial(list(nodes(agent.plan(0).tree.to_dict(depth=3), rows)))


@pytest.mark.parametrize(("agent_class", "sampling"), SCHEMES, ids=IDS)
@pytest.mark.parametrize("prior", [Dirichlet(1e-12), SparseDirichlet(1e-12)], ids=repr)
@pytest.mark.parametrize("between", [1, 2, 3, 4])
def test_all_that_was_observed_between_two_searches_counts(
    agent_class: type[BAMCP], sampling: Any, prior: Prior, between: int
) -> None:
    """Under a prior of hardly any weight what was seen once is sure: a way around is simulated
    exactly as it was gone.
    """
    S = between
    rewards = 10.0 ** np.arange(S)[:, None]
    agent = agent_class(BAMDP(prior, rewards, DISCOUNT), simulations=30, depth=S, sampling=sampling)
    agent.plan(0)
    for state in range(S):
        agent.observe(state, 0, float(rewards[state, 0]), (state + 1) % S)
    assert agent.plan(0).q_values[0] == pytest.approx(
        sum(DISCOUNT**t * 10.0**t for t in range(S)), rel=1e-12
    )
