"""BAMCP: Bayes-adaptive Monte-Carlo planning (Guez, Silver, Dayan 2012, Algorithm 1).

A search of the tree of future histories by UCT. Each simulation plays in one model drawn from the posterior at the root, so
that no belief is updated inside the tree; the tree itself filters the samples. The search is core/search/bamcp.hpp.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar, Literal, get_args

from numpy.typing import ArrayLike

from bamdp import _core, _validation
from bamdp._validation import LARGEST_RETURN, boolean, integer, one_of, real
from bamdp.agents._model_based import reward_table
from bamdp.prior import Prior
from bamdp.search.planner import Planner, default_horizon, num_states

Rollouts = Literal["learned", "uniform", "posterior-mean", "straight", "best-arm", "hindsight"]
TOLERANCE = 1e-6  # of the values of the posterior mean


class BAMCP(Planner):
    """Bayes-adaptive Monte-Carlo planning: explores and exploits in the Bayes-optimal way, given enough simulations.

    The defaults follow the paper's text. Its program differs in three settings: expand_after=1, first_action="random" and
    log_term="N + 1".

    Args:
        prior: what is known of the transitions beforehand.
        rewards: the reward of each state and action [S, A], or of each transition [S, A, S].
        discount: what a reward is worth one step later, in [0, 1).
        terminal: the states in which an episode ends.
        simulations: simulations per decision; 1000 if `seconds` isn't given either.
        seconds: time per decision; with both budgets, whichever ends first.
        exploration: the constant c of UCT, in units of return.
        horizon: steps per simulation; if not given, as many as matter: int(log 0.01 / log discount).
        rollouts: "learned" (epsilon-greedy on Q-values learned from the real steps; the default) or "uniform". For bandits,
            by formula and for steps without end, "best-arm" (stay with the arm that looks best at the end of the tree) and
            "hindsight" (as if the best arm were told there). "posterior-mean" takes no steps either: what comes after the tree
            is worth what it would be if the posterior mean were the truth; fewer simulations do then. On an infinite grid also
            "straight" (the default there): uniform, but never straight back.
        epsilon: how often a learned roll-out acts at random.
        learning_rate: step size of the Q-learning for roll-outs.
        sampling: how models are drawn, equal in distribution: "collapsed" (rows integrated out, fastest), "lazy" (a row when
            first needed, the paper's), "full" (all rows for each simulation, the paper's naive form).
        nodes: what a node of the tree is: "histories", or "counts" of transitions (a lattice: their order doesn't matter).
        expand_after: visits of an action before nodes are added below it.
        first_action: how the first action in a new node is chosen, by the "rollout" policy or at "random".
        log_term: "N" or "N + 1" in the logarithm of UCT, N the visits of the node.
        final_move: the decision is the action of highest "value" or of most "visits".
        reuse_tree: keep the part of the tree below the real step for the next decision.
        trees: independent trees, whose root statistics are added up; each gets its share of the simulations. If not given, one,
            or one for each worker.
        threads: threads for the trees; if not given, all cores, or one in each worker; doesn't change the result.
        workers: processes on a Ray cluster that search the trees between them; if not given, this process does. Doesn't change
            the result. The cluster is the one that this process is connected to or that RAY_ADDRESS names, ray://HOST:PORT, or
            else one of its own on this machine. Needs the extra `ray`.
        memory: megabytes (2²⁰ bytes) that the trees of a search may take, all together. When they are used up, the search goes
            on without adding nodes, and the plan says so. A tree that an older plan still holds doesn't count.
        seed: seed of the agent's random generator.

    Example:
        >>> import bamdp
        >>> world = bamdp.domains.Grid(5)
        >>> agent = BAMCP(bamdp.priors.SparseDirichlet(), world.rewards, world.discount, simulations=100, seed=0)
        >>> agent.plan(state=0).visits.sum()
        np.int64(100)
    """

    learned: ClassVar[tuple[str, ...]] = ("_mean",)
    samplings: ClassVar[tuple[str, ...]] = ("collapsed", "lazy", "full")

    def __init__(
        self,
        prior: Prior,
        rewards: ArrayLike,
        discount: float,
        *,
        terminal: Collection[int] = (),
        simulations: int | None = None,
        seconds: float | None = None,
        exploration: float = 3.0,
        horizon: int | None = None,
        rollouts: Rollouts | None = None,
        epsilon: float = 0.5,
        learning_rate: float = 0.2,
        sampling: Literal["collapsed", "lazy", "full"] = "collapsed",
        nodes: Literal["histories", "counts"] = "histories",
        expand_after: int = 0,
        first_action: Literal["rollout", "random"] = "rollout",
        log_term: Literal["N", "N + 1"] = "N",
        final_move: Literal["value", "visits"] = "value",
        reuse_tree: bool = False,
        trees: int | None = None,
        threads: int | None = None,
        workers: int | None = None,
        memory: float = 1024.0,
        seed: int = 0,
    ) -> None:
        discount = _validation.discount(discount)
        ends = _validation.terminal_states(terminal, num_states(rewards))
        settings = _core.Settings(
            discount=discount,
            horizon=integer("horizon", default_horizon(discount) if horizon is None else horizon, 1, 10**6),
            exploration=real("exploration", exploration, 0, LARGEST_RETURN),
            log_offset=("N", "N + 1").index(one_of("log_term", log_term, ("N", "N + 1"))),
            expand_after=integer("expand_after", expand_after, 0, 2**31 - 1),
            first_action_random=one_of("first_action", first_action, ("rollout", "random")) == "random",
            lattice=one_of("nodes", nodes, ("histories", "counts")) == "counts",
            reuse_tree=boolean("reuse_tree", reuse_tree),
            terminal=sorted(ends),
            final_move=one_of("final_move", final_move, ("value", "visits")),
            sampling=one_of("sampling", sampling, self.samplings),
            rollouts=None if rollouts is None else one_of("rollouts", rollouts, get_args(Rollouts)),
            epsilon=real("epsilon", epsilon, 0, 1),
            learning_rate=real("learning_rate", learning_rate, 0, 1),
        )
        super().__init__(
            prior,
            rewards,
            discount,
            terminal=ends,
            simulations=simulations,
            seconds=seconds,
            trees=trees,
            threads=threads,
            workers=workers,
            memory=memory,
            settings=settings,
            seed=seed,
        )

    @property
    def rollouts(self) -> str:
        """What comes after the tree: as given, or what goes best with the prior."""
        return self._search.rollouts

    def _begin_trees(self, seeds: list[list[int]]) -> None:
        """Back to the prior, with a tree for each seed but the last, which is for the decision."""
        by_mean = self._settings.rollouts == "posterior-mean"
        table = reward_table('rollouts="posterior-mean"', self.rewards) if by_mean else None
        super()._begin_trees(seeds)
        self._mean = None if table is None else _core.Solver(table, self.discount, sorted(self.terminal))
        self._set_leaf_values()

    def _prepared_search(self) -> _core.Search:
        """The native search, given the values of what comes after the tree if that isn't a roll-out."""
        self._set_leaf_values()
        return super()._prepared_search()

    def _set_leaf_values(self) -> None:
        """Give the search the values of the posterior mean, if it is to go by those."""
        if self._mean is None:
            return
        try:
            self.belief.load_mean(self._mean)
        except TypeError as error:
            raise TypeError(f'rollouts="posterior-mean" needs the posterior mean of the transitions, and {error}') from error
        self._mean.solve(TOLERANCE, self.on_tick)
        self._mean.set_leaf_values(self._search, TOLERANCE)
