"""Bandits in closed form: posterior means and standard deviations of the arms along a game."""

from __future__ import annotations

from functools import lru_cache, singledispatch

import numpy as np
from numpy.typing import NDArray

from bamdp.fit.valuation import Game
from bamdp.prior import Prior
from bamdp.priors.beta_arms import BetaArms, has_independent_arms
from bamdp.priors.normal_arms import NormalArms
from bamdp.problem import BAMDP

Array = NDArray[np.float64]


def beta_arms(problem: BAMDP) -> bool:
    """Whether these are Beta arms: the state, the last outcome, says nothing."""
    return (
        has_independent_arms(problem.prior)
        and problem.num_states == 2
        and np.array_equal(*problem.rewards)
    )


@lru_cache(maxsize=4096)  # of the same games, for other parameters of a model
def posteriors(problem: BAMDP, game: Game) -> tuple[Array, Array]:
    """The posterior mean of the reward of each arm before each trial, and its standard deviation.
    [n, A], [n, A]
    """
    return _posteriors_of(problem.prior, problem, game)


@singledispatch
def _posteriors_of(prior: Prior, problem: BAMDP, game: Game) -> tuple[Array, Array]:
    raise _unsupported(prior)


@_posteriors_of.register
def _(prior: BetaArms, problem: BAMDP, game: Game) -> tuple[Array, Array]:
    if not beta_arms(problem):
        raise _unsupported(prior)
    A, rewards = problem.num_actions, problem.rewards
    pulls = game.before(np.ones(len(game.rows)), A)
    if rewards.ndim == 2:
        rewards = np.repeat(rewards[:, :, None], 2, axis=2)
    low, high = rewards[0].T  # what a failure and a success pay
    won = game.before(np.array([float(row.next_state) for row in game.rows]), A)
    a = np.asarray(prior.successes) + won
    b = np.asarray(prior.failures) + pulls - won
    mean = low + (high - low) * a / (a + b)
    return mean, abs(high - low) * np.sqrt(a * b / (a + b + 1)) / (a + b)


@_posteriors_of.register
def _(prior: NormalArms, problem: BAMDP, game: Game) -> tuple[Array, Array]:
    if not prior.outcomes.known_noise:
        raise _unsupported(prior)
    A = problem.num_actions
    pulls = game.before(np.ones(len(game.rows)), A)
    mean, deviation, noise = (
        np.broadcast_to(part, A) for part in (prior.mean, prior.deviation, prior.noise)
    )
    gain = deviation**2 / (noise**2 + pulls * deviation**2)  # of the sum of all surprises
    surprise = game.before(game.rewards - mean[game.actions], A)
    return mean + gain * surprise, noise * np.sqrt(gain)


def _unsupported(prior: Prior) -> TypeError:
    return TypeError(f"this model takes BetaArms, or NormalArms with known noise, got {prior!r}")
