"""Posterior draws and pointwise log-likelihoods of a group, for ArviZ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bamdp import validation
from bamdp.fit.surface import Surface
from bamdp.progress import progress
from bamdp.validation import positive_integer, require

if TYPE_CHECKING:
    from bamdp.fit.groups import Group

Places = Callable[[NDArray[np.float64]], tuple[tuple[float, ...], tuple[float, ...]]]


def inference_data(group: Group, likelihoods: Sequence[tuple[Surface, Places]], draws: int, chains: int, seed: int) -> Any:
    """Draws of each person given the group, and the log-likelihood of each choice at each draw."""
    draws, chains = positive_integer("draws", draws, 10**6), positive_integer("chains", chains, 1000)
    arviz = require("arviz", "to_inferencedata() needs ArviZ", "arviz")
    rng, names = np.random.default_rng(validation.seed(seed)), list(group.mean)
    found, logs = [], []
    with progress("people") as show:
        for done, (person, one) in enumerate(zip(group.people, likelihoods, strict=True)):
            made = [_chain(group, person, one, draws, rng) for _ in range(chains)]
            found.append([places for places, _ in made])
            logs.append([each for _, each in made])
            show("", done + 1, len(group.people))
    values = np.moveaxis(np.array(found), 0, 2)  # [chains, draws, people, K]
    posterior = {
        name: np.vectorize(group.model.bounds(name).value, otypes=[float])(values[..., k]) for k, name in enumerate(names)
    }
    pointwise = {"choice": np.concatenate([np.array(each) for each in logs], axis=2)}  # [chains, draws, choices]
    chosen = {"choice": np.concatenate([_actions(surface) for surface, _ in likelihoods])}
    about = {"coords": {"subject": [str(person.subject) for person in group.people]}, "dims": {n: ["subject"] for n in names}}
    if hasattr(arviz, "InferenceData"):  # before ArviZ 1
        return arviz.from_dict(posterior=posterior, log_likelihood=pointwise, observed_data=chosen, **about)
    return arviz.from_dict({"posterior": posterior, "log_likelihood": pointwise, "observed_data": chosen}, **about)


def _actions(surface: Surface) -> NDArray[np.int64]:
    return np.concatenate([game.actions[game.counted] for game in surface.games])


def _chain(group: Group, person: Any, one: tuple[Surface, Places], draws: int, rng: np.random.Generator) -> Any:
    """Metropolis steps proposed from the normal approximation: places [draws, K], and log-likelihoods [draws, n]."""
    surface, places = one
    ends = np.array([surface.model.bounds(name).ends for name in group.mean])
    root = np.linalg.cholesky(person.covariance)

    def at(z: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """The log-density of the posterior less that of proposals, and the log-likelihood of each choice."""
        plan, rule = places(np.clip(z, ends[:, 0], ends[:, 1]))
        made = surface.model.choice_rule(dict(zip(surface.model.choosing, _values(surface, rule), strict=True)))
        each = surface.planned(plan).logs(made)
        apart, proposed = (z - person.centre) ** 2 / person.variances, np.linalg.solve(root, z - person.place)
        return float(each.sum()) - float(apart.sum()) / 2 + float((proposed**2).sum()) / 2, each

    z = person.place
    now, each = at(z)
    kept, logs = [], []
    for _ in range(draws):
        other = person.place + root @ rng.standard_normal(len(z))
        density, theirs = at(other)
        if np.log(rng.random()) < density - now:
            z, now, each = other, density, theirs
        kept.append(z)
        logs.append(each)
    return np.array(kept), np.array(logs)


def _values(surface: Surface, rule: tuple[float, ...]) -> list[float]:
    return [surface.model.bounds(name).value(z) for name, z in zip(surface.model.choosing, rule, strict=True)]
