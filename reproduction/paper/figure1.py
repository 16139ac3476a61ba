"""Figure 1 of Guez, Silver, Dayan, 2012, and three claims of section 4.1: planning time, and what
BAMCP's parts give.

The values of the published curves are not in the text; what it says of them is checked in the
report. In the maze a run has 20,000 steps: the largest budgets, and those of the slowest agents,
are left out where the smaller ones show the trend.
"""

from typing import Any

from reproduction.experiment import Entry, Experiment
from reproduction.paper.table1 import BRANCHING, DEPTH, MODELS, TRAJECTORIES

SIMULATIONS = (10, 30, 100, 300, 1000, 3000, 10_000)
QUICK: dict[str, dict[str, Any]] = {
    "grid5": {"simulations": SIMULATIONS[:6], "trajectories": TRAJECTORIES[:3], "models": MODELS},
    "maze": {
        "simulations": SIMULATIONS[:3],
        "trajectories": TRAJECTORIES[:1],
        "models": MODELS[:2],
    },
}
VMAX = {"grid5": 2, "maze": 1}
PAPER: dict[str, dict[str, Any]] = {
    "grid5": {
        "simulations": SIMULATIONS,
        "branching": BRANCHING,
        "trajectories": TRAJECTORIES,
        "models": MODELS,
    },
    "maze": {
        "simulations": SIMULATIONS[:5],
        "branching": (2,),
        "trajectories": TRAJECTORIES[:3],
        "models": MODELS[:3],
    },
}


def _panel(world: str) -> tuple[Entry, ...]:
    of = PAPER[world]

    def entry(label: str, agent: str, grid: dict[str, tuple[Any, ...]], **fixed: Any) -> Entry:
        quick = {name: QUICK[world][name] for name in grid if name in QUICK[world]}
        return Entry(
            label, {"domain": world, "agent": agent, **fixed}, (grid,), at={"quick": quick}
        )

    return (
        entry("BAMCP", "bamcp", {"simulations": of["simulations"]}),
        entry(
            "BFS3",
            "bfs3",
            {name: of[name] for name in ("branching", "trajectories")},
            depth=DEPTH[world],
            vmax=VMAX[world],
        ),
        entry("SBOSS", "sboss", {"models": of["models"], "delta": (3, 5, 7)}),
        entry("BEB", "beb", {"beta": (0.5, 1, 1.5, 2, 2.5, 3, 5, 10, 15, 20)}),
    )


def _parts(
    label: str,
    agent: str,
    quick: tuple[int, ...],
    paper: tuple[int, ...],
    runs: int = 5,
    **fixed: Any,
) -> Entry:
    grid, at = {"simulations": paper}, {"quick": {"simulations": quick}}
    return Entry(
        label, {"domain": "maze", "agent": agent, **fixed}, (grid,), at=at, runs={"paper": runs}
    )


FIGURE_1 = Experiment(
    name="figure1",
    title="Reward against planning time, and what the parts of BAMCP give",
    source="Figure 1",
    heading="Figure 1: planning time",
    text=(
        "In a and b each point is a setting: the fainter, the smaller its budget, K or β; the "
        "larger, the larger C or δ."
    ),
    order=20,
    entries={
        "a: Grid5": _panel("grid5"),
        "b: Maze": _panel("maze"),
        "c: Maze, BA-UCT": (
            _parts(
                "with roll-out learning", "ba-uct", (10, 30), SIMULATIONS[:5], sampling="resampled"
            ),
            _parts(
                "without",
                "ba-uct",
                (10, 30),
                SIMULATIONS[:5],
                sampling="resampled",
                rollouts="uniform",
            ),
        ),
        "d: Maze, BAMCP": (
            _parts(
                "lazy, roll-out learning", "bamcp", (10, 30, 100), SIMULATIONS[:5], sampling="lazy"
            ),
            _parts(
                "lazy", "bamcp", (10, 30, 100), SIMULATIONS[:5], sampling="lazy", rollouts="uniform"
            ),
            _parts("roll-out learning", "bamcp", (10,), SIMULATIONS[:1], runs=2, sampling="full"),
            _parts(
                "neither",
                "bamcp",
                (10,),
                SIMULATIONS[:1],
                runs=2,
                sampling="full",
                rollouts="uniform",
            ),
        ),
    },
    runs={"smoke": 2, "quick": 2, "paper": 5},
)

# Lazy sampling is 35 times as fast: the same search of the maze, drawn either way.
LAZY = Experiment(
    name="lazy",
    title="Time of a simulation with lazy and with full sampling, in the maze",
    source="section 4.1",
    heading="Lazy sampling",
    order=21,
    entries={
        "maze": tuple(
            Entry(
                label,
                {
                    "domain": "maze",
                    "agent": "bamcp",
                    "simulations": 100,
                    "steps": 200,
                    "sampling": sampling,
                },
                at={"smoke": {"steps": 20}},
            )
            for label, sampling in (("full", "full"), ("lazy", "lazy"), ("collapsed", "collapsed"))
        )
    },
    runs={"smoke": 1, "quick": 3, "paper": 5},
)

# The exploration constant hardly matters.
EXPLORATION = Experiment(
    name="exploration",
    title="BAMCP with other exploration constants",
    source="section 4.1",
    heading="The exploration constant",
    order=22,
    entries={
        world: (
            Entry(
                "BAMCP",
                {"domain": world, "agent": "bamcp", "simulations": simulations},
                ({"exploration": (0.5, 1, 3, 5)},),
                at={"smoke": {"simulations": 50}, "quick": {"simulations": quick}},
            ),
        )
        for world, simulations, quick in (
            ("double-loop", 1000, 1000),
            ("grid5", 3000, 1000),
            ("grid10", 3000, 1000),
            ("maze", 1000, 30),
        )
    },
    runs={"smoke": 2, "quick": 4, "paper": 10},
)

# In a maze, BFS3's upper bounds stay above the true value.
BFS3_BOUNDS = Experiment(
    name="bfs3-bounds",
    title="BFS3's bounds at the start of a known maze, against the true value",
    source="section 4.1",
    heading="BFS3's bounds in a maze",
    entries={
        "maze": (
            Entry(
                "BFS3",
                {"domain": "maze", "branching": 5, "depth": DEPTH["maze"]},
                ({"trajectories": (10, 100, 1000)},),
                kind="bounds",
                at={"smoke": {"trajectories": (10,)}},
            ),
        )
    },
    runs={"smoke": 1, "quick": 1, "paper": 1},
    order=30,
)
