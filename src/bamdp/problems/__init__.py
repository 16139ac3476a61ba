"""Problems to compare agents on, by source; `Problem` makes your own.

Those that can be solved exactly are `two-arms`, `small-random` and `small-chain`, which is BBRL's GC with three states, two
actions and rewards of 0.2 and 1. They have 20 steps: what comes after, at discount 0.6, is worth less than 1e-4.
"""

from bamdp.problems.bandits import EightArms, HorizonTask, TwoArms
from bamdp.problems.bbrl import BBRLGC, BBRLGDL, BBRLGCInaccurate, BBRLGDLInaccurate, BBRLGrid, BBRLGridInaccurate, SmallChain
from bamdp.problems.others import RL2MDP, CliffWalking, FrozenLake, GridNaviTask, RiverSwim, SmallRandom, Taxi
from bamdp.problems.paper import PaperDoubleLoop, PaperGrid, PaperInfiniteGrid, PaperMaze
from bamdp.problems.problem import Problem

__all__ = ["EightArms", "HorizonTask", "Problem", "TwoArms"]
__all__ += ["BBRLGC", "BBRLGDL", "BBRLGCInaccurate", "BBRLGDLInaccurate", "BBRLGrid", "BBRLGridInaccurate", "SmallChain"]
__all__ += ["RL2MDP", "CliffWalking", "FrozenLake", "GridNaviTask", "RiverSwim", "SmallRandom", "Taxi"]
__all__ += ["PaperDoubleLoop", "PaperGrid", "PaperInfiniteGrid", "PaperMaze"]
