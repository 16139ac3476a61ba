"""Many copies of the Bayes-adaptive GridNavi at once, compared with single environments in a loop; random actions.

    python benchmarks/vector_env.py

Times are processor times of one thread, measured alternately; the fastest of several counts. `rows()` is for bench.py.
"""

from __future__ import annotations

from time import process_time

import numpy as np

from bamdp.domains import GridNavi
from bamdp.environments import BayesAdaptiveEnv, BayesAdaptiveVectorEnv

COPIES, STEPS, SINGLE_STEPS, REPETITIONS = 1024, 600, 3000, 5
ACTIONS = np.random.default_rng(0).integers(5, size=(STEPS, COPIES))


def many(envs: BayesAdaptiveVectorEnv) -> float:
    """Steps per second, summed over the copies; those that reset a copy are not counted."""
    envs.reset(seed=0)
    steps, started = 0, process_time()
    for actions in ACTIONS:
        steps += int((envs.step(actions)[0]["step"] > 0).sum())
    return steps / (process_time() - started)


def one(env: BayesAdaptiveEnv) -> float:
    """Steps per second of a single environment, with its resets."""
    env.reset(seed=0)
    started = process_time()
    for action in ACTIONS.ravel()[:SINGLE_STEPS].tolist():
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()
    return SINGLE_STEPS / (process_time() - started)


def rows() -> list[tuple[str, float, float, bool, str]]:
    """(name, ratio, target, whether the target is an upper one, note)."""
    domain = GridNavi()
    envs, env = BayesAdaptiveVectorEnv(domain, num_envs=COPIES), BayesAdaptiveEnv(domain)
    pairs = [(many(envs), one(env)) for _ in range(REPETITIONS)]
    together, alone = (max(column) for column in zip(*pairs, strict=True))
    note = f"times the steps per second: {together:,.0f} against {alone:,.0f}"
    return [(f"{COPIES} copies of GridNavi against a loop over single ones", together / alone, 50.0, False, note)]


if __name__ == "__main__":
    for name, ratio, target, _, note in rows():
        print(f"{name}: {ratio:.1f}, at least {target:g} ({note})")
