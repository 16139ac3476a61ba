"""A portion of an infinite grid as a picture, and a film of BAMCP exploring it with its posterior beside the map.

python examples/infinite_grid.py --seed 3 --picture world.png --film film.webp
"""

import argparse

import bamdp
from bamdp import pictures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=3, help="of the world")
    parser.add_argument("--columns", type=float, nargs=2, default=(1, 2), help="Beta distribution of the columns")
    parser.add_argument("--rows", type=float, nargs=2, default=(2, 1), help="Beta distribution of the rows")
    parser.add_argument("--picture", default="world.png", help="file for the picture")
    parser.add_argument("--film", default="film.webp", help="file for the film: .webp, .png (animated) or .gif")
    parser.add_argument("--steps", type=int, default=200, help="of the film")
    parser.add_argument("--simulations", type=int, default=2000, help="per step")
    given = parser.parse_args()
    world = bamdp.domains.InfiniteGrid(tuple(given.columns), tuple(given.rows), seed=given.seed)
    pictures.world_picture(world).savefig(given.picture)
    agent = bamdp.agents.BAMCP.for_domain(world, simulations=given.simulations, seed=0)
    total = pictures.film(agent, world, given.film, steps=given.steps)
    print(f"{given.picture}, {given.film}: reward {total:g} in {given.steps} steps")


if __name__ == "__main__":
    main()
