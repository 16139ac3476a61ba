"""Numbers of the paper beside its Table 1, `bamdp.suite.published`, and why ours differ."""

# Those quoted from Strens: their ± are most likely standard errors over ten runs, the others
# half-widths of intervals.
QUOTED = frozenset({"bayesian-dp", "vpi", "ieql", "q-learning"})

_WHOLE = (
    "The authors' program keeps BEB's β as a whole number, so that 0.5 runs as 0, 1.5 as 1 and 2.5 "
    "as 2; here β is what the "
    "paper says."
)
_FLAT = (
    _WHOLE
    + " Under the sparse prior it also takes the mean of a flat Dirichlet with α = 0.2. So run, "
    "as beb:mean=flat,beta=0, BEB "
    "earns the published number: see the row of the authors' program."
)
_TUNED = (
    "The paper quotes this number from Strens (2000), where neither the settings nor the details "
    "of the agent are given; here "
    "all of them were tuned, with a start that is optimistic where that pays."
)
_ZERO = (
    "The paper quotes this number from Strens (2000), without the settings; here temperature, its "
    "decay and the step size were "
    "tuned, with a start at 0."
)

_UNSTATED = (
    "Not known. The paper states neither the parameters of the sparse prior nor the number of "
    "simulations in its second of "
    "planning; here they are those of its program, α = 0.2 and P(k) ∝ 1/k², and 10,000."
)
_SEARCHED = (
    "Not known. Tried here: every C of the paper, up to 2000 trajectories, Vmax = 2, 5 and 20, and "
    "its depth; the larger Vmax, "
    "the less BFS3 earns. The paper does not say which setting won."
)

# Where ours is above (1) or below (−1) the published number and the reason is known: {(domain,
# agent): (which, why)}.
WHY: dict[tuple[str, str], tuple[int, str]] = {
    ("double-loop", "beb"): (
        1,
        _WHOLE + " β = 0 earns 386 without chance, the published number; β = 0.5 earns 391.",
    ),
    ("grid5", "beb"): (1, _FLAT),
    ("grid10", "beb"): (1, _FLAT),
    ("maze", "beb"): (1, _FLAT),
    ("grid10", "bamcp"): (1, _UNSTATED),
    ("grid5", "bfs3"): (-1, _SEARCHED),
    ("double-loop", "bfs3"): (
        1,
        "BFS3 depends on Vmax. The paper tuned it but does not say how; the released program "
        "ignores the option and takes 40, "
        "which gives about 373 here; a Vmax of 8, near the value of the start, gives the number "
        "above.",
    ),
    ("double-loop", "vpi"): (1, _TUNED),
    ("double-loop", "ieql"): (1, _TUNED),
    ("double-loop", "q-learning"): (1, _ZERO),
    ("maze", "vpi"): (1, _TUNED),
    ("maze", "ieql"): (1, _TUNED),
    ("maze", "q-learning"): (1, _ZERO),
}

LAZY_SPEEDUP = 35  # of lazy sampling over full sampling, in the maze: section 4.1
ACCEPTANCE = (
    0.5  # "generally above", of the Metropolis–Hastings chain of the infinite grid: supplement
)
