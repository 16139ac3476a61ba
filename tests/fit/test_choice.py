"""Choice rules against their formulas, and values of planners that compare."""

from math import exp

import numpy as np
import pytest

from bamdp.agents import BAMCP, BayesAdaptive, Random
from bamdp.domains import Bandit
from bamdp.fit import ChoiceRule, choice_probabilities
from reference.rejections import rejections

BANDIT = Bandit([0.5, 0.5, 0.5], 0.9)


def test_the_rule_is_its_formula() -> None:
    rule = ChoiceRule(temperature=0.5, lapse=0.1, stickiness=0.7)
    weights = [exp(1 / 0.5), exp(0.2 / 0.5 + 0.7), exp(-1 / 0.5)]
    expected = [0.9 * w / sum(weights) + 0.1 / 3 for w in weights]
    assert choice_probabilities([1, 0.2, -1], rule, last_action=1) == pytest.approx(
        expected, abs=1e-12
    )


def test_no_last_action_is_no_stickiness_and_many_choices_go_together() -> None:
    rule = ChoiceRule(0.5, stickiness=2.0)
    both = choice_probabilities([[1, 0], [1, 0]], rule, [-1, 1])
    assert both[0] == pytest.approx(choice_probabilities([1, 0], ChoiceRule(0.5)))
    assert both[1] == pytest.approx(choice_probabilities([1, 0], rule, 1))
    assert both[0, 0] > both[1, 0]


def test_large_values_and_full_lapse_don_t_overflow() -> None:
    assert choice_probabilities([1e6, 0], ChoiceRule(1e-3)).tolist() == [1, 0]
    assert choice_probabilities([1e6, 0], ChoiceRule(1e-3, lapse=1)).tolist() == [0.5, 0.5]


def test_temperatures_near_zero_choose_the_best() -> None:
    assert choice_probabilities([1e300, -1e300], ChoiceRule(1e-300)).tolist() == [1, 0]
    assert choice_probabilities([1.7e308, -1.7e308], ChoiceRule(1e-320)).tolist() == [1, 0]
    assert choice_probabilities(
        [[1, 1], [0, 1]], ChoiceRule(1e-320, stickiness=3.0), [-1, 0]
    ).tolist() == [[0.5, 0.5], [0, 1]]
    assert choice_probabilities([1e130, 0], ChoiceRule(1e-300, 0.1, 1e300), 1) == pytest.approx(
        [0.95, 0.05]
    )
    assert choice_probabilities([0, 0], ChoiceRule(1e-300, 0, 1e300), 1).tolist() == [0, 1]


def test_even_allocation_gives_every_action_its_share_and_a_standard_error() -> None:
    agent = BAMCP(BANDIT.problem(), simulations=400, trees=4, seed=0)
    agent.observe(0, 1, 1.0, 1)
    plan = agent.plan(1, root="even")
    assert np.ptp(plan.visits) <= 4  # one for each tree
    assert plan.visits.sum() == 400
    assert np.isfinite(plan.standard_errors).all()
    assert np.ptp(agent.plan(1).visits) > 40, "the next search is by UCB again"


def test_even_allocation_is_for_the_root_alone_and_changes_no_other_search() -> None:
    once, twice = (BAMCP(BANDIT.problem(), simulations=300, seed=1) for _ in range(2))
    assert np.array_equal(once.plan(0, root="search").visits, twice.plan(0).visits)
    even = BAMCP(BANDIT.problem(), simulations=3000, seed=1).plan(0, root="even")
    assert even.visits.tolist() == [1000] * 3
    below = even.tree.to_dict(depth=2)["actions"][0]["children"][0]["actions"]
    assert np.ptp([action["visits"] for action in below]) > 10


test_rejected = rejections(
    (ValueError, "temperature must be a finite number in \\(0", lambda: ChoiceRule(0)),
    (ValueError, "lapse must be a finite number in \\[0, 1\\], got 2", lambda: ChoiceRule(lapse=2)),
    (
        ValueError,
        "root must be one of 'search', 'even', got 'ucb'",
        lambda: BAMCP(BANDIT.problem()).plan(0, root="ucb"),  # type: ignore[arg-type]
    ),
    (TypeError, "Random has no values of actions", lambda: Random(BANDIT.problem()).q_values(0)),
    (
        TypeError,
        "rule must be a ChoiceRule, got 'softmax'",
        lambda: choice_probabilities([0, 1], "softmax"),  # type: ignore[arg-type]
    ),
    (
        ValueError,
        "last_action must be an integer from 0 to 1, or -1 .* got 2",
        lambda: choice_probabilities([0, 1], ChoiceRule(), 2),
    ),
    (
        ValueError,
        "last_action must be",
        lambda: choice_probabilities([[0, 1], [0, 1]], ChoiceRule(), [0, -2]),
    ),
    (ValueError, "last_action must be", lambda: choice_probabilities([0, 1], ChoiceRule(), 0.5)),
    (
        ValueError,
        "values must have a value for each action",
        lambda: choice_probabilities([], ChoiceRule()),
    ),
    (ValueError, "values must be finite", lambda: choice_probabilities([np.nan, 1], ChoiceRule())),
)


def test_values_of_planners_are_those_that_compare() -> None:
    """By an even allocation at the root."""
    for cls in (BAMCP, BayesAdaptive):
        agent, twin = (cls(BANDIT.problem(), simulations=300, seed=3) for _ in range(2))
        plan = twin.plan(0, root="even")
        assert np.array_equal(agent.q_values(0), plan.q_values)
        agent.reset(3)
        assert np.array_equal(agent.plan(0, root="even").standard_errors, plan.standard_errors)
