"""Simulated people: choices of a model with known parameters, as data to fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from bamdp import validation
from bamdp.choice_rule import NO_ACTION, log_probabilities
from bamdp.domain import Domain, is_truncated
from bamdp.domains.tabular import Tabular
from bamdp.fit.likelihood import valued
from bamdp.fit.model import Model
from bamdp.fit.people import Worlds
from bamdp.fit.valuation import Game
from bamdp.problem import BAMDP
from bamdp.steps import Step
from bamdp.validation import integer, positive_integer

Forced = Sequence[int] | Callable[[np.random.Generator], Sequence[int]]
COLUMNS = ("subject", "game", "step", "state", "action", "reward", "next_state")
PERSON = -1  # in place of the number of a set of seeds: those of the person


def simulate(
    model: Model,
    parameters: Mapping[str, float],
    *,
    games: int,
    steps: int | None = None,
    worlds: Worlds | None = None,
    forced: Forced = (),
    conditions: Sequence[Mapping[str, Any]] = ({},),
    subject: Any = 1,
    seed: int = 0,
) -> dict[str, list[Any]]:
    """Choices of a simulated person, as columns.

    Args:
        model: the model of the person.
        parameters: value of each parameter.
        games: number of games.
        steps: steps of each game; the horizon of the problem if not given.
        worlds: the world of all games, or a function that draws that of a game from a random
            generator; drawn from the person's prior if not given.
        forced: actions that each game begins with, which are not the person's; or a function that
            draws those of a game.
        conditions: the conditions of the games, one after the other and again from the first; see
            `Model.conditions`.
        subject: name of the person.
        seed: seed of the worlds, the choices, and the person's own searches, which are not those of
            a fit.

    Example:
        >>> import bamdp
        >>> from bamdp.fit import ChoiceRule, Model
        >>> model = Model(bamdp.domains.Bandit([0.5, 0.5], 1.0, horizon=3).problem(),
        ...     rule=ChoiceRule(0.1))
        >>> simulate(model, {}, games=1)["step"]
        [1, 2, 3]
    """
    values = model.checked(parameters)
    rng = np.random.default_rng(validation.seed(seed))
    rule = model.choice_rule(values)
    value = valued(replace(model, seed=seed), values, PERSON)
    names = [*COLUMNS, *model.conditions]
    if forced:
        names.append("forced")
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for game in range(1, positive_integer("games", games) + 1):
        here = conditions[(game - 1) % len(conditions)]
        if missing := [name for name in model.conditions if name not in here]:
            raise ValueError(
                f"conditions must be dictionaries with {', '.join(missing)}, which the model "
                f"reads, got {here!r}"
            )
        problem = model.problem_of({**values, **here})
        length = _length(problem, steps)
        first = list(forced(rng) if callable(forced) else forced)
        world = copy(_world(worlds, problem, model.time_limit, rng))
        rows: list[Step] = []
        ends: list[bool] = []
        in_episode = 0
        state = world.reset(rng)
        for step in range(1, length + 1):
            if step <= len(first):
                action = integer("forced", first[step - 1], 0, problem.num_actions - 1)
            else:
                done = np.arange(step)
                trial = Game(
                    subject=subject,
                    game=game,
                    steps=range(1, step + 1),
                    rows=[*rows, Step(state, 0, 0.0, state)],  # the last is still to be chosen
                    ends=np.array([*ends, False]),
                    counted=done == step - 1,
                    elapsed=done,
                    conditions=here,
                )
                last = np.array([rows[-1].action if rows else NO_ACTION])
                by_draw, _ = value(trial)  # [R, 1, A]
                probabilities = np.exp(log_probabilities(by_draw, rule, last)).mean(axis=0)[0]
                action = int(rng.choice(problem.num_actions, p=probabilities))
            next_state, reward = world.step(state, action, rng)
            in_episode += 1
            terminated = next_state in world.terminal
            truncated = not terminated and is_truncated(world, in_episode)
            rows.append(Step(state, action, reward, next_state, None if truncated else terminated))
            ends.append(terminated or truncated)
            cells = dict(zip(COLUMNS, (subject, game, step, *rows[-1][:4]), strict=True))
            cells = {**here, **cells, "forced": int(step <= len(first))}
            for name, column in columns.items():
                column.append(cells[name])
            state = next_state
            if ends[-1]:
                state, in_episode = world.reset(rng), 0
    return columns


def _length(problem: BAMDP, steps: int | None) -> int:
    length = problem.horizon if steps is None else steps
    if length is None:
        raise ValueError("steps must be given: the problem has no horizon")
    length = positive_integer("steps", length, validation.MOST_STEPS)
    if problem.horizon is not None and length > problem.horizon:
        raise ValueError(
            f"steps must be at most {problem.horizon}, the horizon of the problem, got {length}"
        )
    return length


def _world(
    worlds: Worlds | None, problem: BAMDP, time_limit: int | None, rng: np.random.Generator
) -> Domain:
    if worlds is not None:
        return worlds if isinstance(worlds, Domain) else worlds(rng)
    about: dict[str, Any] = {
        "horizon": problem.horizon,
        "episode_length": problem.episode_length,
        "time_limit": time_limit,
    }
    return Tabular(problem.sample_world(rng), problem.discount, start=problem.start or 0, **about)
