"""The benchmark: every agent on every problem of `bamdp.problems`, in the same worlds with the same random numbers.

Each agent as given and, if it has settings to try (`Agent.grid`), at the best of them, which is chosen in other worlds. What
counts is the discounted return; where the problem can be solved exactly, the variance-reduced one. A run has as many steps as
the problem, truncated where the discount is negligible: what comes after is worth less than 1e-4 of the same reward now.
A task is a block of worlds; see `bamdp.studies.tasks.compare.scores`.
"""

from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

from bamdp.config.names import find
from bamdp.studies.experiment import Entry, Experiment, Grid

WORLDS = 50  # in a block
RETURN, EXPECTED = "discounted_return", "expected_return"  # what counts
RANDOM, ORACLE, OPTIMUM = "random", "oracle", "Bayes-optimal"  # that scores are scaled by
BOUND = "upper bound"  # of what can be earned without knowing the world
TUNED, AS_GIVEN = ", tuned", ", 1000 simulations"  # at the end of a label
DEFAULT = 1000  # simulations of a search

SMALL = {"small-random": 19, "small-chain": 19, "two-arms": 19}  # steps of the problems that can be solved exactly
DRAWN = {  # steps of other problems with worlds drawn from a distribution
    "eight-arms": 300,
    "bbrl-gc": 180,
    "bbrl-gdl": 180,
    "bbrl-grid": 180,
    "bbrl-gc-inaccurate": 180,
    "bbrl-gdl-inaccurate": 180,
    "bbrl-grid-inaccurate": 180,
    "grid-navi": 60,
    "rl2-mdp": 100,
    "horizon-task": 6,
}
# The worlds of the paper's Table 1 are not here: their discounted returns from the start are all but zero, and Table 1 has
# their total rewards.
PERMUTED = {  # steps of one world each, with permuted labels
    "riverswim": 180,
    "frozen-lake": 180,
    "cliff-walking": 180,
    "taxi": 180,
}
UNBOUNDED = {"paper-infinite-grid": 200, "endless-corridor": 100}
BOUNDED = (
    "bbrl-gc",
    "bbrl-gdl",
    "bbrl-grid",
    "grid-navi",
)  # problems with an upper bound: worlds from the prior, known rewards
STEPS = {**SMALL, **DRAWN, **PERMUTED, **UNBOUNDED}

SOLVERS = ("posterior-mean", "index-policy", "bayesian-dp", "boss", "beb", "epsilon-greedy", "vpi")
PATHS = {  # solvers that have paths where there are no tables
    "paper-infinite-grid": ("posterior-mean", "index-policy", "bayesian-dp", "boss", "epsilon-greedy", "vpi"),
    "endless-corridor": ("posterior-mean", "bayesian-dp", "boss", "epsilon-greedy", "vpi"),
}
SEARCHES: Mapping[str, Grid] = {"bayes-adaptive": (), "bamcp": ({"exploration": (0.3, 1, 3, 10, 30)},)}  # with what is tried
SIMULATIONS = {  # where they are fewer than the default of 1000: those of a decision take less than 5 ms
    "bayes-adaptive": {
        **{problem: 300 for problem in (*DRAWN, *PERMUTED) if problem != "horizon-task"},
        "paper-infinite-grid": 300,
    },
    "bamcp": {"eight-arms": 400, "paper-infinite-grid": 500},
}

# Blocks of worlds. A search takes ten times the time of a solver.
FINAL = {"small": {"quick": 10, "paper": 10}, "drawn": {"quick": 2, "paper": 10}, "permuted": {"quick": 1, "paper": 2}}
FINAL_SEARCH = {**FINAL, "small": {"quick": 4, "paper": 10}, "drawn": {"quick": 1, "paper": 10}}
RUNS = {"small": {"quick": 2, "paper": 4}, "drawn": {"quick": 0, "paper": 2}, "permuted": {"quick": 0, "paper": 2}}
TUNED_AT_QUICK = ("eight-arms", "bbrl-gc", "bbrl-gdl", "bbrl-grid")  # solvers, beside all agents on the small problems
MANY = {
    "bbrl-gc": 60,
    "bbrl-grid": 60,
    "grid-navi": 60,
}  # blocks at scale paper where differences are small, of agents as given
SLOW = ("bamcp", "vpi")  # agents that are not run in so many
LARGE = 50  # settings, above which a grid is tried in fewer worlds, not at scale quick, and not with permuted labels


