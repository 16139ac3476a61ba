"""Settings of each agent: small budgets, and those that are in units of reward or return and scale with them."""

from __future__ import annotations

from typing import Any

SMALL: dict[str, dict[str, Any]] = {
    "BAMCP": {"simulations": 30, "horizon": 50},
    "BAUCT": {"simulations": 30, "horizon": 50},
    "BFS3": {"branching": 2, "depth": 3, "trajectories": 10},
    "Gittins": {"tolerance": 0.01},
    "BOSS": {"models": 2},
    "SBOSS": {"models": 2},
}

UNITS: dict[str, dict[str, float]] = {
    "BAMCP": {"exploration": 3.0},
    "BAUCT": {"exploration": 3.0},
    "BEB": {"beta": 1.0, "tolerance": 1e-6},
    "BOSS": {"tolerance": 1e-6},
    "SBOSS": {"tolerance": 1e-6},
    "BayesianDP": {"tolerance": 1e-6},
    "PosteriorMean": {"tolerance": 1e-6},
    "EpsilonGreedy": {"tolerance": 1e-6},
    "Softmax": {"temperature": 0.1, "tolerance": 1e-6},
    "QLearning": {"temperature": 0.3},
    "IEQL": {"sigma_max": 0.1},
    "VPI": {"beta": 1.0},
}

RELATIVE = ("VPI",)


def settings_for(name: str) -> dict[str, Any]:
    """Small budgets of an agent."""
    return SMALL.get(name, {})
