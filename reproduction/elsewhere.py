"""Two public tables with the agents of this library beside them: RL² and SNAIL, and banditbench.

All agents act in the same worlds with the same random numbers. BEB, which has a bonus to choose,
has the best of `BETAS` in other worlds; all others are as they are. What comes out is the page
"Results elsewhere", `reproduction.report.elsewhere`.

The numbers of RL² (Duan et al. 2016, arXiv 1611.02779) and SNAIL (Mishra et al. 2018, arXiv
1707.03141) are second-hand, from the README of github.com/lucaslingle/pytorch_rl2, which
transcribes both papers: means of 1,000 episodes. The numbers of banditbench
(github.com/DataWraith/banditbench, 2026) are means of 10,001 runs, read in its repository.
"""

from collections.abc import Mapping
from typing import Any

from reproduction.experiment import Entry, Experiment, Grid

PUBLISHED_EPISODES = 1000  # behind each number of RL² and SNAIL
PUBLISHED_ERROR = 0.15  # standard error of banditbench's regrets, about
BETAS: Grid = ({"beta": (0.3, 1, 3, 10)},)
PLANNER = "bayes-adaptive"
TOLD = f"{PLANNER}, told the means' distribution"

Published = Mapping[str, Mapping[str, float]]

_ARMS = "random", "Gittins", "TS", "OTS", "UCB1", "RL²", "SNAIL"
_MDPS = "random", "PSRL", "OPSRL", "UCRL2", "BEB", "RL²", "SNAIL"

PUBLISHED_ARMS: Published = {  # sums of rewards, by pulls and arms
    f"{pulls} pulls, {arms} arms": dict(zip(_ARMS, sums, strict=True))
    for pulls, arms, *sums in (
        (10, 5, 5.0, 6.6, 5.7, 6.5, 6.7, 6.7, 6.6),
        (100, 5, 49.9, 78.3, 74.7, 77.9, 78.0, 78.7, 79.1),
        (100, 50, 49.8, 85.2, 64.5, 67.7, 84.3, 84.9, 85.1),
        (500, 10, 249.0, 437.8, 429.5, 438.9, 437.1, 432.5, 432.4),
        (500, 50, 249.6, 463.7, 427.2, 437.6, 457.6, 438.9, 442.6),
    )
}
PUBLISHED_MDPS: Published = {  # sums of rewards, by episodes
    f"{episodes} episodes": dict(zip(_MDPS, sums, strict=True))
    for episodes, *sums in (
        (10, 100.1, 138.1, 144.1, 146.6, 150.2, 156.2, 159.1),
        (25, 250.2, 408.8, 425.2, 424.1, 427.8, 445.7, 447.2),
        (50, 499.7, 904.4, 930.7, 918.9, 917.8, 936.1, 942.3),
        (75, 749.9, 1417.1, 1449.2, 1427.6, 1422.6, 1428.8, 1447.5),
        (100, 999.4, 1939.5, 1973.9, 1942.1, 1935.1, 1913.7, 1953.1),
    )
}
PUBLISHED_BANDITBENCH: Published = {  # regrets, by the distribution of means
    "U(0, 1)": {
        "Gittins, by Whittle's approximation": 16.15,
        "Brezzi–Lai": 16.22,
        "IRS.FH(2)": 16.94,
        "Thompson": 28.93,
        "UCB1": 86.85,
    },
    "U(0.25, 0.75)": {
        "batch ensemble": 24.32,
        "IRS.FH(2)": 24.74,
        "Thompson": 40.54,
        "UCB1": 68.09,
    },
    "Beta(1, 8)": {"BayesUCB(0.9)": 20.82, "Thompson": 37.71, "UCB1": 69.61},
    "Beta(8, 1)": {"TS-UCB(100)": 6.94, "Thompson": 12.42, "UCB1": 36.12},
    "nine of 0.5, one of 0.51": {"POKER": 4.09, "greedy": 4.15, "Thompson": 4.44, "UCB1": 4.49},
}
MEANS = dict(zip(PUBLISHED_BANDITBENCH, ("uniform", "middle", "low", "high", "equal"), strict=True))

