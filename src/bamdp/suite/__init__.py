"""The suite of benchmarks to compare agents on, by source; `Benchmark` makes your own.

Those that can be solved exactly are `two-arms`, `small-random` and `small-chain`, which is BBRL's
GC with three states, two actions and rewards of 0.2 and 1. They have 20 steps: what comes after, at
discount 0.6, is worth less than 1e-4.
"""

from bamdp.suite.bandits import BanditBench, EightArms, HorizonTask, RL2Arms, TwoArms
from bamdp.suite.bbrl import (
    BBRLGC,
    BBRLGDL,
    BBRLGCInaccurate,
    BBRLGDLInaccurate,
    BBRLGrid,
    BBRLGridInaccurate,
    SmallChain,
)
from bamdp.suite.benchmark import Benchmark
from bamdp.suite.corridor import Corridor
from bamdp.suite.information import (
    InformativeArms,
    RareLosses,
    RoomsAndMap,
    Signposts,
    SmallMastermind,
    TenArms,
)
from bamdp.suite.olfactory import OlfactorySearch
from bamdp.suite.others import (
    RL2MDP,
    CliffWalking,
    FrozenLake,
    GridNaviTask,
    RiverSwim,
    SmallRandom,
    Taxi,
)
from bamdp.suite.paper import PaperDoubleLoop, PaperGrid, PaperInfiniteGrid, PaperMaze

__all__ = ["BanditBench", "Benchmark", "EightArms", "HorizonTask", "RL2Arms", "TwoArms"]
__all__ += [
    "BBRLGC",
    "BBRLGDL",
    "BBRLGCInaccurate",
    "BBRLGDLInaccurate",
    "BBRLGrid",
    "BBRLGridInaccurate",
    "SmallChain",
]
__all__ += ["Corridor"]
__all__ += [
    "InformativeArms",
    "OlfactorySearch",
    "RareLosses",
    "RoomsAndMap",
    "Signposts",
    "SmallMastermind",
    "TenArms",
]
__all__ += [
    "RL2MDP",
    "CliffWalking",
    "FrozenLake",
    "GridNaviTask",
    "RiverSwim",
    "SmallRandom",
    "Taxi",
]
__all__ += ["PaperDoubleLoop", "PaperGrid", "PaperInfiniteGrid", "PaperMaze"]
