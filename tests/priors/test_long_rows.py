"""Rows observed more often than their draws are kept one by one: the same distribution, and memory that no longer grows."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy import stats

import bamdp
from bamdp import BAMDP, priors
from bamdp.agents import BAMCP

SEEN = {0: 0.7, 1: 0.25, 2: 0.05}
SIMULATIONS = 20_000
FALSE_ALARM = 1e-7  # of each of 4 agents × 2 levels: below 1e-6 together


def observations(count: int) -> Iterator[int]:
    """Next states after state 0, in an order that is not that of their numbers."""
    yield from np.random.default_rng(0).choice(list(SEEN), size=count, p=list(SEEN.values())).tolist()


def watched(prior: Any, count: int, *, every: int) -> BAMCP:
    """An agent that has seen state 0 so often, and planned after each `every` steps: urns grow one by one, or are made anew."""
    agent = BAMCP(BAMDP(prior, np.zeros((6, 1)), 0.5), depth=3, simulations=1, rollouts="uniform", seed=1)
    for i, next_state in enumerate(observations(count)):
        agent.observe(0, 0, 0.0, next_state)
        if i % every == 0:
            agent.act(0)
    return agent


@pytest.mark.slow
@pytest.mark.parametrize("every", [1, 7])
@pytest.mark.parametrize("prior", [priors.Dirichlet(), priors.SparseDirichlet()], ids=["dirichlet", "sparse"])
def test_successors_have_the_predictive_distribution(prior: Any, every: int) -> None:
    agent = watched(prior, 20_000, every=every)
    agent.simulations = SIMULATIONS
    expected = agent.belief.predictive(0, 0)
    root = agent.plan(0).tree.to_dict(depth=2)
    first = {child["state"]: child for child in root["actions"][0]["children"]}
    second = {child["state"]: child for child in first[0]["actions"][0]["children"]}
    for found in (first, second):  # a draw hardly changes an urn of so many: the second is distributed as the first
        n = np.array([found[s]["visits"] if s in found else 0 for s in SEEN])
        p = expected[list(SEEN)] / expected[list(SEEN)].sum()
        assert stats.chisquare(n, n.sum() * p).pvalue > FALSE_ALARM


@pytest.mark.slow
def test_memory_does_not_grow_with_the_length_of_a_run() -> None:
    """What is saved is what is kept."""
    for prior in (priors.Dirichlet(), priors.SparseDirichlet()):
        sizes = [len(watched(prior, count, every=1)._search.state()) for count in (3000, 6000, 12_000)]
        assert sizes[0] < sizes[1] == sizes[2]


def test_an_agent_with_long_rows_goes_on(tmp_path: Any) -> None:
    agent = watched(priors.SparseDirichlet(), 6000, every=1)
    agent.save(tmp_path / "agent")
    loaded = bamdp.load(tmp_path / "agent")
    for _ in range(50):
        assert agent.plan(0).q_values.tolist() == loaded.plan(0).q_values.tolist()  # type: ignore[attr-defined]
        for one in (agent, loaded):
            one.observe(0, 0, 0.0, 2)
