"""BAMCP: Bayes-adaptive Monte-Carlo planning (Guez, Silver, Dayan 2012, Algorithm 1).

UCT on the tree of future histories. Each simulation runs in one model drawn from the posterior at
the root, so no belief is updated inside the tree; the tree itself filters the samples. The search
is core/search/bamcp.hpp.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, get_args

from bamdp import _core
from bamdp.prior import Belief, has_policy
from bamdp.problem import BAMDP, require_discount, require_table
from bamdp.search.planner import Planner
from bamdp.search.solver import ModelSolver, default_depth
from bamdp.validation import LARGEST_RETURN, boolean, fits_memory, integer, one_of, real

Rollouts = Literal[
    "learned",
    "uniform",
    "posterior-mean",
    "straight",
    "best-arm",
    "hindsight",
    "policy",
    "value",
]
TOLERANCE = 1e-6  # of the values of the posterior mean


class BAMCP(Planner):
    """Bayes-adaptive Monte-Carlo planning: explores and exploits in the Bayes-optimal way, given
    enough simulations.

    Args:
        problem: the problem.
        simulations: simulations per decision; 1000 if `seconds` isn't given either.
        seconds: time per decision; with both budgets, whichever is exhausted first.
        exploration: the constant c of UCT, in units of return; 3, the paper's, is for rewards of
            about 1. "auto" for the standard deviation of the returns of the search, of which those
            of an action count as 16 at most; each action of the root is then tried at least log2 N
            times in N simulations.
        depth: steps per simulation; if not given, until rewards are discounted to about 0.01:
            int(log 0.01 / log discount). Never more than are left.
        rollouts: "learned" (epsilon-greedy on Q-values learned from real steps; the default) or
            "uniform". "posterior-mean" has no roll-outs: leaf values are those of the
            posterior-mean MDP; fewer simulations suffice. For bandits, in closed form for all the
            steps left, "best-arm" (always the arm with the best mean at the leaf) and "hindsight"
            (as if the best arm were revealed at the leaf). On an infinite grid also "straight" (the
            default there): uniform, but never straight back. "policy", the default where
            `bamdp.priors.Worlds` or `Compiled` has one, is the user's own. "value" has no
            roll-outs: a leaf is worth what the world of the simulation is to one who knows it, by
            the function of the user of `Worlds`.
        epsilon: probability of a random action in a learned roll-out.
        learning_rate: step size of the Q-learning for roll-outs.
        sampling: how models are sampled, equal in distribution: "collapsed" (rows integrated out,
            fastest), "lazy" (a row when first needed, the paper's), "full" (all rows for each
            simulation, the naive form).
        nodes: what identifies a node: "histories", or "counts" of transitions in any order (a
            lattice).
        variant: the "paper"'s text, or its "program", which differs in three points: the first
            action in a new node is random, not the roll-out policy's; nodes are added below an
            action from its second visit on; and the logarithm in UCT is of N + 1, not N, the visits
            of the node.
        final_move: the decision is the action with the highest "value" or the most "visits".
        reuse_tree: keep the subtree below the real step for the next decision. Not with normal
            rewards, nor with a `Compiled` whose `step` returns a key.
        trees: number of independent trees, whose root statistics are summed; each gets its share of
            the simulations. If not given, one, or one for each worker.
        threads: number of threads for the trees; if not given, all cores, or one in each worker.
            Doesn't change the result.
        workers: number of processes on a Ray cluster that share the trees; if not given, this
            process searches them. Doesn't change the result. The cluster is the one this process is
            connected to, the one at RAY_ADDRESS, ray://HOST:PORT, or else a new one on this
            machine. Needs the extra `ray`.
        memory: memory limit of all trees of a search, in MiB. At the limit the search continues
            without adding nodes and reports it in the plan. Trees of earlier plans don't count.
        seed: seed of the agent's random generator.

    Example:
        >>> import bamdp
        >>> domain = bamdp.domains.Grid(5)
        >>> agent = BAMCP(domain.problem(), simulations=100, seed=0)
        >>> agent.plan(state=0).visits.sum()
        np.int64(100)
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_mean",)
    samplings: ClassVar[tuple[str, ...]] = ("collapsed", "lazy", "full")

    def __init__(
        self,
        problem: BAMDP,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        exploration: float | Literal["auto"] = 3.0,
        depth: int | None = None,
        rollouts: Rollouts | None = None,
        epsilon: float = 0.5,
        learning_rate: float = 0.2,
        sampling: Literal["collapsed", "lazy", "full"] = "collapsed",
        nodes: Literal["histories", "counts"] = "histories",
        variant: Literal["paper", "program"] = "paper",
        final_move: Literal["value", "visits"] = "value",
        reuse_tree: bool = False,
        trees: int | None = None,
        threads: int | None = None,
        workers: int | None = None,
        memory: float = 1024.0,
        seed: int = 0,
    ) -> None:
        self.exploration = (
            exploration
            if exploration == "auto"
            else real("exploration", exploration, 0, LARGEST_RETURN)
        )
        self.depth = None if depth is None else integer("depth", depth, 1, 10**6)
        self.rollouts = (
            None if rollouts is None else one_of("rollouts", rollouts, get_args(Rollouts))
        )
        self.epsilon, self.learning_rate = (
            real("epsilon", epsilon, 0, 1),
            real("learning_rate", learning_rate, 0, 1),
        )
        self.sampling = one_of("sampling", sampling, self.samplings)
        self.nodes = one_of("nodes", nodes, ("histories", "counts"))
        self.variant = one_of("variant", variant, ("paper", "program"))
        self.final_move = one_of("final_move", final_move, ("value", "visits"))
        self.reuse_tree = boolean("reuse_tree", reuse_tree)
        budget = {
            "simulations": simulations,
            "seconds": seconds,
            "trees": trees,
            "threads": threads,
            "workers": workers,
        }
        super().__init__(problem, **budget, memory=memory, seed=seed)  # type: ignore[arg-type]

    def _search_settings(self, belief: Belief) -> dict[str, Any]:
        problem, as_program = self.problem, self.variant == "program"
        if self.depth is None:
            require_discount(problem, "BAMCP without a depth")
        if problem.episode_length is not None and self.nodes == "counts":
            raise ValueError(
                'nodes must be "histories" with episode_length: after a new start, counts alone '
                "don't tell the state"
            )
        return {
            "discount": problem.discount,
            "depth": default_depth(problem) if self.depth is None else self.depth,
            "exploration": 1.0 if self.exploration == "auto" else self.exploration,
            "auto_exploration": self.exploration == "auto",
            "log_offset": int(as_program),
            "expand_after": int(as_program),
            "first_action_random": as_program,
            "lattice": self.nodes == "counts",
            "terminal": sorted(problem.terminal),
            "rollouts": self.rollouts or ("policy" if has_policy(belief) else ""),
        }

    def _begin_trees(self, seeds: list[list[int]]) -> None:
        """Reset the belief, with a tree for each seed but the last, which is for the decision."""
        by_mean = self.rollouts == "posterior-mean"
        if by_mean:
            require_table(self.problem, 'rollouts="posterior-mean"')
        super()._begin_trees(seeds)
        self._mean = ModelSolver(self.belief) if by_mean else None
        self._set_leaf_values()

    def _prepared_search(self, state: int) -> _core.Search:
        """The native search, with up-to-date leaf values if it has no roll-outs."""
        self._set_leaf_values()
        return super()._prepared_search(state)

    def _set_leaf_values(self) -> None:
        """Solve the posterior mean for leaf values, if rollouts="posterior-mean"."""
        if self._mean is None:
            return
        try:
            self._mean.load_mean()
        except TypeError as error:
            raise TypeError(
                'rollouts="posterior-mean" needs the posterior mean of the transitions, and '
                f"{error}"
            ) from error
        left, native = self._remaining_steps(), self._mean.native
        if left is None:
            native.solve(TOLERANCE, self.on_tick)
            native.set_leaf_values(self._search, TOLERANCE)
            return
        depth = min(default_depth(self.problem) if self.depth is None else self.depth, left.steps)
        fits_memory(
            'rollouts="posterior-mean" with this horizon', (depth + 1) * self.problem.num_states
        )
        native.set_leaf_layers(self._search, left, depth, TOLERANCE, self.on_tick)
