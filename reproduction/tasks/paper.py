"""Tasks of the paper's experiments: what it says of searches, bounds, bandits and the infinite
grid.
"""

from collections.abc import Mapping, Sequence
from math import isclose
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp import exact
from bamdp.agent import Agent
from bamdp.agents import BAMCP, BFS3
from bamdp.config import parameters
from bamdp.config.names import AGENTS, DOMAINS
from bamdp.domains import Bandit, InfiniteGrid
from bamdp.pictures.grid import world_frame
from bamdp.prior import Prior
from bamdp.priors import BetaArms, Dirichlet, Finite, GridRewards, SparseDirichlet
from bamdp.problem import BAMDP
from bamdp.runs.loop import run as run_episode
from reproduction.film import explore
from reproduction.tasks import kind

KNOWN = 1e9  # pseudo-counts that leave no doubt
TOLERANCE = 1e-8  # of Gittins indices
RADIUS = 12  # cells to each side of the start, in the picture of a world
CHOICE = range(20)  # columns and rows that the best is picked from
SEEDS = 10_000  # that are tried for a search tree
PROGRAM = (
    "expand_after",
    "first_action",
    "log_term",
)  # in settings: what makes up the variant "program" of BAMCP

REWARDS = np.array([[0.9, 1.0], [0.2, 0.8], [-0.3, -0.5]])
SURE = 0.52  # beside arms of mean 0.5 that are worth a try
PROBLEMS: dict[str, tuple[Prior, NDArray[np.float64]]] = {
    "dirichlet": (Dirichlet(), REWARDS),
    "sparse-dirichlet": (SparseDirichlet(), REWARDS),
    "finite": (Finite(np.random.default_rng(3).dirichlet([0.3] * 3, size=(5, 3, 2))), REWARDS),
    "arms": (BetaArms([1, 1, 3], [1, 0, 3]), np.array([[[0, 1], [0, SURE], [0, 1]]] * 2)),
    "two-arms": (
        BetaArms([1, 1], [1, 0]),
        np.array([[[0, 1], [0, 0.9]]] * 2),
    ),  # one unknown, one sure
}


