"""Calibration of the standard errors of plans: python benchmarks/calibration.py, three minutes of
processor time.

For each problem, the standard deviation of an action's value over plans that differ only by seed,
divided by the stated standard error (root mean square): 1 is correct, above 1 the error is
understated. With one tree, the error from its returns as if they were independent (the tree's
`standard_error`); with several, `Plan.standard_errors`.

The belief is that after some real steps; "best" is the action chosen most often, "others" the range
of the rest. Plans with an infinite error for the action are excluded; in brackets is the share of
included plans, where it is below 0.995.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp import Domain
from bamdp.agents import BAMCP
from bamdp.domain import UNBOUNDED
from bamdp.domains import Bandit, Chain, DoubleLoop, Grid, Gymnasium, InfiniteGrid, RandomMDP
from bamdp.runs.loop import Run
from bamdp.steps import Step

PLANS, SIMULATIONS = 200, 1000  # simulations per tree
TREES = (8, 16)
MEAN: dict[str, Any] = {"rollouts": "posterior-mean"}
PROBLEMS: list[tuple[str, Domain, int, dict[str, Any]]] = [
    ("Double-loop", DoubleLoop(), 50, {}),
    ("Double-loop", DoubleLoop(), 50, MEAN),
    ("Double-loop", DoubleLoop(), 50, {**MEAN, "exploration": 0.3}),
    ("Grid5", Grid(5), 50, {}),
    ("Grid5", Grid(5), 50, {**MEAN, "exploration": 0.3}),
    ("Chain", Chain(), 30, {}),
    ("Chain", Chain(), 30, {"rollouts": "uniform", "exploration": 30.0}),
    ("Bandit", Bandit([0.3, 0.6, 0.5]), 10, {"rollouts": "best-arm"}),
    ("Bandit", Bandit([0.3, 0.6, 0.5]), 10, {"rollouts": "uniform", "exploration": 30.0}),
    ("Random MDP", RandomMDP(seed=1), 30, {}),
    ("Random MDP", RandomMDP(seed=1), 30, {**MEAN, "exploration": 0.3}),
    ("Infinite grid", InfiniteGrid(seed=1), 20, {}),
    ("FrozenLake-v1", Gymnasium("FrozenLake-v1"), 30, {}),
    ("FrozenLake-v1", Gymnasium("FrozenLake-v1"), 30, {**MEAN, "exploration": 0.3}),
]

Ratios = list[
    tuple[float, float]
]  # per action: standard deviation / stated error, share of plans with a finite error


def played(world: Domain, steps: int) -> tuple[list[Step], int]:
    """Real steps, and the state after them."""
    run = Run(BAMCP(world.problem(), simulations=50, seed=123), world, seed=5)
    return [run.step() for _ in range(steps)], run.state


def ratios(
    world: Domain, steps: list[Step], state: int, trees: int, settings: dict[str, Any]
) -> tuple[Ratios, int]:
    """Calibration ratios of the actions, and the action chosen most often."""
    agent = BAMCP(
        world.problem(), simulations=SIMULATIONS * trees, trees=trees, threads=1, **settings
    )
    values, errors, actions = [], [], []
    for seed in range(PLANS):
        agent.reset(seed)
        for step in steps:
            agent.observe(step.state, step.action, step.reward or 0.0, step.next_state)
        plan = agent.plan(state)
        edges = plan.tree.to_dict(depth=0)["actions"]
        of_returns = [
            np.inf if edge["standard_error"] is None else edge["standard_error"] for edge in edges
        ]
        values.append(plan.q_values)
        errors.append(np.array(of_returns) if trees == 1 else plan.standard_errors)
        actions.append(plan.action)
    return [
        _ratio(*columns) for columns in zip(np.transpose(values), np.transpose(errors), strict=True)
    ], int(np.bincount(actions).argmax())


def _ratio(values: NDArray[np.float64], errors: NDArray[np.float64]) -> tuple[float, float]:
    known = np.isfinite(errors)
    if known.sum() < PLANS / 10:
        return np.nan, float(known.mean())
    return float(values[known].std(ddof=1) / np.sqrt(np.mean(errors[known] ** 2))), float(
        known.mean()
    )


def _cells(found: Ratios, best: int) -> list[str]:
    others = [
        ratio for action, (ratio, _) in enumerate(found) if action != best and not np.isnan(ratio)
    ] or [np.nan]
    share = min(share for _, share in found)
    return [
        f"{found[best][0]:.2f}",
        " … ".join(sorted({f"{min(others):.2f}", f"{max(others):.2f}"}))
        + (f" ({share:.2f})" if share < 0.995 else ""),
    ]


def main() -> None:
    heads = [
        f"{'one tree' if trees == 1 else f'{trees} trees'}, {who}"
        for trees in (1, *TREES)
        for who in ("best", "others")
    ]
    print("| " + " | ".join(["domain", "`rollouts`", "c", *heads]) + " |")
    print("|---" * (3 + len(heads)) + "|")
    for name, world, steps, settings in PROBLEMS:
        real = played(world, steps)
        rollouts = settings.get(
            "rollouts", "straight" if world.num_states == UNBOUNDED else "learned"
        )
        cells = [name, rollouts, f"{settings.get('exploration', 3.0):g}"]
        for trees in (1, *TREES):
            cells += _cells(*ratios(world, *real, trees, settings))
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
