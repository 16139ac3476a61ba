"""Exact Bayes-optimal values against Gittins indices and a slow twin: a recursion over all that was seen."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bamdp import Belief, Prior
from bamdp.exact import TooManyBeliefStatesError, bayes_optimal, gittins_index
from bamdp.exact.known_mdp import q_values
from bamdp.priors import BetaArms, Dirichlet, Finite, SparseDirichlet
from reference.belief_tree import action_values
from reference.rejections import rejections

Transition = tuple[int, int, int]

ARRAY = np.array([[[1.0, 2, 0], [0, 0, 3]], [[0.5, 0, 0.5], [1, 1, 1]], [[0, 4, 0], [2, 0, 0.1]]])
TABLES = np.random.default_rng(0).dirichlet([0.5] * 3, size=(4, 3, 2))
TABLES[1, 0, 0] = [0, 1, 0]  # a table that some observations rule out
PRIORS: list[Prior] = [Dirichlet(), Dirichlet(0.3), Dirichlet(ARRAY), SparseDirichlet(), Finite(TABLES, [1, 2, 0, 4])]
REWARDS = np.random.default_rng(1).normal(size=(3, 2, 3))


def twin(prior: Prior, rewards: NDArray[np.float64], discount: float, state: int, horizon: int, seen: Any) -> Any:
    """The values of the actions at the root; every belief is made again from all that was seen."""

    def outcomes(seen: Any, s: int, a: int) -> Iterator[Any]:
        belief = prior.belief(*rewards.shape[:2])
        for transition in seen:
            belief.observe(*transition)
        for s_next, p in enumerate(belief.predictive(s, a)):
            if p > 0:
                yield p, s_next, rewards[s, a, s_next], False, tuple(sorted((*seen, (s, a, s_next))))

    return action_values(outcomes, tuple(seen), state, horizon, rewards.shape[1], discount)


@pytest.mark.parametrize("observed", [0, 6])
@pytest.mark.parametrize("prior", PRIORS, ids=repr)
def test_it_is_the_twin(prior: Prior, observed: int) -> None:
    belief, seen = prior.belief(3, 2), _history(prior)[:observed]
    for transition in seen:
        belief.observe(*transition)
    state = seen[-1][2] if seen else 0
    optimum = bayes_optimal(belief if seen else prior, REWARDS, 0.9, state, horizon=4)
    assert optimum.values == pytest.approx(twin(prior, REWARDS, 0.9, state, 4, seen), abs=1e-12)


def _history(prior: Prior) -> list[Transition]:
    rng, belief, state = np.random.default_rng(2), prior.belief(3, 2), 0
    seen = []
    for _ in range(6):
        action = int(rng.integers(2))
        next_state = int(rng.choice(3, p=belief.predictive(state, action)))
        belief.observe(state, action, next_state)
        seen.append((state, action, next_state))
        state = next_state
    return seen


def test_against_its_own_index_an_arm_is_worth_a_pension() -> None:
    """Whittle: beside a sure reward of its index λ, pulling and not pulling are both worth λ/(1 − γ)."""
    index = float(gittins_index(2, 3, 0.9, 1e-9))
    rewards = np.array([[[0, 1], [0, index]]] * 2)
    optimum = bayes_optimal(BetaArms([2, 1], [3, 0]), rewards, 0.9, state=1, tolerance=1e-6)
    assert optimum.values == pytest.approx([index / 0.1] * 2, abs=3e-6)


def test_a_world_that_is_known_gives_its_optimal_values() -> None:
    table = TABLES[0]
    optimum = bayes_optimal(Finite(table[None]), REWARDS, 0.8, state=1, tolerance=1e-9)
    successors = np.broadcast_to(np.arange(3), (3, 2, 3)).copy()
    assert optimum.values == pytest.approx(q_values(successors, table, REWARDS, 0.8)[1], abs=1e-7)
    assert optimum.belief_states <= 3 * optimum.horizon  # nothing to learn: no counts


def test_the_error_bound_holds() -> None:
    fine = bayes_optimal(Dirichlet(), REWARDS[:2, :, :2], 0.5, state=0, tolerance=1e-3)
    for tolerance in (3.0, 0.3, 0.03):
        coarse = bayes_optimal(Dirichlet(), REWARDS[:2, :, :2], 0.5, state=0, tolerance=tolerance)
        assert coarse.error_bound <= tolerance
        assert np.abs(coarse.values - fine.values).max() <= coarse.error_bound + fine.error_bound
    finite = bayes_optimal(Dirichlet(), REWARDS[:2, :, :2], 0.5, state=0, horizon=5)
    off = np.abs(finite.values - fine.values).max()
    assert 1e-3 < off <= finite.error_bound + fine.error_bound


def test_counts_of_belief_states() -> None:
    """Two arms: after d pulls there are C(d + 3, 3) ways to share them among two outcomes of two arms."""
    rewards = np.array([[[0, 1]] * 2] * 2)
    counted = bayes_optimal(BetaArms(), rewards, 0.9, 0, horizon=10).belief_states
    assert counted == sum((d + 1) * (d + 2) * (d + 3) // 6 for d in range(10))


def test_a_reward_that_depends_on_the_last_outcome() -> None:
    """Then the last outcome is part of the belief state, though it has no influence on the next."""
    rewards = np.array([[[0.0, 1.0], [0.0, 0.0]], [[0.0, -1.0], [0.0, 1.5]]])
    prior = BetaArms([1, 2], [1, 1])
    assert bayes_optimal(prior, rewards, 0.9, 1, horizon=5).values == pytest.approx(twin(prior, rewards, 0.9, 1, 5, []))


def test_too_many_belief_states_are_refused_before_they_are_made() -> None:
    with pytest.raises(
        TooManyBeliefStatesError, match=r"about \d\.\de\+\d\d belief states .* limit=20,000; the first \d+ steps"
    ):
        bayes_optimal(Dirichlet(), np.zeros((5, 2)), 0.95, 0, horizon=60, limit=20_000)
    needed = bayes_optimal(Dirichlet(), REWARDS, 0.9, 0, horizon=6).belief_states
    assert bayes_optimal(Dirichlet(), REWARDS, 0.9, 0, horizon=6, limit=needed).belief_states == needed
    with pytest.raises(TooManyBeliefStatesError):
        bayes_optimal(Dirichlet(), REWARDS, 0.9, 0, horizon=6, limit=needed - 1)


def test_a_walk_sees_what_planning_anew_sees() -> None:
    belief, seen = Dirichlet(ARRAY).belief(3, 2), _history(Dirichlet(ARRAY))[:4]
    walk = bayes_optimal(belief, REWARDS, 0.9, seen[0][0], horizon=5).walk()
    for depth, (state, action, next_state) in enumerate(seen):
        assert walk.values == pytest.approx(bayes_optimal(belief, REWARDS, 0.9, state, horizon=5 - depth).values, abs=1e-12)
        belief.observe(state, action, next_state)
        walk.step(action, next_state)
    walk.step(0, 0)
    with pytest.raises(ValueError, match="ends after 5 steps"):
        _ = walk.values


class Mine(Belief):
    num_states, num_actions = 3, 2

    def observe(self, state: int, action: int, next_state: int) -> None:
        pass


def solution_after(*steps: tuple[int, int]) -> None:
    walk = bayes_optimal(BetaArms(), [[[0, 1]] * 2] * 2, 0.9, 0, horizon=2).walk()
    for step in steps:
        walk.step(*step)


BOUNDS = r"^(action|next_state) must be"
test_rejected = rejections(
    (ValueError, "either horizon or tolerance", lambda: bayes_optimal(Dirichlet(), REWARDS, 0.9, 0)),
    (ValueError, "either horizon or tolerance", lambda: bayes_optimal(Dirichlet(), REWARDS, 0.9, 0, horizon=3, tolerance=0.1)),
    (ValueError, "state", lambda: bayes_optimal(Dirichlet(), REWARDS, 0.9, 3, horizon=3)),
    (ValueError, "the belief for 2 and 2", lambda: bayes_optimal(Dirichlet().belief(2, 2), REWARDS, 0.9, 0, horizon=3)),
    (TypeError, "SparseDirichlet, BetaArms or Finite", lambda: bayes_optimal(Mine(), REWARDS, 0.9, 0, horizon=3)),
    *((ValueError, BOUNDS, partial(solution_after, bad)) for bad in ((2, 0), (0, 2), (-1, 0), (0, 10**9))),
    (ValueError, "the solution ends after 2 steps", lambda: solution_after((0, 1), (1, 1), (0, 0))),
)
