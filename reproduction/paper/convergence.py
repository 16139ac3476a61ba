"""Theorem 1 and Lemma 1 of Guez, Silver, Dayan, 2012: the root value tends to the Bayes-optimal
one, as log N / N.

Four small problems that can be solved exactly, three steps deep; c below and above Rmax / (1 −
discount) = 10. The rewards were picked so that the problems are not trivial. Agents that don't look
ahead appear once, with the regret of their decision.

The bias is of order c² log N / (gap · N) once N is many times c² log N / gap², which takes more
than 10⁷ simulations there. It takes fewer with a discount of 0.5, where c = 2.1 is enough, and a
larger gap between the actions: an arm of unknown p beside a sure 0.9.

The infinite grid has an exact posterior for the few cells that a short search can reach, while
BAMCP samples it by a Markov chain, with one of three proposals. Six empty cells in a row are hard
for two of them.
"""

from collections.abc import Mapping
from typing import Any

from reproduction.experiment import Entry, Experiment

FIXED: dict[str, Any] = {"discount": 0.9, "horizon": 3, "seeds": 10}
SIMULATIONS = {"simulations": (100, 1_000, 10_000, 100_000, 1_000_000)}
LONG = {"simulations": (*SIMULATIONS["simulations"], 10_000_000)}
QUICK = {"simulations": SIMULATIONS["simulations"][:4]}
FAST: dict[str, Any] = {
    "discount": 0.5,
    "horizon": 3,
    "exploration": 2.1,
}  # c above 1 / (1 − discount)
RATE = "two-arms"  # a panel
WALKS: dict[str, dict[str, Any]] = {  # panels: cells (x, y, content) seen on the infinite grid
    "grid, three cells": {
        "columns": (1, 2),
        "rows": (2, 1),
        "walk": ((0, 0, 0), (1, 0, 1), (1, 1, 1)),
    },
    "grid, six empty cells": {
        "columns": (0.5, 0.5),
        "rows": (0.5, 0.5),
        "walk": tuple((x, 0, 0) for x in range(6)),
    },
}
PROPOSALS = {"gibbs": "Gibbs", "paper": "the text's proposal", "authors": "the program's proposal"}


def _entries(problem: str) -> tuple[Entry, ...]:
    def entry(label: str, agent: str, *grid: dict[str, tuple[Any, ...]], **more: Any) -> Entry:
        settings = {"problem": problem, "agent": agent, **FIXED, **more}
        at: dict[str, dict[str, Any]] = {"smoke": {"seeds": 2}, "quick": QUICK if grid else {}}
        return Entry(label, settings, grid or ({},), kind="convergence", at=at)

    searches = [
        entry(
            f"{label}, c = {c}",
            agent,
            LONG if (agent, c) == ("bamcp", 12) else SIMULATIONS,
            exploration=c,
        )
        for label, agent in (("BAMCP", "bamcp"), ("BA-UCT", "ba-uct"))
        for c in (1, 12)
    ]
    myopic = [
        entry(agent.replace("-", " "), agent)
        for agent in ("posterior-mean", "bayesian-dp", "beb", "random")
    ]
    return (*searches, entry("BFS3", "bfs3", SIMULATIONS), *myopic)


def _exact(
    label: str,
    kind: str,
    settings: dict[str, Any],
    budgets: Mapping[str, tuple[int, ...]],
    seeds: int,
) -> Entry:
    at: dict[str, dict[str, Any]] = {"smoke": {"seeds": 2}, "quick": QUICK}
    return Entry(label, {**FAST, "seeds": seeds, **settings}, (budgets,), kind=kind, at=at)


CONVERGENCE = Experiment(
    name="convergence",
    title=(
        "Bias of the root value and regret of the decision, against the exact Bayes-optimal value"
    ),
    source="Theorem 1",
    heading="Theorem 1: convergence",
    text=(
        "Against exact values. BFS3's values are upper bounds, and the C successors of a node are "
        "drawn only once."
    ),
    order=90,
    entries={
        **{
            problem: _entries(problem)
            for problem in ("dirichlet", "sparse-dirichlet", "finite", "arms")
        },
        RATE: (
            _exact(
                "BAMCP, c = 2.1", "convergence", {"problem": "two-arms", "agent": "bamcp"}, LONG, 40
            ),
        ),
        **{
            panel: tuple(
                _exact(
                    f"BAMCP, {name}",
                    "grid_convergence",
                    {**seen, "proposal": proposal},
                    SIMULATIONS,
                    10,
                )
                for proposal, name in PROPOSALS.items()
            )
            for panel, seen in WALKS.items()
        },
    },
    runs={"smoke": 1, "quick": 1, "paper": 1},
)

# BAMCP, which samples a model at the root, simulates the same histories as BA-UCT.
LEMMA_1 = Experiment(
    name="lemma-1",
    title="Returns of single simulations on Double-loop, by BAMCP and by BA-UCT",
    source="Lemma 1",
    heading="Lemma 1: root sampling",
    entries={
        "double-loop": tuple(
            Entry(
                label,
                {
                    "domain": "double-loop",
                    "agent": agent,
                    "sampling": sampling,
                    "agent_seed": seed,
                    "draws": 1000,
                },
                kind="simulated_returns",
                at={"smoke": {"draws": 100}},
            )
            for seed, (label, agent, sampling) in enumerate(
                (("BAMCP", "bamcp", "lazy"), ("BA-UCT", "ba-uct", "resampled"))
            )
        )
    },
    runs={"smoke": 1, "quick": 1, "paper": 1},
    order=80,
)
