"""
The native core of bamdp. Use it through the Python classes, which check their arguments.
"""

from collections.abc import Sequence
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


class Settings:
    """What a search does; see bamdp.agents.BAMCP."""

    def __init__(self, *, discount: float = 0.95, horizon: int = 89, exploration: float = 3.0, log_offset: int = 0, expand_after: int = 0, first_action_random: bool = False, lattice: bool = False, reuse_tree: bool = False, terminal: Sequence[int] = [], memory: int = 18446744073709551615, final_move: str = 'value', sampling: str = 'collapsed', rollouts: str | None = None, epsilon: float = 0.5, learning_rate: float = 0.2) -> None: ...

    @property
    def memory(self) -> int:
        """Bytes for each tree."""

    @memory.setter
    def memory(self, arg: int, /) -> None: ...

    @property
    def sampling(self) -> str: ...

    @property
    def rollouts(self) -> str | None:
        """What comes after the tree; None: what the model does best with."""

    def __getstate__(self) -> tuple[float, int, float, int, int, bool, bool, bool, list[int], int, int, int, str, float, float]: ...

    def __setstate__(self, arg: tuple[float, int, float, int, int, bool, bool, bool, Sequence[int], int, int, int, str, float, float], /) -> None: ...

class RootStatistics:
    """What a search found out about the actions at the root."""

    @property
    def action(self) -> int: ...

    @property
    def simulations(self) -> int: ...

    @property
    def depth(self) -> int: ...

    @property
    def full(self) -> bool: ...

    @property
    def values(self) -> NDArray[numpy.float64]: ...

    @property
    def visits(self) -> NDArray[numpy.int64]: ...

    @property
    def standard_errors(self) -> NDArray[numpy.float64]: ...

    def __getstate__(self) -> tuple[list[float], list[int], list[float], int, int, int, bool]: ...

    def __setstate__(self, arg: tuple[Sequence[float], Sequence[int], Sequence[float], int, int, int, bool], /) -> None: ...

class Tree:
    """A search tree."""

    @property
    def num_nodes(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    def top(self, depth: int, min_visits: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.int64]]:
        """
        (keys, parents, actions, visits, values, squares, edge_visits) of the nodes near the root.
        """

    def __getstate__(self) -> tuple[int, NDArray[numpy.uint8], NDArray[numpy.uint8]]: ...

    def __setstate__(self, arg: tuple[int, Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)]], /) -> None: ...

