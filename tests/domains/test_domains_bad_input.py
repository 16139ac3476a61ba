"""Domains: errors name the argument, what it got and what it accepts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bamdp.agents.oracle import Oracle
from bamdp.domains import Bandit, Chain, Grid, Maze, RandomMDP, Tabular

ONE = np.ones((1, 1, 1))
RNG = np.random.default_rng(0)
BAD: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: Tabular(np.array([[[0.5, 0.4], [0, 1]], [[1, 0], [0, 1]]]), np.zeros((2, 2)), 0.9),
        ValueError,
        r"transitions.*0, 0",
    ),
    (
        lambda: Tabular(np.array([[[1, 0], [2, -1]], [[1, 0], [0, 1]]]), np.zeros((2, 2)), 0.9),
        ValueError,
        r"transitions.*0, 1, 1",
    ),
    (lambda: Tabular(np.ones((2, 1, 1)), np.zeros((2, 1)), 0.9), ValueError, r"transitions.*\[S, A, S\].*\(2, 1, 1\)"),
    (lambda: Tabular("no", [[0]], 0.9), TypeError, "transitions"),
    (lambda: Tabular(ONE, [[0, 1]], 0.9), ValueError, r"rewards must have shape \(1, 1\) or \(1, 1, 1\), got \(1, 2\)"),
    (lambda: Tabular(ONE, [0], 0.9), ValueError, "rewards"),
    (lambda: Tabular(ONE, [[np.nan]], 0.9), ValueError, "rewards"),
    (lambda: Tabular(ONE, [[0]], 1), ValueError, "discount.*got 1"),
    (lambda: Tabular(ONE, [[0]], "high"), TypeError, "discount"),  # type: ignore[arg-type]
    (lambda: Tabular(ONE, [[0]], 0.9, start=1), ValueError, "start.*from 0 to 0, got 1"),
    (lambda: Tabular(ONE, [[0]], 0.9, steps=0), ValueError, "steps.*got 0"),
    (lambda: Tabular.from_successors([[[1]]], ONE, [[0]], 0.9), ValueError, r"successors.*0 to 0, got 1.*\(0, 0, 0\)"),
    (lambda: Tabular.from_successors([[[-1]]], ONE, [[0]], 0.9), ValueError, "successors.*got -1"),
    (lambda: Tabular.from_successors([[[0.0]]], ONE, [[0]], 0.9), TypeError, "successors.*float64"),
    (lambda: Tabular.from_successors([[[0], [0, 0]]], ONE, [[0]], 0.9), TypeError, "successors"),
    (lambda: Tabular.from_successors([[0]], ONE, [[0]], 0.9), ValueError, r"successors.*\[S, A, k\], got \(1, 1\)"),
    (lambda: Tabular.from_successors([[[0, 0]]], ONE, [[0]], 0.9), ValueError, r"probabilities.*\(1, 1, 2\), got"),
    (lambda: Tabular.from_successors([[[0]]], 0.5 * ONE, [[0]], 0.9), ValueError, r"probabilities.*\(0, 0\).*0.5"),
    (lambda: Grid(5).step(25, 0, RNG), ValueError, "state must be an integer from 0 to 24, got 25"),
    (lambda: Grid(5).step(-1, 0, RNG), ValueError, "state.*got -1"),
    (lambda: Grid(5).step(0, 4, RNG), ValueError, "action must be an integer from 0 to 3, got 4"),
    (lambda: Grid(5).step(0, -1, RNG), ValueError, "action.*got -1"),
    (lambda: Grid(5).step(1.0, 0, RNG), TypeError, "state.*got 1.0"),  # type: ignore[arg-type]
    (lambda: Grid(5).step(0, True, RNG), ValueError, "action.*got True"),
    (lambda: Grid(1), ValueError, "size.*at least 2, got 1"),
    (lambda: Grid(2.5), TypeError, "size.*got 2.5"),  # type: ignore[arg-type]
    (lambda: Grid(slip=1.5), ValueError, "slip.*got 1.5"),
    (lambda: Grid(5).cell(25), ValueError, "state.*got 25"),
    (lambda: Grid(5).state(5, 0), ValueError, "x.*got 5"),
    (lambda: Grid(5).state(0, -1), ValueError, "y.*got -1"),
    (lambda: Maze(slip=-0.1), ValueError, "slip.*got -0.1"),
    (lambda: Maze(discount=1.0), ValueError, "discount.*got 1.0"),
    (lambda: Maze().cell(264), ValueError, "state.*got 264"),
    (lambda: Maze().state(7, 0), ValueError, "x.*got 7"),
    (lambda: Maze().state(0, 6), ValueError, "y.*got 6"),
    (lambda: Maze().state(1, 0), ValueError, r"x and y.*wall at \(1, 0\)"),
    (lambda: Maze().state(0, 0, 8), ValueError, "flags.*got 8"),
    (lambda: Chain(slip=2), ValueError, "slip.*got 2"),
    (lambda: Bandit([]), ValueError, "probabilities"),
    (lambda: Bandit([[0.5]]), ValueError, r"probabilities.*\(1, 1\)"),
    (lambda: Bandit([0.5, 1.5]), ValueError, r"probabilities.*\[0, 1\], got 1.5 at index 1"),
    (lambda: RandomMDP(0, 1), ValueError, "num_states.*got 0"),
    (lambda: RandomMDP(1, 0), ValueError, "num_actions.*got 0"),
    (lambda: RandomMDP(rows="thin"), ValueError, "rows.*'thin'"),  # type: ignore[arg-type]
    (lambda: RandomMDP(rewards="none"), ValueError, "rewards.*'none'"),  # type: ignore[arg-type]
    (lambda: RandomMDP(seed=-1), ValueError, "seed.*got -1"),
    (lambda: Oracle(Chain(), seed=-1), ValueError, "seed.*got -1"),
    (lambda: Oracle(Chain()).act(5), ValueError, "state.*got 5"),
]


@pytest.mark.parametrize(("call", "error", "message"), BAD, ids=[message for _, _, message in BAD])
def test_errors_name_the_argument(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
