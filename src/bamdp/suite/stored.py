"""The scoreboard's numbers, as they come with the package: what every agent earned on every
benchmark.

`make results` writes them, in a clone, from the stored runs of the reproduction.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from importlib.resources import files
from typing import Any

FILE = "results.csv"
COLUMNS: dict[str, Callable[[str], Any]] = {
    "benchmark": str,
    "settings": str,
    "agent": str,
    "score": float,
    "score_half": float,
    "best": lambda text: text == "1",
    "mean_return": float,
    "return_half": float,
    "worlds": int,
    "seconds_per_decision": float,
}


def results() -> dict[str, list[Any]]:
    """The scoreboard as columns, a row for each benchmark, agent and choice of settings: for
    `pandas.DataFrame(bamdp.results())`.

    | column | |
    |---|---|
    | benchmark, agent | by their names on the command line |
    | settings | `given`, the defaults; `tuned`, the best that were tried |
    | score, score_half | 0 is random play, 1 knows the world; ± half of the 95 % interval |
    | best | whether no other agent is significantly better |
    | mean_return, return_half | mean discounted return, ± half of its 95 % interval |
    | worlds | number of worlds |
    | seconds_per_decision | processor time |

    A number is None where there is none.

    Example:
        >>> import bamdp
        >>> table = bamdp.results()
        >>> sorted(set(table["settings"]))
        ['given', 'tuned']
    """
    text = files("bamdp.suite").joinpath(FILE).read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    return {
        name: [read(row[name]) if row[name] else None for row in rows]
        for name, read in COLUMNS.items()
    }
