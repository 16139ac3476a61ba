"""Beliefs over arms along a game, by closed forms."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bamdp.fit.data import Game, arms
from bamdp.priors import BetaArms, NormalArms
from bamdp.problem import BAMDP

Array = NDArray[np.float64]


@lru_cache(maxsize=4096)  # of the same games, for other parameters of a model
def posteriors(problem: BAMDP, game: Game) -> tuple[Array, Array]:
    """The posterior mean of the reward of each arm before each trial, and its standard deviation. [n, A], [n, A]"""
    A, prior = problem.num_actions, problem.prior
    pulls = game.before(np.ones(len(game.rows)), A)
    if isinstance(prior, BetaArms) and arms(problem):
        low, high = payoffs(problem)
        won = game.before(np.array([float(row.next_state) for row in game.rows]), A)
        a, b = np.asarray(prior.successes) + won, np.asarray(prior.failures) + pulls - won
        return low + (high - low) * a / (a + b), abs(high - low) * np.sqrt(a * b / (a + b + 1)) / (a + b)
    if isinstance(prior, NormalArms) and prior.outcomes.known_noise:
        mean, deviation, noise = (np.broadcast_to(part, A) for part in (prior.mean, prior.deviation, prior.noise))
        gain = deviation**2 / (noise**2 + pulls * deviation**2)  # of the sum of all surprises
        surprise = game.before(game.rewards - mean[game.actions], A)
        return mean + gain * surprise, noise * np.sqrt(gain)
    raise TypeError(f"this model takes BetaArms, or NormalArms with known noise, got {prior!r}")


def payoffs(problem: BAMDP) -> tuple[Array, Array]:
    """What a failure and a success of each Beta arm pay. [A], [A]"""
    rewards = problem.rewards if problem.rewards.ndim == 3 else np.repeat(problem.rewards[:, :, None], 2, axis=2)
    return rewards[0, :, 0], rewards[0, :, 1]
