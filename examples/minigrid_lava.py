"""A MiniGrid environment through a wrapper: the state is position and direction; rewards and
terminations are learned.

    python examples/minigrid_lava.py --help

The goal is behind a wall of lava with one gap. The agents know neither what lava is nor that there
is a goal. BAMCP's prior is only that rewards are rare and that episodes can terminate. Needs
MiniGrid: `pip install minigrid`.
"""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from rich.console import Console
from rich.progress import track
from rich.table import Table

import bamdp
from bamdp.agents import BAMCP, QLearning, Random
from bamdp.domains import Gymnasium
from bamdp.priors import SparseDirichlet, UnknownRewards
from bamdp.runs.loop import seeds
from bamdp.statistics import mean

RARE = UnknownRewards(
    SparseDirichlet(), values=(0, 1), alpha=(1, 0.1)
)  # before the first visit: 1 with probability 1/11


class PlaceAndHeading(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Observes (x, y, direction), the full state on one map; actions are turns and moves only, and
    the goal pays 1.

    MiniGrid's own reward decreases with the steps of the episode, which are not part of the state.
    """

    def __init__(self, env: Any, map_seed: int) -> None:
        super().__init__(env)
        self.map_seed = map_seed
        sizes = (env.unwrapped.width, env.unwrapped.height, 4)
        self.observation_space = spaces.Tuple([spaces.Discrete(n) for n in sizes])
        self.action_space = spaces.Discrete(3)  # turn left, turn right, forward

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        _, info = self.env.reset(seed=self.map_seed)  # the same map in every episode
        return self._observed(), info

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        _, reward, terminated, truncated, info = self.env.step(action)
        return self._observed(), float(float(reward) > 0), terminated, truncated, info

    def _observed(self) -> tuple[int, int, int]:
        grid: Any = self.env.unwrapped
        return int(grid.agent_pos[0]), int(grid.agent_pos[1]), int(grid.agent_dir)


def environment(name: str, map_seed: int, render_mode: str | None = None) -> PlaceAndHeading:
    return PlaceAndHeading(gymnasium.make(f"minigrid:{name}", render_mode=render_mode), map_seed)


def agents(world: Gymnasium, simulations: int) -> dict[str, Callable[[int], bamdp.Agent]]:
    return {
        "BAMCP": lambda seed: BAMCP(
            world.problem(RARE), simulations=simulations, exploration=0.3, seed=seed
        ),
        "Q-learning": lambda seed: QLearning(
            world.problem(), temperature=0.01, initial=0.3, seed=seed
        ),
        "random": lambda seed: Random(world.problem(), seed=seed),
    }


def cell(values: list[float]) -> str:
    average = mean(values)
    return (
        f"{average.value:.1f}"
        if average.high is None
        else f"{average.value:.1f} ± {average.high - average.value:.1f}"
    )


def picture(record: bamdp.Record, options: argparse.Namespace) -> None:
    """The map with the path of the last successful episode, and the length of each episode."""
    from matplotlib.figure import Figure  # takes 0.5 s to import

    env = environment(options.environment, options.map, "rgb_array")
    env.reset()
    frame: Any = env.env.unwrapped.get_frame(highlight=False)  # type: ignore[attr-defined]
    tile = frame.shape[0] / env.env.unwrapped.height  # type: ignore[attr-defined]
    ends = np.flatnonzero(record.terminated | record.truncated) + 1
    episodes = np.split(np.arange(len(record.rewards)), ends)[:-1]
    figure = Figure(figsize=(9, 4), dpi=120, layout="constrained")
    left, right = figure.subplots(1, 2)
    left.imshow(frame)
    left.set(xticks=[], yticks=[], title="last path to the goal")
    found = [steps for steps in episodes if record.rewards[steps].any()]
    if found:
        x, y, _ = np.unravel_index(
            record.states[found[-1]],
            [space.n for space in env.observation_space],  # type: ignore
        )
        left.plot((x + 0.5) * tile, (y + 0.5) * tile, color="white", linewidth=3)
    reached = np.array([record.rewards[steps].any() for steps in episodes], dtype=bool)
    lengths, numbers = np.array([len(steps) for steps in episodes]), np.arange(1, len(episodes) + 1)
    for here, mark, label in ((reached, "o", "goal reached"), (~reached, "x", "lava or truncated")):
        right.plot(numbers[here], lengths[here], mark, label=label, markersize=4)
    right.set(xlabel="episode of BAMCP", ylabel="steps", ylim=(0, None))
    right.legend(frameon=False)
    options.picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(options.picture)


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--environment",
        default="MiniGrid-LavaGapS6-v0",
        help="environment id (default MiniGrid-LavaGapS6-v0)",
    )
    parser.add_argument(
        "--map", type=int, default=0, help="seed of the map, the same in all episodes (default 0)"
    )
    parser.add_argument("--runs", type=int, default=5, help="runs per agent (default 5)")
    parser.add_argument("--steps", type=int, default=1000, help="real steps per run (default 1000)")
    parser.add_argument(
        "--simulations", type=int, default=300, help="simulations of BAMCP per step (default 300)"
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="random seed of everything except the map (default 0)"
    )
    parser.add_argument(
        "--picture",
        type=Path,
        default=Path("demo-output/minigrid_lava.png"),
        help="output file for the plot",
    )
    options = parser.parse_args(words)
    world = Gymnasium(partial(environment, options.environment, options.map), values=(0, 1))
    made = Table("", "goals", "in the last third", "lava", title_justify="left")
    made.title = (
        f"{options.environment}, {options.steps} steps; means of {options.runs} runs, 95 % "
        "intervals"
    )
    first = {}
    for name, make in agents(world, options.simulations).items():
        records = []
        for index in track(range(options.runs), name, console=Console(stderr=True)):
            agent_seed, world_seed = seeds(options.seed, index)
            records.append(bamdp.run(make(agent_seed), world, options.steps, world_seed))
        goals, last = (
            [r.total_reward for r in records],
            [float(r.rewards[-options.steps // 3 :].sum()) for r in records],
        )
        made.add_row(
            name,
            cell(goals),
            cell(last),
            cell([r.terminated.sum() - r.total_reward for r in records]),
        )
        first[name] = records[0]
    Console().print(made)
    picture(first["BAMCP"], options)
    print(f"Plot: {options.picture}")


if __name__ == "__main__":
    main()
