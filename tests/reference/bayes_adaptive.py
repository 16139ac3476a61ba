"""Settings of the Bayes-adaptive environment with every kind of prior and of episode."""

from typing import Any

import numpy as np

from bamdp import MDP
from bamdp.domains import Bandit, Chain, Grid, GridNavi, Gymnasium, NormalBandit, Tabular
from bamdp.priors import (
    Dirichlet,
    Finite,
    Normal,
    NormalArms,
    Parametric,
    SparseDirichlet,
    UnknownRewards,
)

CHAIN = Chain()
STEADY = Chain(slip=0.0)
NEXT = STEADY.transitions.argmax(axis=2)
TABLES = np.stack([Chain(slip=slip).transitions for slip in (0.1, 0.3, 0.6)])
PLAIN = Tabular(MDP(TABLES[0], np.zeros((5, 2))), 0.9, steps=25)
DUE = Tabular(MDP(TABLES[0], np.zeros((5, 2))), 1.0, horizon=20, episode_length=6)
ENDING = Tabular(MDP(TABLES[0], CHAIN.rewards, terminal=[3]), 0.9, steps=25)
LIMITED = Tabular(MDP(TABLES[0], CHAIN.rewards), 0.9, time_limit=4, steps=25)
PAID = np.random.default_rng(5).integers(3, size=(3, 5, 2)).astype(float)


def slipping(slip: Any, state: int, action: int) -> Any:
    return (1 - slip)[:, None] * STEADY.transitions[state, action] + slip[
        :, None
    ] * STEADY.transitions[state, 1 - action]


def paying(slip: Any, state: int, action: int) -> Any:
    return np.round(slip * 10) * (state == 4)


POINTS = np.linspace(0.05, 0.5, 8)
KINDS: dict[str, dict[str, Any]] = {
    "dirichlet": {"domain": CHAIN, "prior": Dirichlet(0.3), "steps": 25},
    "sparse": {"domain": "grid2", "prior": "sparse-dirichlet", "steps": 25},
    "given by name": {"domain": "bandit", "probabilities": [0.5, 0.5], "steps": 25},
    "sparse mean": {"domain": Grid(2), "prior": SparseDirichlet(), "steps": 25, "belief": "mean"},
    "arms": {"domain": Bandit([0.5, 0.5]), "steps": 25},
    "arms mean": {"domain": Bandit([0.5, 0.5]), "steps": 25, "belief": "mean"},
    "arms, horizon": {"domain": Bandit([0.5, 0.5], 1.0, horizon=12)},
    "worlds": {"domain": CHAIN, "prior": Finite(TABLES, [1, 2, 3]), "steps": 25},
    "worlds mean": {
        "domain": CHAIN,
        "prior": Finite(TABLES, [1, 2, 3]),
        "steps": 25,
        "belief": "mean",
    },
    "rewards of worlds": {"domain": PLAIN, "prior": Finite(TABLES, rewards=PAID)},
    "rewards of worlds, mean": {
        "domain": PLAIN,
        "prior": Finite(TABLES, rewards=PAID),
        "belief": "mean",
    },
    "rewards of transitions": {
        "domain": PLAIN,
        "prior": Finite(TABLES, rewards=PAID[..., None] + np.arange(5) % 2),
    },
    "terminal states of worlds": {
        "domain": CHAIN,
        "prior": Finite(TABLES, terminal=[[3], [4], [2]]),
        "steps": 25,
    },
    "both": {"domain": PLAIN, "prior": Finite(TABLES, rewards=PAID, terminal=[[3], [4], []])},
    "both, mean": {
        "domain": PLAIN,
        "prior": Finite(TABLES, rewards=PAID, terminal=[[3], [4], []]),
        "belief": "mean",
    },
    "parameter": {"domain": CHAIN, "prior": Parametric(slipping, POINTS), "steps": 25},
    "parameter, mean": {
        "domain": PLAIN,
        "prior": Parametric(slipping, POINTS, rewards=paying),
        "belief": "mean",
    },
    "values": {
        "domain": PLAIN,
        "prior": UnknownRewards(Dirichlet(0.5), values=(2.0, -1.0, 0.5), alpha=(1, 0.2, 2)),
    },
    "values mean": {"domain": PLAIN, "prior": UnknownRewards(Dirichlet(0.5)), "belief": "mean"},
    "one value each": {
        "domain": PLAIN,
        "prior": UnknownRewards(Dirichlet(0.5), deterministic=True),
    },
    "one value each, mean": {
        "domain": PLAIN,
        "prior": UnknownRewards(Dirichlet(0.5), deterministic=True),
        "belief": "mean",
    },
    "values in worlds": {"domain": PLAIN, "prior": UnknownRewards(Finite(TABLES))},
    "values in worlds, mean": {
        "domain": PLAIN,
        "prior": UnknownRewards(Finite(TABLES)),
        "belief": "mean",
    },
    "values and ends of worlds": {
        "domain": PLAIN,
        "prior": UnknownRewards(Finite(TABLES, terminal=[[3], [4], []])),
    },
    "learned": {
        "domain": Gymnasium("FrozenLake-v1", rewards="learned", is_slippery=False),
        "steps": 25,
    },
    "normal": {
        "domain": PLAIN,
        "prior": UnknownRewards(Dirichlet(), outcomes=Normal(1.0, 2.0, 0.5)),
    },
    "normal mean": {
        "domain": PLAIN,
        "prior": UnknownRewards(Dirichlet(), outcomes=Normal(1.0, 2.0, 0.5)),
        "belief": "mean",
    },
    "normal, unknown noise": {
        "domain": PLAIN,
        "prior": UnknownRewards(Dirichlet(), outcomes=Normal(0, 1, 1, degrees=5)),
    },
    "normal arms": {"domain": NormalBandit([0.0, 1.0]), "steps": 25},
    "normal arms, mean": {
        "domain": NormalBandit([0.0, 1.0]),
        "prior": NormalArms(1.0, [1, 0]),
        "steps": 25,
        "belief": "mean",
    },
    "grid-navi": {"domain": GridNavi(4, episode_length=6, episodes=3)},
    "grid-navi mean": {"domain": GridNavi(3, episode_length=6, episodes=3), "belief": "mean"},
    "lengths": {"domain": DUE, "prior": Dirichlet(0.5)},
    "lengths, one episode": {"domain": DUE, "prior": Dirichlet(0.5), "episodes": 2},
    "terminal": {"domain": ENDING, "prior": Dirichlet(0.5), "episodes": 3},
    "time limit": {"domain": LIMITED, "prior": Dirichlet(0.5), "episodes": 3},
}
