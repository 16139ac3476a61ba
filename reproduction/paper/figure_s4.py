"""Figure S4 of Guez, Silver, Dayan, 2012, and the text beside it: the infinite grid, and the Markov
chain behind its beliefs.

A portion of one world, a film of BAMCP that explores it, how many cells of its best column and row
hold a reward, and how often the Metropolis–Hastings chain accepts a proposal. The supplement gives
another proposal than the authors' program has.
"""

from typing import Any

from reproduction.experiment import Entry, Experiment

BETAS = {"columns": (1, 2), "rows": (2, 1)}
WORLD: dict[str, Any] = {**BETAS, "world_seed": 3}
CELLS = 2000  # that are counted along a column or row
PROPOSALS = {"text": "paper", "program": "authors"}  # by where it is found, as GridRewards names it

FIGURE_S4 = Experiment(
    name="figure-s4",
    title="The infinite grid of columns Beta(1, 2) and rows Beta(2, 1)",
    source="Figure S4",
    heading="Figure S4: one world, and a film",
    text=(
        "Black squares are rewards; the area of a circle is the parameter of its column (blue) or "
        "row (orange). In the film "
        "BAMCP explores the same world: grey cells have not been seen, filled circles are "
        "posterior means, rings are the "
        "true values."
    ),
    entries={
        "one world": (
            Entry(
                "film of BAMCP",
                {**WORLD, "proposal": "paper", "steps": 120, "simulations": 500},
                kind="film",
                at={"smoke": {"steps": 6, "simulations": 20}},
            ),
            Entry("best column and row", {**WORLD, "cells": CELLS}, kind="grid_counts"),
        ),
        "Markov chain": tuple(
            Entry(
                f"proposal of the {where}",
                {**BETAS, "proposal": proposal, "steps": 200, "simulations": 50},
                kind="acceptance",
                at={"smoke": {"steps": 10}},
                runs={"quick": 8, "paper": 50},
            )
            for where, proposal in PROPOSALS.items()
        ),
    },
    runs={"smoke": 1, "quick": 1, "paper": 1},
    order=70,
)
