"""A short episode of every agent, for `make valgrind`."""

import inspect
from typing import Any

import bamdp
from bamdp import Domain, agents
from bamdp.domains import Bandit, DoubleLoop, Grid

SMALL = {"simulations": 20, "trajectories": 10, "depth": 3, "trees": 2, "threads": 2}
WORLDS: dict[str, tuple[Domain, ...]] = {"Gittins": (Bandit(), Bandit(horizon=20))}


def main() -> None:
    for name in agents.__all__:
        kind = getattr(agents, name)
        taken = inspect.signature(kind).parameters
        settings: dict[str, Any] = {
            setting: value for setting, value in SMALL.items() if setting in taken
        }
        for world in WORLDS.get(name, (DoubleLoop(), Grid(3))):
            told = {"world": world.mdp} if kind.uses_true_model else settings
            earned = bamdp.run(
                kind(world.problem(), seed=1, **told), world, steps=10, seed=1
            ).rewards.sum()
            print(f"{name} in {world}: {earned:g}", flush=True)


if __name__ == "__main__":
    main()
