"""BEB with priors that have no pseudo-counts: its bonus counts visits alone."""

from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP
from bamdp.agents import BEB, PosteriorMean
from bamdp.domains import Chain
from bamdp.mdp import continuation
from bamdp.priors import Finite, Parametric

CHAIN = Chain()
STEADY = Chain(slip=0.0)
NEXT = STEADY.transitions.argmax(axis=2)
PAID = np.stack([CHAIN.rewards, CHAIN.rewards[:, ::-1], 2 * CHAIN.rewards])  # [M, S, A, S]


def slipping(slip: Any, state: int, action: int) -> Any:
    """Rows that are a mixture of both actions."""
    return (1 - slip)[:, None] * STEADY.transitions[state, action] + slip[
        :, None
    ] * STEADY.transitions[state, 1 - action]


POINTS = np.linspace(0.02, 0.6, 30)
TABLES = np.stack(
    [[[slipping(np.array([p]), s, a)[0] for a in range(2)] for s in range(5)] for p in POINTS]
)
PRIORS = {
    "finite": Finite(TABLES, weights=np.arange(1.0, 31.0)),
    "with rewards": Finite(TABLES[:3], rewards=PAID.max(axis=3)),
    "of transitions": Finite(TABLES[:3], rewards=PAID),
    "terminal": Finite(TABLES[:3], terminal=[[4], [4], [3]]),
    "parameter": Parametric(slipping, POINTS),
}


def walked(agent: Any, steps: int, seed: int) -> list[tuple[int, int]]:
    """Give an agent steps of the chain, with rewards of its first world; return the pairs."""
    rng, state, pairs = np.random.default_rng(seed), 0, []
    paid = (
        np.asarray(agent.problem.prior.rewards)[0]
        if agent.belief.problem.prior.unknown_rewards
        else CHAIN.rewards
    )
    paid = paid if paid.ndim == 3 else paid[:, :, None] * np.ones(5)
    for _ in range(steps):
        action = int(rng.integers(2))
        next_state = int(rng.choice(5, p=TABLES[0][state, action]))
        if next_state == 4:
            break
        agent.observe(state, action, float(paid[state, action, next_state]), next_state)
        pairs.append((state, action))
        state = next_state
    return pairs


@pytest.mark.parametrize("name", PRIORS)
def test_beb_is_the_mean_with_a_bonus_of_visits(name: str) -> None:
    """Against value iteration in the mean of the worlds; in a state of the terminal kind, of those
    where it is not.
    """
    agent = BEB(BAMDP(PRIORS[name], CHAIN.rewards, 0.9), beta=3.0, tolerance=1e-9)
    pairs = walked(agent, 12, seed=1)
    visits = np.zeros((5, 2))
    for pair in pairs:
        visits[pair] += 1
    assert visits.sum() > 3
    model, values = agent.belief.mean(), np.zeros(5)
    for _ in range(400):
        q = model.expected_rewards + 3.0 / (1 + visits) + 0.9 * continuation(model) @ values
        values = q.max(axis=1)
    assert np.allclose([agent.q_values(s) for s in range(3)], q[:3], atol=1e-7)
    assert not np.allclose(
        agent.q_values(0), PosteriorMean(BAMDP(PRIORS[name], CHAIN.rewards, 0.9)).q_values(0)
    )


def test_many_steps_are_as_many_visits() -> None:
    one, many = (BEB(BAMDP(PRIORS["parameter"], CHAIN.rewards, 0.9), beta=3.0) for _ in range(2))
    steps = [(0, 0, 0.0, 1), (1, 0, 0.0, 2), (2, 1, 2.0, 0), (0, 0, 0.0, 1)]
    for step in steps:
        one.observe(*step)
    many.observe_many(*map(list, zip(*steps, strict=True)))
    assert np.array_equal(one.q_values(1), many.q_values(1))
