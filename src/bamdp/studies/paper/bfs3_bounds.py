"""What section 4.1 of Guez, Silver, Dayan, 2012, says of BFS3: in a maze its upper bounds stay above the true value."""

from bamdp.studies.experiment import Entry, Experiment
from bamdp.studies.paper.table1 import DEPTH

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
