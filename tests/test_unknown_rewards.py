"""Rewards that are learned: exact Bayes, exact values, and an agent that looks for reward."""

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp.agents import BAMCP, BAUCT
from bamdp.domains import Tabular
from bamdp.prior import Prior
from bamdp.priors import BetaArms, Dirichlet, Finite, SharedSlip, SparseDirichlet, UnknownRewards
from bamdp.testing import check_prior
from reference.belief_tree import action_values
from reference.comparison import Z_BOUND

SWITCH = np.array([[[1, 0], [0, 1.0]], [[0, 1], [1, 0]]])  # action 0 stays, action 1 switches
KNOWN = Finite(SWITCH[None])
SLIP = SharedSlip([[0, 1], [1, 0]], [[1, 0], [0, 1]], slips=1e-9, holds=1.0)  # practically the same
VALUES = (0.0, 1.0, -2.0)
ALPHA = (0.5, 1.0, 0.25)


def exact(deterministic: bool) -> Any:
    """Known transitions; the belief is the counts of every reward, [S, A, V] as a tuple."""

    def outcomes(belief: Hashable, state: int, action: int) -> Iterator[Any]:
        n = np.array(belief).reshape(2, 2, 3)
        seen = n[state, action]
        weights = (seen > 0) * 1.0 if deterministic and seen.any() else seen + np.array(ALPHA)
        for value, p in enumerate(weights / weights.sum()):
            if p > 0:
                after = n.copy()
                after[state, action, value] += 1
                yield p, state ^ action, VALUES[value], False, tuple(after.ravel().tolist())

    return outcomes


@pytest.mark.parametrize("deterministic", [False, True])
@pytest.mark.parametrize("transitions", [KNOWN, SLIP], ids=["finite", "slip"])
def test_the_root_value_is_the_exact_one(transitions: Prior, deterministic: bool) -> None:
    prior = UnknownRewards(transitions, VALUES, ALPHA, deterministic)
    agent = BAMCP(prior, np.full((2, 2), 77.0), 0.8, simulations=50_000, horizon=4, exploration=3.0, seed=3)
    agent.observe(0, 0, 1.0, 0)
    n = np.zeros((2, 2, 3))
    n[0, 0, 1] = 1
    expected = action_values(exact(deterministic), tuple(n.ravel().tolist()), 0, steps=4, num_actions=2, discount=0.8)
    assert agent.plan(0).values.max() == pytest.approx(expected.max(), abs=0.04)


@pytest.mark.parametrize("transitions", [Dirichlet(0.7), SparseDirichlet(0.7)], ids=repr)
@pytest.mark.parametrize("agent_class", [BAMCP, BAUCT])
@pytest.mark.parametrize("sampling", ["collapsed", "lazy"])
def test_rewards_of_a_fixed_policy(transitions: Prior, agent_class: type[BAMCP], sampling: Any) -> None:
    """One action: each step earns Σ alpha v / Σ alpha on average, whatever the transitions are, until something was seen."""
    sampling = "resampled" if agent_class is BAUCT else sampling
    prior = UnknownRewards(transitions, VALUES, ALPHA)
    agent = agent_class(prior, np.zeros((5, 1)), 0.9, simulations=20_000, horizon=4, sampling=sampling, seed=1)
    plan = agent.plan(0)
    mean = np.dot(VALUES, ALPHA) / np.sum(ALPHA)
    assert abs(plan.values[0] - mean * (1 + 0.9 + 0.81 + 0.729)) < Z_BOUND * plan.standard_errors[0]
    for _ in range(30):
        agent.observe(2, 0, 1.0, 2)
    first = BAMCP(prior, np.zeros((5, 1)), 0.0, simulations=20_000, horizon=1, seed=1)
    for _ in range(30):
        first.observe(2, 0, 1.0, 2)
    plan = first.plan(2)
    assert abs(plan.values[0] - (31 - 0.5) / 31.75) < Z_BOUND * plan.standard_errors[0]


