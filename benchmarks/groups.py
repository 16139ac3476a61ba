"""Coverage of a group's 95 % intervals: simulated groups of people who plan, fitted by
`bamdp.fit.group`.

    python benchmarks/groups.py [--groups 200] [--people 30] [--games 10] [--first 0] [--rows
    reproduction/results/fit/groups.jsonl]

Each game offers, ten times, an arm of unknown rate or a sure payment, which differs between games.
A person looks ahead with discount 1 − 1/horizon; horizon and temperature are log-normal in the
group. Rows that are stored are not made again.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

import bamdp
from bamdp import statistics
from bamdp.fit import ChoiceRule, Exact, FreeParameter, Model, group, simulate

SURE = (0.5, 0.55, 0.6, 0.65, 0.7)
MEAN, DEVIATION = {"horizon": 4.0, "temperature": 0.08}, {"horizon": 0.4, "temperature": 0.3}


def problem(horizon: float, sure: float) -> bamdp.BAMDP:
    arms = bamdp.domains.Bandit([0.5, 1], 1 - 1 / horizon, payoffs=[1, sure], horizon=10)
    return arms.problem(bamdp.priors.BetaArms([1, 1], [1, 0]))


BOUNDS = {"horizon": FreeParameter(1.05, 60, "log"), "temperature": FreeParameter(0.01, 2, "log")}
MODEL = Model(problem, Exact(), ChoiceRule, BOUNDS, name="planner", conditions=["sure"])


def people(seed: int, count: int, games: int) -> dict[str, list[Any]]:
    """Choices of a group."""
    rng, parts = np.random.default_rng([7, seed]), []
    for subject in range(count):
        drawn = {
            name: MEAN[name] * np.exp(DEVIATION[name] * rng.standard_normal()) for name in MEAN
        }
        inside = {
            name: min(max(value, BOUNDS[name].low), BOUNDS[name].high)
            for name, value in drawn.items()
        }
        design: dict[str, Any] = {"games": games, "conditions": [{"sure": sure} for sure in SURE]}
        parts.append(
            simulate(MODEL, inside, subject=subject, seed=int(rng.integers(2**31)), **design)
        )
    return {name: [cell for part in parts for cell in part[name]] for name in parts[0]}


def row(seed: int, count: int, games: int) -> dict[str, Any]:
    found = group(people(seed, count, games), MODEL, threads=1)
    of = {"mean": found.mean, "low": found.low, "high": found.high, "deviation": found.deviation}
    return {"seed": seed, "people": count, "games": games, **of}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in (("groups", 200), ("people", 30), ("games", 10), ("first", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--rows", type=Path, default=Path("reproduction/results/fit/groups.jsonl"))
    given = parser.parse_args()
    design = {"people": given.people, "games": given.games}
    lines = given.rows.read_text().splitlines() if given.rows.exists() else []
    known = {
        one["seed"]: one
        for one in map(json.loads, lines)
        if {name: one[name] for name in design} == design
    }
    for seed in range(given.first, given.groups):
        if seed not in known:
            known[seed] = row(seed, given.people, given.games)
            with given.rows.open("a") as file:
                file.write(json.dumps(known[seed]) + "\n")
    rows = list(known.values())
    for name, true in MEAN.items():
        inside = sum(one["low"][name] <= true <= one["high"][name] for one in rows)
        spread = sum(
            one["deviation"][name][1] <= DEVIATION[name] <= one["deviation"][name][2]
            for one in rows
        )
        error = statistics.mean([float(np.log(one["mean"][name] / true)) for one in rows])
        cover = [statistics.proportion(count, len(rows)).range() for count in (inside, spread)]
        print(
            f"{name}: mean covered {cover[0]}, deviation covered {cover[1]}, bias of the log mean "
            f"{error}"
        )


if __name__ == "__main__":
    main()
