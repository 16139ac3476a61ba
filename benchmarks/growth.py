"""Table of measured costs by number of states: python benchmarks/growth.py

Processor time in MDPs of 10^3 … 10^6 states and two actions, after 100 steps from one state to a
new one each time. A case is omitted if it would take longer than a minute, or if a table would
exceed the memory limit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from bamdp import BAMDP, Agent
from bamdp.agents import BAMCP, BAUCT, BayesianDP, PosteriorMean
from bamdp.agents._model_based import ModelBased
from bamdp.prior import Prior
from bamdp.priors import Dirichlet, SparseDirichlet

SIZES = (10**3, 10**4, 10**5, 10**6)
STEPS, SIMULATIONS, DEPTH = 100, 100, 20
PRIORS: dict[str, Prior] = {"Dirichlet": Dirichlet(), "SparseDirichlet": SparseDirichlet()}


def hub_steps(agent: Agent) -> None:
    """Observe steps from state 0 to a new state each time."""
    for next_state in range(1, STEPS + 1):
        agent.observe(0, 0, 0.0, next_state)


def seconds(work: Callable[[], object], repetitions: int) -> float:
    """Median time of several repetitions."""
    times = []
    for _ in range(repetitions):
        started = process_time()
        work()
        times.append(process_time() - started)
    return float(np.median(times))


def simulated_step(prior: Prior, sampling: str, size: int) -> float:
    """Microseconds per simulated step, excluding the first decision, which fills tables."""
    agent = searcher(prior, sampling, size, SIMULATIONS)
    hub_steps(agent)
    agent.plan(0)
    return seconds(lambda: agent.plan(0), 5) / SIMULATIONS / DEPTH * 1e6


def full_simulation(prior: Prior, size: int) -> float:
    """Milliseconds per simulation with full sampling."""
    agent = searcher(prior, "full", size, 1)
    hub_steps(agent)
    return seconds(lambda: agent.plan(0), 1) * 1e3


def real_step(prior: Prior, size: int) -> float:
    """Milliseconds of a decision and an observation of a new state, including the filling of
    tables.
    """
    agent = searcher(prior, "collapsed", size, SIMULATIONS)
    hub_steps(agent)
    unmet = iter(range(STEPS + 1, size))

    def step() -> None:
        agent.plan(0)
        agent.observe(0, 0, 0.0, next(unmet))

    return seconds(step, 50) * 1e3


def searcher(prior: Prior, sampling: str, size: int, simulations: int) -> BAMCP:
    agent_class = BAUCT if sampling == "resampled" else BAMCP
    settings: dict[str, Any] = {
        "sampling": sampling,
        "simulations": simulations,
        "depth": DEPTH,
        "rollouts": "uniform",
    }
    return agent_class(BAMDP(prior, np.zeros((size, 2)), 0.95), seed=1, **settings)


def decision(agent_class: type[ModelBased], prior: Prior, size: int) -> float:
    """Milliseconds of `act` after one more observation."""
    agent = agent_class(BAMDP(prior, np.random.default_rng(0).random((size, 2)), 0.95), seed=1)
    hub_steps(agent)
    agent.act(0)
    agent.observe(0, 0, 0.0, STEPS + 1)
    return seconds(lambda: agent.act(0), 1) * 1e3


def line(name: str, unit: str, measure: Callable[[int], float], growth: int) -> None:
    """Print one row of the table; `growth` is the known power of S in the time."""
    found: list[str] = []
    expected = 0.0
    for size in SIZES:
        started = process_time()
        try:
            found.append(f"{measure(size):.3g}" if expected < 60 else "")
        except MemoryError:
            found.append("")
        expected = max(expected, process_time() - started) * 10**growth
    print(f"| {name} | {unit} | " + " | ".join(found) + " |", flush=True)


def main() -> None:
    print(
        "| | measured | "
        + " | ".join(f"S = {size}" for size in SIZES)
        + " |\n|---|---|"
        + "---|" * len(SIZES)
    )
    for name, prior in PRIORS.items():
        line(f"`{name}`, collapsed", "ms per real step", partial(real_step, prior), 0)
        for sampling in ("collapsed", "lazy", "resampled"):
            line(
                f"`{name}`, {sampling}",
                "µs per simulated step",
                partial(simulated_step, prior, sampling),
                0,
            )
        line(f"`{name}`, full", "ms per simulation", partial(full_simulation, prior), 2)
        for agent_class in (PosteriorMean, BayesianDP):
            line(
                f"`{name}`, `{agent_class.__name__}`",
                "ms per decision",
                partial(decision, agent_class, prior),
                1,
            )


if __name__ == "__main__":
    main()