class Search:
    """A search over future histories."""

    def state(self) -> bytes:
        """What it has learned, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Take over what another one has learned that was made alike. One that refuses must not be used any more.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    def plan(self, state: int, simulations: int | None, seconds: float | None, threads: int, on_tick: object | None) -> RootStatistics:
        """Search from `state` until the first budget is used up."""

    def search(self, state: int, simulations: int | None, seconds: float | None, threads: int, on_tick: object | None, first: int, all: int | None) -> list[RootStatistics]:
        """
        As `plan`, where these trees are those from number `first` on, of `all`: what each of them found out.
        """

    def decide(self, found: Sequence[RootStatistics]) -> RootStatistics:
        """The decision, from what all trees found out, in their order."""

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        """Take in one real step."""

    @property
    def rollouts(self) -> str:
        """What comes after the tree, by its name."""

    def rollout_values(self, state: int) -> NDArray[numpy.float64]:
        """Learned Q-values of the roll-out policy. [A]"""

    def trees(self) -> list[Tree]:
        """The trees of the last search."""

class DirichletBelief:
    @overload
    def __init__(self, num_states: int, num_actions: int, alpha: float, tied: bool = False) -> None: ...

    @overload
    def __init__(self, num_states: int, num_actions: int, alpha: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], tied: bool = False) -> None: ...

    def state(self) -> bytes:
        """What it has learned, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Take over what another one has learned that was made alike. One that refuses must not be used any more.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __deepcopy__(self, memo: object) -> DirichletBelief: ...

    @property
    def num_states(self) -> int: ...

    @property
    def num_actions(self) -> int: ...

    @property
    def tied(self) -> bool: ...

    @property
    def observations(self) -> int: ...

    def observe(self, state: int, action: int, next_state: int) -> None:
        """Take in one transition."""

    def possible(self, state: int, action: int, next_state: int) -> bool:
        """Whether the prior allows the transition."""

    def counts(self, state: int, action: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
        """Successors seen after (state, action), and how often each."""

    def predictive(self, state: int, action: int) -> NDArray[numpy.float64]:
        """Probability of each next state. [S]"""

    def sample_mdp(self, seed: Sequence[int]) -> NDArray[numpy.float64]:
        """Transition probabilities drawn from the posterior. [S, A, S]"""

class SparseDirichletBelief:
    def __init__(self, num_states: int, num_actions: int, alpha: float, exponent: float) -> None: ...

    def repeat_probability(self, distinct: int, total: int) -> float:
        """Probability that the next successor is a seen one."""

    def support_posterior(self, distinct: int, total: int) -> NDArray[numpy.float64]:
        """Probability of each support size, from max(1, distinct) on."""

    def state(self) -> bytes:
        """What it has learned, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Take over what another one has learned that was made alike. One that refuses must not be used any more.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __deepcopy__(self, memo: object) -> SparseDirichletBelief: ...

    @property
    def num_states(self) -> int: ...

    @property
    def num_actions(self) -> int: ...

    @property
    def tied(self) -> bool: ...

    @property
    def observations(self) -> int: ...

    def observe(self, state: int, action: int, next_state: int) -> None:
        """Take in one transition."""

    def possible(self, state: int, action: int, next_state: int) -> bool:
        """Whether the prior allows the transition."""

    def counts(self, state: int, action: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
        """Successors seen after (state, action), and how often each."""

    def predictive(self, state: int, action: int) -> NDArray[numpy.float64]:
        """Probability of each next state. [S]"""

    def sample_mdp(self, seed: Sequence[int]) -> NDArray[numpy.float64]:
        """Transition probabilities drawn from the posterior. [S, A, S]"""

@overload
def make_search(belief: DirichletBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]]) -> Search: ...

@overload
def make_search(belief: SparseDirichletBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]]) -> Search: ...

@overload
def make_search(belief: FiniteBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]]) -> Search: ...

@overload
def make_search(belief: SharedSlipBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]]) -> Search: ...

@overload
def make_search(belief: GridBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]]) -> Search: ...

@overload
def make_search(belief: DirichletBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]], seen: RewardCounts) -> Search: ...

@overload
def make_search(belief: SparseDirichletBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]], seen: RewardCounts) -> Search: ...

@overload
def make_search(belief: FiniteBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]], seen: RewardCounts) -> Search: ...

@overload
def make_search(belief: SharedSlipBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]], seen: RewardCounts) -> Search: ...

@overload
def make_search(belief: VisitedStates, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]], source: BatchSource) -> Search: ...

@overload
def make_search(belief: VisitedStates, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]], source: RowSource) -> Search: ...

@overload
def make_search(belief: VisitedStates, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]], hooks: Hooks) -> Search:
    """
    A search that plans with `belief`, one tree for each seed but the last, which is for the decision.
    """

class FiniteBelief:
    def __init__(self, tables: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def state(self) -> bytes:
        """What it has learned, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Take over what another one has learned that was made alike. One that refuses must not be used any more.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __deepcopy__(self, memo: object) -> FiniteBelief: ...

    @property
    def num_states(self) -> int: ...

    @property
    def num_actions(self) -> int: ...

    @property
    def observations(self) -> int: ...

    @property
    def weights(self) -> NDArray[numpy.float64]: ...

    def observe(self, state: int, action: int, next_state: int) -> None:
        """Take in one transition."""

    def possible(self, state: int, action: int, next_state: int) -> bool:
        """Whether some table allows the transition."""

    def predictive(self, state: int, action: int) -> NDArray[numpy.float64]:
        """Probability of each next state. [S]"""

    def draw(self, seed: Sequence[int]) -> int:
        """The number of a table, drawn from the posterior."""

class SharedSlipBelief:
    def __init__(self, intended: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], slipped: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], cumulative: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], slips: float, holds: float) -> None: ...

    def state(self) -> bytes:
        """What it has learned, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Take over what another one has learned that was made alike. One that refuses must not be used any more.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __deepcopy__(self, memo: object) -> SharedSlipBelief: ...

    @property
    def slips(self) -> float: ...

    @property
    def holds(self) -> float: ...

    @property
    def observations(self) -> int: ...

    def observe(self, state: int, action: int, next_state: int) -> None:
        """Take in one transition."""

class GridBelief:
    def __init__(self, columns: tuple[float, float], rows: tuple[float, float], gibbs: bool, factors: tuple[float, float], cap: float, updates_per_simulation: int, updates_per_search: int) -> None: ...

    def state(self) -> bytes:
        """What it has learned, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Take over what another one has learned that was made alike. One that refuses must not be used any more.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    @property
    def observations(self) -> int: ...

    @property
    def updates(self) -> int: ...

    @property
    def accepted(self) -> int: ...

    def consistent(self, state: int) -> bool:
        """Whether the content of the cell agrees with what was seen."""

    def observe(self, state: int, next_state: int) -> None:
        """Take in one transition."""

    def cells(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
        """The cells seen, [n, 2], and whether each held a reward. [n]"""

    def sample_parameters(self, samples: int, thin: int, burn_in: int, seed: Sequence[int]) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.float64], NDArray[numpy.float64], int]:
        """
        (column coordinates, row coordinates, columns [n, C], rows [n, R], accepted updates) of a chain of its own.
        """

