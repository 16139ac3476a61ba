"""The four simulations of the paper's Figure S3, with the expansion rule of its caption (that of the authors' program).

A known world in which the figure's rewards occur, actions a1 = 0 and a2 = 1:

    s_t: a1 → s', a2 → end.    s': a1 pays 2 → end, a2 → far.    far: a1 → near, a2 → end.    near: pays 2 → end.
"""

from math import isclose, sqrt

import numpy as np

from bamdp.agents import BAMCP
from bamdp.priors import Dirichlet
from reference.comparison import Z_BOUND

S_T, S_NEXT, FAR, NEAR, END = range(5)
GOES_TO = [[S_NEXT, END], [END, FAR], [NEAR, END], [END, END], [END, END]]
REWARDS = [[0, 0], [2, 0], [0, 0], [2, 2], [0, 0]]
G = 0.95
SEEDS = 3000


def test_arithmetic_of_four_simulations() -> None:
    agent = BAMCP(
        Dirichlet(np.eye(5)[GOES_TO]),
        REWARDS,
        G,
        simulations=4,
        exploration=1.0,
        expand_after=1,
        first_action="random",
        log_term="N + 1",
        rollouts="uniform",
    )
    figure = 0
    for seed in range(SEEDS):
        agent.reset(seed)
        plan = agent.plan(S_T)
        a1, a2 = plan.tree.to_dict()["actions"]
        if (a1["visits"], a2["visits"]) != (3, 1):
            continue
        assert a2["value"] == 0
        (child,) = a1["children"]
        b1, b2 = child["actions"]
        assert (child["state"], child["visits"], b1["visits"], b2["visits"]) == (S_NEXT, 2, 1, 1)
        assert b1["value"] == 2
        assert any(isclose(b2["value"], later, abs_tol=1e-12) for later in (0, 2 * G**2))
        # Where the chances went another way than in the figure, the first roll-out or the last was worth something else.
        possible = [(first + G * 2 + G * b2["value"]) / 3 for first in (0, 2 * G, 2 * G**3)]
        assert any(isclose(plan.values[0], value, abs_tol=1e-12) for value in possible)
        if isclose(b2["value"], 2 * G**2, abs_tol=1e-12) and isclose(plan.values[0], 2 / 3 * (G + G**3), abs_tol=1e-12):
            figure += 1
            assert plan.depth == 2
    # The first roll-out from s' must go a2, a2; a1 must win the tie at the root; the roll-out from far must go a1.
    # Either action may come first at the root and in s': the four orders come to the same.
    chance = 4 * (1 / 2 * 1 / 2) * (1 / 4 * 1 / 2 * 1 / 2)
    assert abs(figure - SEEDS * chance) < Z_BOUND * sqrt(SEEDS * chance)
