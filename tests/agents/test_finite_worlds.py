"""BEB and SBOSS in a finite set of worlds, which has no pseudo-counts: visits, and the variance over the worlds."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp import BAMDP
from bamdp.agents import BEB, BFS3, SBOSS, PosteriorMean
from bamdp.domains import Chain, GridNavi
from bamdp.priors import Dirichlet, Finite, Parametric, SharedSlip, UnknownRewards
from reference.problems import belief_of

CHAIN = Chain()
STEADY = Chain(slip=0.0)
NEXT = STEADY.transitions.argmax(axis=2)
PAID = np.stack([CHAIN.rewards, CHAIN.rewards[:, ::-1], 2 * CHAIN.rewards])  # [M, S, A, S]


def slipping(slip: Any, state: int, action: int) -> Any:
    """Rows that are a mixture of both actions."""
    return (1 - slip)[:, None] * STEADY.transitions[state, action] + slip[:, None] * STEADY.transitions[state, 1 - action]


POINTS = np.linspace(0.02, 0.6, 30)
TABLES = np.stack([[[slipping(np.array([p]), s, a)[0] for a in range(2)] for s in range(5)] for p in POINTS])
PRIORS = {
    "finite": Finite(TABLES, weights=np.arange(1.0, 31.0)),
    "with rewards": Finite(TABLES[:3], rewards=PAID.max(axis=3)),
    "of transitions": Finite(TABLES[:3], rewards=PAID),
    "terminal": Finite(TABLES[:3], terminal=[[4], [4], [3]]),
    "parameter": Parametric(slipping, POINTS),
    "slip": SharedSlip(NEXT, NEXT[:, ::-1], slips=1, holds=3),
}


def walked(agent: Any, steps: int, seed: int) -> list[tuple[int, int]]:
    """Give an agent steps of the chain, with rewards of its first world; return the pairs."""
    rng, state, pairs = np.random.default_rng(seed), 0, []
    paid = np.asarray(agent.problem.prior.rewards)[0] if agent.belief.has_rewards else CHAIN.rewards
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
    """Against value iteration in the mean of the worlds; in a state of the terminal kind, of those where it is not."""
    agent = BEB(BAMDP(PRIORS[name], CHAIN.rewards, 0.9), beta=3.0, tolerance=1e-9)
    pairs = walked(agent, 12, seed=1)
    visits = np.zeros((5, 2))
    for pair in pairs:
        visits[pair] += 1
    assert visits.sum() > 3
    model, values = agent.belief.mean(), np.zeros(5)
    for _ in range(400):
        q = model.expected_rewards + 3.0 / (1 + visits) + 0.9 * model.going_on @ values
        values = q.max(axis=1)
    assert np.allclose([agent.q_values(s) for s in range(3)], q[:3], atol=1e-7)
    assert not np.allclose(agent.q_values(0), PosteriorMean(BAMDP(PRIORS[name], CHAIN.rewards, 0.9)).q_values(0))


@pytest.mark.parametrize("name", PRIORS)
def test_the_variance_is_that_of_samples(name: str) -> None:
    """4000 samples: within 8 standard errors of a variance of numbers in [0, 1]; false alarm below 1e-9 for each table."""
    belief = belief_of(PRIORS[name], 5, 2)
    for state in [0, 1] * 3:
        belief.observe(state, 0, None, state + 1)
    drawn = belief.sample(4000, np.random.default_rng(0)).transitions
    centre = drawn.mean(axis=0)
    spread = ((drawn - centre) ** 2).std(axis=0) / np.sqrt(len(drawn))
    assert np.all(np.abs(belief.variance() - drawn.var(axis=0)) <= 8 * spread + 1e-12)
    assert belief.variance().max() > 1e-4


@pytest.mark.parametrize("kind", [BEB, SBOSS])
@pytest.mark.parametrize("name", ["finite", "with rewards"])
def test_a_saved_one_goes_on_as_it_was(kind: Any, name: str, tmp_path: Path) -> None:
    agent = kind(BAMDP(PRIORS[name], CHAIN.rewards, 0.9, horizon=30), seed=4)
    agent.act(0)
    walked(agent, 5, seed=2)
    agent.save(tmp_path / "agent")
    loaded: Any = bamdp.load(tmp_path / "agent")
    assert loaded.steps_left == agent.steps_left < 30
    for step in range(20):
        values = agent.q_values(step % 4)
        assert np.array_equal(values, loaded.q_values(step % 4))
        for one in (agent, loaded):
            walked(one, 1, seed=step)


def test_those_that_cannot_say_who_can() -> None:
    with pytest.raises(TypeError, match=r"pay random rewards.*PosteriorMean needs only the mean, BAMCP needs only a model"):
        BFS3(BAMDP(UnknownRewards(PRIORS["finite"]), CHAIN.rewards, 0.9))
    with pytest.raises(TypeError, match=r"deviation\(\) is of counts, and Finite\(30 worlds\) has no pseudo-counts"):
        SBOSS(BAMDP(PRIORS["finite"], CHAIN.rewards, 0.9)).deviation(0, 0, {}, {1: 1})
    assert SBOSS(BAMDP(Dirichlet(), CHAIN.rewards, 0.9)).deviation(0, 0, {}, {1: 1}) > 0


def test_many_steps_are_as_many_visits() -> None:
    one, many = (BEB(BAMDP(PRIORS["parameter"], CHAIN.rewards, 0.9), beta=3.0) for _ in range(2))
    steps = [(0, 0, 0.0, 1), (1, 0, 0.0, 2), (2, 1, 2.0, 0), (0, 0, 0.0, 1)]
    for step in steps:
        one.observe(*step)
    many.observe_many(*map(list, zip(*steps, strict=True)))
    assert np.array_equal(one.q_values(1), many.q_values(1))


@pytest.mark.parametrize("criterion", ["deviation", "variance"])
def test_sboss_draws_when_a_row_has_moved(criterion: Any) -> None:
    """Against the formula, with mean and variance at the last sampling by hand."""
    prior = PRIORS["finite"]
    agent = SBOSS(
        BAMDP(prior, CHAIN.rewards, 0.9), models=2, delta=0.7 if criterion == "deviation" else 5.0, criterion=criterion
    )
    agent.act(0)
    slow = belief_of(prior, 5, 2)
    mean, variance = slow.mean().transitions, slow.variance()
    drawn, expected, rng, state = [], [], np.random.default_rng(3), 0
    for step in range(60):
        action = int(rng.integers(2))
        next_state = int(rng.choice(5, p=TABLES[-1][state, action]))
        agent.observe(state, action, 0.0, next_state)
        slow.observe(state, action, None, next_state)
        spread = variance[state, action] if criterion == "variance" else np.sqrt(variance[state, action])
        seen = spread > 0
        moved = np.abs(mean[state, action] - slow.predictive(state, action))[seen] / spread[seen]
        if moved.sum() > agent.delta:
            expected.append(step)
            mean, variance = slow.mean().transitions, slow.variance()
        if agent._due:
            drawn.append(step)
        agent.act(next_state)
        state = next_state
    assert drawn == expected
    assert 1 < len(drawn) < 40


def test_sboss_draws_when_a_world_is_ruled_out() -> None:
    """In GridNavi all is known but the goal: a new cell that does not pay rules it out, and an old one teaches nothing."""
    domain = GridNavi(3, episode_length=9, episodes=1)
    agent = SBOSS(domain.problem(), delta=1e9)
    agent.act(0)
    due = []
    for state, action, next_state in [(0, 2, 1), (1, 2, 2), (2, 4, 1), (1, 2, 2), (2, 3, 5)]:
        agent.observe(state, action, -0.1, next_state)
        due.append(agent._due)
        agent.act(next_state)
    assert due == [False, True, False, False, True]
