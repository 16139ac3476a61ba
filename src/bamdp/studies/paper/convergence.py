"""Theorem 1 of Guez, Silver, Dayan, 2012: the root value tends to the Bayes-optimal one, with a bias of order log N / N.

Four small problems that can be solved exactly, three steps deep; c below and above Rmax / (1 − discount) = 10. The rewards were
picked so that the problems are not trivial. Agents that don't look ahead appear once, with the regret of their decision.
"""

from typing import Any

from bamdp.studies.experiment import Entry, Experiment

FIXED: dict[str, Any] = {"discount": 0.9, "horizon": 3, "seeds": 10}
SIMULATIONS = {"simulations": (100, 1_000, 10_000, 100_000, 1_000_000)}
QUICK = {"simulations": SIMULATIONS["simulations"][:4]}


def _entries(problem: str) -> tuple[Entry, ...]:
    def entry(label: str, agent: str, *grid: dict[str, tuple[Any, ...]], **more: Any) -> Entry:
        settings = {"problem": problem, "agent": agent, **FIXED, **more}
        at: dict[str, dict[str, Any]] = {"smoke": {"seeds": 2}, "quick": QUICK if grid else {}}
        return Entry(label, settings, grid or ({},), kind="convergence", at=at)

    searches = [
        entry(f"{label}, c = {c}", agent, SIMULATIONS, exploration=c)
        for label, agent in (("BAMCP", "bamcp"), ("BA-UCT", "ba-uct"))
        for c in (1, 12)
    ]
    myopic = [entry(agent.replace("-", " "), agent) for agent in ("posterior-mean", "bayesian-dp", "beb", "random")]
    return (*searches, entry("BFS3", "bfs3", SIMULATIONS), *myopic)


CONVERGENCE = Experiment(
    name="convergence",
    title="Bias of the root value and regret of the decision, against the exact Bayes-optimal value",
    source="Theorem 1",
    heading="Theorem 1: convergence",
    text="Against exact values. BFS3's values are upper bounds, and the C successors of a node are drawn only once.",
    order=90,
    entries={problem: _entries(problem) for problem in ("dirichlet", "sparse-dirichlet", "finite", "arms")},
    runs={"smoke": 1, "quick": 1, "paper": 1},
)
