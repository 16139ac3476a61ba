"""BFS3 with dictionaries, the predictive probabilities as rows, and recursion."""

import random
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.agents import BFS3


class Twin:
    """The same search as the core's, slowly."""

    def __init__(self, predictive: Any, rewards: NDArray[np.float64], closed: bool) -> None:
        self.predictive, self.R, self.closed, self.rng = (
            predictive,
            rewards,
            closed,
            random.Random(0),
        )
        self.g, self.C, self.D, self.vmax = 0.9, 2, 3, 6.0
        self.S, self.A = rewards.shape

    def draw(self, counts: Counter[Any], s: int, a: int) -> int:
        return self.rng.choices(range(self.S), self.predictive(counts, s, a))[0]

    def open(self, counts: Counter[Any], s: int) -> dict[str, Any]:
        return {
            "m": [Counter(self.draw(counts, s, a) for _ in range(self.C)) for a in range(self.A)],
            "children": {},
        }

    def of(self, node: dict[str, Any], a: int, t: int, depth: int) -> tuple[float, float]:
        if (a, t) in node["children"]:
            child = node["children"][a, t]
            both = [self.q(child, b, t, depth + 1) for b in range(self.A)]
            return max(low for low, _ in both), max(high for _, high in both)
        return (0.0, 0.0) if self.closed and depth + 1 == self.D else (0.0, self.vmax)

    def q(self, node: dict[str, Any], a: int, s: int, depth: int) -> tuple[float, float]:
        low = high = 0.0
        for t, m in node["m"][a].items():
            ahead = self.of(node, a, t, depth)
            low += m / self.C * (self.R[s, a] + self.g * ahead[0])
            high += m / self.C * (self.R[s, a] + self.g * ahead[1])
        return low, high

    def any_best(self, scores: dict[Any, float]) -> Any:
        return self.rng.choice(
            [key for key, score in scores.items() if score >= max(scores.values()) - 1e-12]
        )

    def trajectory(self, node: dict[str, Any], s: int, counts: Counter[Any], depth: int) -> None:
        a = self.any_best({b: self.q(node, b, s, depth)[1] for b in range(self.A)})
        widths = {t: self.of(node, a, t, depth) for t in node["m"][a]}
        t = self.any_best({t: (high - low) * node["m"][a][t] for t, (low, high) in widths.items()})
        if depth + 1 == self.D:
            return
        counts[s, a, t] += 1
        if (a, t) not in node["children"]:
            node["children"][a, t] = self.open(counts, t)
        self.trajectory(node["children"][a, t], t, counts, depth + 1)

    def shared(self, real: Counter[Any], s: int, trajectories: int) -> list[tuple[float, float]]:
        root = self.open(real, s)
        for _ in range(trajectories):
            self.trajectory(root, s, real.copy(), 0)
        return [self.q(root, a, s, 0) for a in range(self.A)]

    def separate(self, real: Counter[Any], s: int, trajectories: int) -> list[tuple[float, float]]:
        result = []
        for a in range(self.A):
            low = high = 0.0
            for _ in range(self.C):
                t = self.draw(real, s, a)
                planned = real + Counter([(s, a, t)])
                root = self.open(planned, t)
                for _ in range(max(1, trajectories // self.C)):
                    self.trajectory(root, t, planned.copy(), 0)
                both = [self.q(root, b, t, 0) for b in range(self.A)]
                low += (self.R[s, a] + self.g * max(x for x, _ in both)) / self.C
                high += (self.R[s, a] + self.g * max(x for _, x in both)) / self.C
            result.append((low, high))
        return result


def bounds(agent: BFS3, state: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The bounds of each action's value by a new search."""
    plan = agent.plan(state)
    return plan.q_lower, plan.q_upper