class RewardCounts:
    """Rewards seen, and the prior over them."""

    def __init__(self, values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], alpha: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], deterministic: bool, num_actions: int) -> None: ...

    def state(self) -> bytes:
        """What it has learned, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Take over what another one has learned that was made alike. One that refuses must not be used any more.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __deepcopy__(self, memo: object) -> RewardCounts: ...

    def observe(self, state: int, action: int, value: int, first: object) -> None:
        """
        Take in one reward, by its place among the values, after calling `first`; if that raises, nothing is taken in.
        """

    def counts(self, state: int, action: int) -> NDArray[numpy.float64]:
        """How often each value was seen. [V]"""

class VisitedStates:
    """Which states were visited, for beliefs that are kept in Python."""

    def __init__(self, num_states: int, num_actions: int) -> None: ...

    def state(self) -> bytes:
        """What it has learned, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Take over what another one has learned that was made alike. One that refuses must not be used any more.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __deepcopy__(self, memo: object) -> VisitedStates: ...

    @property
    def observations(self) -> int: ...

    def observe(self, state: int, next_state: int, first: object) -> None:
        """
        Take in one transition after calling `first`, which tells the rest of the belief; if that raises, nothing is taken in.
        """

class BatchSource:
    """Where the trees of a search get batches of transition tables from."""

    def __init__(self, make: object) -> None:
        """`make` is called once for each tree and gives its `draw()`."""

class RowSource:
    """Where the trees of a search get the rows from that they ask for."""

    def __init__(self, make: object) -> None:
        """
        `make` is called once for each tree and gives its (begin or None, sample_row).
        """

class Hooks:
    """
    A model of two C functions, given by their addresses; see core/models/hooks.hpp.
    """

    def __init__(self, begin: int, step: int, belief: int, scratch: bytes, failed: object) -> None: ...

def gamma_address() -> int:
    """
    The address of `double gamma(uint64_t rng[4], double shape)`, for hooks.
    """

def gittins_indices(successes: float, failures: float, discount: float, tolerance: float, more_successes: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], more_failures: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
    """
    Gittins indices of Beta(successes + more_successes, failures + more_failures). [K]
    """

class Lattice:
    """The belief states of a Bayes-adaptive MDP, step by step from the root."""

    def expand(self, state: int, limit: int) -> bool:
        """Find the belief states; False if there are more than `limit`."""

    def solve(self) -> None:
        """Work out all values."""

    def q_values(self, depth: int, place: int) -> NDArray[numpy.float64]:
        """The value of each action in a belief state. [A]"""

    def child(self, depth: int, place: int, action: int, next_state: int) -> int | None:
        """The place of the belief state that follows, in its layer."""

    @property
    def layer_sizes(self) -> list[int]:
        """Belief states after 0, 1, … steps, as far as they were found."""

@overload
def make_lattice(belief: DirichletBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], discount: float, horizon: int, leaf: float, terminal: Sequence[int]) -> Lattice: ...

