"""Tables that summarize beliefs in a notebook.

What is shown of a belief of your own: its counts or its worlds; or register a function.

    @summary.register
    def _(belief: MyBelief) -> list[SummaryTable | str]: ...
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import singledispatch
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp.prior import Belief
from bamdp.priors._worlds_belief import WorldsBelief, world_text
from bamdp.priors.beta_arms import BetaArmsBelief
from bamdp.priors.finite import FiniteBelief
from bamdp.priors.grid_rewards import GridBelief
from bamdp.priors.normal_arms import NormalArmsBelief
from bamdp.priors.parametric import ParametricBelief
from bamdp.priors.shared_slip import SharedSlipBelief
from bamdp.priors.unknown_rewards import UnknownRewardsBelief
from bamdp.spaces import action_name, state_name

MOST_PAIRS = 20_000  # rows searched for the most observed ones
MOST_ROWS = 10
MOST_ARMS = 100
ARMS = ("arm", "pulls", "successes", "success probability: posterior mean")


class SummaryTable(NamedTuple):
    """A small table as plain data; the first cell of each row is its name."""

    columns: Sequence[str]
    rows: Iterable[Sequence[object]]


Summary = list[SummaryTable | str]


@singledispatch
def summary(belief: Belief) -> Summary:
    """Small tables or sentences that summarize a belief: the rows observed most often, where there
    are counts, or the most probable worlds.

    Example:
        >>> import bamdp
        >>> belief = bamdp.domains.Bandit([0.2, 0.6]).problem().belief()
        >>> belief.observe(state=0, action=1, reward=1.0, next_state=1)
        >>> [list(row) for row in summary(belief)[0].rows]
        [['arm A', 0, 0, '0.500'], ['arm B', 1, 1, '0.667']]
    """
    if belief.counts is not None:
        return _observed_rows(belief)
    if belief.particles is not None and belief.particles.weights is not None:
        return [_probable_worlds(belief.particles.weights, None)]
    return []


def _observed_rows(belief: Belief) -> Summary:
    """The rows observed most often, each with its most probable next states."""
    assert belief.counts is not None
    problem = belief.problem
    S, A = problem.num_states, problem.num_actions
    if S * A > MOST_PAIRS:
        return [f"too many states and actions to list: {S} · {A}"]
    counts = {(s, a): sum(belief.counts(s, a).values()) for s, a in np.ndindex(S, A)}
    seen = sorted((pair for pair in counts if counts[pair]), key=lambda pair: -counts[pair])
    if not seen:
        return []
    rows = [
        [
            state_name(problem, s),
            action_name(problem, a),
            counts[s, a],
            _probable_states(belief, s, a),
        ]
        for s, a in seen[:MOST_ROWS]
    ]
    columns = ["state", "action", "observed", "next state: posterior mean"]
    left = len(seen) - MOST_ROWS
    more = [f"and {left} rows observed less often"] if left > 0 else []
    return [SummaryTable(columns, rows), *more]


def _probable_states(belief: Belief, state: int, action: int) -> str:
    row = belief.predictive(state, action)
    first = np.argsort(-row, kind="stable")[:4]
    names = ", ".join(f"{state_name(belief.problem, int(s))}: {row[s]:.3f}" for s in first)
    return names + " …" * (len(row) > 4)


def _probable_worlds(weights: NDArray[np.float64], names: Sequence[str] | None) -> SummaryTable:
    first = np.argsort(-weights, kind="stable")[:MOST_ROWS].tolist()
    rows = [[m if names is None else names[m], f"{weights[m]:.4f}"] for m in first]
    return SummaryTable(["world", "probability"], rows)


@summary.register
def _(belief: FiniteBelief) -> Summary:
    return [_probable_worlds(belief.weights, belief.names)]


@summary.register
def _(belief: ParametricBelief) -> Summary:
    mean = np.atleast_1d(belief.parameter_mean())
    low, high = belief.parameter_interval().reshape(2, -1)
    rows = [
        [i, f"{m:.4g}", f"{a:.4g} to {b:.4g}"]
        for i, (m, a, b) in enumerate(zip(mean, low, high, strict=True))
    ]
    return [SummaryTable(["parameter", "posterior mean", "95 % interval"], rows)]


@summary.register
def _(belief: WorldsBelief) -> Summary:
    parameters = belief.parameters
    if not parameters:
        return [_probable_worlds(belief.weights, [world_text(world) for world in belief.worlds])]
    rows = [
        [name, f"{of.mean:.4g}", f"{of.low:.4g} to {of.high:.4g}"]
        for name, of in parameters.items()
    ]
    return [SummaryTable(["parameter", "posterior mean", "95 % interval"], rows)]


@summary.register
def _(belief: UnknownRewardsBelief) -> Summary:
    return summary(belief.transitions)


@summary.register
def _(belief: NormalArmsBelief) -> Summary:
    rows: list[list[object]] = []
    for number in range(belief.problem.num_actions):
        arm = belief.arm(number)
        numbers = (f"{value:.3g}" for value in (arm.mean, arm.deviation, arm.noise))
        rows.append([action_name(belief.problem, number), *numbers])
    return [SummaryTable(["arm", "mean reward", "its standard deviation", "noise"], rows)]


@summary.register
def _(belief: BetaArmsBelief) -> Summary:
    A = belief.problem.num_actions
    rows: list[list[object]] = []
    for arm in range(min(A, MOST_ARMS)):
        counts, mean = belief.counts(0, arm), float(belief.predictive(0, arm)[1])
        pulls, successes = sum(counts.values()), counts.get(1, 0)
        rows.append([action_name(belief.problem, arm), pulls, successes, f"{mean:.3f}"])
    more = [f"and {A - MOST_ARMS} more arms"] if A > MOST_ARMS else []
    return [SummaryTable(ARMS, rows), *more]


@summary.register
def _(belief: SharedSlipBelief) -> Summary:
    rows = [["slips", f"{belief.slips:g}"], ["steps as intended", f"{belief.holds:g}"]]
    return [SummaryTable(["", "pseudo-count"], rows)]


@summary.register
def _(belief: GridBelief) -> Summary:
    """The columns and rows with the most observed cells, by 400 draws from the posterior."""
    cells = belief.cells()
    if not cells:
        return []
    draws = belief.sample_parameters(400, np.random.default_rng(0))
    columns, rows = (Counter(cell[axis] for cell in cells) for axis in (0, 1))
    return [
        _parameter_table("column", columns, draws.column_coordinates, draws.columns),
        _parameter_table("row", rows, draws.row_coordinates, draws.rows),
    ]


def _parameter_table(
    name: str, seen: Counter[int], at: NDArray[np.int64], draws: NDArray[np.float64]
) -> SummaryTable:
    means, deviations = draws.mean(axis=0), draws.std(axis=0)
    index = {int(x): i for i, x in enumerate(at)}
    rows = [
        [x, n, f"{means[index[x]]:.3f} ± {deviations[index[x]]:.3f}"]
        for x, n in seen.most_common(8)
    ]
    return SummaryTable([name, "cells seen", "parameter: mean ± deviation"], rows)
