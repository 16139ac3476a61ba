"""What pictures show of the beliefs of the package; `import bamdp` registers it."""

from __future__ import annotations

from collections.abc import Sequence

from bamdp.pictures.beliefs import mean_rewards, most_probable, rows_of, shows_cells, weights
from bamdp.prior import Belief
from bamdp.priors.finite import FiniteBelief
from bamdp.priors.grid_rewards import GridBelief
from bamdp.priors.parametric import ParametricBelief
from bamdp.priors.unknown_rewards import UnknownRewardsBelief


@rows_of.register
def _(belief: UnknownRewardsBelief) -> Belief:
    return belief.transitions


@mean_rewards.register
def _(belief: UnknownRewardsBelief, state: int) -> Sequence[float]:
    actions = range(belief.problem.num_actions)
    return [belief.mean_reward(state, action) for action in actions]  # not those of all states


@weights.register
def _(belief: FiniteBelief, most: int) -> dict[str, float]:
    return most_probable(belief.weights, belief.names, most)


@weights.register
def _(belief: ParametricBelief, most: int) -> dict[str, float]:
    return {}  # drawn as a curve


@shows_cells.register
def _(belief: GridBelief) -> bool:
    return True
