"""Two planning parameters fitted to choices with values of a search: three methods with 160
likelihood evaluations each.

    python benchmarks/search_noise.py [--people 30] [--first 0] [--rows
    reproduction/results/fit/search_noise.jsonl] [--draws]

Each game offers, ten times, an arm of unknown rate or a sure payment, which differs between games.
A person expects the arm to pay with probability `optimism`, looks ahead with discount 1 − 1/horizon
by BAMCP, and chooses by softmax.

- surface: `bamdp.fit.fit`, a smooth surface through points from four sets of seeds
- nelder-mead: with one set of seeds (common random numbers), from the best three of 25 places
- pybads: Bayesian adaptive direct search (pip install pybads), with new seeds for each evaluation,
  and given their noise

With --draws, instead: bias and deviation of log-likelihoods of a person who searches with 30
simulations, at the truth. By the logarithm of the mean probability of some searches, plain and
corrected; and by inverse binomial sampling (PyIBS; van Opheusden, Acerbi and Ma 2020), which
repeats searches and choices until the person's own is met, and has no bias.

The level of an estimate is its mean log-likelihood over 16 further sets of seeds. Rows that are
stored are not made again.
"""

from __future__ import annotations

import argparse
import json
import logging
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

import bamdp
from bamdp import statistics
from bamdp.fit import ChoiceRule, FreeParameter, Model, fit, simulate
from bamdp.fit.data import Choices
from bamdp.fit.surface import Surface

SURE = (0.5, 0.55, 0.6, 0.65, 0.7)
EVALUATIONS, PLACES, STARTS, FRESH = 160, 25, 3, 16
PEOPLE = {"optimism": (0.45, 0.75), "horizon": (2, 12), "temperature": (0.04, 0.12)}
BOUNDS = {
    "optimism": FreeParameter(0.02, 0.98),
    "horizon": FreeParameter(1.05, 60, "log"),
    "temperature": FreeParameter(0.01, 2, "log"),
}


def problem(optimism: float, horizon: float, sure: float) -> bamdp.BAMDP:
    arms = bamdp.domains.Bandit([0.5, 1], 1 - 1 / horizon, payoffs=[1, sure], horizon=10)
    return arms.problem(bamdp.priors.BetaArms([2 * optimism, 1], [2 * (1 - optimism), 0]))


SEARCH = partial(bamdp.agents.BAMCP, simulations=1000, rollouts="best-arm", trees=2, threads=1)
MODEL = Model(problem, SEARCH, ChoiceRule, BOUNDS, conditions=["sure"])
ENDS = [BOUNDS[name].ends for name in MODEL.planning]


