"""Domains as Gymnasium environments: registered by the import, clean by Gymnasium's checker,
seeded, and seen.
"""

import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from bamdp import MDP
from bamdp.config.names import DOMAINS
from bamdp.domains import Bandit, Chain, Grid, Gymnasium, InfiniteGrid, Maze, Tabular
from bamdp.environments import DomainEnv, ids
from reference.rejections import rejections

IDS = sorted(ids())
RANDOM = sorted(
    set(IDS) - {"bamdp/DoubleLoop-v0", "bamdp/GridNavi-v0"}
)  # in these nothing is left to chance


def trajectory(env: Any, seed: int | None, steps: int = 60) -> list[Any]:
    """What is seen after a reset, with the same actions whatever the seed."""
    seen = [np.asarray(env.reset(seed=seed)[0]).tolist()]
    for t in range(steps):
        observation, reward, terminated, truncated, info = env.step(t * t % env.action_space.n)
        seen.append((np.asarray(observation).tolist(), reward, terminated, truncated, info))
        if terminated or truncated:
            break
    return seen


@pytest.mark.parametrize("id", IDS)
def test_gymnasium_s_checker_has_nothing_to_say(id: str) -> None:
    """Here warnings are errors; it makes and renders the environment in all its modes, too."""
    pytest.importorskip("PIL")
    check_env(gymnasium.make(id).unwrapped)


def test_every_domain_is_registered_with_the_steps_of_its_runs() -> None:
    assert {"bamdp/Bandit-v0", "bamdp/Grid-v0", "bamdp/InfiniteGrid-v0", "bamdp/Maze-v0"} <= set(
        IDS
    )
    for id, domain in ids().items():
        assert DOMAINS.find(domain).factory().steps == gymnasium.spec(id).max_episode_steps


