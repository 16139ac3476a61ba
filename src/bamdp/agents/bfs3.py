"""BFS3: Bayesian forward-search sparse sampling (Asmuth, Littman 2011, "Approaching Bayes-optimality using Monte-Carlo ...").

Sparse sampling of the Bayes-adaptive MDP (C successors of each action, to depth D) that expands only relevant nodes, by upper
and lower bounds of their values (FSSS: Walsh, Goschin, Littman 2010). The search is core/search/bfs3.hpp.

Asmuth and Littman draw the successor from a model that is drawn from the posterior after the planned history. With independent
rows that is their predictive distribution. In a finite set of worlds the planned history changes the weights of the worlds, and
an outcome is a next state with its reward: search/bfs3_worlds.py, in Python.
"""

from __future__ import annotations

from collections.abc import Collection
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core, _validation
from bamdp._validation import LARGEST_RETURN, integer, one_of, real
from bamdp.agent import Grid
from bamdp.agents._index import annuity
from bamdp.agents._model_based import WITHOUT_MODEL, TableAgent
from bamdp.prior import Prior
from bamdp.priors._conjugate import ConjugateBelief
from bamdp.search.plan import BoundedPlan
from bamdp.search.tree import RootAlone

if TYPE_CHECKING:
    from bamdp.search.bfs3_worlds import WorldsPlan


