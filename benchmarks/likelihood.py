"""The log-likelihood of 50 people with 100 choices each: K = 300 beside a plain loop over choices;
`rows()` is for bench.py.

    python benchmarks/likelihood.py


The plain loop makes an agent for each choice, shows it the history and plans, as
`examples/fit_choices.py` did before `bamdp.fit`; it then kept the values of equal histories, which
makes their noise common. Here both plan at every choice. Then the same number of choices between
two normal arms, with exact values.
"""

from __future__ import annotations

from functools import partial
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bamdp
from bamdp.fit import ChoiceRule, FreeParameter, Model, log_likelihood, simulate, tasks

K, PEOPLE, GAMES, STEPS = 300, 50, 10, 10
STRENGTH, SURE, DISCOUNT, TEMPERATURE = 2.0, 0.5, 0.9, 0.2
DOMAIN = bamdp.domains.Bandit([0.5, 1], DISCOUNT, payoffs=[1, SURE])
SEARCH: dict[str, Any] = {"simulations": K, "rollouts": "best-arm", "exploration": 10.0}


def data() -> dict[str, Any]:
    """Choices at random: what they are doesn't matter here."""
    rng, n = np.random.default_rng(0), PEOPLE * GAMES * STEPS
    subject, rest = np.divmod(np.arange(n), GAMES * STEPS)
    game, step = np.divmod(rest, STEPS)
    action = rng.integers(0, 2, n)
    outcome = np.where(action == 1, 1, rng.integers(0, 2, n))
    state = np.where(step == 0, 0, np.roll(outcome, 1))
    reward = np.where(action == 1, SURE, outcome)
    columns = {
        "subject": subject,
        "game": game,
        "step": step,
        "state": state,
        "action": action,
        "reward": reward,
    }
    return columns | {"next_state": outcome}


def problem(optimism: float) -> bamdp.BAMDP:
    return DOMAIN.problem(
        bamdp.priors.BetaArms([STRENGTH * optimism, 1], [STRENGTH * (1 - optimism), 0])
    )


def values(optimism: float, successes: int, failures: int, seed: int) -> NDArray[np.float64]:
    """Action values after these observations of the arm. [2]"""
    agent = bamdp.agents.BAMCP(problem(optimism), **SEARCH, seed=seed)
    for success in [1] * successes + [0] * failures:
        agent.observe(0, 0, success, success)
    return agent.plan(0).q_values


def plain(columns: dict[str, Any], optimism: float) -> float:
    """The log-likelihood by a plain loop."""
    total, seen = 0.0, [0, 0]
    for seed, (step, action, outcome) in enumerate(
        zip(
            columns["step"].tolist(),
            columns["action"].tolist(),
            columns["next_state"].tolist(),
            strict=True,
        )
    ):
        seen = [0, 0] if step == 0 else seen
        scaled = values(optimism, seen[1], seen[0], seed) / TEMPERATURE
        total += float(scaled[action] - np.logaddexp.reduce(scaled))
        if action == 0:
            seen[outcome] += 1
    return total


def model() -> Model:
    parameters: dict[str, Any] = {
        "optimism": (0.05, 0.95),
        "temperature": FreeParameter(0.02, 2, "log"),
    }
    return Model(problem, partial(bamdp.agents.BAMCP, **SEARCH), ChoiceRule, parameters)


def rows() -> list[tuple[str, float, float, bool, str]]:
    """Name, ratio, target, whether it is an upper one, and a note."""
    columns, parameters = data(), {"optimism": 0.5, "temperature": TEMPERATURE}
    times = []
    for _ in range(3):
        started = perf_counter()
        log_likelihood(columns, model(), parameters)
        between = perf_counter()
        plain(columns, 0.5)
        times.append((between - started, perf_counter() - between))
    ours, theirs = (min(column) for column in zip(*times, strict=True))
    name = "log-likelihood of 50 × 100 choices, K = 300, against a plain loop"
    return [(name, ours / theirs, 1.0, True, f"{ours:.2f} s against {theirs:.2f} s")]


def normal_arms() -> str:
    """Seconds for exact values of two normal arms."""
    made, at = (
        Model.of("exact", tasks.normal_arms(deviation=10, noise=10**0.5, horizon=STEPS)),
        {"temperature": 3.0},
    )
    parts = [simulate(made, at, games=GAMES, subject=i, seed=i) for i in range(PEOPLE)]
    columns = {name: [cell for part in parts for cell in part[name]] for name in parts[0]}
    bamdp.exact.normal_arms._kept.cache_clear()
    started = perf_counter(), process_time()
    log_likelihood(columns, made, at)
    return (
        f"normal arms, exact: {perf_counter() - started[0]:.2f} s, "
        f"{process_time() - started[1]:.2f} s of CPU"
    )


if __name__ == "__main__":
    print(*rows(), normal_arms(), sep="\n")
