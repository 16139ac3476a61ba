"""Bandits and grids as text, for agents that read: prompts, a log of the choices, and their regret.

Put your model in `choose`, a function from a prompt to the text of an answer. Here it is a rule
that reads the prompt, so that the example needs no model and no key.
"""

import csv
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import bamdp
from bamdp.comparing.log_regret import log_regret
from bamdp.environments import BayesAdaptiveEnv

EPISODES, PULLS = 50, 10


def bandit_prompt(names: tuple[str, ...], seen: list[tuple[int, float]], pulls: int) -> str:
    """What is known of a bandit, and the question."""
    lines = [
        f"There are {len(names)} slot machines: {', '.join(names)}. Each pays 1 or 0, with a "
        "probability of its own; any probability is as likely as any other.",
        f"You have {pulls} pulls in all, and {pulls - len(seen)} are left.",
    ]
    lines += [f"Pull {n}: {names[arm]} paid {paid:g}." for n, (arm, paid) in enumerate(seen, 1)]
    return "\n".join([*lines, "Which machine do you pull? Answer with its name alone."])


def grid_prompt(env: BayesAdaptiveEnv, actions: tuple[str, ...]) -> str:
    """A grid as characters, and the question."""
    return "\n".join(
        [
            "You are @ on this grid. The goal is one of the other cells, and is not shown.",
            str(env.render()),
            f"Answer with one of: {', '.join(actions)}.",
        ]
    )


def choose(prompt: str) -> str:
    """A stand-in for a model: the machine that paid in the largest part of its pulls, each counted
    as if it had paid once and failed once before.
    """
    names: list[str] = re.findall(r"arm \w+", prompt.splitlines()[0])
    paid = {name: re.findall(rf"{name} paid (\d)", prompt) for name in names}
    return max(names, key=lambda name: (paid[name].count("1") + 1) / (len(paid[name]) + 2))


def play(answer: Callable[[str], str], log: Path) -> bamdp.domains.Bandit:
    """Let a model play bandits with means from the prior, and write what it chose."""
    arms = bamdp.domains.Bandit([0.5, 0.5], discount=1.0, horizon=PULLS)
    names = arms.problem().actions or ()
    env = BayesAdaptiveEnv(arms)
    env.reset(seed=0)
    with log.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["episode", "step", "action", "reward"])
        for episode in range(EPISODES):
            seen: list[tuple[int, float]] = []
            env.reset()
            for step in range(PULLS):
                arm = names.index(answer(bandit_prompt(names, seen, PULLS)))
                _, reward, *_ = env.step(arm)
                seen.append((arm, reward))
                writer.writerow([episode, step, names[arm], reward])
    return arms


if __name__ == "__main__":
    grid = BayesAdaptiveEnv("grid-navi3", render_mode="ansi")
    grid.reset(seed=0)
    grid.step(3)
    print(grid_prompt(grid, ("stay", "up", "right", "down", "left")), end="\n\n")
    print(bandit_prompt(("arm A", "arm B"), [(0, 1.0), (1, 0.0)], PULLS), end="\n\n")
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "choices.csv"
        print(log_regret(log, play(choose, log)))