def _entries(problem: str) -> Iterator[Entry]:
    kind = "small" if problem in SMALL else "permuted" if problem in PERMUTED else "drawn"

    def entry(label: str, agent: str, grid: Grid = ({},), **more: Any) -> Entry:
        exact = problem in SMALL and agent != ORACLE
        measure = EXPECTED if exact else RETURN
        if exact:
            more["exact"] = True
        settings = {"problem": problem, "agent": agent, "steps": STEPS[problem], "worlds": WORLDS, **more}
        smoke = {"steps": 5, "worlds": 5, **({"simulations": 20} if agent in SEARCHES else {})}
        final = {"smoke": 1, **(FINAL_SEARCH if agent in SEARCHES else FINAL)[kind]}
        runs = {"smoke": 1, **RUNS[kind]}
        if problem in MANY and agent not in SLOW and grid == ({},):
            final["paper"] = MANY[problem]
        if _size(grid) > LARGE:
            runs |= {"quick": 0, "paper": int(kind != "permuted")}
        elif problem in TUNED_AT_QUICK and agent not in SEARCHES:
            runs["quick"] = 1
        if label.endswith(AS_GIVEN):
            final |= {"quick": 0, "paper": 2}
        if label == "bamcp" + TUNED and kind != "small":
            runs, final = runs | {"paper": 1}, final | {"paper": min(final["paper"], 4)}
        return Entry(label, settings, grid, kind="scores", at={"smoke": smoke}, runs=runs, final=final, measure=measure)

    yield entry(RANDOM, RANDOM)
    whole, once = {"problem": problem, "steps": STEPS[problem]}, {"smoke": 1, "quick": 1, "paper": 1}
    if problem in SMALL:
        yield Entry(OPTIMUM, whole, kind="bayes_optimal", at={"smoke": {"steps": 5}}, runs=once, final=once)
    if problem in BOUNDED:
        smoke = {"steps": 15, "limit": 1000}  # an episode of grid-navi
        yield Entry(BOUND, whole, kind="upper_bound", at={"smoke": smoke}, runs=once, final=once)
    if problem not in UNBOUNDED:
        yield entry(ORACLE, ORACLE)
    for agent in SEARCHES:
        yield entry(agent, agent, simulations=SIMULATIONS[agent].get(problem, DEFAULT))
        if problem in SIMULATIONS[agent]:
            yield entry(agent + AS_GIVEN, agent, simulations=DEFAULT)
    for agent in PATHS.get(problem, SOLVERS):
        yield entry(agent, agent)
    if problem.endswith("-arms"):
        yield entry("gittins", "gittins")
    for agent, grid in SEARCHES.items():
        if grid:
            yield entry(agent + TUNED, agent, grid, simulations=SIMULATIONS[agent].get(problem, DEFAULT))
    for agent in () if problem in UNBOUNDED else SOLVERS:
        if grid := find("agent", agent).target.grid:
            yield entry(agent + TUNED, agent, grid)


def _size(grid: Grid) -> int:
    """Number of settings."""
    return sum(prod(len(values) for values in part.values()) for part in grid)


BENCHMARK = Experiment(
    name="benchmark",
    title="Every agent on every problem, in the same worlds",
    source="bamdp",
    heading="Scoreboard",
    text="Scores are scaled discounted returns: random actions have 0, and knowing the world, or the exact optimum where it is "
    "known, has 1.",
    order=100,
    entries={problem: tuple(_entries(problem)) for problem in STEPS},
    runs={"smoke": 1, "quick": 1, "paper": 2},
    final={"smoke": 1, "quick": 2, "paper": 10},
)
