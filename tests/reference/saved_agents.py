"""Agents with every prior, to be saved at any moment, and the same steps to go on with wherever
they were loaded.
"""

import copy
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

import bamdp
from bamdp import MDP, agents, priors
from bamdp.config.names import AGENTS
from bamdp.domains import Bandit, Chain, DoubleLoop, Grid, InfiniteGrid, NormalBandit, Tabular
from bamdp.hooks import uniform

LOOP, GRID, BANDIT, ENDLESS = DoubleLoop(), Grid(3), Bandit([0.3, 0.6, 0.5]), InfiniteGrid(seed=3)
NORMAL = NormalBandit([0.3, 0.6, 0.5])
MOMENTS = ("new", "learned", "planned", "told")
FAST: dict[str, dict[str, Any]] = {
    "bamcp": {"simulations": 40},
    "ba-uct": {"simulations": 40},
    "bayes-adaptive": {"simulations": 48},
    "bfs3": {"trajectories": 20, "branching": 3, "depth": 5},
}


class Counted:
    """A posterior of the user's own, for `Sampled` and `Lazy`: Dirichlet rows by NumPy."""

    alpha = 0.2

    def __init__(self, problem: bamdp.BAMDP) -> None:
        self.counts = np.full(
            (problem.num_states, problem.num_actions, problem.num_states), self.alpha
        )

    def observe(
        self, state: int, action: int, reward: float | None, next_state: int, terminated: bool
    ) -> None:
        self.counts[state, action, next_state] += 1

    def sample(self, count: int, rng: np.random.Generator) -> Any:
        draws = rng.standard_gamma(self.counts, size=(count, *self.counts.shape)) + 1e-9
        return draws / draws.sum(axis=-1, keepdims=True)

    def sample_row(self, state: int, action: int, rng: np.random.Generator) -> Any:
        return rng.dirichlet(self.counts[state, action])


def step(belief: Any, scratch: Any, state: int, action: int, rng: Any) -> tuple[int, float]:
    """What the last simulation left in `scratch` matters, and so does what was learned."""
    scratch[0] = (3 * scratch[0] + uniform(rng)) % 1
    ahead = scratch[0] < belief[action] / belief.sum()
    return ((state + 1) % 9, float(ahead)) if ahead else (state, 0.0)


def learn(belief: Any, state: int, action: int, reward: float, next_state: int) -> None:
    belief[action] += next_state != state


class Own(bamdp.Prior):
    """A prior of the user's own on a belief of the library."""

    def belief(self, problem: bamdp.BAMDP) -> bamdp.Belief:
        return priors.Dirichlet(0.3).belief(problem)


@dataclass(frozen=True)
class Case:
    """An agent to be saved; `given` is what must be given to load it."""

    make: Callable[[], bamdp.Agent]
    world: Any = LOOP
    given: Any = None


def _bamcp(world: Any, prior: Any = None, given: bool = False, **settings: Any) -> Case:
    made = prior if prior is not None else world.problem().prior
    settings = {"simulations": 40, "seed": 5, **settings}
    return Case(
        lambda: agents.BAMCP(world.problem(made), **settings), world, made if given else None
    )


def _of(cls: Any, world: Any, prior: Any = None, **settings: Any) -> Case:
    told = {"world": world.mdp} if cls.uses_true_model else {}
    return Case(lambda: cls(world.problem(prior), seed=5, **told, **settings), world)


def _discovered() -> dict[str, Case]:
    cases = {}
    for found in AGENTS.find_all():
        world = BANDIT if found.name == "gittins" else LOOP
        cases[found.name] = _of(found.target, world, **FAST.get(found.name, {}))
    return cases


def _ended() -> Tabular:
    rng = np.random.default_rng(0)
    return Tabular(
        MDP(rng.dirichlet(np.ones(6), size=(6, 2)), rng.random((6, 2, 6)), terminal=[5]),
        0.9,
        time_limit=9,
    )


