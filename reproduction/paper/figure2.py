"""Figures 2 and S5 of Guez, Silver, Dayan, 2012: the infinite grid with the right prior, with a
wrong one, and no plan at all.

200 steps at a discount of 0.97; the paper has 50 worlds and five runs in each, here every run has a
world of its own. No numbers are published. The constant is c = 3, as in the paper's other
experiments; its program uses 5. The chain is that of the authors' program, which the paper's
acceptance rate "above 0.5" belongs to; the formula in its text is another.
"""

from reproduction.experiment import Entry, Experiment

SIMULATIONS = (10, 50, 200, 500, 2000, 5000)

Pair = tuple[float, float]


def _experiment(
    name: str, source: str, columns: Pair, rows: Pair, wrong_columns: Pair, wrong_rows: Pair
) -> Experiment:
    world = {"domain": "infinite-grid", "columns": columns, "rows": rows}
    wrong = {"prior_columns": wrong_columns, "prior_rows": wrong_rows}
    planner = {**world, "agent": "bamcp", "proposal": "authors"}
    budgets = {"simulations": SIMULATIONS}
    at = {"quick": {"simulations": SIMULATIONS[1:5]}}
    return Experiment(
        name=name,
        title=f"The infinite grid of columns Beta{columns} and rows Beta{rows}",
        source=source,
        heading=f"{source}: infinite grid",
        order=40,
        entries={
            "infinite grid": (
                Entry("right prior", planner, (budgets,), at=at),
                Entry("wrong prior", {**planner, **wrong}, (budgets,), at=at),
                Entry("random", {**world, "agent": "random"}, runs={"quick": 100, "paper": 250}),
            )
        },
        runs={"smoke": 2, "quick": 12, "paper": 50},
    )


FIGURE_2 = _experiment("figure2", "Figure 2", (1, 2), (2, 1), (2, 1), (1, 2))
FIGURE_S5A = _experiment(
    "figure-s5a", "Figure S5, left", (0.5, 0.5), (0.5, 0.5), (4, 1), (0.5, 0.5)
)
FIGURE_S5B = _experiment("figure-s5b", "Figure S5, right", (0.5, 0.5), (1, 3), (1, 3), (0.5, 0.5))
