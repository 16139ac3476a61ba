"""Bad arguments of domains: errors name the argument, what it got and what it accepts."""

from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from bamdp import MDP
from bamdp.domain import Scene
from bamdp.domains import Bandit, Chain, Grid, Gymnasium, InfiniteGrid, Maze, RandomMDP, Tabular
from reference.rejections import rejections

ONE, ROWS = np.ones((1, 1, 1)), [[[0, 1]], [[1, 0]]]
RNG = np.random.default_rng(0)
INFINITE, LAKE = InfiniteGrid(seed=0), "FrozenLake-v1"

ENDS = MDP(ROWS, [[0], [0]], terminal=[0])

make: Any = partial(Tabular, MDP(ONE, [[0]]))
gym: Any = Gymnasium

test_rejected_tables = rejections(
    (TypeError, "mdp must be a single bamdp.MDP, got array", lambda: Tabular(ONE, 0.9)),  # type: ignore[arg-type]
    (TypeError, "mdp must be a single bamdp.MDP, got MDP", lambda: Tabular(MDP([ONE], [[0]]), 0.9)),
    (ValueError, "mdp must be an MDP of 1 states and 1 actions", lambda: make(0.9).with_mdp(ENDS)),
    (ValueError, "discount.*got 1", lambda: make(1)),
    (TypeError, "discount", lambda: make("high")),
    (ValueError, "start.*from 0 to 0, got 1", lambda: make(0.9, start=1)),
    (ValueError, "start must not be terminal, got the terminal state 0", lambda: Tabular(ENDS, 0.9)),
    (ValueError, "steps.*got 0", lambda: make(0.9, steps=0)),
    (TypeError, "prior must be", lambda: make(0.9, prior=5)),
    (ValueError, "time_limit must be an integer of at least 1, got 0", lambda: make(0.9, time_limit=0)),
    (ValueError, "episode_length goes with a horizon", lambda: make(0.9, episode_length=3)),
)

grid: Any = Grid
maze: Any = Maze
scene: Any = Scene

test_rejected = rejections(
    (ValueError, "state must be an integer from 0 to 24, got 25", lambda: Grid(5).step(25, 0, RNG)),
    (ValueError, "state.*got -1", lambda: Grid(5).step(-1, 0, RNG)),
    (ValueError, "action must be an integer from 0 to 3, got 4", lambda: Grid(5).step(0, 4, RNG)),
    (ValueError, "action.*got -1", lambda: Grid(5).step(0, -1, RNG)),
    (TypeError, "state.*got 1.0", lambda: grid(5).step(1.0, 0, RNG)),
    (ValueError, "action.*got True", lambda: Grid(5).step(0, True, RNG)),
    (TypeError, "rng must be a numpy.random.Generator", lambda: grid(5).step(0, 0, None)),
    (ValueError, "size.*at least 2, got 1", lambda: Grid(1)),
    (TypeError, "size.*got 2.5", lambda: grid(2.5)),
    (MemoryError, "size=1048576 needs", lambda: Grid(2**20)),
    (ValueError, "slip.*got 1.5", lambda: Grid(slip=1.5)),
    (ValueError, "state.*got 25", lambda: Grid(5).cell(25)),
    (ValueError, "x.*got 5", lambda: Grid(5).state(5, 0)),
    (ValueError, "y.*got -1", lambda: Grid(5).state(0, -1)),
    (ValueError, "slip.*got -0.1", lambda: Maze(slip=-0.1)),
    (ValueError, "discount.*got 1.0", lambda: Maze(discount=1.0)),
    (ValueError, "state.*got 264", lambda: Maze().cell(264)),
    (ValueError, "x.*got 7", lambda: Maze().state(7, 0)),
    (ValueError, "y.*got 6", lambda: Maze().state(0, 6)),
    (ValueError, r"x and y.*wall at \(1, 0\)", lambda: Maze().state(1, 0)),
    (ValueError, "flags.*got 8", lambda: Maze().state(0, 0, 8)),
    (ValueError, "slip.*got 2", lambda: Chain(slip=2)),
    (ValueError, "probabilities", lambda: Bandit([])),
    (ValueError, r"probabilities.*\(1, 1\)", lambda: Bandit([[0.5]])),
    (ValueError, r"probabilities.*\[0, 1\], got 1.5 at index 1", lambda: Bandit([0.5, 1.5])),
    (ValueError, "num_states.*got 0", lambda: RandomMDP(0, 1)),
    (ValueError, "num_actions.*got 0", lambda: RandomMDP(1, 0)),
    (MemoryError, "num_states and num_actions needs", lambda: RandomMDP(10**6, 3)),
    (ValueError, "rows.*'thin'", lambda: RandomMDP(rows="thin")),  # type: ignore[arg-type]
    (ValueError, "rewards.*'none'", lambda: RandomMDP(rewards="none")),  # type: ignore[arg-type]
    (ValueError, "seed.*got -1", lambda: RandomMDP(seed=-1)),
    (TypeError, "content must be", lambda: INFINITE.state(0, 0, "")),  # type: ignore[arg-type]
    (ValueError, "x and y must be of a cell within", lambda: INFINITE.state(2**31 - 1, 1, False)),
    (TypeError, "x must be an integer", lambda: INFINITE.holds("0", 0)),  # type: ignore[arg-type]
    (ValueError, "kind must be one of", lambda: scene("maps", str)),
    (TypeError, "place must be a function", lambda: scene("map", (0, 0))),
    (TypeError, "actions must be a tuple of strings", lambda: scene("map", lambda state: (0, 0), actions=(1, 2))),
)


