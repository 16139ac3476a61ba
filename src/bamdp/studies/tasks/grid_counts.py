"""How many cells along the best column and the best row of one infinite grid hold a reward."""

from collections.abc import Mapping
from typing import Any

from bamdp.domains import InfiniteGrid

CHOICE = range(20)  # columns and rows that the best is picked from


def perform(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """The parameters of the best column and row, and how many of their first `cells` cells hold a reward.

    Example:
        >>> found = perform({"columns": (1, 2), "rows": (2, 1), "world_seed": 3, "cells": 10}, seed=0, run=0)
        >>> sorted(found)
        ['in_column', 'in_row', 'p', 'q']
    """
    world = InfiniteGrid(settings["columns"], settings["rows"], seed=settings["world_seed"])
    column, row = max(CHOICE, key=world.column), max(CHOICE, key=world.row)
    return {
        "p": world.column(column),
        "q": world.row(row),
        "in_column": sum(world.holds(column, y) for y in range(settings["cells"])),
        "in_row": sum(world.holds(x, row) for x in range(settings["cells"])),
    }
