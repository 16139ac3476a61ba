"""Problems to compare agents on, by source; `Problem` makes your own."""

from bamdp.problems.bandits import EightArms, HorizonTask, TwoArms
from bamdp.problems.bbrl import BBRLGC, BBRLGDL, BBRLGCInaccurate, BBRLGDLInaccurate, BBRLGrid, BBRLGridInaccurate, SmallChain
from bamdp.problems.gymnasium import CliffWalking, FrozenLake, Taxi
from bamdp.problems.others import RL2MDP, GridNaviTask, RiverSwim, SmallRandom
from bamdp.problems.paper import PaperDoubleLoop, PaperGrid, PaperInfiniteGrid, PaperMaze
from bamdp.problems.problem import Problem

__all__ = ["EightArms", "HorizonTask", "Problem", "TwoArms"]
__all__ += ["BBRLGC", "BBRLGDL", "BBRLGCInaccurate", "BBRLGDLInaccurate", "BBRLGrid", "BBRLGridInaccurate", "SmallChain"]
__all__ += ["CliffWalking", "FrozenLake", "Taxi"]
__all__ += ["RL2MDP", "GridNaviTask", "RiverSwim", "SmallRandom"]
__all__ += ["PaperDoubleLoop", "PaperGrid", "PaperInfiniteGrid", "PaperMaze"]