class Spaces(gymnasium.Env[Any, Any]):
    """An environment that is never stepped."""

    def __init__(self, observations: Any, actions: Any) -> None:
        self.observation_space, self.action_space = observations, actions


TWO, BOX, TEXT = spaces.Discrete(2), spaces.Box(0, 1, (2,)), spaces.Tuple([spaces.Discrete(2), spaces.Text(3)])
OBSERVATIONS = r"observation_space must be Discrete, or made of Discrete parts, and .* is infinite"
ACTIONS = r"action_space must be Discrete, .* discretize it by a wrapper"

test_rejected_environments = rejections(
    *((TypeError, OBSERVATIONS, lambda space=space: gym(lambda: Spaces(space, TWO))) for space in (BOX, TEXT)),
    *((TypeError, ACTIONS, lambda space=space: gym(lambda: Spaces(TWO, space))) for space in (BOX, TEXT)),
    (TypeError, r"observation_space must be Discrete.*Box", lambda: gym("CartPole-v1")),
    (TypeError, r"has 1.8e.19 elements, more than 1e.07", lambda: gym(lambda: Spaces(spaces.MultiBinary(64), TWO))),
    (ValueError, "an id that gymnasium.make accepts, got 'Nope-v0'", lambda: gym("Nope-v0")),
    (ValueError, "got 'no_such_module:Nope-v0'", lambda: gym("no_such_module:Nope-v0")),
    (TypeError, "environment must be an id of gymnasium.make or a function", lambda: gym(gymnasium.make(LAKE))),
    (TypeError, "settings are for gymnasium.make", lambda: gym(lambda: gymnasium.make(LAKE), map_name="8x8")),
    (ValueError, "Blackjack-v1 has no table", lambda: gym("Blackjack-v1", rewards="table")),
    (ValueError, "rewards must be one of 'table', 'learned', got 'known'", lambda: gym(LAKE, rewards="known")),
    (ValueError, "rewards must be one of", lambda: gym(LAKE, rewards=np.zeros((3, 2)))),
    (TypeError, "prior must be", lambda: gym(LAKE, prior=np.zeros((3, 2)))),
    (TypeError, "values must be an array of numbers", lambda: gym("Blackjack-v1", values="some")),
)
