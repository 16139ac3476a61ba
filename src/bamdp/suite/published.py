"""Numbers that others have published, to compare ours with."""

# Guez, Silver, Dayan, 2012, Table 1: mean total reward and its ±, {domain: {agent: …}}, named as on
# the command line. The steps are the domains' own; the paper states neither the number of runs nor
# the level of its intervals. The last four of the double loop, and vpi, ieql and q-learning of the
# maze, are quoted there from Strens, 2000.
TABLE_1: dict[str, dict[str, tuple[float, float]]] = {
    "double-loop": {
        "bamcp": (387.6, 1.5),
        "bfs3": (382.2, 1.5),
        "sboss": (371.5, 3),
        "beb": (386, 0),
        "bayesian-dp": (377, 1),
        "vpi": (326, 31),
        "ieql": (264, 1),
        "q-learning": (186, 1),
    },
    "grid5": {"bamcp": (72.9, 3), "bfs3": (66, 5), "sboss": (59.3, 4), "beb": (67.5, 3)},
    "grid10": {"bamcp": (32.7, 3), "bfs3": (10.4, 2), "sboss": (21.8, 2), "beb": (10, 1)},
    "maze": {
        "bamcp": (965.2, 73),
        "bfs3": (240.9, 46),
        "sboss": (671.3, 126),
        "beb": (184.6, 35),
        "vpi": (817.6, 29),
        "ieql": (269.4, 1),
        "q-learning": (195.2, 20),
    },
}
