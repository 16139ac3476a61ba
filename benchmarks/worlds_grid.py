"""The infinite grid by functions of a user's (examples/infinite_grid_worlds.py) against the prior
of the library, `GridRewards`: BAMCP, equal simulations, the same fresh worlds.

    python benchmarks/worlds_grid.py --worlds 100 --simulations 300

It prints a line for each world, and the ratio of the mean returns of those so far.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

import bamdp
from bamdp.agents import BAMCP
from bamdp.domains import InfiniteGrid

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
from infinite_grid_worlds import SIZE, problem

STEPS = 200


class Renumbered(InfiniteGrid):
    """The same grid, with the states of the example."""

    def _number(self, state: int) -> int:
        x, y, content = self.cell(state)
        return 2 * (x % SIZE * SIZE + y % SIZE) + content

    def reset(self, rng: np.random.Generator) -> int:
        self._at = super().reset(rng)
        return self._number(self._at)

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        self._at, reward = super().step(self._at, action, rng)
        return self._number(self._at), reward

    def problem(self, prior: Any = None, **changes: Any) -> bamdp.BAMDP:
        return problem


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=100)
    parser.add_argument("--simulations", type=int, default=300)
    parser.add_argument("--first", type=int, default=0, help="seed of the first world")
    asked = parser.parse_args()
    returns = []
    for seed in range(asked.first, asked.first + asked.worlds):
        pair = []
        for domain, posed in (
            (Renumbered(seed=seed), problem),
            (InfiniteGrid(seed=seed), InfiniteGrid(seed=seed).problem()),
        ):
            agent = BAMCP(posed, simulations=asked.simulations, seed=seed)
            record = bamdp.run(agent, domain, steps=STEPS, seed=seed)
            pair.append(float(record.rewards @ 0.97 ** np.arange(STEPS)))
        returns.append(pair)
        own, known = np.array(returns).T
        print(f"{seed} {pair[0]:.3f} {pair[1]:.3f}  {own.mean() / known.mean():.3f}", flush=True)
    difference = own - known
    error = difference.std(ddof=1) / len(own) ** 0.5
    print(
        f"{own.mean():.3f} against {known.mean():.3f}, "
        f"ratio {own.mean() / known.mean():.3f} ± {1.96 * error / known.mean():.3f}"
    )


if __name__ == "__main__":
    main()
