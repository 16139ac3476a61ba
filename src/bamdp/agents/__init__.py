"""Agents: BAMCP, baselines and an oracle, one file each."""

from bamdp.agents.ba_uct import BAUCT
from bamdp.agents.bamcp import BAMCP
from bamdp.agents.bayes_adaptive import BayesAdaptive
from bamdp.agents.bayesian_dp import BayesianDP
from bamdp.agents.beb import BEB
from bamdp.agents.bfs3 import BFS3
from bamdp.agents.boss import BOSS
from bamdp.agents.epsilon_greedy import EpsilonGreedy
from bamdp.agents.gittins import Gittins
from bamdp.agents.ieql import IEQL
from bamdp.agents.index_policy import IndexPolicy
from bamdp.agents.opsrl import OPSRL
from bamdp.agents.oracle import Oracle
from bamdp.agents.posterior_mean import PosteriorMean
from bamdp.agents.q_learning import QLearning
from bamdp.agents.random import Random
from bamdp.agents.sboss import SBOSS
from bamdp.agents.softmax import Softmax
from bamdp.agents.vpi import VPI

__all__ = [
    "BAMCP",
    "BAUCT",
    "BEB",
    "BFS3",
    "BOSS",
    "IEQL",
    "OPSRL",
    "SBOSS",
    "VPI",
    "BayesAdaptive",
    "BayesianDP",
    "EpsilonGreedy",
    "Gittins",
    "IndexPolicy",
    "Oracle",
    "PosteriorMean",
    "QLearning",
    "Random",
    "Softmax",
]