class BFS3(TableAgent):
    """Forward-search sparse sampling over beliefs, with upper and lower bounds.

    The defaults follow the program behind the results of Guez, Silver, Dayan (2012): tree="separate", leaves="open".

    Args:
        prior: prior over the transitions, or any that can sample tables, such as `Finite`, `Parametric`, `SharedSlip`: slower.
        rewards: reward of each state and action [S, A], or of each transition [S, A, S].
        discount: discount factor, in [0, 1); 1 with a deadline.
        terminal: terminal states, where episodes end.
        deadline: number of steps that count, which it plans for and no further; without an end if not given.
        branching: number of successors drawn for each action of a node, the paper's C.
        depth: depth of the search, in steps; never more than are left.
        trajectories: trajectories per decision; with separate trees, per action and shared by its C trees.
        vmin: lower bound of all values; if not given, the sum of the smallest reward over all steps left, or 0 if that is less:
            smallest reward / (1 − discount) without a deadline.
        vmax: upper bound of all values; if not given, that of the largest reward, or 0 if that is more.
        tree: "shared", one tree from the current state as in FSSS, or "separate", one for each of the C successors.
        leaves: at the depth of the search, "closed" (value 0, as in FSSS) or "open" (bounds stay vmin and vmax). "closed" is
            better with terminal states: compared with an open leaf, termination looks like a loss of vmax.
        final_move: the decision is the action with the highest "upper" or "lower" bound.
        memory: memory limit of a tree of a search, one at a time, in MiB. A tree at the limit gets no more trajectories, which
            the plan reports.
        seed: seed of the agent's random generator.

    Attributes:
        simulations_done: number of trajectories since the agent was made or reset.
        full_searches: number of searches since then that reached the memory limit.

    Example:
        >>> import bamdp
        >>> agent = BFS3.for_domain(bamdp.domains.DoubleLoop(), branching=5, depth=15, trajectories=50)
        >>> plan = agent.plan(state=0)
        >>> bool((0 <= plan.lower).all() and (plan.lower <= plan.upper).all() and (plan.upper <= 40).all())
        True
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("belief", "_search", "simulations_done", "full_searches")
    fixed: ClassVar[tuple[str, ...]] = (
        *("branching", "depth", "trajectories", "vmin", "vmax", "tree", "leaves", "final_move", "memory"),
    )
    grid: ClassVar[Grid] = ({"branching": (2, 5, 10, 15), "trajectories": (10, 30, 100, 300, 1000, 2000)},)

    def __init__(
        self,
        prior: Prior,
        rewards: ArrayLike,
        discount: float,
        *,
        terminal: Collection[int] = (),
        deadline: int | None = None,
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
        super().__init__(prior, rewards, discount, terminal, deadline)
        lowest, highest = self._extremes(self.deadline)
        self._given = vmin, vmax
        self.vmin = real("vmin", lowest if vmin is None else vmin, -LARGEST_RETURN, LARGEST_RETURN)
        self.vmax = real("vmax", highest if vmax is None else vmax, self.vmin, LARGEST_RETURN)
        self.depth = integer("depth", depth, 1, 10**6)
        self.branching = integer("branching", branching, 1, 10**6)
        self.trajectories = integer("trajectories", trajectories, 1, 10**12)
        self.memory = _validation.mebibytes("memory", memory)
        self.tree = one_of("tree", tree, ("separate", "shared"))
        self.leaves = one_of("leaves", leaves, ("open", "closed"))
        self.final_move = one_of("final_move", final_move, ("upper", "lower"))
        self._settings = _core.Bfs3Settings(
            discount=self.discount,
            branching=self.branching,
            depth=self.depth,
            trajectories=self.trajectories,
            v_min=self.vmin,
            v_max=self.vmax,
            shared=self.tree == "shared",
            closed=self.leaves == "closed",
            by_lower=self.final_move == "lower",
            terminal=sorted(self.terminal),
            memory=self.memory,
        )
        self.reset(seed)

    def reset(self, seed: int) -> None:
        state = np.random.SeedSequence(_validation.seed(seed)).generate_state(4, np.uint64).tolist()
        self.belief = self.prior.belief(self.num_states, self.num_actions)
        self._search: Any = self._new_search(state)
        self.simulations_done = self.full_searches = 0

    def _new_search(self, seed: list[int]) -> Any:
        if isinstance(self.belief, ConjugateBelief):
            return _core.make_bfs3(self.belief._native, self.rewards, self._settings, seed)
        from bamdp.search.bfs3_worlds import WorldsSearch, WorldsSettings

        settings = WorldsSettings(
            self.discount,
            self.branching,
            self.depth,
            self.trajectories,
            self.vmin,
            self.vmax,
            shared=self.tree == "shared",
            closed=self.leaves == "closed",
            by_lower=self.final_move == "lower",
            memory=self.memory,
        )
        try:
            return WorldsSearch(self.belief, self.rewards, settings, self.terminal, seed)
        except TypeError as error:
            message = f"BFS3 draws successors from models, and {error}; PosteriorMean needs only the mean, {WITHOUT_MODEL}"
            raise TypeError(message) from error

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
            values=values,
            visits=np.array(result.visits),
            standard_errors=np.full(self.num_actions, np.inf),
            simulations=result.trajectories,
            seconds=perf_counter() - started,
            depth=self.depth + (self.tree == "separate"),
            tree=RootAlone(state, result.visits, values.tolist()),
            lower=lower,
            upper=upper,
            full=result.full,
        )

    def bounds(self, state: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Search like `act`: the lower and the upper bound of each action's value. [A], [A]"""
        result = self._search_from(state)
        return np.array(result.lower), np.array(result.upper)

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        _validation.acted_in(state, self.terminal)
        self.belief.observe_step(state, action, _validation.reward(reward), next_state)

    def _extremes(self, steps: int | None) -> tuple[float, float]:
        """Bounds of the value of `steps`; without an end if None."""
        paid = self.prior.payable(self.rewards)
        lowest, highest = min(0.0, float(paid.min())), max(0.0, float(paid.max()))
        if steps is None:
            return lowest / (1 - self.discount), highest / (1 - self.discount)
        return lowest * annuity(self.discount, steps), highest * annuity(self.discount, steps)

    def _limit(self, steps: int) -> None:
        """Search no further than the `steps` left; there every value is 0."""
        own = steps - (self.tree == "separate")  # of a tree: the separate ones begin after the first step
        lowest, highest = self._extremes(own)
        vmin, vmax = self._given
        bounds = lowest if vmin is None else self.vmin, highest if vmax is None else self.vmax
        self._search.limit(min(self.depth, own), self.leaves == "closed" or own <= self.depth, *bounds)

    def _search_from(self, state: int) -> _core.Bfs3Plan | WorldsPlan:
        if self.steps_left is not None:
            self._limit(self.steps_left)
        result: _core.Bfs3Plan | WorldsPlan = self._search.plan(integer("state", state, 0, self.num_states - 1), self.on_tick)
        self.simulations_done += result.trajectories
        self.full_searches += result.full
        return result