def _finite(world: Any) -> priors.Finite:
    S, A = world.num_states, world.num_actions
    tables = np.random.default_rng(1).dirichlet(np.full(S, 0.3), size=(3, S, A))
    return priors.Finite(
        [*(0.9 * tables + 0.1 * world.transitions), world.transitions], weights=[0.1, 0.7, 0.1, 0.2]
    )


def _paid(world: Any) -> priors.Finite:
    """What the world pays, or that and more; the second world also ends in another state."""
    tables, S = np.asarray(_finite(world).transitions), world.num_states
    rewards = [world.rewards, world.rewards, world.rewards + np.arange(S)[:, None], world.rewards]
    return priors.Finite(tables, rewards=rewards, terminal=[[], [S - 1], [], []])


def _rows(parameter: Any, state: int, action: int) -> Any:
    """The loop, or any state."""
    rows = np.outer(1 - parameter, LOOP.transitions[state, action])
    return rows + np.outer(parameter, np.full(LOOP.num_states, 1 / LOOP.num_states))


def _arrays(world: Any) -> priors.Dirichlet:
    return priors.Dirichlet(
        np.random.default_rng(2).random((world.num_states, world.num_actions, world.num_states))
        + 0.1
    )


def cases() -> dict[str, Case]:
    """By name, in a fixed order."""
    unknown, ends, chain = priors.UnknownRewards, _ended(), Chain()
    values = (0.0, 1.0, 2.0, 10.0)
    return {
        **_discovered(),
        "lazy": _bamcp(GRID, sampling="lazy"),
        "full": _bamcp(GRID, sampling="full", rollouts="uniform"),
        "resampled": _of(agents.BAUCT, LOOP, simulations=30, sampling="resampled"),
        "reuse-tree": _bamcp(LOOP, reuse_tree=True, trees=2),
        "reuse-lattice": _bamcp(LOOP, reuse_tree=True, nodes="counts"),
        "several-trees": _bamcp(GRID, trees=3, threads=2, final_move="visits"),
        "posterior-mean-leaves": _bamcp(GRID, rollouts="posterior-mean"),
        "ends": _bamcp(ends, epsilon=0.1),
        "dirichlet-arrays": _bamcp(chain, _arrays(chain), variant="program"),
        "sparse": _bamcp(LOOP, priors.SparseDirichlet(0.3, 1.5)),
        "arms": _bamcp(BANDIT),
        "arms-hindsight": _bamcp(BANDIT, rollouts="hindsight", nodes="counts"),
        "finite": _bamcp(LOOP, _finite(LOOP)),
        "unknown-rewards": _bamcp(chain, unknown(priors.Dirichlet(), values=values)),
        "unknown-sparse": _bamcp(
            chain,
            unknown(priors.SparseDirichlet(), values=values),
            sampling="lazy",
            reuse_tree=True,
        ),
        "unknown-finite": _bamcp(
            LOOP, unknown(_finite(LOOP), values=(0, 1, 2), deterministic=True)
        ),
        "unknown-normal": _bamcp(
            LOOP,
            unknown(priors.Dirichlet(), outcomes=priors.Normal(0.5, 1.0, 0.5, degrees=4.0)),
            trees=2,
        ),
        "normal-arms": _bamcp(NORMAL),
        "normal-arms-drawn": _bamcp(
            NORMAL,
            priors.NormalArms(noise=[1.0, 2.0, 1.0], degrees=[3.0, 4.0, 5.0]),
            sampling="lazy",
        ),
        "normal-gittins": _of(agents.Gittins, NORMAL),
        "finite-gittins": _of(agents.Gittins, Bandit([0.3, 0.6, 0.5], 1.0, horizon=99)),
        "normal-mean": _of(agents.PosteriorMean, NORMAL),
        "infinite-grid": _bamcp(ENDLESS, simulations=20),
        "infinite-grid-trees": _bamcp(
            ENDLESS, simulations=20, rollouts="learned", trees=2, reuse_tree=True
        ),
        "sampled": _bamcp(LOOP, priors.Sampled(Counted, batch=30), given=True, simulations=20),
        "finite-rewards": _bamcp(LOOP, _paid(LOOP), reuse_tree=True),
        "mean-of-finite-rewards": _of(agents.PosteriorMean, LOOP, _paid(LOOP)),
        "parametric": _bamcp(
            LOOP, priors.Parametric(_rows, np.linspace(0.1, 0.9, 9)), given=True, simulations=20
        ),
        "lazy-rows": _bamcp(LOOP, priors.Lazy(Counted), given=True, simulations=5, trees=2),
        "compiled": _bamcp(
            LOOP,
            priors.Compiled(step, observe=learn, belief_array=[1.0, 2.0], compile=False),
            given=True,
            simulations=10,
        ),
        "own-prior": _bamcp(LOOP, Own(), given=True),
        "mean-of-finite": _of(agents.PosteriorMean, LOOP, _finite(LOOP)),
        "mean-of-arrays": _of(agents.PosteriorMean, chain, _arrays(chain)),
        "mean-with-ends": _of(agents.BEB, ends, beta=0.5, ties="random"),
        "mean-of-unknown": _of(
            agents.Softmax, chain, unknown(priors.Dirichlet(), values=values), half_life=10.0
        ),
        "boss-of-unknown": _of(
            agents.BOSS, chain, unknown(priors.SparseDirichlet(), values=values), visits=3
        ),
        "boss-sparse": _of(agents.SBOSS, GRID, delta=1.0),
        "doubling": _of(agents.BayesianDP, LOOP, resample="doubling"),
        "bfs3-shared": _of(agents.BFS3, GRID, tree="shared", trajectories=20, branching=3, depth=5),
        "endless-q-learning": _of(
            agents.QLearning, ENDLESS, exploration="epsilon-greedy", half_life=20.0
        ),
        "vpi-moment": _of(agents.VPI, chain, update="moment"),
    }