@overload
def make_lattice(belief: SparseDirichletBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], discount: float, horizon: int, leaf: float, terminal: Sequence[int]) -> Lattice: ...

@overload
def make_lattice(belief: FiniteBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], discount: float, horizon: int, leaf: float, terminal: Sequence[int]) -> Lattice:
    """A lattice of future belief states, not yet expanded."""

class Solver:
    """
    The Bellman equations of what a belief says; see core/solve/solver.hpp.
    """

    def __init__(self, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], discount: float, terminal: Sequence[int] = []) -> None: ...

    def state(self) -> bytes:
        """What it has learned, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Take over what another one has learned that was made alike. One that refuses must not be used any more.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __deepcopy__(self, memo: object) -> Solver: ...

    @property
    def num_states(self) -> int: ...

    @property
    def num_actions(self) -> int: ...

    @property
    def num_active(self) -> int:
        """States that have equations of their own; all others share one."""

    def load_tables(self, transitions: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> None:
        """Dense models [K, S, A, S], to be solved as one."""

    def solve(self, tolerance: float, on_tick: object | None = None) -> int:
        """
        Solve to the greatest error allowed, starting from the last solution; returns the number of full backups.
        """

    def set_leaf_values(self, search: Search, tolerance: float) -> None:
        """
        What comes after a search's tree is worth what was solved to this tolerance.
        """

    def q_values(self, state: int) -> NDArray[numpy.float64]:
        """The value of each action in `state`. [A]"""

    @overload
    def load_mean(self, belief: DirichletBelief, bonus: float = 0.0, learned: RewardCounts | None = None) -> None: ...

    @overload
    def load_mean(self, belief: SparseDirichletBelief, bonus: float = 0.0, learned: RewardCounts | None = None) -> None:
        """
        The posterior mean, each reward raised by bonus / (1 + pseudo-counts + visits); rewards are known, or `learned`.
        """

    @overload
    def load_samples(self, belief: DirichletBelief, count: int, seed: Sequence[int], on_tick: object | None = None, learned: RewardCounts | None = None) -> None: ...

    @overload
    def load_samples(self, belief: SparseDirichletBelief, count: int, seed: Sequence[int], on_tick: object | None = None, learned: RewardCounts | None = None) -> None:
        """
        Models drawn from the posterior, to be solved as one; rewards are known, or drawn from what was `learned` of them.
        """

class Bfs3Settings:
    """What BFS3 does; see bamdp.agents.BFS3."""

    def __init__(self, *, discount: float, branching: int, depth: int, trajectories: int, v_min: float, v_max: float, shared: bool, closed: bool, by_lower: bool, terminal: Sequence[int], memory: int) -> None: ...

class Bfs3Plan:
    """What BFS3 found out about the actions at the root."""

    @property
    def action(self) -> int: ...

    @property
    def visits(self) -> list[int]: ...

    @property
    def trajectories(self) -> int: ...

    @property
    def nodes(self) -> int: ...

    @property
    def full(self) -> bool: ...

    @property
    def lower(self) -> list[float]: ...

    @property
    def upper(self) -> list[float]: ...

class DirichletBfs3:
    """BFS3 on one belief; see core/search/bfs3.hpp."""

    def state(self) -> bytes:
        """What it has learned, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Take over what another one has learned that was made alike. One that refuses must not be used any more.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    def plan(self, state: int, on_tick: object | None = None) -> Bfs3Plan:
        """Search from `state`."""

@overload
def make_bfs3(belief: DirichletBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Bfs3Settings, seed: Sequence[int]) -> DirichletBfs3: ...

@overload
def make_bfs3(belief: SparseDirichletBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Bfs3Settings, seed: Sequence[int]) -> SparseDirichletBfs3: ...

@overload
def make_bfs3(*parts: object) -> object: ...

class SparseDirichletBfs3:
    """BFS3 on one belief; see core/search/bfs3.hpp."""

    def state(self) -> bytes:
        """What it has learned, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Take over what another one has learned that was made alike. One that refuses must not be used any more.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    def plan(self, state: int, on_tick: object | None = None) -> Bfs3Plan:
        """Search from `state`."""
