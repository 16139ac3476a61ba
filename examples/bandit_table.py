"""Figure S1 of the paper: how often BAMCP takes the arm of highest Gittins index, a sure 0.5 or p ~ Beta(alpha, beta).

python examples/bandit_table.py --workers 2          # all: about 20 minutes on two cores, most of it for 100,000 simulations
python examples/bandit_table.py --most 10000         # without that: two minutes
"""

import argparse
from pathlib import Path

import numpy as np
from rows import Row, complete

from bamdp.agents import BAMCP
from bamdp.domains import Bandit
from bamdp.exact import gittins_index
from bamdp.experiments.bandits import TABLE, TABLE_SEARCH
from bamdp.priors import BetaArms

WORLD = Bandit([0.5, 1.0], TABLE["discount"], payoffs=[1, TABLE["sure_reward"]])


def best(alpha: int, beta: int) -> int:
    return 0 if gittins_index(alpha, beta, WORLD.discount, 1e-8) > TABLE["sure_reward"] else 1


def cell(key: Row) -> Row:
    """One cell: the share of runs that decide as the index does."""
    prior = BetaArms([key["alpha"], 1], [key["beta"], 0])
    search = {**TABLE_SEARCH, "simulations": key["simulations"]}
    agents = (BAMCP(prior, WORLD.rewards, WORLD.discount, seed=seed, **search) for seed in range(key["runs"]))
    right = best(key["alpha"], key["beta"])
    return {"correct": float(np.mean([agent.act(0) == right for agent in agents]))}


def posterior_mean(alpha: int, beta: int) -> float:
    """P(correct) of the greedy decision; a tie is broken at random."""
    return 0.5 if alpha == beta else float((0 if alpha > beta else 1) == best(alpha, beta))


def figure(rows: list[Row], budgets: list[int], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    alphas, betas = TABLE["alphas"], TABLE["betas"]
    tables = {
        f"{n:,} simulations": {(r["alpha"], r["beta"]): r["correct"] for r in rows if r["simulations"] == n} for n in budgets
    }
    tables["posterior mean"] = {(a, b): posterior_mean(a, b) for a in alphas for b in betas}
    figure, axes = plt.subplots(1, len(tables), figsize=(3 * len(tables), 3.4), sharey=True, layout="constrained")
    for axis, (title, table) in zip(axes, tables.items(), strict=True):
        image = np.array([[table.get((a, b), np.nan) for b in betas] for a in alphas])
        shown = axis.imshow(
            image, origin="lower", vmin=0, vmax=1, cmap="viridis", extent=(0.5, len(betas) + 0.5, 0.5, len(alphas) + 0.5)
        )
        axis.set(title=title, xlabel="beta")
    axes[0].set_ylabel("alpha")
    figure.colorbar(shown, ax=axes, label="P(correct decision)")
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--most", type=int, default=max(TABLE["simulations"]), help="largest budget")
    parser.add_argument("--runs", type=int, default=TABLE["runs"])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("results"))
    options = parser.parse_args()
    budgets = [n for n in TABLE["simulations"] if n <= options.most]
    keys = [
        {"alpha": a, "beta": b, "simulations": n, "runs": options.runs}
        for n in budgets
        for a in TABLE["alphas"]
        for b in TABLE["betas"]
    ]
    rows = complete(options.out / "bandit_table.jsonl", keys, cell, options.workers)
    for n in budgets:
        print(f"{n:>9,} simulations: {np.mean([row['correct'] for row in rows if row['simulations'] == n]):.3f} correct")
    print(f"   posterior mean: {np.mean([posterior_mean(a, b) for a in TABLE['alphas'] for b in TABLE['betas']]):.3f} correct")
    figure(rows, budgets, options.out / "bandit_table.png")


if __name__ == "__main__":
    main()
