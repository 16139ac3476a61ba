"""The four simulations of Figure S3 of Guez, Silver, Dayan, 2012, with the expansion rule of its caption.

A known world in which the figure's rewards occur, actions a1 = 0 and a2 = 1:

    s_t: a1 → s', a2 → end.    s': a1 pays 2 → end, a2 → far.    far: a1 → near, a2 → end.    near: pays 2 → end.
"""

from __future__ import annotations

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