ORDERS = [
    "import bamdp, gymnasium; gymnasium.register_envs(bamdp); gymnasium.make('bamdp/Grid-v0', "
    "size=5)",
    "import bamdp.environments, gymnasium; gymnasium.make('bamdp/Grid-v0', size=5)",
    "import gymnasium, bamdp; gymnasium.make('bamdp/Grid-v0', size=5)",
    "import gymnasium; gymnasium.make('bamdp:bamdp/Grid-v0', size=5)",
    "import bamdp, importlib; from gymnasium import make; importlib.reload(bamdp); "
    "make('bamdp/Maze-v0')",
    "import bamdp; from bamdp.domains import Gymnasium; Gymnasium('bamdp/Grid-v0')",
]


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_it_is_registered_whatever_is_imported_first(order: str) -> None:
    """In a fresh interpreter, in which warnings are errors."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", order], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("id", IDS)
def test_a_seed_is_a_trajectory(id: str) -> None:
    env, other = gymnasium.make(id), gymnasium.make(id)
    first = trajectory(env, 5)
    assert trajectory(other, 5) == first
    assert trajectory(env, 5) == first
    if id in RANDOM:
        assert trajectory(env, 6) != first
        assert trajectory(env, None) != first
        assert trajectory(env, None) != trajectory(env, None)


def test_the_environment_is_the_domain() -> None:
    """Step by step, with the same chances."""
    world, env = Grid(4, slip=0.3), gymnasium.make("bamdp/Grid-v0", size=4, slip=0.3)
    seen = trajectory(env, 7)
    rng, _ = gymnasium.utils.seeding.np_random(7)
    state = world.reset(rng)
    assert seen[0] == state
    for t, (observed, reward, *_) in enumerate(seen[1:]):
        state, expected = world.step(state, t * t % 4, rng)
        assert (observed, reward) == (state, expected)
    assert env.observation_space == gymnasium.spaces.Discrete(16)


def test_the_infinite_grid_is_seen_cell_by_cell() -> None:
    env: Any = gymnasium.make("bamdp/InfiniteGrid-v0", seed=3)
    observation, _ = env.reset(seed=0)
    world = InfiniteGrid(seed=3)
    assert observation.tolist() == [0, 0, world.holds(0, 0)]
    assert env.step(3)[0].tolist() == [-1, 0, world.holds(-1, 0)]
    observation, reward, *_ = env.step(1)
    assert (observation.tolist(), reward) == ([0, 0, 0], world.holds(-1, 0)), (
        "what was left is consumed"
    )
    other: Any = gymnasium.make("bamdp/InfiniteGrid-v0")
    worlds = {str(trajectory(other, None, 20)) for _ in range(5)}
    assert len(worlds) == 5, "without a seed of the world, each episode has another one"


ROWS = np.array([[[0, 0.5, 0.5]], [[1, 0, 0]], [[0, 0, 1]]])
ENDS = Tabular(MDP(ROWS, [[1], [0], [0]], terminal=[2]), 0.9, time_limit=7)


def test_ends_and_time_limits() -> None:
    env = DomainEnv(ENDS)
    ends = {True: 0, False: 0}  # terminated or truncated
    for seed in range(200):
        state, _ = env.reset(seed=seed)
        for step in range(1, 8):
            state, _, terminated, truncated, _ = env.step(0)
            assert terminated == (state == 2)
            assert truncated == (step == 7 and not terminated)
            if terminated or truncated:
                ends[terminated] += 1
                break
        with pytest.raises(gymnasium.error.ResetNeeded, match="the episode is over"):
            env.step(0)
    # Cut off with probability 1/16; below 1 or above 40 of 200 by chance: 3e-6 and 1e-11.
    assert 1 <= ends[False] <= 40
    limited: Any = gymnasium.make("bamdp/Chain-v0", max_episode_steps=3)
    assert [step[2:4] for step in trajectory(limited, 0, 3)[1:]] == [
        (False, False),
        (False, False),
        (False, True),
    ]


def test_they_are_domains_again() -> None:
    world = Gymnasium("bamdp/Chain-v0", values=(0, 2, 10))
    assert (world.num_states, world.num_actions, world.time_limit) == (6, 2, 1000)


# --- what is seen


MAPS: list[Any] = [Grid(5), Maze()]


@pytest.mark.parametrize("world", MAPS, ids=str)
def test_the_agent_is_where_it_is_drawn(world: Any) -> None:
    """The @ of the text and the red dot of the picture, in the same cell, and no
    wall is entered.
    """
    pytest.importorskip("PIL")
    text, picture = DomainEnv(world, render_mode="ansi"), DomainEnv(world, render_mode="rgb_array")
    shapes = set()
    for env in (text, picture):
        env.reset(seed=2)
    for t in range(40):
        rows = [line.split(" ") for line in str(text.render()).splitlines()[1:]]
        pixels = picture.render()
        shapes.add(pixels.shape)
        found = [
            (x, y) for y, row in enumerate(rows) for x, symbol in enumerate(row) if symbol == "@"
        ]
        assert [_red(pixels, x, y, len(rows[0]), len(rows)) for x, y in found] == [True]
        assert ("S" in "".join("".join(row) for row in rows)) == (found[0] != _start(rows, world))
        for env in (text, picture):
            env.step(t * t % 4)
    assert len(shapes) == 1


def _start(rows: list[list[str]], world: Any) -> tuple[int, int]:
    return (0, 0) if isinstance(world, Maze) else (0, len(rows) - 1)


def _red(pixels: Any, x: int, y: int, columns: int, rows: int) -> bool:
    """Whether the agent is drawn in a cell; the map is at the bottom of the picture, with a margin
    of a tenth of a cell.
    """
    scale = pixels.shape[1] / (columns + 0.2)
    red, green, blue = pixels[
        int(pixels.shape[0] - scale * (rows - y - 0.4)), int(scale * (x + 0.6))
    ].tolist()
    return bool(red > 180 and green < 80 and blue < 80)


def test_texts() -> None:
    chain = DomainEnv(Chain(slip=0), render_mode="ansi")
    chain.reset(seed=0)
    chain.step(0)
    assert chain.render() == "step 1, reward 0, 1\n 0 [1] 2  3  4 "
    bandit = DomainEnv(Bandit([0, 1]), render_mode="ansi")
    bandit.reset(seed=0)
    assert bandit.render() == "step 0, reward 0, no arm yet\n  arm A: 0 of 0\n  arm B: 0 of 0"
    for arm in (1, 1, 0):
        bandit.step(arm)
    assert bandit.render() == "step 3, reward 2, failure\n> arm A: 0 of 1\n  arm B: 2 of 2"
    maze = DomainEnv(Maze(), render_mode="ansi")
    maze.reset(seed=0)
    assert str(maze.render()).splitlines()[1:] == [
        "@ # F . # . G",
        ". # . . # . .",
        ". . . . . . .",
        "# # . . . # #",
        ". . . . . . F",
        "F . . . . . #",
    ]


def test_the_text_of_the_infinite_grid_is_the_world() -> None:
    env = DomainEnv(InfiniteGrid(seed=1), render_mode="ansi")
    env.reset(seed=0)
    env.step(1)
    world, rows = (
        InfiniteGrid(seed=1),
        [line.split(" ") for line in str(env.render()).splitlines()[1:]],
    )
    for (row, column), symbol in np.ndenumerate(np.array(rows)):
        x, y = column - 8, 8 - row
        if (x, y) not in ((0, 0), (1, 0)):
            assert (symbol == "o") == world.holds(x, y)
    assert rows[8][8] == ".", "what it held is consumed"
    assert rows[8][9] == "@"


def test_render_without_a_mode_says_what_to_do() -> None:
    env = DomainEnv(Chain())
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="needs a render mode"):
        assert env.render() is None


def started(domain: Any) -> DomainEnv:
    env = DomainEnv(domain)
    env.reset(seed=0)
    return env


make: Any = DomainEnv

test_rejected = rejections(
    (TypeError, r"domain must be a bamdp\.Domain or its name, got 3", lambda: make(3)),
    (TypeError, "settings are only for a domain given by name", lambda: make(Grid(5), size=3)),
    (
        ValueError,
        "render_mode must be one of 'rgb_array', 'ansi', got 'film'",
        lambda: make(Grid(5), render_mode="film"),
    ),
    (ValueError, "unknown domain 'gird'; did you mean 'grid'", lambda: make("gird")),
    (gymnasium.error.ResetNeeded, "reset", lambda: make(Grid(5)).step(0)),
    (ValueError, "action must be an integer from 0 to 3, got 4", lambda: started(Grid(5)).step(4)),
    (TypeError, "action must be", lambda: make(Chain()).step(0.7)),
    (TypeError, "seed must be", lambda: make(Chain()).reset(seed="x")),
)


@pytest.mark.parametrize("length", [None, 3])
def test_an_episode_is_over_at_the_horizon(length: int | None) -> None:
    """Or before, where episodes have a length; a reset starts again."""
    env = DomainEnv(Chain(discount=1.0, horizon=4, episode_length=length))
    last = 3 if length is None else 2
    for _ in range(2):
        env.reset(seed=1)
        ends = [env.step(0)[2:4] for _ in range(last + 1)]
        assert ends == [(False, False)] * last + [(False, True)]
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(0)
