"""Olfactory search by two rules of the literature and by a planner: the same first whiff, the same
sources and the same particles for all.

Infotaxis (Vergassola et al. 2007) takes the step after which the entropy H of the source is least;
space-aware infotaxis (Loisy and Eloy 2022) counts its mean distance D, too. Both are one agent,
written here as a user would.
"""

import argparse
import math
from pathlib import Path
from typing import Any

import numpy as np
from olfactory import CELLS, CENTRE, MOVES, N, moved, search, smell
from scipy.special import k0

import bamdp
from bamdp.statistics import mean

GRID = np.array(CELLS)
SMELLS = {cell: np.array([smell(source, cell) for source in CELLS]) for cell in CELLS}  # [M, 3]


class Infotaxis(bamdp.Agent):
    """Minimises (1 - p) E[cost], p the probability of finding the source with the next step.

    Args:
        problem: the search.
        space_aware: whether the cost is log2(D + 2^(H - 1) - 1/2), else H.
        seed: without effect.
    """

    def __init__(self, problem: bamdp.BAMDP, *, space_aware: bool = False, seed: int = 0) -> None:
        self.space_aware = space_aware
        super().__init__(problem, seed=seed)

    def act(self, state: int) -> int:
        self._check_state(state)
        cell = self.problem.prior.numbers[state].state  # type: ignore[attr-defined]
        costs = np.array([self.cost(moved(cell, action)) for action in MOVES])
        return int(np.flatnonzero(costs <= costs.min() + 1e-10)[0])

    def cost(self, cell: tuple[int, int]) -> float:
        """The expected cost after a step to `cell`."""
        if cell not in SMELLS:
            return math.inf  # out of the grid
        left = np.where(np.all(cell == GRID, axis=1), 0.0, self.belief.weights)  # not found there
        joint = SMELLS[cell] * left[:, None]
        mass = joint.sum(axis=0)
        after = joint / np.maximum(mass, 1e-300)
        cost = -(after * np.log2(np.maximum(after, 1e-300))).sum(axis=0)
        if self.space_aware:
            distance = np.abs(GRID - cell).sum(axis=1) @ after
            cost = np.log2(np.maximum(distance + 2 ** (cost - 1) - 0.5, 1e-300))
        return float(mass @ cost)


def sources(count: int) -> list[tuple[int, tuple[int, int]]]:
    """First whiffs, of a source anywhere in the plane, and sources by the belief after each."""
    radius = np.arange(1, 1000)
    means = k0(radius) / np.log(2)
    none, one = np.exp(-means), means * np.exp(-means)
    two = radius @ (1 - none - one)
    rng = np.random.default_rng(0)
    whiffs = [1 + int(rng.random() < two / (two + radius @ one)) for _ in range(count)]
    return [(first, search(first).prior.draw(rng)) for first in whiffs]  # type: ignore[attr-defined]


def draw(path: Path, agent: bamdp.Agent, source: tuple[int, int], seed: int) -> None:
    """What the agent believes, and where it was, at six moments of a search."""
    from matplotlib.figure import Figure

    prior = agent.problem.prior
    agent.reset(seed=seed)
    world = prior.domain(agent.problem, source)  # type: ignore[attr-defined]
    record = bamdp.run(agent, world.with_common_outcomes(seed), seed=seed, beliefs=True)
    beliefs: Any = record.beliefs
    ended = [*record.states.tolist(), int(record.next_states[-1])]
    seen = [prior.numbers[state] for state in ended]  # type: ignore[attr-defined]
    cells, particles = [each.state for each in seen], [each.seen for each in seen]
    figure = Figure(figsize=(10, 6.8), dpi=80, layout="constrained")
    for axes, t in zip(figure.subplots(2, 3).flat, np.linspace(0, len(cells) - 1, 6), strict=True):
        step = round(t)
        belief = beliefs[step].weights
        axes.imshow(np.sqrt(belief).reshape(N, N).T, cmap="Blues", vmin=0)
        axes.plot(*np.transpose(cells[: step + 1]), color="0.4", linewidth=1)
        smelled = [c for c, k in zip(cells[: step + 1], particles, strict=False) if k]
        axes.plot(*np.transpose([CENTRE, *smelled]), "o", color="C1", markersize=5)
        axes.plot(*cells[step], "s", color="black", markersize=6)
        axes.plot(*source, "x", color="C3", markersize=9, markeredgewidth=2)
        axes.set(title=f"step {step}", xticks=[], yticks=[])
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=int, default=400)
    parser.add_argument("--simulations", type=int, default=3000)
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    problems = {first: search(first) for first in (1, 2)}
    planner: Any = {"simulations": options.simulations, "exploration": 10.0, "depth": 60}
    agents: dict[str, dict[int, bamdp.Agent]] = {
        "infotaxis": {f: Infotaxis(p) for f, p in problems.items()},
        "space-aware infotaxis": {f: Infotaxis(p, space_aware=True) for f, p in problems.items()},
        "BAMCP": {f: bamdp.agents.BAMCP(p, **planner) for f, p in problems.items()},
    }
    steps: dict[str, list[float]] = {name: [] for name in agents}
    seconds = dict.fromkeys(agents, 0.0)
    for i, (first, source) in enumerate(sources(options.sources)):
        prior = problems[first].prior
        world = prior.domain(problems[first], source)  # type: ignore[attr-defined]
        for name, each in agents.items():
            each[first].reset(seed=i)
            record = bamdp.run(each[first], world.with_common_outcomes(i), seed=i)
            steps[name].append(float(len(record.actions)))
            seconds[name] += float(np.sum(record.seconds))
    for name, taken in steps.items():
        more = mean(np.subtract(taken, steps["space-aware infotaxis"]).tolist())  # paired
        time = 1000 * seconds[name] / sum(taken)
        print(f"{name:22} {mean(taken)!s:>12} steps, {more!s:>12} more, {time:5.1f} ms a step")
    if options.picture is not None:
        draw(options.picture, agents["BAMCP"][1], source=(5, 13), seed=7)


if __name__ == "__main__":
    main()
