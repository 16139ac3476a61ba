"""Writes golden files beside it: `python tests/golden/make.py NAME...`, all of them if none is
named.

A change of any of them means that a seed gives something else than before: stored results can't be
made again, saved agents go on otherwise. It is allowed for a mistake that is fixed, or an algorithm
that is changed on purpose; the change says which and why. For speed or style alone it is not. A new
agent needs one of its own, `agent_NAME`.
"""

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import bamdp
from bamdp import priors
from bamdp.agents import BAMCP, BAUCT
from bamdp.config.names import AGENTS
from bamdp.domains import Bandit, Chain, DoubleLoop, Grid, InfiniteGrid, Maze
from bamdp.runs.loop import Run
from bamdp.search.planner import Planner

FOLDER = Path(__file__).parent
STEPS, SIMULATIONS = 60, 50


def trajectory(world: bamdp.Domain, **settings: Any) -> dict[str, Any]:
    agent = BAMCP(world.problem(), simulations=SIMULATIONS, seed=1, **settings)
    record = bamdp.run(agent, world, STEPS, seed=2)
    return {
        "states": record.states.tolist(),
        "actions": record.actions.tolist(),
        "rewards": record.rewards.tolist(),
    }


def tree(agent_class: type[BAMCP], **settings: Any) -> dict[str, Any]:
    world = Grid(5)
    agent = agent_class(world.problem(), simulations=200, seed=3, **settings)
    agent.observe(0, 1, 0.0, 5)
    return agent.plan(5).tree.to_dict(depth=2, min_visits=5)


def course(agent: bamdp.Agent, world: bamdp.Domain, steps: int) -> dict[str, Any]:
    """States and actions of a run, and what the agent thinks at its end."""
    run = Run(agent, world, seed=2)
    path = [run.step() for _ in range(steps)]
    return {
        "states": " ".join(str(step.state) for step in path),
        "actions": "".join(str(step.action) for step in path),
        "reward": sum(step.reward for step in path),
        "values": values(agent, run.state),
    }


def values(agent: bamdp.Agent, state: int) -> list[float]:
    """Those of a search as `act` has it; none of an agent that has none."""
    if isinstance(agent, Planner):
        return list(map(float, agent.plan(state).q_values))
    with suppress(TypeError, ValueError):  # no values; no step is left
        return list(map(float, agent.q_values(state)))
    return []


SETTINGS: dict[str, dict[str, Any]] = {
    "bamcp": {"simulations": 30},
    "ba-uct": {"simulations": 30},
    "bayes-adaptive": {"simulations": 48},
    "bfs3": {"branching": 3, "depth": 6, "trajectories": 20},
}
WORLDS: dict[str, Callable[[], bamdp.Domain]] = {
    "double_loop": DoubleLoop,
    "grid4": lambda: Grid(4),
    "chain": Chain,
}

BANDITS: dict[str, Callable[[], bamdp.Domain]] = {
    "bandit": lambda: Bandit([0.3, 0.6, 0.5]),
    "horizon": lambda: Bandit([0.3, 0.6, 0.5], discount=1.0, horizon=80),
}


def agent(target: Any, name: str) -> dict[str, Any]:
    """One agent in a few worlds."""
    worlds = BANDITS if name == "gittins" else WORLDS
    made = {key: make() for key, make in worlds.items()}
    settings = {"seed": 1, **SETTINGS.get(name, {})}
    told = {
        key: {"world": world.mdp} if target.uses_true_model else {} for key, world in made.items()
    }
    return {
        key: course(target(world.problem(), **settings, **told[key]), world, STEPS)
        for key, world in made.items()
    }


def bamcp(world: bamdp.Domain, prior: bamdp.Prior | None = None, **settings: Any) -> dict[str, Any]:
    return course(
        BAMCP(world.problem(prior), **{"simulations": 30, "seed": 1, **settings}), world, 30
    )


# BAMCP with all that is built in: samplings, priors, roll-outs.
def varieties() -> dict[str, Any]:
    loop, chain = DoubleLoop(), Chain()
    tables = loop.mdp.transitions
    return {
        "lazy": bamcp(Grid(4), sampling="lazy"),
        "full": bamcp(loop, sampling="full"),
        "trees": bamcp(loop, trees=3, reuse_tree=True),
        "lattice": bamcp(loop, nodes="counts"),
        "uniform": bamcp(Maze(), rollouts="uniform", depth=40),
        "posterior_mean": bamcp(loop, rollouts="posterior-mean"),
        "arms": bamcp(Bandit([0.3, 0.6]), rollouts="hindsight"),
        "infinite_grid": bamcp(InfiniteGrid(seed=1)),
        "infinite_grid_paper": bamcp(InfiniteGrid(seed=1), priors.GridRewards(proposal="paper")),
        "infinite_grid_authors": bamcp(
            InfiniteGrid(seed=1), priors.GridRewards(proposal="authors")
        ),
        "finite": bamcp(loop, priors.Finite([tables, tables[::-1].copy()], weights=[1, 2])),
        "unknown_rewards": bamcp(
            chain, priors.UnknownRewards(priors.SparseDirichlet(), values=(0, 2, 10))
        ),
    }


GOLDEN: dict[str, Callable[[], dict[str, Any]]] = {
    "grid5_authors": lambda: trajectory(Grid(5), sampling="lazy", variant="program"),
    "tree_bamcp": lambda: tree(BAMCP),
    "tree_ba_uct": lambda: tree(BAUCT, sampling="resampled", trees=2),
    "bamcp_varieties": varieties,
    **{
        f"agent_{found.name}": partial(agent, found.target, found.name)
        for found in AGENTS.find_all()
    },
}


def text(value: Any) -> str:
    """One line for each run, so that a change of one shows as such."""
    if isinstance(value, dict) and all(isinstance(item, dict) for item in value.values()):
        return "{\n" + ",\n".join(f'"{key}":{_line(item)}' for key, item in value.items()) + "\n}"
    return _line(value)


def _line(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


if __name__ == "__main__":
    for name in sys.argv[1:] or GOLDEN:
        (FOLDER / f"{name}.json").write_text(text(GOLDEN[name]()) + "\n", encoding="utf-8")
        print(f"wrote {name}.json")