WRONG_PRIOR = "the uniform prior is wrong here, and its optimum explores too much"
TOLD = f"{WRONG_PRIOR}; told the distribution, it has the regret in the last column above"
NOTES = {
    row: TOLD if means in ("low", "high") else WRONG_PRIOR
    for row, means in MEANS.items()
    if means != "uniform"
}

# Simulations of the planner, 5 to 20 ms a decision, by the number of episodes; and worlds in a
# block, a minute at most.
SIMULATIONS = {10: 1000, 25: 300, 50: 100, 75: 100, 100: 100}
WORLDS, WORLDS_OF_MDPS = 50, 10
BLOCKS = {"smoke": 1, "quick": 1, "paper": 20}
BLOCKS_OF_MDPS = {"smoke": 1, "quick": 2, "paper": 100}


def _entries(
    problem: str, more: Mapping[str, Mapping[str, Any]], worlds: int, blocks: Mapping[str, int]
) -> tuple[Entry, ...]:
    """The agents of one row of a table; `more` has settings by agent."""
    agents = (PLANNER, *more, "index-policy", "bayesian-dp", "opsrl", "beb", "posterior-mean")
    smoke = {"smoke": {"worlds": 2}}
    return tuple(
        Entry(
            agent,
            {"problem": problem, "agent": agent, "worlds": worlds, **more.get(agent, {})},
            BETAS if agent == "beb" else ({},),
            kind="elsewhere",
            at=smoke,
            final=blocks,
            measure="expected_reward",
        )
        for agent in dict.fromkeys(agents)
    )


def _told(means: str) -> tuple[Entry, ...]:
    """The planner with the distribution of the means as its prior, where that is a Beta."""
    if means not in ("low", "high"):
        return ()
    settings = {
        "problem": f"banditbench:means={means},told=true",
        "agent": PLANNER,
        "worlds": WORLDS,
    }
    smoke = {"smoke": {"worlds": 2}}
    return (Entry(TOLD, settings, kind="elsewhere", at=smoke, final=BLOCKS),)


def _problem(row: str) -> str:
    pulls, _, arms, _ = row.split()
    return f"rl2-arms:pulls={pulls},arms={arms}"


RL2_ARMS = Experiment(
    name="rl2-arms",
    title="Sums of rewards on Bernoulli arms with uniform means",
    source="RL², SNAIL",
    heading="Arms of RL² and SNAIL",
    order=200,
    entries={
        row: _entries(_problem(row), {"gittins": {}}, WORLDS, BLOCKS) for row in PUBLISHED_ARMS
    },
    runs={"smoke": 1, "quick": 1, "paper": 1},
    final=BLOCKS,
)
RL2_MDPS = Experiment(
    name="rl2-mdps",
    title="Sums of rewards in random MDPs, 10 states, 5 actions, episodes of 10 steps",
    source="RL², SNAIL",
    heading="MDPs of RL² and SNAIL",
    order=201,
    entries={
        row: _entries(
            f"rl2-mdp:episodes={row.split()[0]}",
            {
                PLANNER: {"simulations": SIMULATIONS[int(row.split()[0])]},
                "bayesian-dp": {"resample": "episodes"},
                "opsrl": {"resample": "episodes"},
            },
            WORLDS_OF_MDPS,
            BLOCKS_OF_MDPS,
        )
        for row in PUBLISHED_MDPS
    },
    runs={"smoke": 1, "quick": 1, "paper": 1},
    final=BLOCKS_OF_MDPS,
)
BANDITBENCH = Experiment(
    name="banditbench",
    title="Regrets on ten Bernoulli arms, 500 pulls, five distributions of means",
    source="banditbench",
    heading="banditbench",
    order=202,
    entries={
        row: (
            *_entries(f"banditbench:means={means}", {"gittins": {}}, WORLDS, BLOCKS),
            *_told(means),
        )
        for row, means in MEANS.items()
    },
    runs={"smoke": 1, "quick": 1, "paper": 1},
    final=BLOCKS,
)
PUBLISHED = {
    RL2_ARMS.name: PUBLISHED_ARMS,
    RL2_MDPS.name: PUBLISHED_MDPS,
    BANDITBENCH.name: PUBLISHED_BANDITBENCH,
}
TABLES = (RL2_ARMS, RL2_MDPS, BANDITBENCH)
