"""Regret of index policies on ten Bernoulli arms and 500 pulls, the arms of DataWraith's
banditbench: python benchmarks/arms_regret.py, some 50 minutes of processor time, nearly all for the
finite-horizon index with success rates Beta(1, 8).

All worlds are simulated together; the n-th pull of an arm pays the same under every policy. Indices
of the finite horizon rise with the pulls left: that of an earlier step is an upper bound, and one
is computed anew only where it may be the highest.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from numpy.typing import NDArray

from bamdp.exact import finite_gittins_index, gittins_index

ARMS, PULLS, WORLDS = 10, 500, 10_001
PRIORS = ((1.0, 1.0), (1.0, 8.0), (8.0, 1.0))
DISCOUNTS = (0.99, 0.995, None)  # None: the finite horizon
TIE = 2e-9

Array = NDArray[np.float64]


def regret(prior: tuple[float, float], discount: float | None, worlds: int, seed: int) -> Array:
    """The sum over pulls of how much better the best arm was. [worlds]"""
    a, b = prior
    rates = np.random.default_rng(seed).beta(a, b, (worlds, ARMS))
    pays = np.empty((worlds, ARMS, PULLS), dtype=bool)
    for world in range(worlds):
        drawn = np.random.default_rng([seed, world]).random((ARMS, PULLS))
        pays[world] = drawn < rates[world][:, None]
    ties, rows = np.random.default_rng(seed + 1), np.arange(worlds)
    won, lost = (np.zeros((worlds, ARMS), dtype=np.int64) for _ in range(2))
    table = np.full((PULLS + 1, PULLS + 1), np.inf)  # indices, or upper bounds of them
    if discount is not None:
        at = np.nonzero(np.add.outer(np.arange(PULLS + 1), np.arange(PULLS + 1)) < PULLS)
        table[at] = gittins_index(a + at[0], b + at[1], discount)
    total = np.zeros(worlds)
    for left in range(PULLS, 0, -1):
        current = np.full(table.shape, discount is not None)
        while True:
            indices = table[won, lost]
            highest = indices >= indices.max(axis=1, keepdims=True) - TIE
            missing = highest & ~current[won, lost]
            if not missing.any():
                break
            s, f = np.unique(np.stack([won[missing], lost[missing]]), axis=1)
            table[s, f] = finite_gittins_index(a + s, b + f, left)
            current[s, f] = True
        arm = np.where(highest, ties.random(highest.shape), -1).argmax(axis=1)
        paid = pays[rows, arm, won[rows, arm] + lost[rows, arm]]
        won[rows, arm] += paid
        lost[rows, arm] += ~paid
        total += rates.max(axis=1) - rates[rows, arm]
    return total


def main() -> None:
    worlds = int(sys.argv[1]) if len(sys.argv) > 1 else WORLDS
    for prior in PRIORS:
        for discount in DISCOUNTS:
            started = time.perf_counter()
            lost = regret(prior, discount, worlds, seed=5)
            mean, error = lost.mean(), lost.std(ddof=1) / worlds**0.5
            name = "finite horizon" if discount is None else f"discount {discount}"
            seconds = time.perf_counter() - started
            print(f"Beta{prior}, {name}: {mean:.3f}, s.e. {error:.3f}, {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
