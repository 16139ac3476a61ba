"""BAMCP: Bayes-adaptive Monte-Carlo planning (Guez, Silver, Dayan 2012, Algorithm 1).

UCT on the tree of future histories. Each simulation runs in one model drawn from the posterior at the root, so no belief is
updated inside the tree; the tree itself filters the samples. The search is core/search/bamcp.hpp.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar, Literal, get_args

from numpy.typing import ArrayLike

from bamdp import _core, _validation
from bamdp._validation import LARGEST_RETURN, boolean, fits_memory, integer, one_of, real
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
        prior: prior over the transitions.
        rewards: reward of each state and action [S, A], or of each transition [S, A, S].
        discount: discount factor, in [0, 1); 1 with a deadline.
        terminal: terminal states, where episodes end.
        deadline: number of steps that count, which it plans for and no further; without an end if not given.
        episode_length: number of steps of each episode, after which the run goes on from `start`; goes with a deadline.
        start: the state that each of these episodes starts in.
        simulations: simulations per decision; 1000 if `seconds` isn't given either.
        seconds: time per decision; with both budgets, whichever is exhausted first.
        exploration: the constant c of UCT, in units of return; "auto" for the standard deviation of the returns of the search.
        horizon: steps per simulation; if not given, until rewards are discounted to about 0.01: int(log 0.01 / log discount).
            Never more than are left.
        rollouts: "learned" (epsilon-greedy on Q-values learned from real steps; the default) or "uniform". "posterior-mean" has
            no roll-outs: leaf values are those of the posterior-mean MDP; fewer simulations suffice. For bandits, in closed
            form for all the steps left, "best-arm" (always the arm with the best mean at the leaf) and "hindsight" (as if the
            best arm were revealed at the leaf). On an infinite grid also "straight" (the default there): uniform, but never
            straight back.
        epsilon: probability of a random action in a learned roll-out.
        learning_rate: step size of the Q-learning for roll-outs.
        sampling: how models are sampled, equal in distribution: "collapsed" (rows integrated out, fastest), "lazy" (a row when
            first needed, the paper's), "full" (all rows for each simulation, the naive form).
        nodes: what identifies a node: "histories", or "counts" of transitions in any order (a lattice).
        expand_after: visits of an action before nodes are added below it.
        first_action: first action in a new node, by the "rollout" policy or "random".
        log_term: argument of the logarithm in UCT, "N" or "N + 1", with N the visits of the node.
        final_move: the decision is the action with the highest "value" or the most "visits".
        reuse_tree: keep the subtree below the real step for the next decision.
        trees: number of independent trees, whose root statistics are summed; each gets its share of the simulations. If not
            given, one, or one for each worker.
        threads: number of threads for the trees; if not given, all cores, or one in each worker. Doesn't change the result.
        workers: number of processes on a Ray cluster that share the trees; if not given, this process searches them. Doesn't
            change the result. The cluster is the one this process is connected to, the one at RAY_ADDRESS, ray://HOST:PORT, or
            else a new one on this machine. Needs the extra `ray`.
        memory: memory limit of all trees of a search, in MiB. At the limit the search continues without adding nodes and
            reports it in the plan. Trees of earlier plans don't count.
        seed: seed of the agent's random generator.

    Example:
        >>> import bamdp
        >>> domain = bamdp.domains.Grid(5)
        >>> agent = BAMCP(bamdp.priors.SparseDirichlet(), domain.rewards, domain.discount, simulations=100, seed=0)
        >>> agent.plan(state=0).visits.sum()
        np.int64(100)
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_mean",)
    fixed: ClassVar[tuple[str, ...]] = (
        *("exploration", "horizon", "epsilon", "learning_rate", "sampling", "nodes", "expand_after", "first_action"),
        *("log_term", "final_move", "reuse_tree", "rollouts"),
    )
    samplings: ClassVar[tuple[str, ...]] = ("collapsed", "lazy", "full")

    def __init__(
        self,
        prior: Prior,
        rewards: ArrayLike,
        discount: float,
        *,
        terminal: Collection[int] = (),
        deadline: int | None = None,
        episode_length: int | None = None,
        start: int | None = None,
        simulations: int | None = None,
        seconds: float | None = None,
        exploration: float | Literal["auto"] = 3.0,
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
        terminal_states = _validation.terminal_states(terminal, num_states(rewards))
        self._set_deadline(deadline, episode_length, start, num_states=num_states(rewards), terminal=terminal_states)
        ends = self.deadline is not None or (bool(terminal_states) and horizon is not None)
        discount = _validation.discount(discount, ends=ends, where="with a deadline, or with terminal states and a horizon")
        self.horizon = integer("horizon", default_horizon(discount, self.deadline) if horizon is None else horizon, 1, 10**6)
        settings = _core.Settings(
            discount=discount,
            horizon=self.horizon,
            exploration=1.0 if exploration == "auto" else real("exploration", exploration, 0, LARGEST_RETURN),
            auto_exploration=exploration == "auto",
            log_offset=("N", "N + 1").index(one_of("log_term", log_term, ("N", "N + 1"))),
            expand_after=integer("expand_after", expand_after, 0, 2**31 - 1),
            first_action_random=one_of("first_action", first_action, ("rollout", "random")) == "random",
            lattice=one_of("nodes", nodes, ("histories", "counts")) == "counts",
            reuse_tree=boolean("reuse_tree", reuse_tree),
            terminal=sorted(terminal_states),
            final_move=one_of("final_move", final_move, ("value", "visits")),
            sampling=one_of("sampling", sampling, self.samplings),
            rollouts=None if rollouts is None else one_of("rollouts", rollouts, get_args(Rollouts)),
            epsilon=real("epsilon", epsilon, 0, 1),
            learning_rate=real("learning_rate", learning_rate, 0, 1),
        )
        if self.episode_length is not None and nodes == "counts":
            raise ValueError(
                'nodes must be "histories" with episode_length: after a new start, counts alone don\'t tell the state'
            )
        self.exploration, self.epsilon, self.learning_rate = exploration, epsilon, learning_rate
        self.sampling, self.nodes, self.expand_after = sampling, nodes, expand_after
        self.first_action, self.log_term, self.final_move, self.reuse_tree = first_action, log_term, final_move, reuse_tree
        super().__init__(
            prior,
            rewards,
            discount,
            terminal=terminal_states,
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
        """The roll-outs as given, or the default of the prior."""
        return self._search.rollouts

    def _begin_trees(self, seeds: list[list[int]]) -> None:
        """Reset the belief, with a tree for each seed but the last, which is for the decision."""
        by_mean = self._settings.rollouts == "posterior-mean"
        table = reward_table('rollouts="posterior-mean"', self.rewards) if by_mean else None
        super()._begin_trees(seeds)
        self._mean = None if table is None else self.belief.solver(table, self.discount, self.terminal)
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
            self.belief.load_mean(self._mean)
        except TypeError as error:
            raise TypeError(f'rollouts="posterior-mean" needs the posterior mean of the transitions, and {error}') from error
        left = self._rest_of_run()
        if left is None:
            self._mean.solve(TOLERANCE, self.on_tick)
            self._mean.set_leaf_values(self._search, TOLERANCE)
            return
        horizon = min(self.horizon, left.steps)
        fits_memory('rollouts="posterior-mean" with this deadline', (horizon + 1) * self.num_states)
        self._mean.set_leaf_layers(self._search, left, horizon, TOLERANCE, self.on_tick)
