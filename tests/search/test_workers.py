"""The trees of one decision, searched in several places; on a real
cluster in test_ray_workers.py.
"""

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from bamdp import MDP, Domain
from bamdp.agents import BAMCP, BAUCT
from bamdp.domains import Bandit, Chain, Grid, InfiniteGrid, Tabular
from bamdp.priors import Dirichlet, Finite, SharedSlip, SparseDirichlet, UnknownRewards
from bamdp.search import ray_team
from bamdp.search.tree import SearchTree
from bamdp.steps import Step

TREES, SIMULATIONS, STEPS = 5, 203, 12
LEARNED = {"belief", "_search", "_seed_sequence", "_mean", "_rng"}  # and what stays in a process
CHAIN = Chain()
TWO = Tabular(
    MDP(np.array([[[0.9, 0.1], [0.2, 0.8]], [[0.5, 0.5], [1.0, 0.0]]]), [[0.0, 1.0], [1.0, 0.0]]),
    0.9,
)
FLIP = SharedSlip(intended=[[0, 1], [1, 0]], slipped=[[1, 0], [0, 1]])
ENDING = Tabular(
    MDP(Grid(3).transitions, Grid(3).rewards, terminal=[8]),
    0.95,
    time_limit=7,
    prior=SparseDirichlet(),
)

CASES: dict[str, tuple[type[BAMCP], Domain, dict[str, Any]]] = {
    "sparse Dirichlet": (BAMCP, Grid(5), {}),
    "Dirichlet, lazy": (BAMCP, CHAIN, {"sampling": "lazy"}),
    "Dirichlet, full": (BAMCP, CHAIN, {"sampling": "full", "prior": Dirichlet(0.5)}),
    "BA-UCT": (BAUCT, CHAIN, {"sampling": "resampled"}),
    "Beta arms": (BAMCP, Bandit(), {"rollouts": "best-arm"}),
    "finite": (BAMCP, TWO, {"prior": Finite([TWO.transitions, TWO.transitions[:, ::-1]])}),
    "shared slip": (BAMCP, TWO, {"prior": FLIP}),
    "unknown rewards": (BAMCP, TWO, {"prior": UnknownRewards(Dirichlet(), [0.0, 1.0])}),
    "posterior mean": (BAMCP, CHAIN, {"rollouts": "posterior-mean"}),
    "kept trees": (BAMCP, CHAIN, {"reuse_tree": True, "nodes": "counts", "final_move": "visits"}),
    "episodes": (BAMCP, ENDING, {"exploration": 1.0, "reuse_tree": True}),
    "infinite grid": (BAMCP, InfiniteGrid(), {}),
}


def made(case: str, **more: Any) -> BAMCP:
    kind, world, settings = CASES[case]
    settings = {"trees": TREES, **settings, **more}
    return kind(world.problem(settings.pop("prior", None)), simulations=SIMULATIONS, **settings)


def drawn(count: int) -> list[list[int]]:
    """The seeds that an agent with seed 0 draws."""
    return [
        stream.generate_state(4, np.uint64).tolist()
        for stream in np.random.SeedSequence(0).spawn(count)
    ]


class Part:
    """A worker within this process: has the trees from the `first` to the `end`."""

    def __init__(self, agent: BAMCP, first: int, end: int) -> None:
        settings = {name: value for name, value in vars(agent).items() if name not in LEARNED}
        self.start: Any = (pickle.dumps((type(agent), settings)), drawn(TREES)[first:end])
        self.copy, self.first = ray_team.WorkerAgent(), first

    def search(self, steps: list[Step], state: int) -> ray_team.Searched:
        start, self.start = self.start, None
        answer = self.copy.search(
            start, steps, self.first, state, SIMULATIONS, None, 1, TREES, 0, False, True
        )
        return pickle.loads(pickle.dumps(answer))  # type: ignore[no-any-return]


@pytest.mark.parametrize("case", CASES)
def test_parts_find_what_the_whole_finds(case: str) -> None:
    agent, world, rng = made(case), copy.copy(CASES[case][1]), np.random.default_rng(1)
    parts = [Part(agent, 0, 2), Part(agent, 2, TREES)]
    state, learned = world.reset(rng), list[Step]()
    for _ in range(STEPS):
        answers = [part.search(learned, state) for part in parts]
        plan = agent.plan(state)
        found = SearchTree([tree for _, trees in answers for tree in trees], agent.problem)
        assert found.to_dict(depth=100) == plan.tree.to_dict(depth=100)
        after, reward = world.step(state, plan.action, rng)
        learned = [Step(state, plan.action, reward, after, after in world.terminal)]
        agent.observe(state, plan.action, reward, after, after in world.terminal)
        if after in world.terminal:
            break
        state = after


def test_a_missing_ray_is_a_sentence() -> None:
    make = "import bamdp; bamdp.agents.BAMCP(bamdp.domains.Chain().problem(), workers=2)"
    code = f"import sys; sys.modules['ray'] = None; {make}"
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60
    )
    last = process.stderr.splitlines()[-1]
    assert last.startswith(
        "ImportError: clusters and workers need Ray, which is not installed: pip install "
        "'bamdp[ray]'"
    )
