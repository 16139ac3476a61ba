"""Figure S2 of the paper: eight Bernoulli arms, 300 steps, BAMCP beside the Gittins index and the posterior mean.

python examples/eight_arms.py --workers 2            # full size: 10 minutes on two cores
python examples/eight_arms.py --scale 0.1            # a tenth of the runs
"""

import argparse
from pathlib import Path

import numpy as np
from rows import Row, complete

from bamdp import discovery, run
from bamdp.domains import Bandit
from bamdp.experiments.bandits import EIGHT_ARMS
from bamdp.play import seeds

WORLD = Bandit()


def one(key: Row) -> Row:
    """One run: the sum of rewards and the discounted one."""
    agent_seed, world_seed = seeds(0, key["run"])
    settings = EIGHT_ARMS["settings"].get(key["agent"], {})
    agent = discovery.find("agent", key["agent"]).target.for_domain(WORLD, seed=agent_seed, **settings)
    record = run(agent, WORLD, EIGHT_ARMS["steps"], world_seed)
    return {"total": record.total_reward, "discounted": round(record.discounted_return, 6)}


def figure(rows: list[Row], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    names = list(dict.fromkeys(row["agent"] for row in rows))
    figure, axes = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
    for axis, measure in zip(axes, ("total", "discounted"), strict=True):
        values = [np.array([row[measure] for row in rows if row["agent"] == name]) for name in names]
        errors = [1.96 * x.std(ddof=1) / np.sqrt(len(x)) for x in values]
        axis.errorbar(names, [x.mean() for x in values], errors, fmt="o", capsize=4)
        axis.set_title(f"{'sum' if measure == 'total' else 'discounted sum'} of rewards, 95 %")
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--scale", type=float, default=1.0, help="share of the runs")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("results"))
    options = parser.parse_args()
    known = discovery.listing("agent")
    keys = [
        {"agent": agent, "run": i}
        for agent, runs in EIGHT_ARMS["runs"].items()
        if agent in known
        for i in range(int(runs * options.scale))
    ]
    rows = complete(options.out / "eight_arms.jsonl", keys, one, options.workers)
    for name in dict.fromkeys(row["agent"] for row in rows):
        for measure in ("total", "discounted"):
            x = np.array([row[measure] for row in rows if row["agent"] == name])
            print(f"{name:>15} {measure:>10}: {x.mean():.2f} ± {1.96 * x.std(ddof=1) / np.sqrt(len(x)):.2f}   ({len(x)} runs)")
    figure(rows, options.out / "eight_arms.png")


if __name__ == "__main__":
    main()
