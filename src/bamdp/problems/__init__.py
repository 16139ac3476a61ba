"""Problems to compare agents on, one file each; `Problem` makes your own."""

from bamdp.problems.bbrl_gc import BBRLGC
from bamdp.problems.bbrl_gc_inaccurate import BBRLGCInaccurate
from bamdp.problems.bbrl_gdl import BBRLGDL
from bamdp.problems.bbrl_gdl_inaccurate import BBRLGDLInaccurate
from bamdp.problems.bbrl_grid import BBRLGrid
from bamdp.problems.bbrl_grid_inaccurate import BBRLGridInaccurate
from bamdp.problems.cliff_walking import CliffWalking
from bamdp.problems.eight_arms import EightArms
from bamdp.problems.frozen_lake import FrozenLake
from bamdp.problems.grid_navi import GridNaviTask
from bamdp.problems.horizon_task import HorizonTask
from bamdp.problems.paper_double_loop import PaperDoubleLoop
from bamdp.problems.paper_grid import PaperGrid
from bamdp.problems.paper_infinite_grid import PaperInfiniteGrid
from bamdp.problems.paper_maze import PaperMaze
from bamdp.problems.problem import Problem
from bamdp.problems.riverswim import RiverSwim
from bamdp.problems.rl2_mdp import RL2MDP
from bamdp.problems.small_chain import SmallChain
from bamdp.problems.small_random import SmallRandom
from bamdp.problems.taxi import Taxi
from bamdp.problems.two_arms import TwoArms

__all__ = [
    "BBRLGC",
    "BBRLGDL",
    "RL2MDP",
    "BBRLGCInaccurate",
    "BBRLGDLInaccurate",
    "BBRLGrid",
    "BBRLGridInaccurate",
    "CliffWalking",
    "EightArms",
    "FrozenLake",
    "GridNaviTask",
    "HorizonTask",
    "PaperDoubleLoop",
    "PaperGrid",
    "PaperInfiniteGrid",
    "PaperMaze",
    "Problem",
    "RiverSwim",
    "SmallChain",
    "SmallRandom",
    "Taxi",
    "TwoArms",
]
