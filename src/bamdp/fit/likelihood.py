"""The log-likelihood of choices under a model.

    log L(θ) = Σ over free choices of log P(a | values of the actions given all that was seen in
    this game, θ)

Values are exact (`Exact`), or of a search. A search adds noise, the same for all parameters: its
seed depends on subject, game and step alone (common random numbers), so that log L is a function of
θ. With R `draws`, P is the mean over R searches, whose logarithm is too low by half the relative
variance of the mean on average; that is added.

The noise of log L over seeds is estimated from the standard errors σ_a of the values of each choice
by the delta method, or for several draws from the spread of P between them; choices have
independent seeds, so variances add up:

    ∂ log P(c)/∂V_a = (1 − lapse) softmax_c / P(c) · ([a = c] − softmax_a) / temperature
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import singledispatch
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from bamdp import validation
from bamdp.agent import Agent
from bamdp.choice_rule import ChoiceRule, log_probabilities
from bamdp.executors import cores
from bamdp.fit.model import Model
from bamdp.fit.valuation import Game, Seed, Valuation, Values
from bamdp.search.planner import Planner

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Planned:
    """The values at the free choices of some games.

    Attributes:
        values: value of each action, of each draw. [R, n, A]
        errors: their standard errors. [n, A]
        actions: the choices. [n]
        last: the action before each. [n]
    """

    values: NDArray[np.float64]
    errors: NDArray[np.float64]
    actions: NDArray[np.int64]
    last: NDArray[np.int64]

    def part(self, kept: NDArray[np.bool_]) -> Planned:
        """The values at some of the choices."""
        return Planned(self.values[:, kept], self.errors[kept], self.actions[kept], self.last[kept])

    def logs(self, rule: ChoiceRule) -> NDArray[np.float64]:
        """The logarithm of the probability of each choice. [n]"""
        by_draw = self._by_draw(rule)
        if len(by_draw) == 1:
            return np.asarray(by_draw[0])
        mean = np.logaddexp.reduce(by_draw, axis=0) - math.log(len(by_draw))
        return np.asarray(mean + _relative_variances(by_draw) / 2)

    def variances(self, rule: ChoiceRule) -> NDArray[np.float64]:
        """The variance of each of these logarithms, over the seeds of the searches. [n]"""
        by_draw = self._by_draw(rule)
        if len(by_draw) > 1:
            return _relative_variances(by_draw)
        softmax = ChoiceRule(rule.temperature, stickiness=rule.stickiness)  # without lapses
        with np.errstate(invalid="ignore", over="ignore"):  # 0 · ∞; ∞ − ∞ where choices underflow
            soft = log_probabilities(self.values[0], softmax, self.last)
            of_choice = soft[np.arange(len(self.actions)), self.actions]
            chosen = (1 - rule.lapse) * np.exp(of_choice - by_draw[0])
            own = np.arange(soft.shape[1]) == self.actions[:, None]
            slopes = chosen[:, None] * (own - np.exp(soft)) / rule.temperature
            certain = (slopes == 0) | (self.errors == 0)
            return np.asarray(np.where(certain, 0.0, (slopes * self.errors) ** 2).sum(axis=1))

    def _by_draw(self, rule: ChoiceRule) -> NDArray[np.float64]:
        logs = log_probabilities(self.values, rule, self.last)
        return np.asarray(logs[:, np.arange(len(self.actions)), self.actions])


def _relative_variances(by_draw: NDArray[np.float64]) -> NDArray[np.float64]:
    """The variance of the mean of some probabilities, relative to its square, from their
    logarithms. [n]
    """
    chosen = np.exp(by_draw - by_draw.max(axis=0))
    return np.asarray(chosen.var(axis=0, ddof=1) / (len(chosen) * chosen.mean(axis=0) ** 2))


def pool(threads: int | None) -> ThreadPoolExecutor:
    """Threads; the core computes without the interpreter's lock."""
    if threads is not None:
        validation.positive_integer("threads", threads, 1024)
    return ThreadPoolExecutor(cores() if threads is None else threads)


