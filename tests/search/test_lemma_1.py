"""Lemma 1: under a fixed policy the histories of BAMCP (one sample per simulation) and of BA-UCT
have one distribution.

A search of one simulation follows the roll-out policy alone. Rewards are the digits of a number:
the return spells the history.
"""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bamdp import BAMDP
from bamdp.agents import BAMCP, BAUCT
from bamdp.prior import Prior
from bamdp.priors import Dirichlet, SparseDirichlet
from reference.comparison import assert_multinomial, assert_same_distribution
from reference.histories import History, histories
from reference.rows import DirichletRows, Rows, SparseRows

S, A, STEPS = 3, 2, 3
BASE = 32  # a power of two above S·A·S: returns are exact
DIGITS = np.arange(S * A * S, dtype=float).reshape(S, A, S)
OBSERVED = [(0, 0, 0.0, 0), (0, 1, 1.0, 2), (2, 0, 0.0, 0), (0, 0, 0.5, 1), (1, 1, 0.2, 1)]
DRAWS = 10_000

CASES: dict[str, tuple[Prior, Rows]] = {
    "dirichlet": (Dirichlet(0.5), DirichletRows(S, A, 0.5)),
    "sparse": (SparseDirichlet(0.6, 1.0), SparseRows(S, A, 0.6, 1.0)),
}
SCHEMES = [(BAMCP, "lazy"), (BAUCT, "resampled"), (BAMCP, "full"), (BAMCP, "collapsed")]


def spelled(value: float) -> History:
    """The history whose digits make up `value`."""
    digits = []
    for _ in range(STEPS):
        digits.append(int(value))
        value = (value - int(value)) * BASE
    assert value == 0
    return tuple((digit // S % A, digit % S) for digit in digits)


def simulated(agent: BAMCP) -> Counter[History]:
    return Counter(spelled(agent.plan(0).value) for _ in range(DRAWS))


def learned_policy(agent: BAMCP) -> Any:
    """What the roll-out policy should be: greedy on Q-learning from the observed steps but for
    epsilon.
    """
    q = np.zeros((S, A))
    for state, action, reward, next_state in OBSERVED:
        q[state, action] += 0.2 * (
            reward + agent.problem.discount * q[next_state].max() - q[state, action]
        )

    def policy(state: int) -> NDArray[np.float64]:
        greedy = q[state] == q[state].max()
        chances: NDArray[np.float64] = 0.3 / A + 0.7 * greedy / greedy.sum()
        return chances

    return policy


@pytest.mark.parametrize("case", CASES)
def test_histories_of_both_have_one_distribution(case: str) -> None:
    prior, empty = CASES[case]
    found = []
    for agent_class, sampling in SCHEMES:
        rows: Rows = empty
        problem = BAMDP(prior, DIGITS, 1 / BASE, misspecified=True)  # others teach the roll-outs
        settings: dict[str, Any] = {"depth": STEPS, "sampling": sampling, "epsilon": 0.3}
        agent = agent_class(problem, simulations=1, seed=2, **settings)
        for step in OBSERVED:
            agent.observe(*step)
            rows = rows.after(step[0], step[1], step[3])
        found.append(simulated(agent))
        assert_multinomial([(found[-1], histories(rows, 0, STEPS, learned_policy(agent)))])
    for other in found[1:]:
        assert_same_distribution(found[0], other)
