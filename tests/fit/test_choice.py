"""Choice rules against their formulas, and values of planners that compare."""

from math import exp

import numpy as np
import pytest

from bamdp.agents import BAMCP, BFS3, PosteriorMean, QLearning
from bamdp.domains import Bandit
from bamdp.fit import ChoiceRule, action_probabilities, action_values, choice_probabilities
from reference.rejections import rejections

BANDIT = Bandit([0.5, 0.5, 0.5], 0.9)


def test_the_rule_is_its_formula() -> None:
    rule = ChoiceRule(temperature=0.5, lapse=0.1, stickiness=0.7)
    weights = [exp(1 / 0.5), exp(0.2 / 0.5 + 0.7), exp(-1 / 0.5)]
    expected = [0.9 * w / sum(weights) + 0.1 / 3 for w in weights]
    assert choice_probabilities([1, 0.2, -1], rule, last_action=1) == pytest.approx(expected, abs=1e-12)


def test_no_last_action_is_no_stickiness_and_many_choices_go_together() -> None:
    rule = ChoiceRule(0.5, stickiness=2.0)
    both = choice_probabilities([[1, 0], [1, 0]], rule, [-1, 1])
    assert both[0] == pytest.approx(choice_probabilities([1, 0], ChoiceRule(0.5)))
    assert both[1] == pytest.approx(choice_probabilities([1, 0], rule, 1))
    assert both[0, 0] > both[1, 0]


def test_large_values_and_full_lapse_don_t_overflow() -> None:
    assert choice_probabilities([1e6, 0], ChoiceRule(1e-3)).tolist() == [1, 0]
    assert choice_probabilities([1e6, 0], ChoiceRule(1e-3, lapse=1)).tolist() == [0.5, 0.5]


def test_even_allocation_gives_every_action_its_share_and_a_standard_error() -> None:
    agent = BAMCP.for_domain(BANDIT, simulations=400, trees=4, seed=0)
    agent.observe(0, 1, 1.0, 1)
    plan = agent.plan(1, root="even")
    assert np.ptp(plan.visits) <= 4  # one for each tree
    assert plan.visits.sum() == 400
    assert np.isfinite(plan.standard_errors).all()
    assert np.ptp(agent.plan(1).visits) > 40, "the next search is by UCB again"


def test_even_allocation_is_for_the_root_alone_and_changes_no_other_search() -> None:
    once, twice = (BAMCP.for_domain(BANDIT, simulations=300, seed=1) for _ in range(2))
    assert np.array_equal(once.plan(0, root="search").visits, twice.plan(0).visits)
    even = BAMCP.for_domain(BANDIT, simulations=3000, seed=1).plan(0, root="even")
    assert even.visits.tolist() == [1000] * 3
    below = even.tree.to_dict(depth=2)["actions"][0]["children"][0]["actions"]
    assert np.ptp([action["visits"] for action in below]) > 10


def test_values_of_agents_without_a_search_are_theirs() -> None:
    agent = PosteriorMean.for_domain(BANDIT)
    values, errors = action_values(agent, 0)
    assert np.array_equal(values, agent.q_values(0))
    assert not errors.any()
    assert action_probabilities(agent, 0, ChoiceRule()).tolist() == pytest.approx([1 / 3] * 3)


test_rejected = rejections(
    (ValueError, "temperature must be a finite number in \\(0", lambda: ChoiceRule(0)),
    (ValueError, "lapse must be a finite number in \\[0, 1\\], got 2", lambda: ChoiceRule(lapse=2)),
    (ValueError, "root must be one of 'search', 'even', got 'ucb'", lambda: BAMCP.for_domain(BANDIT).plan(0, root="ucb")),  # type: ignore[arg-type]
    (TypeError, "plan\\(state\\) or q_values", lambda: action_values(BFS3.for_domain(BANDIT), 0)),
    (ValueError, "values must be finite", lambda: choice_probabilities([np.nan, 1], ChoiceRule())),
)


def test_model_free_agents_have_values_too() -> None:
    assert action_values(QLearning.for_domain(BANDIT), 0)[0].shape == (3,)