def planned(games: Sequence[Game], values: Iterable[Values]) -> Planned:
    """The values of several games together."""
    pairs = list(values)
    return Planned(
        values=np.concatenate([of_game for of_game, _ in pairs], axis=1),
        errors=np.concatenate([errors for _, errors in pairs]),
        actions=np.concatenate([game.actions[game.counted] for game in games]),
        last=np.concatenate([game.last_actions[game.counted] for game in games]),
    )


def valued(
    model: Model, parameters: Mapping[str, float], repeat: int = 0
) -> Callable[[Game], Values]:
    """A function of a game: the values at its free choices; `repeat` selects other seeds."""
    by_conditions: dict[Any, Callable[[Game], Values]] = {}

    def value(game: Game) -> Values:
        key = tuple(game.conditions.values())
        if key not in by_conditions:
            by_conditions[key] = _valued(model, {**parameters, **game.conditions}, repeat)
        return by_conditions[key](game)

    return value


def is_noisy(model: Model, games: Sequence[Game]) -> bool:
    """Whether values are those of a search."""
    game = next(game for game in games if game.counted.any())
    _, errors = valued(model, model.middle)(game)
    return bool(errors.any())


def _valued(model: Model, parameters: Mapping[str, Any], repeat: int) -> Callable[[Game], Values]:
    problem = model.problem_of(parameters)
    planner = model.planner(parameters, problem)
    if isinstance(planner, Valuation):
        evaluate = planner.evaluator(problem)
        return lambda game: evaluate(game, _seeds(model, game, repeat))

    def search(game: Game) -> Values:
        agent = model.planner(parameters, problem)  # an agent for each thread
        assert isinstance(agent, Agent)
        if problem.horizon is not None and game.has_timeouts:
            raise ValueError(
                f"{game.where(0)}: a timeout took a step of the horizon, which agents don't know "
                "of; Exact() does"
            )
        return _searched(agent, game, model.draws, _seeds(model, game, repeat))

    return search


def _seeds(model: Model, game: Game, repeat: int) -> Seed:
    """A seed for each trial and draw, the same for all parameters."""

    def seed(index: int, draw: int) -> int:
        text = f"{game.subject}|{game.game}|{game.steps[index]}|{draw}|{repeat}"
        return int(np.random.SeedSequence([model.seed, crc32(text.encode())]).generate_state(1)[0])

    return seed


def _searched(agent: Agent, game: Game, draws: int, seed: Seed) -> Values:
    """The values of an agent, and standard errors: those of a search, else none if another seed
    gives the same values.
    """

    def values(index: int, draw: int) -> tuple[Array, Array | None]:
        agent.reset(seed(index, draw))
        steps: Sequence[tuple[Any, ...]] = game.rows[:index]
        for step, ended in zip(steps, game.ends[:index], strict=True):
            agent.observe(*step)
            if ended:
                agent.end_episode()
        return _decision_values(agent, game.rows[index].state)

    free = np.flatnonzero(game.counted).tolist()
    pairs = [values(index, draw) for index in free for draw in range(draws)]
    shape = len(free), draws, agent.problem.num_actions
    each = np.array([of_choice for of_choice, _ in pairs]).reshape(shape)
    known = [errors for _, errors in pairs if errors is not None]
    if known:
        errors = np.array(known).reshape(shape)[:, 0]
    else:
        errors = np.zeros_like(each[:, 0])
        if free and not np.array_equal(values(free[-1], draws)[0], each[-1, -1]):
            errors[:] = np.inf
    return each.swapaxes(0, 1), errors


@singledispatch
def _decision_values(agent: Agent, state: int) -> tuple[Array, Array | None]:
    """The value of each action, and standard errors where the agent has some. [A], [A]"""
    return agent.q_values(state), None


@_decision_values.register
def _(agent: Planner, state: int) -> tuple[Array, Array | None]:
    plan = agent.plan(state, root="even")
    return plan.q_values, plan.standard_errors
