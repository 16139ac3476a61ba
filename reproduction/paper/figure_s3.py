"""The four simulations of Figure S3 of Guez, Silver, Dayan, 2012, with the expansion rule of its
caption.

A known MDP in which the figure's rewards occur, actions a1 = 0 and a2 = 1:

    s_t: a1 → s', a2 → end.       s':   a1 pays 2 → end, a2 → far.
    far: a1 → near, a2 → end.     near: pays 2 → end.
"""

from reproduction.experiment import Entry, Experiment

S_T, S_NEXT, FAR, NEAR, END = range(5)
GOES_TO = [[S_NEXT, END], [END, FAR], [NEAR, END], [END, END], [END, END]]
REWARDS = [[0, 0], [2, 0], [0, 0], [2, 2], [0, 0]]
DISCOUNT = 0.95
SEARCH = {
    "simulations": 4,
    "exploration": 1.0,
    "expand_after": 1,
    "first_action": "random",
    "log_term": "N + 1",
    "rollouts": "uniform",
}
ROOT = 2 / 3 * (DISCOUNT + DISCOUNT**3)  # Q(s_t, a1) as published
BELOW = 2 * DISCOUNT**2  # Q(s', a2)

FIGURE_S3 = Experiment(
    name="figure-s3",
    title="Search tree after four simulations, with two actions and γ = 0.95",
    source="Figure S3",
    heading="Figure S3: four simulations",
    text=(
        "The first two simulations try each action at the root and find nothing. The third goes "
        "through a new node s = 1, "
        "where action 0 pays 2 at once; the fourth takes action 1 there and finds 2 two steps "
        "later, worth 2γ². The root's "
        f"action 0 was taken three times, for 0, 2γ and 2γ³: on average 2(γ + γ³)/3 = {ROOT:.4f}."
    ),
    entries={
        "known MDP": (
            Entry(
                "BAMCP",
                {
                    "successors": GOES_TO,
                    "rewards": REWARDS,
                    "discount": DISCOUNT,
                    "search": SEARCH,
                    "values": (ROOT, BELOW),
                },
                kind="search_tree",
            ),
        )
    },
    runs={"smoke": 1, "quick": 1, "paper": 1},
    order=60,
)