def test_draws_of_one_place_hang_together() -> None:
    """Two steps in one place: the variance of the return shows whether rewards are drawn from one theta or anew."""
    prior = UnknownRewards(Finite(np.ones((1, 1, 1, 1))), (0.0, 1.0))
    plan = BAMCP(prior, np.zeros((1, 1)), 0.999999, simulations=40_000, horizon=2, seed=1).plan(0)
    variance = plan.standard_errors[0] ** 2 * 40_000
    assert variance == pytest.approx(2 / 3, abs=0.02)  # of the sum of two draws of an urn; independent ones have 1/2


def test_the_tree_branches_on_rewards() -> None:
    tree = BAMCP(UnknownRewards(KNOWN, VALUES), np.zeros((2, 2)), 0.9, simulations=1000).plan(0).tree.to_dict(depth=1)
    assert [len(edge["children"]) for edge in tree["actions"]] == [3, 3]
    assert {child["state"] for child in tree["actions"][1]["children"]} == {1}


def test_a_tree_is_kept() -> None:
    agent = BAMCP(UnknownRewards(KNOWN), np.zeros((2, 2)), 0.9, simulations=500, reuse_tree=True)
    agent.plan(0)
    agent.observe(0, 1, 1.0, 1)
    assert agent.plan(1).visits.sum() > 500


def test_predictive_rewards() -> None:
    belief = UnknownRewards(Dirichlet(), VALUES, ALPHA).belief(3, 2)
    belief.observe_step(1, 0, -2.0, 2)
    belief.observe_step(1, 0, 1.0, 2)
    assert belief.reward_probabilities(1, 0) == pytest.approx(np.array([0.5, 2.0, 1.25]) / 3.75)
    assert belief.mean_reward(1, 0) == pytest.approx((2.0 - 2.5) / 3.75)
    assert belief.transitions.counts(1, 0) == {2: 2}  # type: ignore[attr-defined]


def test_it_keeps_the_contract() -> None:
    check_prior(UnknownRewards(Dirichlet()), 3, 2)


def test_it_finds_the_reward() -> None:
    """A ring of known moves; one unknown place pays. What the agent is told of rewards is wrong and must not matter."""
    S = 5
    moves = np.zeros((1, S, 2, S))
    moves[0, range(S), 0, range(S)] = moves[0, range(S), 1, np.roll(range(S), -1)] = 1
    rewards = np.zeros((S, 2))
    rewards[3, 0] = 1
    world = Tabular(moves[0], rewards, 0.9)
    prior = UnknownRewards(Finite(moves), alpha=(0.8, 0.2), deterministic=True)
    agent = BAMCP(prior, -rewards, 0.9, simulations=300, seed=0)
    assert bamdp.run(agent, world, steps=60, seed=0).rewards[30:].sum() == 30


def test_mistakes() -> None:
    belief = UnknownRewards(Dirichlet(), (0, 1), deterministic=True).belief(3, 2)
    belief.observe_step(0, 0, 1.0, 1)
    with pytest.raises(ValueError, match="reward 0 after state 0 and action 0 is impossible"):
        belief.observe_step(0, 0, 0.0, 1)
    with pytest.raises(ValueError, match=r"one of the declared values \[0.0, 1.0\], got 0.5"):
        belief.observe_step(0, 0, 0.5, 1)
    with pytest.raises(ValueError, match="next_state"):
        belief.observe_step(1, 1, 1.0, 3)
    assert belief.reward_probabilities(1, 1).tolist() == [0.5, 0.5]  # nothing was learned from half a step
    with pytest.raises(TypeError, match="can't give predictive"):
        belief.mean()
    with pytest.raises(TypeError, match="unknown rewards go with"):
        UnknownRewards(BetaArms()).belief(2, 2)
    with pytest.raises(TypeError, match="transitions must be a prior"):
        UnknownRewards((0, 1))  # type: ignore[arg-type]
    wrongs: list[dict[str, Any]] = [{"values": []}, {"values": [1, 1]}, {"alpha": -1}, {"alpha": [1, 2, 3]}, {"alpha": 0}]
    for wrong in wrongs:
        with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
            UnknownRewards(Dirichlet(), **wrong)
    with pytest.raises(ValueError, match="sampling must be one of"):
        BAMCP(UnknownRewards(Dirichlet()), np.zeros((2, 2)), 0.9, sampling="full")
