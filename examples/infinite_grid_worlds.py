# mypy: disable-error-code="no-untyped-def, untyped-decorator, arg-type"
"""The paper's infinite grid, by functions of your own: steps by Numba, particles, and a move.

Column x has density p_x ~ Beta(1, 2), row y q_y ~ Beta(2, 1); a cell holds a reward with
probability p_x q_y, which is seen on arrival and paid on leaving. Columns and rows repeat after 128
cells. The memory has what was seen of each cell: 0 not yet, 1 empty, 2 a reward, 3 a reward that
was taken. The move is Gibbs sampling with a hidden coin for each column and row of an empty cell.
"""

import numpy as np
from numba import njit

import bamdp
from bamdp.hooks import beta, choose, uniform

SIZE, EMPTY, FULL, TAKEN = 128, 1, 2, 3


def draw(rng):
    return np.concatenate([rng.beta(1, 2, SIZE), rng.beta(2, 1, SIZE)])


@njit
def cells(state, action):
    x, y = state // 2 // SIZE, state // 2 % SIZE
    east, north = (action == 1) - (action == 3), (action == 0) - (action == 2)
    return x, y, (x + east) % SIZE, (y + north) % SIZE


@njit
def density(world, memory, x, y):
    return world[x] * world[SIZE + y] if memory[x, y] == 0 else 1.0 * (memory[x, y] == FULL)


@njit
def observe(memory, state, action, reward, after):
    x, y, u, v = cells(state, action)
    memory[x, y] = TAKEN if state % 2 else max(memory[x, y], EMPTY)
    memory[u, v] = max(memory[u, v], EMPTY + after % 2)


def step(world, memory, state, action, rng):
    _, _, u, v = cells(state, action)
    full = uniform(rng) < density(world, memory, u, v)
    after = 2 * (u * SIZE + v) + full
    observe(memory, state, action, 0.0, after)
    return after, float(state % 2), False


def likelihood(world, memory, state, action, reward, after):
    x, y, u, v = cells(state, action)
    here, there = density(world, memory, x, y), density(world, memory, u, v)
    return abs(1 - state % 2 - here) * abs(1 - after % 2 - there)


def move(world, memory, rng):
    counts = np.ones((2, 2 * SIZE))
    counts[0, SIZE:] = counts[1, :SIZE] = 2
    for x, y in np.argwhere(memory):
        p, q = world[x], world[SIZE + y]
        weights = np.array([(1 - p) * (1 - q), (1 - p) * q, p * (1 - q)])
        coins = choose(weights, rng) if memory[x, y] == EMPTY else 3
        counts[1 - coins // 2, x] += 1
        counts[1 - coins % 2, SIZE + y] += 1
    for k in range(2 * SIZE):
        world[k] = beta(counts[0, k], counts[1, k], rng)


functions = {"step": step, "likelihood": likelihood, "observe": observe, "move": move}
prior = bamdp.priors.Worlds(draw, memory=np.zeros((SIZE, SIZE)), **functions)
problem = bamdp.BAMDP(prior, discount=0.97, start=0, actions=("north", "east", "south", "west"))


def main() -> None:
    rng = np.random.default_rng(0)
    agent = bamdp.agents.BAMCP(problem, simulations=300, seed=0)
    record = bamdp.run(agent, problem.sample_world(rng), steps=40, seed=0)
    print(f"{record.total_reward:g} rewards in 40 steps")


if __name__ == "__main__":
    main()
