"""Simulated trials: for designs that are not functions of the counts, late responses, and trials too large for the recursion.

A patient allocated at the decision for patient t, the first of the block, is allocated on the responses of patients i with
i + delay < t. All responses are known at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bamdp.executors import cores
from bamdp.trials.design import Array, Design, Rule
from bamdp.trials.designs.agent import AgentDesign
from bamdp.trials.trial import Trial

Tick = Callable[[int], None]


@dataclass(frozen=True)
class Simulated:
    """The counts at the end of many simulated trials."""

    successes: NDArray[np.int64]  # [A, N]
    pulls: NDArray[np.int64]  # [A, N]


def simulate(
    design: Design, rule: Rule | None, trial: Trial, chances: Array, rng: np.random.Generator, tick: Tick | None = None
) -> Simulated:
    """Trials with the success probabilities of each, [N, A]."""
    if isinstance(design, AgentDesign):
        return _agent_trials(design, trial, chances, rng, tick)
    assert rule is not None
    return _rule_trials(design, rule, trial, chances, rng)


def _rule_trials(design: Design, rule: Rule, trial: Trial, chances: Array, rng: np.random.Generator) -> Simulated:
    """All trials at once."""
    runs, A, block = len(chances), trial.num_arms, design.block_of(trial)
    every = np.arange(runs)
    arms, responses = (np.zeros((trial.patients, runs), dtype=kind) for kind in (np.int64, bool))
    counts = np.zeros((2, A, runs), dtype=np.int64)  # failures and successes that are known
    known = 0  # patients
    floor = trial.floor * A if design.adaptive else 0.0
    for first in range(0, trial.patients, block):
        while known + trial.delay < first:
            np.add.at(counts, (responses[known].astype(int), arms[known], every), 1)
            known += 1
        for patient in range(first, min(first + block, trial.patients)):
            chosen = rule.draw(list(counts[1]), list(counts[0]), first, rng)
            if floor:
                chosen = np.where(rng.random(runs) < floor, rng.integers(A, size=runs), chosen)
            arms[patient] = chosen
            responses[patient] = rng.random(runs) < chances[every, chosen]
    on = [arms == arm for arm in range(A)]
    return Simulated(np.stack([(responses & here).sum(axis=0) for here in on]), np.stack([here.sum(axis=0) for here in on]))


def _agent_trials(design: AgentDesign, trial: Trial, chances: Array, rng: np.random.Generator, tick: Tick | None) -> Simulated:
    """One trial after the other, on threads: planners search without Python's lock."""
    seeds = rng.integers(2**32, size=(len(chances), 2)).tolist()
    counts = []
    with ThreadPoolExecutor(cores()) as pool:
        work = pool.map(lambda given: _agent_trial(design, trial, given[0], *given[1]), zip(chances, seeds, strict=True))
        for done, result in enumerate(work, start=1):
            counts.append(result)
            if tick is not None:
                tick(done)
    successes, pulls = np.stack(counts, axis=-1)
    return Simulated(successes, pulls)


def _agent_trial(design: AgentDesign, trial: Trial, chances: Array, seed: int, world: int) -> NDArray[np.int64]:
    """Successes and patients of each arm. [2, A]"""
    agent, rng = design.make(trial.problem, seed=seed), np.random.default_rng(world)
    luck = rng.random((trial.patients, 3))
    counts = np.zeros((2, trial.num_arms), dtype=np.int64)
    waiting: list[tuple[int, bool]] = []
    for first in range(0, trial.patients, trial.block):
        while waiting and len(waiting) > trial.delay:
            arm, success = waiting.pop(0)
            agent.observe(0, arm, float(success), int(success))
        for response, lot, where in luck[first : first + trial.block]:
            fair = lot < trial.floor * trial.num_arms
            arm = int(where * trial.num_arms) if fair else agent.act(0)
            success = bool(response < chances[arm])
            waiting.append((arm, success))
            counts[:, arm] += success, 1
    return counts
