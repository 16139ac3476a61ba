"""Theorem 1, measured: the root value and the decision of each planner against the exact Bayes-optimal ones.

    python examples/convergence.py --most 100000         # two minutes; the full 1,000,000 take twenty

Agents without simulations (myopic ones) appear once, with the regret of their decision alone.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rows import Row, complete

from bamdp import Prior, discovery, flags
from bamdp.exact import bayes_optimal
from bamdp.experiments.bandits import CONVERGENCE
from bamdp.priors import BetaArms, Dirichlet, Finite, SparseDirichlet

REWARDS = np.array(CONVERGENCE["rewards"])
TABLES = np.random.default_rng(3).dirichlet([0.3] * 3, size=(5, 3, 2))
PROBLEMS: dict[str, tuple[Prior, NDArray[np.float64]]] = {
    "dirichlet": (Dirichlet(), REWARDS),
    "sparse-dirichlet": (SparseDirichlet(), REWARDS),
    "finite": (Finite(TABLES), REWARDS),
    "arms": (BetaArms([1, 1, 3], [1, 0, 3]), np.array([[[0, 1], [0, CONVERGENCE["sure_reward"]], [0, 1]]] * 2)),
}
MYOPIC = ("posterior-mean", "bayesian-dp", "beb", "random")


def point(key: Row) -> Row:
    """Bias of the optimal action's value over seeds, its standard error, and the mean regret of the decision."""
    prior, rewards = PROBLEMS[key["problem"]]
    discount, horizon = CONVERGENCE["discount"], CONVERGENCE["horizon"]
    optimum = bayes_optimal(prior, rewards, discount, 0, horizon=horizon)
    target = discovery.find("agent", key["agent"]).target
    takes = {flag.parameter for flag in flags.of_constructor(target)}
    budget = key.get("simulations")
    offered = {"simulations": budget, "exploration": key.get("c"), "horizon": horizon, "rollouts": "uniform"}
    if key["agent"] == "ba-uct":
        offered["sampling"] = "resampled"  # collapsed, it is the same process as BAMCP's
    offered |= {"trajectories": budget, "depth": horizon, "tree": "shared", "leaves": "closed"}  # BFS3
    settings = {name: value for name, value in offered.items() if name in takes and value is not None}
    values, regrets = [], []
    for seed in range(CONVERGENCE["seeds"]):
        try:
            agent = make(target, prior, rewards, discount, seed, settings)
        except (TypeError, ValueError) as error:  # not every agent can plan with every prior
            return {"refused": str(error)}
        if hasattr(agent, "bounds"):  # BFS3: it decides by the upper one
            values.append(agent.bounds(0)[1][optimum.action] - optimum.value)
            agent.reset(seed)
        plan = agent.plan(0) if hasattr(agent, "plan") else None
        if plan is not None:
            values.append(plan.values[optimum.action] - optimum.value)
        action = agent.act(0) if plan is None else plan.action
        regrets.append(optimum.value - optimum.values[action])
    bias = {"bias": float(np.mean(values)), "error": float(np.std(values) / np.sqrt(len(values)))} if values else {}
    return {**bias, "regret": float(np.mean(regrets))}


def make(target: Any, prior: Prior, rewards: NDArray[np.float64], discount: float, seed: int, settings: Row) -> Any:
    if target.__name__ == "Random":
        return target(rewards.shape[1], seed=seed)
    return target(prior, rewards, discount, seed=seed, **settings)


def planners() -> list[tuple[str, Row]]:
    """Those that look ahead, by name and setting."""
    uct: list[tuple[str, Row]] = [(name, {"c": c}) for name in ("bamcp", "ba-uct") for c in CONVERGENCE["exploration"]]
    return [*uct, ("bfs3", {})]


def figure(rows: list[Row], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(PROBLEMS), figsize=(3.2 * len(PROBLEMS), 3), sharey=True, layout="constrained")
    for axis, name in zip(axes, PROBLEMS, strict=True):
        for agent, more in planners():
            here = {"problem": name, "agent": agent, **more}
            line = [row for row in rows if "bias" in row and all(row.get(k) == v for k, v in here.items())]
            n = np.array([row["simulations"] for row in line])
            axis.loglog(
                n, [abs(row["bias"]) for row in line], ".-", label=" ".join([agent, *(f"c = {c:g}" for c in more.values())])
            )
        n = np.array(CONVERGENCE["simulations"])
        axis.loglog(n, 30 * np.log(n) / n, "k:", label="∝ log N / N")
        axis.set(title=name, xlabel="simulations N")
    axes[0].set_ylabel("|bias| of the root value")
    axes[-1].legend(fontsize="x-small")
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--most", type=int, default=max(CONVERGENCE["simulations"]), help="largest budget")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("results"))
    options = parser.parse_args()
    known = discovery.listing("agent")
    budgets = [n for n in CONVERGENCE["simulations"] if n <= options.most]
    keys: list[Row] = [
        {"problem": p, "agent": a, **more, "simulations": n} for n in budgets for a, more in planners() for p in PROBLEMS
    ]
    keys += [{"problem": p, "agent": a} for a in MYOPIC if a in known for p in PROBLEMS]
    rows = complete(options.out / "convergence.jsonl", keys, point, options.workers)
    for row in rows:
        if row.get("simulations", budgets[-1]) == budgets[-1]:
            print(*(f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value}" for name, value in row.items()))
    figure(rows, options.out / "convergence.png")


if __name__ == "__main__":
    main()
