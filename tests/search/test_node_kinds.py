"""What a node of the tree stands for: a history, or a set of transitions in any order."""

from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP
from bamdp.agents import BAMCP
from bamdp.priors import Dirichlet


@pytest.mark.parametrize("nodes", ["histories", "counts"])
def test_enough_simulations_find_every_node_above_the_horizon(nodes: Any) -> None:
    rewards = np.array([[0.0, 0.4], [1.0, 0.0]])
    agent = BAMCP(
        BAMDP(Dirichlet(1.0), rewards, 0.5),
        depth=5,
        simulations=40_000,
        exploration=100.0,
        nodes=nodes,
    )
    layer: set[Any] = {(0, ())}
    total = 1
    for _ in range(4):
        ends = {(s2, (*h, (s, a, s2))) for s, h in layer for a in (0, 1) for s2 in (0, 1)}
        layer = ends if nodes == "histories" else {(s, tuple(sorted(h))) for s, h in ends}
        total += len(layer)
    assert agent.plan(0).tree.num_nodes == total
