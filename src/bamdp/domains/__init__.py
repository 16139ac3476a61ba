"""Domains to act in, one file each; `Tabular` makes your own from arrays."""

from bamdp.domains.bandit import Bandit
from bamdp.domains.chain import Chain
from bamdp.domains.double_loop import DoubleLoop
from bamdp.domains.grid import Grid
from bamdp.domains.grid_navi import GridNavi
from bamdp.domains.gymnasium import Gymnasium
from bamdp.domains.infinite_grid import InfiniteGrid
from bamdp.domains.maze import Maze
from bamdp.domains.normal_bandit import NormalBandit
from bamdp.domains.random_mdp import RandomMDP
from bamdp.domains.tabular import Tabular

__all__ = [
    "Bandit",
    "Chain",
    "DoubleLoop",
    "Grid",
    "GridNavi",
    "Gymnasium",
    "InfiniteGrid",
    "Maze",
    "NormalBandit",
    "RandomMDP",
    "Tabular",
]
