"""One slip probability for all: exact Bayes, exact values."""

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP
from bamdp.agents import BAMCP
from bamdp.priors import SharedSlip
from reference.belief_tree import action_values
from reference.comparison import Z_BOUND
from reference.problems import belief_of
from reference.rejections import rejections

# A line of four: forwards or stay; a slip goes back by one or two. At 0 staying and slipping look
# alike; padding is free.
INTENDED = np.array([[1, 0], [2, 1], [3, 2], [3, 3]])
SLIPPED = np.array([[[2, 3], [0, 0]], [[0, 3], [0, 1]], [[1, 0], [1, 0]], [[2, 1], [2, 1]]])
PROBABILITIES = np.array(
    [
        [[0.5, 0.5], [1, 0]],
        [[0.25, 0.75], [1, 0]],
        [[0.5, 0.5], [0.5, 0.5]],
        [[0.5, 0.5], [0.9, 0.1]],
    ]
)
REWARDS = np.array([[0.0, 0.1], [0, 0], [0, 0], [0.2, 1.0]])
PRIOR = SharedSlip(INTENDED, SLIPPED, PROBABILITIES, slips=1.0, holds=2.0)


class SlipRows:
    """The predictive probabilities, by the formulas; one action."""

    def __init__(self, slips: float = 1.0, holds: float = 2.0) -> None:
        self.slips, self.holds = slips, holds

    def predictive(self, state: int, action: int) -> Any:
        slip = self.slips / (self.slips + self.holds)
        row = np.bincount(SLIPPED[state, action], slip * PROBABILITIES[state, action], minlength=4)
        row[INTENDED[state, action]] += 1 - slip
        return row

    def after(self, state: int, action: int, next_state: int) -> "SlipRows":
        if (state, action) == (0, 1):
            return self
        held = next_state == INTENDED[state, action]
        return SlipRows(self.slips + (not held), self.holds + held)


def test_one_place_tells_about_all() -> None:
    belief, rows = belief_of(PRIOR, 4, 2), SlipRows()
    for s, a, s_next in [(0, 0, 1), (1, 0, 3), (3, 1, 3), (0, 1, 0), (3, 1, 2), (2, 1, 2)]:
        belief.observe(s, a, None, s_next)
        rows = rows.after(s, a, s_next)
    assert (belief.slips, belief.holds) == (rows.slips, rows.holds) == (3, 5)
    for s, a in np.ndindex(4, 2):
        assert belief.predictive(s, a) == pytest.approx(rows.predictive(s, a))


@pytest.mark.parametrize("sampling", ["collapsed", "lazy"])
def test_tiny_counts(sampling: Any) -> None:
    """Beta(0.001, 0.001) is 0 or 1, each half the time, though both of its gamma variates are often
    too small for a double.
    """
    prior = SharedSlip([[0], [1]], [[1], [0]], slips=1e-3, holds=1e-3)
    agent = BAMCP(
        BAMDP(prior, [[[0.0, 1.0]], [[1.0, 0.0]]], 0.5),
        simulations=4000,
        depth=1,
        sampling=sampling,
    )
    assert abs(agent.plan(0).q_values[0] - 0.5) < Z_BOUND * np.sqrt(0.25 / 4000)


def exact(belief: Hashable, state: int, action: int) -> Iterator[Any]:
    rows = SlipRows(*belief)  # type: ignore[misc]
    for next_state, p in enumerate(rows.predictive(state, action)):
        after = rows.after(state, action, next_state)
        yield p, next_state, REWARDS[state, action], False, (after.slips, after.holds)


def test_the_root_value_is_the_exact_one() -> None:
    agent = BAMCP(BAMDP(PRIOR, REWARDS, 0.9), simulations=50_000, depth=4, exploration=0.5, seed=0)
    expected = action_values(exact, (1.0, 2.0), 0, steps=4, num_actions=2, discount=0.9)
    assert agent.plan(0).q_values.max() == pytest.approx(expected.max(), abs=0.01)


LOOKS_ALIKE = np.stack([INTENDED, INTENDED[::-1]], axis=2)


def given(**arguments: Any) -> Any:
    return lambda: SharedSlip(
        **{"intended": INTENDED, "slipped": SLIPPED, "probabilities": PROBABILITIES, **arguments}
    )


test_rejected = rejections(
    (
        ValueError,
        "doesn't show whether it was a slip",
        given(slipped=LOOKS_ALIKE, probabilities=None),
    ),
    (ValueError, "4 states and 2 actions", lambda: belief_of(PRIOR, 5, 2)),
)