class Journey:
    """An agent in a world with one random generator."""

    def __init__(self, agent: Any, world: Any, seed: int) -> None:
        self.agent, self.world, self.rng = agent, copy.copy(world), np.random.default_rng(seed)
        self.state = self.world.reset(self.rng)
        self.left: list[int] = []

    def act(self) -> str:
        """All that the agent finds out about the state, as text, and its action."""
        if not hasattr(self.agent, "plan"):
            self.action = self.agent.act(self.state)
            told = None
            with suppress(TypeError):  # it has no values
                told = self.agent.q_values(self.state).tolist()
            return json.dumps([self.action, told])
        plan = self.agent.plan(self.state)
        self.action = plan.action
        return json.dumps(
            [plan.action, plan.q_values.tolist(), plan.visits.tolist(), plan.tree.to_dict(depth=2)]
        )

    def learn(self) -> None:
        next_state, reward = self.world.step(self.state, self.action, self.rng)
        self.agent.observe(
            self.state, self.action, reward, next_state, next_state in self.world.terminal
        )
        self.left.append(self.state)
        self.state = next_state
        if next_state in self.world.terminal:
            self.agent.end_episode()
            self.state = self.world.reset(self.rng)

    def go(self, steps: int) -> list[str]:
        found = []
        for _ in range(steps):
            found.append(self.act())
            self.learn()
        return found

    def go_to(self, moment: str) -> None:
        """To the moment at which the agent is saved."""
        if moment != "new":
            self.go(25)
        if moment == "planned":
            self.act()
        if moment == "told":  # steps that it didn't choose
            for action in (0, 1, 1, 0):
                self.action = action
                self.learn()


def resumed(agent: Any, world: Any, state: int, left: list[int], steps: int) -> list[str]:
    """How an agent continues from `state`, after the states in `left`, with a new random generator
    of the world.
    """
    journey = Journey(agent, world, seed=11)
    journey.state = state
    if isinstance(journey.world, InfiniteGrid):
        for before in left:
            journey.world.step(before, 0, journey.rng)  # takes what is there
    return journey.go(steps)


CASES_BY_NAME = cases()