@kind
def acceptance(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """How often the Markov chain behind the infinite grid's beliefs accepts a proposal, while BAMCP
    explores.

    The share of accepted updates in one world.

    Example:
        >>> settings = {"columns": (1, 2), "rows": (2, 1), "proposal": "authors", "steps": 5,
        ...     "simulations": 10}
        >>> 0 < acceptance(settings, seed=0, run=0)["acceptance"] < 1
        True
    """
    world = InfiniteGrid(settings["columns"], settings["rows"], seed=seed + run)
    agent = _explorer(settings, world, seed + run)
    run_episode(agent, world, settings["steps"], seed + run)
    return {"acceptance": agent.belief.acceptance_rate}


@kind
def bounds(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """BFS3's bounds at the start of a domain whose dynamics it knows, and the true value.

    Least and greatest upper bound and greatest lower bound over the actions, and the true value of
    the best.

    Example:
        >>> row = bounds({"domain": "grid2", "branching": 5, "depth": 3, "trajectories": 10},
        ...     seed=0, run=0)
        >>> row["least_upper"] >= row["value"] >= row["greatest_lower"]
        True
    """
    domain = DOMAINS.find(settings["domain"]).factory()
    search = {name: settings[name] for name in ("branching", "depth", "trajectories")}
    plan = BFS3(
        domain.problem(Dirichlet(KNOWN * domain.transitions)), seed=seed + run, **search
    ).plan(0)
    return {
        "least_upper": float(plan.q_upper.min()),
        "greatest_upper": float(plan.q_upper.max()),
        "greatest_lower": float(plan.q_lower.max()),
        "value": float(domain.mdp.solve(domain.discount).values[0]),
    }


@kind
def convergence(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """The root value and the decision of a planner against the exact Bayes-optimal ones, in a world
    small enough to have them.

    Bias of the best action's value over `seeds` searches, its standard error, and the mean regret
    of the decisions.

    For an agent that can't plan with the problem's prior, `refused` says why.

    Example:
        >>> easy = {"problem": "dirichlet", "discount": 0.9, "horizon": 1, "seeds": 2}
        >>> convergence({**easy, "agent": "bamcp", "simulations": 100}, seed=0, run=0)["regret"]
        0.0
    """
    problem = BAMDP(*PROBLEMS[settings["problem"]], settings["discount"])
    first, decisions = seed + settings["seeds"] * run, []
    for agent_seed in range(first, first + settings["seeds"]):
        try:
            agent = _agent(settings, problem, agent_seed)
        except (TypeError, ValueError) as error:  # not every agent can plan with every prior
            return {"refused": str(error)}
        decisions.append(_decide(agent))
    return against_exact(exact.bayes_optimal(problem, 0, settings["horizon"]).q_values, decisions)


def against_exact(
    values: Sequence[float] | NDArray[np.float64],
    decisions: Sequence[tuple[int, NDArray[np.float64] | None]],
) -> dict[str, float]:
    """Bias of the best action's value over some searches, its standard error, and the mean regret
    of the decisions.
    """
    best = int(np.argmax(values))
    biases = [q_values[best] - values[best] for _, q_values in decisions if q_values is not None]
    regret = {"regret": float(np.mean([values[best] - values[action] for action, _ in decisions]))}
    if not biases:
        return regret
    return {
        "bias": float(np.mean(biases)),
        "error": float(np.std(biases) / np.sqrt(len(biases))),
        **regret,
    }


def _agent(settings: Mapping[str, Any], problem: BAMDP, seed: int) -> Agent:
    """The agent, with those of the settings that its constructor takes."""
    target = AGENTS.find(settings["agent"]).target
    takes = {parameter.name for parameter in parameters.of_constructor(target)}
    budget = settings.get("simulations")
    offered = {
        "simulations": budget,
        "exploration": settings.get("exploration"),
        "rollouts": "uniform",
    }
    if settings["agent"] == "ba-uct":
        offered["sampling"] = "resampled"  # collapsed, it is the same process as BAMCP's
    offered |= {
        "trajectories": budget,
        "depth": settings["horizon"],
        "tree": "shared",
        "leaves": "closed",
    }  # BFS3
    chosen = {name: value for name, value in offered.items() if name in takes and value is not None}
    agent: Agent = target(problem, seed=seed, **chosen)
    return agent


def _decide(agent: Any) -> tuple[int, NDArray[np.float64] | None]:
    """The action and, of an agent that looks ahead, the values that it decides by."""
    if hasattr(agent, "plan"):
        plan = agent.plan(0)
        return plan.action, plan.q_values
    return agent.act(0), None


@kind
def decisions(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """How often BAMCP decides as the Gittins index does, between an arm of Beta(alpha, beta) and a
    sure reward.

    The share of right decisions among `runs` of them.

    Example:
        >>> cell = {"alpha": 9, "beta": 1, "sure_reward": 0.5, "discount": 0.95}
        >>> decisions({**cell, "runs": 5, "simulations": 100}, seed=0, run=0)
        {'correct': 1.0}
    """
    search = dict(settings)
    alpha, beta, discount, sure, runs = (
        search.pop(name) for name in ("alpha", "beta", "discount", "sure_reward", "runs")
    )
    problem = Bandit([0.5, 1.0], discount, payoffs=[1, sure]).problem(
        BetaArms([alpha, 1], [beta, 0])
    )
    first = seed + runs * run
    agents = (BAMCP(problem, seed=first + i, **search) for i in range(runs))
    right = best(alpha, beta, discount, sure)
    return {"correct": sum(agent.act(0) == right for agent in agents) / runs}


def best(alpha: float, beta: float, discount: float, sure_reward: float) -> int:
    """The Bayes-optimal arm: 0, the unknown one, or 1, the sure one."""
    return 0 if exact.gittins_index(alpha, beta, discount, TOLERANCE) > sure_reward else 1


@kind
def film(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """A picture of one infinite grid and a film of BAMCP that explores it, as frames that
    `bamdp.pictures.grid` draws.

    What BAMCP earned, the cells of the picture, and the frames of the film.

    Example:
        >>> settings = {"columns": (1, 2), "rows": (2, 1), "world_seed": 3, "proposal": "paper"}
        >>> len(film({**settings, "steps": 4, "simulations": 10}, seed=0, run=0)["frames"])
        3
    """
    world = InfiniteGrid(settings["columns"], settings["rows"], seed=settings["world_seed"])
    frames, total = explore(
        _explorer(settings, world, seed + run), world, steps=settings["steps"], seed=seed + run
    )
    return {"total_reward": total, "world": world_frame(world, RADIUS), "frames": frames}


def _explorer(settings: Mapping[str, Any], world: InfiniteGrid, seed: int) -> Any:
    """BAMCP with the chain that the settings name."""
    prior = GridRewards(settings["columns"], settings["rows"], proposal=settings["proposal"])
    return BAMCP(world.problem(prior), simulations=settings["simulations"], seed=seed)


@kind
def gittins_indices(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """Exact Gittins indices of Bernoulli arms with Beta priors.

    The index of each pair of parameters, by `alpha` and then by `beta`.

    Example:
        >>> [[index]] = gittins_indices({"alpha": [1], "beta": [1], "discount": 0.5}, seed=0,
        ...     run=0)["indices"]
        >>> round(index, 4)
        0.559
    """
    alpha, beta = np.array(settings["alpha"]), np.array(settings["beta"])
    return {
        "indices": np.asarray(
            exact.gittins_index(alpha[:, None], beta[None, :], settings["discount"], TOLERANCE)
        ).tolist()
    }


@kind
def grid_counts(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """How many cells along the best column and the best row of one infinite grid hold a reward.

    The parameters of the best column and row, and how many of their first `cells` cells hold a
    reward.

    Example:
        >>> row = grid_counts({"columns": (1, 2), "rows": (2, 1), "world_seed": 3, "cells": 10},
        ...     seed=0, run=0)
        >>> sorted(row)
        ['in_column', 'in_row', 'p', 'q']
    """
    world = InfiniteGrid(settings["columns"], settings["rows"], seed=settings["world_seed"])
    column, row = max(CHOICE, key=world.column), max(CHOICE, key=world.row)
    return {
        "p": world.column(column),
        "q": world.row(row),
        "in_column": sum(world.holds(column, y) for y in range(settings["cells"])),
        "in_row": sum(world.holds(x, row) for x in range(settings["cells"])),
    }


@kind
def search_tree(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """The search tree of BAMCP in a known MDP, of the first seed whose random choices give the
    values asked for.

    The seed, the values of action 0 at the root and of action 1 in the node below, and the tree;
    nothing if no seed fits.

    Example:
        >>> from reproduction.paper.figure_s3 import FIGURE_S3
        >>> round(search_tree(FIGURE_S3.entries["known MDP"][0].settings, seed=0, run=0)["below"],
        ...     3)
        1.805
    """
    prior = Dirichlet(np.eye(len(settings["successors"]))[settings["successors"]])
    problem = BAMDP(prior, settings["rewards"], settings["discount"])
    search = {name: value for name, value in settings["search"].items() if name not in PROGRAM}
    for agent_seed in range(seed, seed + SEEDS):
        tree = BAMCP(problem, variant="program", seed=agent_seed, **search).plan(0).tree.to_dict()
        first = tree["actions"][0]
        for child in first["children"]:
            values = first["value"], child["actions"][1]["value"]
            if all(
                isclose(*pair, abs_tol=1e-12)
                for pair in zip(values, settings["values"], strict=True)
            ):
                return {
                    "agent_seed": agent_seed,
                    "root": values[0],
                    "below": values[1],
                    "tree": tree,
                }
    return {}


@kind
def simulated_returns(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """Returns of searches of one simulation under a uniform roll-out policy: a sample of the
    histories that a scheme simulates.

    The return of each of `draws` searches, and their mean.

    Example:
        >>> settings = {"domain": "double-loop", "agent": "bamcp", "sampling": "lazy",
        ...     "agent_seed": 0, "draws": 3}
        >>> len(simulated_returns(settings, seed=0, run=0)["returns"])
        3
    """
    domain = DOMAINS.find(settings["domain"]).factory()
    agent = AGENTS.find(settings["agent"]).target(
        domain.problem(),
        simulations=1,
        rollouts="uniform",
        sampling=settings["sampling"],
        seed=seed + settings["agent_seed"],
    )
    returns = [round(float(agent.plan(0).value), 9) for _ in range(settings["draws"])]
    return {"mean_return": sum(returns) / len(returns), "returns": returns}
