"""An image of part of an infinite grid, and an animation of BAMCP exploring it with its posterior next to the map.

python examples/infinite_grid.py --seed 3 --picture world.png --film film.webp
python examples/infinite_grid.py --seed 3 --prior-columns 2 1 --prior-rows 1 2    # a wrong prior
"""

import argparse
from collections.abc import Sequence
from typing import Any

import bamdp
from bamdp.runs import film


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    beta: dict[str, Any] = {"type": float, "nargs": 2, "metavar": ("A", "B")}
    parser.add_argument("--seed", type=int, default=3, help="seed of the world")
    parser.add_argument("--columns", **beta, default=(1, 2), help="Beta distribution of the columns")
    parser.add_argument("--rows", **beta, default=(2, 1), help="Beta distribution of the rows")
    parser.add_argument("--prior-columns", **beta, help="the agent's prior for the columns (default: the true distribution)")
    parser.add_argument("--prior-rows", **beta, help="the agent's prior for the rows (default: the true distribution)")
    parser.add_argument("--picture", default="world.png", help="output file for the image")
    parser.add_argument("--film", default="film.webp", help="output file for the animation: .webp, .png (animated) or .gif")
    parser.add_argument("--steps", type=int, default=200, help="steps in the animation")
    parser.add_argument("--every", type=int, default=2, help="steps per frame")
    parser.add_argument("--simulations", type=int, default=2000, help="simulations per step")
    given = parser.parse_args(words)

    world = bamdp.domains.InfiniteGrid(tuple(given.columns), tuple(given.rows), seed=given.seed)
    prior = bamdp.priors.GridRewards(given.prior_columns or given.columns, given.prior_rows or given.rows)
    film.world_picture(world).save(given.picture)
    agent = bamdp.agents.BAMCP(world.problem(prior), simulations=given.simulations, seed=0)
    total = film.film(agent, world, given.film, steps=given.steps, every=given.every)
    print(f"{given.picture}, {given.film}: reward {total:g} in {given.steps} steps")


if __name__ == "__main__":
    main()
