"""Table 1 of Guez, Silver, Dayan, 2012: every agent in every world, each at its best setting within
the time limit.

The grids are the paper's, where it gives them (FSSS's Vmax was tuned there, but its values are not
given); those of the model-free agents were chosen here. BFS3's depth is 15, and 50 in the two large
worlds. "QL Boltzmann" starts at 0, as the published figures suggest. Below the line, agents that
the paper does not have, and BEB as the authors' program has it.

What would take days is cut where it decides little. BFS3's larger budgets are tried with the best
Vmax only, and in the two large worlds they end at 100 trajectories, not 2000. In the maze the
settings of the slow agents are chosen by runs of 2000 steps, not 20,000.
"""

from typing import Any

from bamdp.suite.published import TABLE_1
from reproduction.experiment import Entry, Experiment

SECONDS = {"double-loop": 0.25, "grid5": 1.0, "grid10": 1.0, "maze": 1.5}  # a step, at most
STEPS = {"double-loop": 1000, "grid5": 1000, "grid10": 2000, "maze": 20_000}
VMAX = {
    "double-loop": (5, 8, 12, 40),
    "grid5": (2, 5, 20),
    "grid10": (1, 5, 20),
    "maze": (0.1, 1, 10),
}
DEPTH = {"double-loop": 15, "grid5": 15, "grid10": 50, "maze": 50}
PUBLISHED = (
    "BAMCP",
    "BFS3",
    "SBOSS",
    "BEB",
    "Bayesian DP",
    "Bayes VPI+MIX",
    "IEQL+",
    "QL Boltzmann",
)
# bonuses are cut to whole numbers, and the mean is that of a flat prior
PROGRAM = "BEB of the authors' program"
MODELS = (2, 4, 8, 16, 32)
TRAJECTORIES = (10, 30, 100, 300, 1000, 2000)
BRANCHING = (2, 5, 10, 15)
SMALLEST = {
    "double-loop": 3,
    "grid5": 3,
    "grid10": 2,
    "maze": 1,
}  # budgets of BFS3 that are tried with every C and Vmax
LARGER: dict[str, dict[str, tuple[Any, ...]]] = {  # with some
    "double-loop": {"branching": BRANCHING, "trajectories": TRAJECTORIES[3:], "vmax": (8,)},
    "grid5": {"branching": BRANCHING, "trajectories": TRAJECTORIES[3:], "vmax": (2,)},
    "grid10": {"branching": (2, 5), "trajectories": (100,), "vmax": (1,)},
    "maze": {"branching": (2, 5), "trajectories": (30, 100), "vmax": (0.1, 1)},
}
SLOW = (
    "BFS3",
    "SBOSS",
    "Bayes VPI+MIX",
)  # agents: few runs of each of many settings, before those of the best
SHORT = (
    "BFS3",
    "SBOSS",
    "BAMCP, leaves by the mean",
)  # agents: these runs have 2000 steps in the maze
MORE = {  # runs of the best setting, where ten leave open who earns most
    ("double-loop", "BAMCP"): 300,
    ("grid5", "BAMCP"): 50,
    ("grid5", "BEB"): 50,
    ("grid5", "BFS3"): 30,
}
QUICK: dict[str, dict[str, Any]] = {  # what leaves it at minutes
    "double-loop": {"simulations": 3000, "trajectories": TRAJECTORIES[:3], "models": MODELS},
    "grid5": {"simulations": 3000, "trajectories": TRAJECTORIES[:3], "models": MODELS},
    "grid10": {"simulations": 1000, "trajectories": TRAJECTORIES[:2], "models": MODELS[:3]},
    "maze": {"simulations": 100, "trajectories": TRAJECTORIES[:1], "models": MODELS[:1]},
}


def _column(world: str) -> tuple[Entry, ...]:
    def entry(label: str, agent: str, *grid: dict[str, tuple[Any, ...]], **fixed: Any) -> Entry:
        settings = {"domain": world, "agent": agent, **fixed}
        quick = {
            name: QUICK[world][name]
            for name in {**fixed, **(grid[0] if grid else {})}
            if name in QUICK[world]
        }
        at = (
            {"smoke": {"simulations": 50}, "quick": quick}
            if "simulations" in fixed
            else {"quick": quick}
        )
        published = TABLE_1[world].get(agent) if label in (*PUBLISHED, PROGRAM) else None
        return Entry(
            label,
            settings,
            grid or ({},),
            published,
            at=at,
            runs={"paper": 2} if label in SLOW else {},
            final={"paper": MORE[world, label]} if (world, label) in MORE else {},
            trial={"paper": {"steps": 2000}} if world == "maze" and label in SHORT else {},
            limit=SECONDS[world],
        )

    return (
        entry("BAMCP", "bamcp", simulations=10_000),
        entry(
            "BFS3",
            "bfs3",
            {
                "branching": BRANCHING,
                "trajectories": TRAJECTORIES[: SMALLEST[world]],
                "vmax": VMAX[world],
            },
            LARGER[world],
            depth=DEPTH[world],
        ),
        entry("SBOSS", "sboss", {"models": MODELS, "delta": (3, 5, 7)}),
        entry("BEB", "beb", {"beta": (0.5, 1, 1.5, 2, 2.5, 3, 5, 10, 15, 20)}),
        entry("Bayesian DP", "bayesian-dp", {"period": (1, 10, 50)}, {"resample": ("doubling",)}),
        entry(
            "Bayes VPI+MIX",
            "vpi",
            {"mu": (0, 5, 20), "lam": (0.1, 1), "alpha": (1.1, 2), "beta": (0.1, 1, 10)},
        ),
        entry(
            "IEQL+",
            "ieql",
            {
                "alpha": (0.1, 0.2, 0.5, 1),
                "sigma_max": (0.01, 0.03, 0.1, 0.3, 1),
                "theta": (0.05, 0.5),
            },
        ),
        entry(
            "QL Boltzmann",
            "q-learning",
            {
                "temperature": (0.03, 0.1, 0.3, 1),
                "half_life": (None, 100),
                "learning_rate": (0.1, 0.3, 1),
            },
        ),
        entry(
            "BAMCP, leaves by the mean",
            "bamcp",
            {"exploration": (0.3, 1, 3)},
            simulations=1000 if world == "maze" else 10_000,
            rollouts="posterior-mean",
        ),
        entry(PROGRAM, "beb", {"beta": (0, 1, 2, 3, 5, 10, 15, 20)}, mean="flat"),
        entry("posterior mean", "posterior-mean"),
        entry("ε-greedy on the mean", "epsilon-greedy", {"epsilon": (0.01, 0.1)}, half_life=100),
        entry("random", "random"),
        entry("optimum", "oracle"),
    )


TABLE = Experiment(
    name="table1",
    title="Total reward of every agent in every domain",
    source="Table 1",
    heading="Table 1",
    order=10,
    entries={world: _column(world) for world in SECONDS},
    runs={"smoke": 2, "quick": 2, "paper": 5},
    final={"smoke": 2, "quick": 5, "paper": 10},
)
