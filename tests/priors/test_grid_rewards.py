"""The model of the infinite grid against closed forms and numerical integration;
what it refuses.
"""

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bamdp import BAMDP
from bamdp.agents import BAMCP
from bamdp.domain import UNBOUNDED
from bamdp.priors import GridRewards
from bamdp.search.plan import Plan
from reference.grid import MOVES, Cells, observe, predictive, state_of
from reference.problems import belief_of
from reference.rejections import rejections

MIXED = GridRewards(
    updates_per_simulation=100
)  # nearly independent draws, so that bounds for independent ones hold

ONE = {(0, 0): 1}
SQUARE = {(0, 0): 1, (0, 1): 0, (1, 1): 0, (1, 0): 0}
CORNER = {(0, 0): 0, (1, 0): 1, (1, 1): 1}


def searching(prior: GridRewards, cells: Cells | None = None) -> BAMCP:
    """An agent that looks two steps ahead, all actions alike often, after a walk through some
    cells.
    """
    agent = BAMCP(BAMDP(prior, np.empty((0, 4)), 0.5), depth=2, rollouts="uniform")
    observe(agent, cells or {})
    return agent


def leaving(
    agent: BAMCP, state: int, simulations: int = 20_000
) -> tuple[Plan, NDArray[np.float64]]:
    """A plan from `state`, and how often each action's next cell held a reward."""
    agent.simulations = simulations
    plan = agent.plan(state, root="even")
    return plan, (plan.q_values - float(state & 1)) / 0.5


def check_predictive(agent: BAMCP, cells: Cells) -> None:
    """From the last of `cells`: cells left are empty, others hold a reward as often as integration
    says (5 standard errors).
    """
    (x, y), content = list(cells.items())[-1]
    plan, found = leaving(agent, state_of(x, y, bool(content)))
    places = [(x + dx, y + dy) for dx, dy in MOVES]
    expected = np.array([0.0 if to in cells else predictive(MIXED, cells, to) for to in places])
    assert np.all(np.abs(found - expected) < 5 * np.sqrt(0.25 / plan.visits)), (found, expected)
    assert np.all(found[expected == 0] == 0), "cells that were left are empty"


@pytest.mark.parametrize("cells", [ONE, SQUARE, CORNER], ids=str)
def test_cells_never_seen_have_the_right_predictive_probability(cells: Cells) -> None:
    check_predictive(searching(MIXED, cells), cells)


@pytest.mark.parametrize("content", [0, 1])
def test_the_content_of_the_root_is_evidence_before_anything_was_observed(content: int) -> None:
    check_predictive(searching(MIXED), {(0, 0): content})


HYPOTHETICAL = {
    "cells that are asked about later": [(1, -1, True), (2, 0, True), (1, -1, False)],
    "rewards in the same column and row": [(1, 5, True), (7, 0, True)] * 3,
    "empty cells in the same column and row": [(1, 5, False), (7, 0, False)] * 10,
    "elsewhere": [(5, 5, True), (-5, 5, False), (5, 5, False)],
    "the real start": [(0, 0, True)] * 10,
}


@pytest.mark.slow
@pytest.mark.parametrize("roots", HYPOTHETICAL.values(), ids=HYPOTHETICAL)
def test_a_hypothetical_root_leaves_no_trace(roots: Sequence[tuple[int, int, bool]]) -> None:
    """What was planned for but never observed is no evidence: neither in the chain nor as a cell
    that is taken for empty.
    """
    agent = searching(MIXED)
    for root in roots:
        leaving(agent, state_of(*root), 20)
    observe(agent, SQUARE)
    check_predictive(agent, SQUARE)
    for root in [root for root in roots if root[:2] not in SQUARE]:  # and between real steps
        leaving(agent, state_of(*root), 20)
    check_predictive(agent, SQUARE)


def test_a_copy_of_a_belief_learns_by_itself() -> None:
    belief = belief_of(GridRewards(), UNBOUNDED, 4)
    observe(belief, SQUARE)
    before = copy(belief)
    belief.observe(state_of(1, 0, False), 1, 0.0, state_of(2, 0, True))
    assert belief.cells() == {**before.cells(), (2, 0): True} != before.cells()


def test_a_reward_seen_but_not_left_is_still_there() -> None:
    _, found = leaving(searching(GridRewards(), {(0, 0): 0, (1, 0): 1}), state_of(0, 0, False))
    assert found[1] == pytest.approx(1)


@pytest.mark.parametrize(
    ("state", "action", "next_state", "says"),
    [
        ((0, 0, True), 1, (0, 1, False), "leads to"),
        ((0, 0, True), 4, (0, 1, False), "action"),
        ((1, 0, True), 3, (0, 0, False), "cell .1, 0. is not empty"),
        ((0, 0, False), 1, (1, 0, True), "cell .1, 0. is not empty"),
        ((2, 0, False), 3, (1, 0, True), "was empty or is left"),
        ((1, 1, False), 0, (1, 2, False), "held a reward"),
    ],
)
def test_what_cannot_happen_is_refused(state: Any, action: int, next_state: Any, says: str) -> None:
    belief = belief_of(GridRewards(), UNBOUNDED, 4)
    observe(belief, {(0, 0): 1, (1, 0): 0, (1, 1): 1})
    before = belief.cells()
    with pytest.raises(ValueError, match=says):
        belief.observe(state_of(*state), action, None, state_of(*next_state))
    assert belief.cells() == before


test_bad_settings = rejections(
    (ValueError, "of infinitely many states and 4 actions", lambda: belief_of(GridRewards(), 4, 4)),
)
