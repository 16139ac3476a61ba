"""BFS3: Bayesian forward-search sparse sampling (Asmuth, Littman 2011, "Approaching
Bayes-optimality using Monte-Carlo ...").

Sparse sampling of the Bayes-adaptive MDP (C successors of each action, to depth D) that expands
only relevant nodes, by upper and lower bounds of their values (FSSS: Walsh, Goschin, Littman 2010).
The search is core/search/bfs3.hpp.

Asmuth and Littman draw the successor from a model that is drawn from the posterior after the
planned history. With independent rows, which the search needs, that is their predictive
distribution.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from bamdp import _core, validation
from bamdp.agent import Grid, steps_left
from bamdp.agents._model_based import alternatives
from bamdp.mdp import annuity
from bamdp.problem import BAMDP, require_discount, require_table
from bamdp.search.plan import BoundedPlan
from bamdp.search.planning_agent import PlanningAgent
from bamdp.search.tree import RootOnlyTree
from bamdp.validation import LARGEST_RETURN, integer, one_of, real


class BFS3(PlanningAgent):
    """Forward-search sparse sampling over beliefs, with upper and lower bounds.

    The defaults follow the program behind the results of Guez, Silver, Dayan (2012):
    tree="separate", leaves="open".

    Args:
        problem: the problem, with known rewards and a prior of independent rows: `Dirichlet`,
            `SparseDirichlet` or `BetaArms`.
        branching: number of successors drawn for each action of a node, the paper's C.
        depth: depth of the search, in steps; never more than are left.
        trajectories: trajectories per decision; with separate trees, per action and shared by its C
            trees.
        vmin: lower bound of all values; if not given, the sum of the smallest reward over all steps
            left, or 0 if that is less: smallest reward / (1 − discount) without a horizon.
        vmax: upper bound of all values; if not given, that of the largest reward, or 0 if that is
            more.
        tree: "shared", one tree from the current state as in FSSS, or "separate", one for each of
            the C successors.
        leaves: at the depth of the search, "closed" (value 0, as in FSSS) or "open" (bounds stay
            vmin and vmax). "closed" is better with terminal states: compared with an open leaf,
            termination looks like a loss of vmax.
        final_move: the decision is the action with the highest "upper" or "lower" bound.
        memory: memory limit of a tree of a search, one at a time, in MiB. A tree at the limit gets
            no more trajectories, which the plan reports.
        seed: seed of the agent's random generator.

    Example:
        >>> import bamdp
        >>> agent = BFS3(bamdp.domains.DoubleLoop().problem(), branching=5, depth=15,
        ...     trajectories=50)
        >>> plan = agent.plan(state=0)
        >>> bool((0 <= plan.q_lower).all() and (plan.q_lower <= plan.q_upper).all()
        ...     and (plan.q_upper <= 40).all())
        True
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_search",)
    grid: ClassVar[Grid] = (
        {"branching": (2, 5, 10, 15), "trajectories": (10, 30, 100, 300, 1000, 2000)},
    )

    def __init__(
        self,
        problem: BAMDP,
        *,
        branching: int = 10,
        depth: int = 15,
        trajectories: int = 100,
        vmin: float | None = None,
        vmax: float | None = None,
        tree: Literal["separate", "shared"] = "separate",
        leaves: Literal["open", "closed"] = "open",
        final_move: Literal["upper", "lower"] = "upper",
        memory: float = 1024.0,
        seed: int = 0,
    ) -> None:
        self.vmin = None if vmin is None else real("vmin", vmin, -LARGEST_RETURN, LARGEST_RETURN)
        self.vmax = None if vmax is None else real("vmax", vmax, -LARGEST_RETURN, LARGEST_RETURN)
        self.depth = integer("depth", depth, 1, 10**6)
        self.branching = integer("branching", branching, 1, 10**6)
        self.trajectories = integer("trajectories", trajectories, 1, 10**12)
        self.memory = real("memory", memory, 0, 1e12, open_low=True)
        self.tree = one_of("tree", tree, ("separate", "shared"))
        self.leaves = one_of("leaves", leaves, ("open", "closed"))
        self.final_move = one_of("final_move", final_move, ("upper", "lower"))
        super().__init__(problem, seed=seed)

    def reset(self, seed: int) -> None:
        require_table(self.problem, "BFS3")
        require_discount(self.problem, "BFS3")
        if self.problem.episode_length is not None:
            raise TypeError(
                "episode_length must be None for BFS3, which plans for one episode; BAMCP plans "
                "across their ends"
            )
        super().reset(seed)
        if self.belief.counts is None or self.belief.problem.prior.unknown_rewards:
            raise TypeError(
                "BFS3 needs known rewards and a prior with independent rows, such as Dirichlet, "
                "SparseDirichlet or BetaArms, "
                f"got {self.problem.prior!r}; {alternatives(self.belief)}"
            )
        state = np.random.SeedSequence(validation.seed(seed)).generate_state(4, np.uint64).tolist()
        self._search: Any = self._new_search(state)

    def _new_search(self, seed: list[int]) -> Any:
        low, high = self._bounds(self.problem.horizon)
        if low > high:
            raise ValueError(f"vmax must be at least vmin, {low:g}, got {high:g}")
        given: dict[str, Any] = {
            "discount": self.problem.discount,
            "branching": self.branching,
            "depth": self.depth,
            "trajectories": self.trajectories,
            "v_min": low,
            "v_max": high,
            "shared": self.tree == "shared",
            "closed": self.leaves == "closed",
            "by_lower": self.final_move == "lower",
            "memory": validation.mebibytes("memory", self.memory),
        }
        settings = _core.Bfs3Settings(**given, terminal=sorted(self.problem.terminal))
        return _core.make_bfs3(self.belief.native[0], self.problem.rewards, settings, seed)

    def act(self, state: int) -> int:
        return int(self._search_from(state).action)

    def plan(self, state: int) -> BoundedPlan:
        """Search like `act` and return the result; of its trees only the root."""
        started = perf_counter()
        result = self._search_from(state)
        lower, upper = np.array(result.lower), np.array(result.upper)
        values = upper if self.final_move == "upper" else lower
        return BoundedPlan(
            action=result.action,
            q_values=values,
            visits=np.array(result.visits),
            standard_errors=np.full(self.problem.num_actions, np.inf),
            simulations=result.trajectories,
            seconds=perf_counter() - started,
            depth=self.depth + (self.tree == "separate"),
            tree=RootOnlyTree(state, result.visits, values.tolist(), self.problem),
            problem=self.problem,
            q_lower=lower,
            q_upper=upper,
            full=result.full,
        )

    def q_values(self, state: int) -> NDArray[np.float64]:
        """Search like `act`: the upper or lower bound of each action's value, as decides. [A]"""
        result = self._search_from(state)
        return np.array(result.upper if self.final_move == "upper" else result.lower)

    def _bounds(self, steps: int | None) -> tuple[float, float]:
        """Bounds of the value of `steps`; without an end if None."""
        low, high = self.problem.prior.reward_range(self.problem.rewards)
        lowest, highest = min(0.0, low), max(0.0, high)
        if steps is None:
            # divided, not times a rounded 1 / (1 − γ): ties between bounds are decided by the last
            # digit
            lowest, highest = (
                lowest / (1 - self.problem.discount),
                highest / (1 - self.problem.discount),
            )
        else:
            lowest, highest = (
                bound * annuity(self.problem.discount, steps) for bound in (lowest, highest)
            )
        return (
            lowest if self.vmin is None else self.vmin,
            highest if self.vmax is None else self.vmax,
        )

    def _limit(self, steps: int) -> None:
        """Search no further than the `steps` left; there every value is 0."""
        own = steps - (
            self.tree == "separate"
        )  # of a tree: the separate ones begin after the first step
        self._search.limit(
            min(self.depth, own), self.leaves == "closed" or own <= self.depth, *self._bounds(own)
        )

    def _search_from(self, state: int) -> _core.Bfs3Plan:
        state = self._check_state(state)
        left = steps_left(self)
        if left is not None:
            self._limit(left)
        result: _core.Bfs3Plan = self._search.plan(state, self.on_tick)
        self._count(result.trajectories, result.full)
        return result