def nelder_mead(games: Any) -> tuple[float, ...]:
    surface, (low, high) = Surface(MODEL, games), np.transpose(ENDS)

    def cost(z: Any) -> float:
        return -surface.best(tuple(map(float, z))).score

    places = [
        (low + high) / 2,
        *np.random.default_rng(0).uniform(low, high, (PLACES - 1, len(ENDS))),
    ]
    options = {"maxfev": (EVALUATIONS - PLACES) // STARTS, "xatol": 1e-3, "fatol": 1e-2}
    starts = sorted(places, key=cost)[:STARTS]
    found = [
        minimize(cost, start, method="Nelder-Mead", bounds=ENDS, options=options)
        for start in starts
    ]
    plan = tuple(min(found, key=lambda each: each.fun).x.tolist())
    return (*plan, *surface.best(plan).rule)


def pybads(games: Any) -> tuple[float, ...]:
    from pybads import BADS  # type: ignore[import-not-found]

    repeats, (low, high) = count(1000), np.transpose(ENDS)
    rules: dict[tuple[float, ...], Any] = {}

    def cost(z: Any) -> tuple[float, float]:
        plan, surface = tuple(map(float, np.ravel(z))), Surface(MODEL, games, next(repeats))
        best = surface.best(plan)
        rules[plan] = best.rule
        return -best.score, max(surface.noise(plan, best.rule), 1e-3)

    options = {
        "uncertainty_handling": True,
        "specify_target_noise": True,
        "max_fun_evals": EVALUATIONS,
        "display": "off",
    }
    inner = low + 0.15 * (high - low), high - 0.15 * (high - low)
    x = np.ravel(
        BADS(
            cost, (low + high) / 2, low, high, *inner, options=options | {"random_seed": 1}
        ).optimize()["x"]
    )
    near = sorted(
        rules, key=lambda plan: float((((np.array(plan) - x) / (high - low)) ** 2).sum())
    )[:10]
    return (*x.tolist(), *np.mean([rules[plan] for plan in near], axis=0).tolist())


def row(seed: int) -> dict[str, Any]:
    rng = np.random.default_rng([11, seed])
    true = {
        name: BOUNDS[name].value(rng.uniform(BOUNDS[name].scaled(low), BOUNDS[name].scaled(high)))
        for name, (low, high) in PEOPLE.items()
    }
    design: dict[str, Any] = {
        "games": 10,
        "conditions": [{"sure": sure} for sure in SURE],
        "subject": seed,
    }
    data = simulate(MODEL, true, seed=int(rng.integers(2**31)), **design)
    games = Choices(data, MODEL).games
    (found,) = fit(data, MODEL, threads=1)
    places = {
        "surface": tuple(BOUNDS[name].scaled(value) for name, value in found.estimates.items())
    }
    places |= {"nelder-mead": nelder_mead(games), "pybads": pybads(games)}
    fresh = [Surface(MODEL, games, 5000 + repeat) for repeat in range(FRESH)]
    levels = {
        name: float(
            np.mean([surface.log_likelihood(z[: len(ENDS)], z[len(ENDS) :]) for surface in fresh])
        )
        for name, z in (
            places | {"truth": tuple(BOUNDS[name].scaled(value) for name, value in true.items())}
        ).items()
    }
    estimates = {
        name: {key: BOUNDS[key].value(place) for key, place in zip(BOUNDS, z, strict=True)}
        for name, z in places.items()
    }
    return {
        "seed": seed,
        "true": true,
        "estimates": estimates,
        "low": found.low,
        "high": found.high,
        "levels": levels,
    }


def draws(searches: int = 1000, repetitions: int = 1000) -> None:
    """Log-likelihoods of 100 choices by resampling from many searches, against the mean of all of
    them.
    """
    model = replace(MODEL, agent=partial(SEARCH, simulations=30, trees=1))
    true = {"optimism": 0.5, "horizon": 5.0, "temperature": 0.08}
    data = simulate(model, true, games=10, conditions=[{"sure": sure} for sure in SURE])
    games, z = (
        Choices(data, model).games,
        tuple(BOUNDS[name].scaled(value) for name, value in true.items()),
    )
    surfaces = (Surface(model, games, repeat) for repeat in range(searches))
    chosen = np.exp(
        [surface.logs(z[: len(ENDS)], z[len(ENDS) :]) for surface in surfaces]
    )  # [searches, choices]
    truth, n, rng = np.log(chosen.mean(axis=0)).sum(), chosen.shape[1], np.random.default_rng(0)
    for size in (1, 2, 5, 10, 20):
        some = chosen[rng.integers(0, searches, (repetitions, size, n)), np.arange(n)]
        mean = some.mean(axis=1)
        corrections = {"": np.zeros_like(mean)}
        if size > 1:
            corrections[", corrected"] = some.var(axis=1, ddof=1) / (
                2 * size * mean**2
            )  # as in bamdp.fit
        for name, correction in corrections.items():
            found = (np.log(mean) + correction).sum(axis=1) - truth
            print(
                f"mean of {size} searches{name}: bias {found.mean():+.2f}, deviation "
                f"{found.std():.2f}"
            )
    found, used = np.zeros(repetitions), 0
    for i in range(repetitions):
        open_choices, k = np.arange(n), 1
        while len(open_choices):
            met = (
                rng.random(len(open_choices))
                < chosen[rng.integers(0, searches, len(open_choices)), open_choices]
            )
            used += len(open_choices)
            open_choices = open_choices[~met]
            found[i] -= len(open_choices) / k
            k += 1
    print(
        f"inverse binomial sampling: bias {found.mean() - truth:+.2f}, deviation "
        f"{found.std():.2f}, ",
        end="",
    )
    print(f"{used / repetitions / n:.1f} searches for each choice")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--people", type=int, default=30)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument(
        "--rows", type=Path, default=Path("reproduction/results/fit/search_noise.jsonl")
    )
    parser.add_argument("--draws", action="store_true")
    given = parser.parse_args()
    if given.draws:
        draws()
        return
    logging.disable(logging.CRITICAL)  # of PyBADS
    rows = (
        [json.loads(line) for line in given.rows.read_text().splitlines()]
        if given.rows.exists()
        else []
    )
    for seed in range(given.first, given.first + given.people):
        if seed not in [one["seed"] for one in rows]:
            rows.append(row(seed))
            with given.rows.open("a") as file:
                file.write(json.dumps(rows[-1]) + "\n")
    for method in rows[0]["estimates"]:
        below = statistics.mean(
            [max(one["levels"].values()) - one["levels"][method] for one in rows]
        )
        print(f"{method}: {below} below the best level")
        for name, scale in BOUNDS.items():
            errors = [
                scale.scaled(one["estimates"][method][name]) - scale.scaled(one["true"][name])
                for one in rows
            ]
            print(
                f"  {name}: bias {statistics.mean(errors)}, RMSE "
                f"{float(np.sqrt(np.mean(np.square(errors)))):.3f}"
            )
    for name in BOUNDS:
        inside = sum(one["low"][name] <= one["true"][name] <= one["high"][name] for one in rows)
        print(f"surface, {name} covered: {statistics.proportion(inside, len(rows)).range()}")


if __name__ == "__main__":
    main()
