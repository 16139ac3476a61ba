"""The benchmark: every agent on every problem of `bamdp.suite`, in the same worlds with the same
random numbers.

Each agent as given and, if it has settings to try (`Agent.grid`), at the best of them, which is
chosen in other worlds. What counts is the discounted return; where the problem can be solved
exactly, the variance-reduced one. A run has as many steps as the problem, truncated where the
discount is negligible: what comes after is worth less than 1e-4 of the same reward now. A task is a
block of worlds; see `reproduction.tasks.problems.scores`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bamdp.config.names import AGENTS
from reproduction.experiment import Entry, Experiment, Grid

WORLDS = 50  # in a block
RETURN, EXPECTED = "discounted_return", "expected_return"  # what counts
RANDOM, ORACLE, OPTIMUM = "random", "oracle", "Bayes-optimal"  # that scores are scaled by
BOUND = "upper bound"  # of what can be earned without knowing the world
TUNED = ", tuned"  # at the end of a label
DEFAULT = 1000  # simulations of a search

SMALL = {
    "small-random": 19,
    "small-chain": 19,
    "two-arms": 19,
}  # steps of the problems that can be solved exactly
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
# The worlds of the paper's Table 1 are not here: their discounted returns from the start are all
# but zero, and Table 1 has their total rewards.
PERMUTED = {  # steps of one world each, with permuted labels
    "riverswim": 180,
    "frozen-lake": 180,
    "cliff-walking": 180,
    "taxi": 180,
}
INFORMATION = {  # steps of the problems in which information is bought
    "signposts": 20,
    "rooms-and-map": 40,
    "rare-losses": 20,
    "informative-arms": 8,
    "small-mastermind": 10,
    "olfactory-search": 300,
    "ten-arms": 500,
}
UNBOUNDED = {"paper-infinite-grid": 200, "endless-corridor": 100}
BOUNDED = (
    "bbrl-gc",
    "bbrl-gdl",
    "bbrl-grid",
    "grid-navi",
)  # problems with an upper bound: worlds from the prior, known rewards
STEPS = {**SMALL, **INFORMATION, **DRAWN, **PERMUTED, **UNBOUNDED}
EXPECTED_OF = (*SMALL, "rare-losses")  # problems whose returns are variance-reduced
SOLVED = (*EXPECTED_OF, "signposts", "rooms-and-map", "informative-arms")  # with the exact optimum
WRITTEN = (  # problems of `bamdp.priors.Worlds`
    "signposts",
    "rooms-and-map",
    "informative-arms",
    "small-mastermind",
    "olfactory-search",
)

SOLVERS = ("posterior-mean", "index-policy", "bayesian-dp", "boss", "beb", "epsilon-greedy")
PATHS = (
    "posterior-mean",
    "bayesian-dp",
    "boss",
    "epsilon-greedy",
)  # solvers that have paths where there are no tables
WORLD_SOLVERS = (
    "posterior-mean",
    "index-policy",
    "bayesian-dp",
    "boss",
    "epsilon-greedy",
)  # those that take worlds without tables
HEURISTICS = {  # that are known for a problem
    "olfactory-search": {
        "infotaxis": "bamdp.suite.olfactory:Infotaxis",
        "space-aware infotaxis": "bamdp.suite.olfactory:SpaceAwareInfotaxis",
    }
}
SEARCHES: Mapping[str, Grid] = {
    "bayes-adaptive": (),
    "bamcp": ({"exploration": (0.3, 1, 3, 10, 30)},),
}  # with what is tried
# where they are fewer than the default of 1000: those of a decision take less than 5 ms
SIMULATIONS = {
    "bayes-adaptive": {
        **{problem: 300 for problem in (*DRAWN, *PERMUTED) if problem != "horizon-task"},
        "paper-infinite-grid": 300,
        "olfactory-search": 100,
    },
    "bamcp": {"eight-arms": 400, "paper-infinite-grid": 500, "ten-arms": 200},
}

# BAMCP as published, though the prior has a policy
PUBLISHED: Mapping[tuple[str, str], Mapping[str, Any]] = {
    ("endless-corridor", "bamcp"): {"rollouts": "learned"}
}

# Blocks of worlds, at scales quick and paper; a search takes ten times the time of a solver.
BLOCKS = {"small": (10, 10), "drawn": (2, 10), "permuted": (1, 2)}
BLOCKS_OF_SEARCHES = {"small": (4, 10), "drawn": (1, 10), "permuted": (1, 2)}
FEW = {
    "endless-corridor": 4,
    "olfactory-search": 10,
    "ten-arms": 4,
}  # blocks at scale paper where a decision takes long
MANY = {"bbrl-gc": 60, "bbrl-grid": 60, "grid-navi": 60}  # and where good agents differ by little
GOOD = (RANDOM, ORACLE, "bayes-adaptive", "posterior-mean", "index-policy")
VPI = {**SMALL, "eight-arms": 300}  # problems it is run on: it takes a millisecond a decision
TRIED = (
    "eight-arms",
    "bbrl-gc",
    "bbrl-gdl",
    "bbrl-grid",
)  # settings of solvers, beside those of all agents on small problems


def _solvers(problem: str) -> Sequence[str]:
    """The agents that solve models, of those that take the problem."""
    if problem in UNBOUNDED:
        return PATHS
    if problem == "olfactory-search":  # has too many states for index-policy
        return [agent for agent in WORLD_SOLVERS if agent != "index-policy"]
    return WORLD_SOLVERS if problem in WRITTEN else SOLVERS


def _entries(problem: str) -> Iterator[Entry]:
    kind = "small" if problem in SMALL else "permuted" if problem in PERMUTED else "drawn"

    def entry(label: str, agent: str, grid: Grid = ({},), **more: Any) -> Entry:
        exact = problem in EXPECTED_OF and agent != ORACLE
        measure = EXPECTED if exact else RETURN
        if exact:
            more["exact"] = True
        settings = {
            "problem": problem,
            "agent": agent,
            "steps": STEPS[problem],
            "worlds": WORLDS,
            **more,
        }
        smoke = {"steps": 5, "worlds": 5, **({"simulations": 20} if agent in SEARCHES else {})}
        quick, paper = (BLOCKS_OF_SEARCHES if agent in SEARCHES else BLOCKS)[kind]
        paper = FEW.get(problem, MANY[problem] if problem in MANY and label in GOOD else paper)
        tried = 2 if problem in SMALL else 1
        return Entry(
            label,
            settings,
            grid,
            kind="scores",
            at={"smoke": smoke},
            runs={"smoke": 1, "quick": tried, "paper": tried},
            final={
                "smoke": 1,
                "quick": quick,
                "paper": 2 if agent == "vpi" and problem not in SMALL else paper,
            },
            measure=measure,
        )

    yield entry(RANDOM, RANDOM)
    whole, once = (
        {"problem": problem, "steps": STEPS[problem]},
        {"smoke": 1, "quick": 1, "paper": 1},
    )
    if problem in SOLVED:
        yield Entry(
            OPTIMUM, whole, kind="bayes_optimal", at={"smoke": {"steps": 5}}, runs=once, final=once
        )
    if problem in BOUNDED:
        smoke = {"steps": 15, "limit": 1000}  # an episode of grid-navi
        yield Entry(BOUND, whole, kind="upper_bound", at={"smoke": smoke}, runs=once, final=once)
    if problem not in UNBOUNDED:
        yield entry(ORACLE, ORACLE)
    for agent in SEARCHES:
        budget = SIMULATIONS[agent].get(problem, DEFAULT)
        yield entry(agent, agent, simulations=budget, **PUBLISHED.get((problem, agent), {}))
    for agent in _solvers(problem):
        yield entry(agent, agent)
    if problem == "paper-infinite-grid":
        yield entry("index-policy", "index-policy")
    if problem in VPI:
        yield entry("vpi", "vpi")
    if problem in ("two-arms", "eight-arms", "ten-arms"):
        yield entry("gittins", "gittins")
    for label, agent in HEURISTICS.get(problem, {}).items():
        yield entry(label, agent)
    if problem in SMALL:
        for agent, grid in SEARCHES.items():
            if grid:
                yield entry(agent + TUNED, agent, grid, simulations=DEFAULT)
    if problem in SMALL or problem in TRIED:
        for agent in SOLVERS:
            if grid := AGENTS.find(agent).target.grid:
                yield entry(agent + TUNED, agent, grid)


BENCHMARK = Experiment(
    name="benchmark",
    title="Every agent on every problem, in the same worlds",
    source="bamdp",
    heading="Scoreboard",
    text=(
        "Scores are scaled discounted returns: random actions have 0, and knowing the world, or "
        "the exact optimum where it is "
        "known, has 1."
    ),
    order=100,
    entries={problem: tuple(_entries(problem)) for problem in STEPS},
    runs={"smoke": 1, "quick": 1, "paper": 2},
    final={"smoke": 1, "quick": 2, "paper": 10},
)
