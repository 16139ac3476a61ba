"""The root value and the decision of a planner against the exact Bayes-optimal ones, in a world small enough to have them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.agent import Agent
from bamdp.config import parameters
from bamdp.config.names import find
from bamdp.exact import bayes_optimal
from bamdp.prior import Prior
from bamdp.priors import BetaArms, Dirichlet, Finite, SparseDirichlet
from bamdp.problem import BAMDP

REWARDS = np.array([[0.9, 1.0], [0.2, 0.8], [-0.3, -0.5]])
SURE = 0.52  # beside arms of mean 0.5 that are worth a try
PROBLEMS: dict[str, tuple[Prior, NDArray[np.float64]]] = {
    "dirichlet": (Dirichlet(), REWARDS),
    "sparse-dirichlet": (SparseDirichlet(), REWARDS),
    "finite": (Finite(np.random.default_rng(3).dirichlet([0.3] * 3, size=(5, 3, 2))), REWARDS),
    "arms": (BetaArms([1, 1, 3], [1, 0, 3]), np.array([[[0, 1], [0, SURE], [0, 1]]] * 2)),
    "two-arms": (BetaArms([1, 1], [1, 0]), np.array([[[0, 1], [0, 0.9]]] * 2)),  # one unknown, one sure
}


def perform(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """Bias of the best action's value over `seeds` searches, its standard error, and the mean regret of the decisions.

    For an agent that can't plan with the problem's prior, `refused` says why.

    Example:
        >>> easy = {"problem": "dirichlet", "discount": 0.9, "horizon": 1, "seeds": 2}
        >>> perform({**easy, "agent": "bamcp", "simulations": 100}, seed=0, run=0)["regret"]
        0.0
    """
    problem = BAMDP(*PROBLEMS[settings["problem"]], settings["discount"])
    optimum = bayes_optimal(problem, 0, settings["horizon"])
    biases, regrets = [], []
    first = seed + settings["seeds"] * run
    for agent_seed in range(first, first + settings["seeds"]):
        try:
            agent = _agent(settings, problem, agent_seed)
        except (TypeError, ValueError) as error:  # not every agent can plan with every prior
            return {"refused": str(error)}
        action, values = _decide(agent)
        regrets.append(optimum.value - optimum.values[action])
        if values is not None:
            biases.append(values[optimum.action] - optimum.value)
    bias = {"bias": float(np.mean(biases)), "error": float(np.std(biases) / np.sqrt(len(biases)))} if biases else {}
    return {**bias, "regret": float(np.mean(regrets))}


def _agent(settings: Mapping[str, Any], problem: BAMDP, seed: int) -> Agent:
    """The agent, with those of the settings that its constructor takes."""
    target = find("agent", settings["agent"]).target
    takes = {parameter.name for parameter in parameters.of_constructor(target)}
    budget = settings.get("simulations")
    offered = {"simulations": budget, "exploration": settings.get("exploration"), "rollouts": "uniform"}
    if settings["agent"] == "ba-uct":
        offered["sampling"] = "resampled"  # collapsed, it is the same process as BAMCP's
    offered |= {"trajectories": budget, "depth": settings["horizon"], "tree": "shared", "leaves": "closed"}  # BFS3
    chosen = {name: value for name, value in offered.items() if name in takes and value is not None}
    agent: Agent = target(problem, seed=seed, **chosen)
    return agent


def _decide(agent: Any) -> tuple[int, NDArray[np.float64] | None]:
    """The action and, of an agent that looks ahead, the values that it decides by."""
    if hasattr(agent, "plan"):
        plan = agent.plan(0)
        return plan.action, plan.q_values
    return agent.act(0), None
