"""Problems whose worlds are functions, with their optima."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

import bamdp
from bamdp import Outcome
from bamdp.priors import Worlds


def room(goal: int, state: tuple[int, bool], action: str) -> Outcome:
    """Twelve rooms on a corridor, the goal in one; three steps the other way hangs a map."""
    x, _ = state
    if action == "enter":
        return Outcome(state, 0.0, done=True) if x == goal else Outcome(state, -3.0)
    x = max(-3, min(11, x + (1 if action == "right" else -1)))
    return Outcome((x, x == -3), -1.0, seen=goal if x == -3 else None)


def rooms(count: int = 12, horizon: int = 30, **settings: Any) -> Any:
    """The twelve rooms, or the first of them."""
    return bamdp.BAMDP(
        Worlds(range(count), room, **settings),
        discount=1,
        horizon=horizon,
        episodes=1,
        start=(0, False),
        actions=["left", "right", "enter"],
    )


def mastermind(pegs: int = 2, colours: int = 3) -> Any:
    """Mastermind; states never change, what is seen does."""
    codes = list(itertools.product(range(colours), repeat=pegs))

    def answer(code: tuple[int, ...], state: str, guess: tuple[int, ...]) -> Outcome:
        black = sum(a == b for a, b in zip(code, guess, strict=True))
        both = sum(min(code.count(c), guess.count(c)) for c in range(colours))
        return Outcome(state, -1.0, done=black == pegs, seen=(black, both - black))

    return bamdp.BAMDP(
        Worlds(codes, answer), discount=1, horizon=8, episodes=1, start="guess", actions=codes
    )


def of_tables(tables: np.ndarray, rewards: np.ndarray) -> Callable[..., list[Outcome]]:
    """The outcomes of worlds that are indices of tables [M, S, A, S] that pay rewards [M, S, A]."""

    def outcomes(m: int, state: int, action: int) -> list[Outcome]:
        paid = float(rewards[m, state, action])
        return [Outcome(s, paid, probability=p) for s, p in enumerate(tables[m, state, action])]

    return outcomes
