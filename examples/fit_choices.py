"""Fitting choices: estimating a subject's prior optimism from their decisions by maximum likelihood.

    python examples/fit_choices.py --help

A subject plays short games. Each offers a sure payment of one half and an arm that pays one, with a success rate that differs
between games. How long the subject tries an arm depends on their prior for arms: Beta(2 m, 2 (1 − m)), where m is their
optimism. The model of the subject is BAMCP with that prior, with softmax decisions on its values:

    P(action) ∝ exp(value(action) / temperature)

For every candidate m the log-likelihood is the sum of log P over the subject's choices. The temperature is fitted along with
m. The interval contains every m that a likelihood-ratio test at 5 % does not reject. The history of a game reduces to the
successes and failures of the arm, so each pair of counts is planned for once, with the same seed for all candidates. The
search must be long: its error is noise in the likelihood and must stay far below the temperature. The interval does not
include that noise and is therefore too narrow: it contained the truth for four of six simulated subjects.

Optimism is identifiable because planning turns it into behaviour, but only from choices that depend on it: everybody keeps an
arm that paid twice at once. A high temperature hides it; the likelihood is then flat and the interval wide.
"""

import argparse
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

import bamdp
from bamdp.runner import seeds

SURE, STRENGTH, DISCOUNT = 0.5, 2.0, 0.9
CANDIDATES = np.linspace(0.1, 0.9, 17)
TEMPERATURES = np.geomspace(0.02, 2.0, 41)
CUT = 3.84 / 2  # half the 95 % quantile of chi-squared with one degree of freedom

ARM, SAFE = 0, 1
Choices = list[tuple[int, int, int]]  # successes and failures of the arm so far in this game, and the action


@dataclass(frozen=True)
class Fit:
    """Log-likelihood of each candidate [C], the best candidate, its temperature, and the bounds of the 95 % interval."""

    curve: NDArray[np.float64]
    optimism: float
    temperature: float
    low: float
    high: float


@cache
def values(optimism: float, successes: int, failures: int, simulations: int, seed: int) -> NDArray[np.float64]:
    """Action values of a subject with this optimism after these observations of the arm. [2]"""
    prior = bamdp.priors.BetaArms([STRENGTH * optimism, 1], [STRENGTH * (1 - optimism), 0])  # the sure payment is known
    rewards = bamdp.domains.Bandit([0.5, 1], payoffs=[1, SURE]).rewards
    search: dict[str, Any] = {"simulations": simulations, "rollouts": "best-arm", "exploration": 10.0, "seed": seed}
    agent = bamdp.agents.BAMCP(prior, rewards, DISCOUNT, **search)
    for success in [1] * successes + [0] * failures:
        agent.observe(0, ARM, success, success)
    return agent.plan(0).values


def log_softmax(values: NDArray[np.float64], temperature: Any) -> NDArray[np.float64]:
    """Log-softmax over the last axis."""
    scaled = (values - values.max(axis=-1, keepdims=True)) / temperature
    logs: NDArray[np.float64] = scaled - np.log(np.exp(scaled).sum(axis=-1, keepdims=True))
    return logs


def simulate(optimism: float, options: argparse.Namespace, seed: int) -> Choices:
    """Choices of a simulated subject with known optimism."""
    rng, choices = np.random.default_rng(seed), []
    for _ in range(options.games):
        rate, seen = rng.random(), [0, 0]  # failures and successes
        for _ in range(options.steps):
            found = values(optimism, seen[1], seen[0], options.simulations, seed)
            action = int(rng.choice(2, p=np.exp(log_softmax(found, options.temperature))))
            choices.append((seen[1], seen[0], action))
            if action == ARM:
                seen[int(rng.random() < rate)] += 1
    return choices


def log_likelihoods(optimism: float, choices: Choices, simulations: int) -> NDArray[np.float64]:
    """Log-likelihood of the choices under a candidate, for each temperature. [T]"""
    found = np.array([values(optimism, successes, failures, simulations, 0) for successes, failures, _ in choices])  # [n, 2]
    actions = np.array([action for _, _, action in choices])
    logs = log_softmax(found, TEMPERATURES[:, None, None])  # [T, n, 2]
    totals: NDArray[np.float64] = logs[:, np.arange(len(actions)), actions].sum(axis=1)
    return totals


def fit(choices: Choices, simulations: int, pool: ThreadPoolExecutor) -> Fit:
    """Maximum likelihood over candidates and temperatures, and the likelihood-ratio interval of the optimism."""
    surface = np.array(list(pool.map(lambda m: log_likelihoods(float(m), choices, simulations), CANDIDATES)))  # [C, T]
    curve = surface.max(axis=1)  # profile likelihood: the best temperature for each candidate
    best, coldest = np.unravel_index(surface.argmax(), surface.shape)
    fine = np.linspace(CANDIDATES[0], CANDIDATES[-1], 801)
    inside = fine[np.interp(fine, CANDIDATES, curve) >= curve.max() - CUT]
    return Fit(curve, float(CANDIDATES[best]), float(TEMPERATURES[coldest]), float(inside[0]), float(inside[-1]))


def picture(truths: list[float], fits: list[Fit], path: Path) -> None:
    from matplotlib.figure import Figure  # takes 0.5 s to import

    figure = Figure(figsize=(7, 4.5), dpi=150, layout="constrained")
    axes = figure.subplots()
    for truth, found in zip(truths, fits, strict=True):
        (line,) = axes.plot(CANDIDATES, found.curve - found.curve.max(), marker=".", label=f"true optimism {truth:.2f}")
        axes.axvline(truth, color=line.get_color(), linestyle=":", linewidth=1)
    axes.axhline(-CUT, color="black", linewidth=0.8)
    axes.set(xlabel="candidate optimism m", ylabel="log-likelihood minus its maximum", ylim=(-10, 0.5))
    axes.legend(title="dotted: true value; line: 95 % threshold", frameon=False, fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--subjects", type=int, default=6, help="simulated subjects, with optimism from 0.2 to 0.8 (default 6)")
    parser.add_argument("--games", type=int, default=20, help="games per subject (default 20)")
    parser.add_argument("--steps", type=int, default=10, help="choices per game (default 10)")
    parser.add_argument("--temperature", type=float, default=0.2, help="softmax temperature of the subjects (default 0.2)")
    parser.add_argument("--simulations", type=int, default=20_000, help="simulations per belief (default 20,000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the subjects (default 0)")
    parser.add_argument("--picture", type=Path, default=Path("demo-output/fit_choices.png"), help="output file for the plot")
    options = parser.parse_args(words)
    truths, fits = np.linspace(0.2, 0.8, options.subjects).tolist(), []
    made = Table("true optimism", "recovered", "95 % interval", "temperature", "log-likelihood", title="Optimism from choices")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for index, truth in enumerate(track(truths, "subjects", console=Console(stderr=True))):
            fits.append(found := fit(simulate(truth, options, seeds(options.seed, index)[0]), options.simulations, pool))
            interval = f"{found.low:.2f} … {found.high:.2f}"
            made.add_row(
                f"{truth:.2f}", f"{found.optimism:.2f}", interval, f"{found.temperature:.2f}", f"{found.curve.max():.1f}"
            )
    Console().print(made)
    covered = sum(found.low <= truth <= found.high for truth, found in zip(truths, fits, strict=True))
    print(f"The interval contains the true optimism for {covered} of {len(fits)} subjects.")
    picture(truths, fits, options.picture)
    print(f"Plot: {options.picture}")


if __name__ == "__main__":
    main()
