"""Simulated people: choices of a model with known parameters, as data to fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bamdp import validation
from bamdp.choice_rule import NO_ACTION
from bamdp.domain import Domain
from bamdp.domains import Tabular
from bamdp.fit.data import COLUMNS, Game
from bamdp.fit.likelihood import Planned, valued
from bamdp.fit.model import Model
from bamdp.problem import BAMDP
from bamdp.runs.loop import Step
from bamdp.validation import positive_integer

Worlds = Domain | Callable[[np.random.Generator], Domain]
PERSON = -1  # in place of the number of a set of seeds: those of the person


def simulate(
    model: Model,
    parameters: Mapping[str, float],
    *,
    games: int,
    steps: int | None = None,
    worlds: Worlds | None = None,
    subject: Any = 1,
    seed: int = 0,
) -> dict[str, list[Any]]:
    """Choices of a simulated person, as columns.

    Args:
        model: the model of the person.
        parameters: value of each parameter.
        games: number of games.
        steps: steps of each game; the horizon of the problem if not given.
        worlds: the world of all games, or a function that draws that of a game from a random generator; drawn from the person's
            prior if not given.
        subject: name of the person.
        seed: seed of the worlds, the choices, and the person's own searches, which are not those of a fit.

    Example:
        >>> import bamdp
        >>> from bamdp.fit import ChoiceRule, Model
        >>> model = Model(bamdp.domains.Bandit([0.5, 0.5], 1.0, horizon=3).problem(), rule=ChoiceRule(0.1))
        >>> simulate(model, {}, games=1)["step"]
        [1, 2, 3]
    """
    values = model.checked(parameters)
    problem = model.problem_of(values)
    length = problem.horizon if steps is None else steps
    if length is None:
        raise ValueError("steps must be given: the problem has no horizon")
    length = positive_integer("steps", length, validation.MOST_STEPS)
    if problem.horizon is not None and length > problem.horizon:
        raise ValueError(f"steps must be at most {problem.horizon}, the horizon of the problem, got {length}")
    rng = np.random.default_rng(validation.seed(seed))
    rule, value = model.choice_rule(values), valued(replace(model, seed=seed), values, PERSON)
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for game in range(1, positive_integer("games", games) + 1):
        world = _world(worlds, problem, model.time_limit, rng).for_run()
        rows, in_episode = list[Step](), 0
        state = world.reset(rng)
        for step in range(1, length + 1):
            so_far = [*rows, Step(state, 0, 0.0, state, False, False)]
            found, errors = value(Game(subject, game, range(1, step + 1), so_far, np.arange(step) == step - 1))
            last = np.array([rows[-1].action if rows else NO_ACTION])
            chances = [Planned(found, errors, np.array([a]), last).logs(rule)[0] for a in range(problem.num_actions)]
            action = int(rng.choice(problem.num_actions, p=np.exp(chances)))
            next_state, reward = world.step(state, action, rng)
            in_episode += 1
            terminated = next_state in world.terminal
            truncated = not terminated and world.truncated(in_episode)
            rows.append(Step(state, action, reward, next_state, terminated, truncated))
            for name, cell in zip(COLUMNS, (subject, game, step, *rows[-1][:4]), strict=True):
                columns[name].append(cell)
            state = next_state
            if terminated or truncated:
                state, in_episode = world.reset(rng), 0
    return columns


def _world(worlds: Worlds | None, problem: BAMDP, time_limit: int | None, rng: np.random.Generator) -> Domain:
    if worlds is not None:
        return worlds if isinstance(worlds, Domain) else worlds(rng)
    about: dict[str, Any] = {"horizon": problem.horizon, "episode_length": problem.episode_length, "time_limit": time_limit}
    return Tabular(problem.sample_world(rng), problem.discount, start=problem.start or 0, **about)
