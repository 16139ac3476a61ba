"""
The native core of bamdp. Use it through the Python classes, which check their arguments.
"""

from collections.abc import Sequence
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


class StepsLeft:
    """
    The rest of a run: steps until the horizon and until the end of the episode, and what each episode is.
    """

    def __init__(self, steps: int, until: int = 0, length: int = 0, start: int = 0) -> None: ...

    @property
    def steps(self) -> int: ...

class Settings:
    """Settings of a search; see bamdp.agents.BAMCP."""

    def __init__(self) -> None: ...

    @property
    def discount(self) -> float: ...

    @discount.setter
    def discount(self, arg: float, /) -> None: ...

    @property
    def depth(self) -> int: ...

    @depth.setter
    def depth(self, arg: int, /) -> None: ...

    @property
    def exploration(self) -> float: ...

    @exploration.setter
    def exploration(self, arg: float, /) -> None: ...

    @property
    def auto_exploration(self) -> bool: ...

    @auto_exploration.setter
    def auto_exploration(self, arg: bool, /) -> None: ...

    @property
    def log_offset(self) -> int: ...

    @log_offset.setter
    def log_offset(self, arg: int, /) -> None: ...

    @property
    def expand_after(self) -> int: ...

    @expand_after.setter
    def expand_after(self, arg: int, /) -> None: ...

    @property
    def first_action_random(self) -> bool: ...

    @first_action_random.setter
    def first_action_random(self, arg: bool, /) -> None: ...

    @property
    def lattice(self) -> bool: ...

    @lattice.setter
    def lattice(self, arg: bool, /) -> None: ...

    @property
    def reuse_tree(self) -> bool: ...

    @reuse_tree.setter
    def reuse_tree(self, arg: bool, /) -> None: ...

    @property
    def memory(self) -> int: ...

    @memory.setter
    def memory(self, arg: int, /) -> None: ...

    @property
    def rollouts(self) -> str: ...

    @rollouts.setter
    def rollouts(self, arg: str, /) -> None: ...

    @property
    def epsilon(self) -> float: ...

    @epsilon.setter
    def epsilon(self, arg: float, /) -> None: ...

    @property
    def learning_rate(self) -> float: ...

    @learning_rate.setter
    def learning_rate(self, arg: float, /) -> None: ...

    @property
    def bonus(self) -> float: ...

    @bonus.setter
    def bonus(self, arg: float, /) -> None: ...

    @property
    def terminal(self) -> list[int]: ...

    @terminal.setter
    def terminal(self, arg: Sequence[int], /) -> None: ...

    @property
    def sampling(self) -> str: ...

    @sampling.setter
    def sampling(self, arg: str, /) -> None: ...

    @property
    def final_move(self) -> str: ...

    @final_move.setter
    def final_move(self, arg: str, /) -> None: ...

class RootStatistics:
    """Statistics of the actions at the root of a search."""

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

    def __getstate__(self) -> tuple[int, object]: ...

    def __setstate__(self, arg: tuple[int, object], /) -> None: ...

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

    def __getstate__(self) -> tuple[int, object]: ...

    def __setstate__(self, arg: tuple[int, object], /) -> None: ...

class Search:
    """A search over future histories."""

    def state(self) -> bytes:
        """The learned state as bytes, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Restore the state of an object made with the same settings. If this raises, discard the object.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    def plan(self, state: int, simulations: int | None, seconds: float | None, threads: int, on_tick: object | None, left: StepsLeft | None = None, even_root: bool = False) -> RootStatistics:
        """
        Search from `state` until the first budget is used up, and no further than the steps `left` of a run that ends; `even_root`: its actions are tried equally often.
        """

    def search(self, state: int, simulations: int | None, seconds: float | None, threads: int, on_tick: object | None, first: int, all: int | None, left: StepsLeft | None = None, even_root: bool = False) -> list[RootStatistics]:
        """
        Like `plan`, for the trees from number `first` on, out of `all`; returns the root statistics of each.
        """

    def decide(self, roots: Sequence[RootStatistics]) -> RootStatistics:
        """Choose an action from the root statistics of all trees, in order."""

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        """Update with one real step."""

    def observe_many(self, states: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], next_states: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)]) -> None:
        """Update with many real steps."""

    @property
    def rollouts(self) -> str:
        """Name of the roll-outs or other leaf evaluator."""

    def trees(self) -> list[Tree]:
        """The trees of the last search."""

class DirichletBelief:
    @overload
    def __init__(self, num_states: int, num_actions: int, alpha: float, tied: bool = False) -> None: ...

    @overload
    def __init__(self, num_states: int, num_actions: int, alpha: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], tied: bool = False) -> None: ...

    def state(self) -> bytes:
        """The learned state as bytes, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Restore the state of an object made with the same settings. If this raises, discard the object.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __deepcopy__(self, memo: object) -> DirichletBelief: ...

    @property
    def observations(self) -> int:
        """Number of transitions observed."""

    @property
    def tied(self) -> bool: ...

    def observe(self, state: int, action: int, next_state: int) -> None:
        """Update with one transition."""

    def observe_many(self, states: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], next_states: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)]) -> int:
        """
        Update with many transitions; the index of the first impossible one, and then nothing changes, or their number.
        """

    def possible(self, state: int, action: int, next_state: int) -> bool:
        """Whether the prior allows the transition."""

    def counts(self, state: int, action: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
        """Observed successors of (state, action), and the count of each."""

    def predictive(self, state: int, action: int) -> NDArray[numpy.float64]:
        """Probability of each next state. [S]"""

    def sample_mdp(self, seed: Sequence[int]) -> NDArray[numpy.float64]:
        """Transition probabilities drawn from the posterior. [S, A, S]"""

    def alpha(self, state: int, action: int, next_state: int) -> float:
        """The prior's pseudo-count of a transition."""

class SparseDirichletBelief:
    def __init__(self, num_states: int, num_actions: int, alpha: float, exponent: float) -> None: ...

    def repeat_probability(self, distinct: int, total: int) -> float:
        """Probability that the next successor has been observed before."""

    def support_posterior(self, distinct: int, total: int) -> NDArray[numpy.float64]:
        """Probability of each support size, from max(1, distinct) on."""

    def state(self) -> bytes:
        """The learned state as bytes, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Restore the state of an object made with the same settings. If this raises, discard the object.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __deepcopy__(self, memo: object) -> SparseDirichletBelief: ...

    @property
    def observations(self) -> int:
        """Number of transitions observed."""

    @property
    def tied(self) -> bool: ...

    def observe(self, state: int, action: int, next_state: int) -> None:
        """Update with one transition."""

    def observe_many(self, states: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], next_states: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)]) -> int:
        """
        Update with many transitions; the index of the first impossible one, and then nothing changes, or their number.
        """

    def possible(self, state: int, action: int, next_state: int) -> bool:
        """Whether the prior allows the transition."""

    def counts(self, state: int, action: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
        """Observed successors of (state, action), and the count of each."""

    def predictive(self, state: int, action: int) -> NDArray[numpy.float64]:
        """Probability of each next state. [S]"""

    def sample_mdp(self, seed: Sequence[int]) -> NDArray[numpy.float64]:
        """Transition probabilities drawn from the posterior. [S, A, S]"""

@overload
def make_search(belief: DirichletBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]]) -> Search: ...

@overload
def make_search(belief: SparseDirichletBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]]) -> Search: ...

@overload
def make_search(belief: WorldsBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]]) -> Search: ...

@overload
def make_search(belief: GridBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]]) -> Search: ...

@overload
def make_search(belief: DirichletBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]], seen: RewardCounts) -> Search: ...

@overload
def make_search(belief: SparseDirichletBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]], seen: RewardCounts) -> Search: ...

@overload
def make_search(belief: WorldsBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]], seen: RewardCounts) -> Search: ...

@overload
def make_search(belief: DirichletBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]], seen: NormalRewards) -> Search: ...

@overload
def make_search(belief: SparseDirichletBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]], seen: NormalRewards) -> Search: ...

@overload
def make_search(belief: WorldsBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]], seen: NormalRewards) -> Search: ...

@overload
def make_search(belief: VisitedStates, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]], source: BatchSource) -> Search: ...

@overload
def make_search(belief: VisitedStates, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]], source: RowSource) -> Search: ...

@overload
def make_search(belief: VisitedStates, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, seeds: Sequence[Sequence[int]], hooks: Hooks) -> Search:
    """
    A search that plans with `belief`, one tree for each seed but the last, which is for the decision.
    """

class WorldRows:
    """
    What may happen in each of some worlds; see core/beliefs/world_rows.hpp.
    """

    def __init__(self, num_worlds: int, num_actions: int, request: object | None = None, most_bytes: int = 1073741824, room: int = 1073741824) -> None:
        """
        `request(world, state, action)` returns the row of a world, a list of (number, base, end, probability, reward), or a list of such lists by world; or it adds them itself, and returns None.
        """

    def add_tables(self, transitions: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], terminal: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], conditional: bool, state: int = 0, action: int = 0) -> None:
        """
        Add tables: transitions [M, k, l, S] of k states and l actions, from `state` and `action` on, rewards [M or 1, k, l] or [M or 1, k, l, S], terminal states, 0 or 1 [M or 1, S]; with `conditional`, no action can be taken there.
        """

    def __deepcopy__(self, memo: object) -> object:
        """Itself."""

    def row(self, world: int, state: int, action: int) -> list[tuple[int, int, bool, float, float]]:
        """
        The row of a world, a list of (number, base, end, probability, reward).
        """

    def set_actions_in(self, actions_in: object) -> None:
        """
        `actions_in(state)` returns the actions that are considered there, in ascending order; before the first search.
        """

    def actions(self, state: int) -> list[int]:
        """The actions that are considered in a state."""

    def forget(self, world: int) -> None:
        """Request the rows of a world again when they are needed."""

    @property
    def num_states(self) -> int:
        """Number of states that were met."""

    @property
    def bytes(self) -> int: ...

    @property
    def requests(self) -> int:
        """Number of calls of `request`."""

class SimulatedBelief:
    """A belief that a policy sees."""

    @property
    def weights(self) -> NDArray[numpy.float64]: ...

class WorldsBelief:
    def __init__(self, rows: WorldRows, weights: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], num_states: int, pays: bool, ends: bool) -> None:
        """
        Weights [M] sum to one. `pays`: worlds have rewards of their own; `ends`: and ends of their own.
        """

    def state(self) -> bytes:
        """The learned state as bytes, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Restore the state of an object made with the same settings. If this raises, discard the object.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __deepcopy__(self, memo: object) -> WorldsBelief: ...

    @property
    def observations(self) -> int:
        """Number of transitions observed."""

    @property
    def weights(self) -> NDArray[numpy.float64]: ...

    def set_weights(self, weights: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> None:
        """
        Replace the posterior weights [M], which sum to one, after worlds were replaced.
        """

    @property
    def has_policy(self) -> bool: ...

    def set_policy(self, policy: object) -> None:
        """
        `policy(simulated, state, bits)` returns an action; for roll-outs, and as a base policy.
        """

    @property
    def has_value(self) -> bool: ...

    def set_value(self, value: object) -> None:
        """
        `value(world, state)`: what a world is worth to one who knows it; for leaves.
        """

    def observe(self, state: int, action: int, next_state: int, reward: float = float('nan'), ended: int = -1) -> bool:
        """
        Update with one step; the reward may be NaN, `ended` -1: not observed. False, and nothing changes, if it is impossible.
        """

    def observe_many(self, states: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], next_states: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], ended: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)]) -> int:
        """
        Update with many steps. The index of the first impossible one, and then nothing changes, or their number.
        """

    def possible(self, state: int, action: int, next_state: int, reward: float = float('nan')) -> bool:
        """Whether some world allows the transition, and pays the reward."""

    def mean_row(self, state: int, action: int) -> list[tuple[int, int, bool, float, float]]:
        """
        The average of the rows by their weights, a list of (number, base, end, probability, reward).
        """

    def predictive(self, state: int, action: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.float64]]:
        """What may be observed next, by number, and its probability: two arrays."""

    def draw(self, seed: Sequence[int]) -> int:
        """Index of a world drawn from the posterior."""

class GridBelief:
    def __init__(self, columns: tuple[float, float], rows: tuple[float, float], gibbs: bool, factors: tuple[float, float], cap: float, updates_per_simulation: int, updates_per_search: int) -> None: ...

    def state(self) -> bytes:
        """The learned state as bytes, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Restore the state of an object made with the same settings. If this raises, discard the object.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    @property
    def observations(self) -> int:
        """Number of transitions observed."""

    @property
    def updates(self) -> int: ...

    @property
    def accepted(self) -> int: ...

    def consistent(self, state: int) -> bool:
        """Whether the content of the cell agrees with the observations."""

    def observe(self, state: int, next_state: int) -> None:
        """Update with one transition."""

    def cells(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
        """Observed cells [n, 2], and whether each held a reward [n]."""

    def sample_parameters(self, samples: int, thin: int, burn_in: int, seed: Sequence[int]) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.float64], NDArray[numpy.float64], int]:
        """
        (column coordinates, row coordinates, columns [n, C], rows [n, R], accepted updates) of a separate chain.
        """

    def perfect_information_values(self, state: int, discount: float, steps: int, worlds: int, seed: Sequence[int]) -> NDArray[numpy.float64]:
        """
        The most that an agent can earn that is told all parameters, in each of some worlds of a separate chain. [worlds]
        """

class RewardBelief:
    """A belief over rewards, which a solver can read."""

    @property
    def observations(self) -> int:
        """Number of rewards observed."""

class RewardCounts(RewardBelief):
    """Counts of observed rewards, and the prior over them."""

    def __init__(self, values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], alpha: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], deterministic: bool, num_actions: int) -> None: ...

    def state(self) -> bytes:
        """The learned state as bytes, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Restore the state of an object made with the same settings. If this raises, discard the object.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __deepcopy__(self, memo: object) -> RewardCounts: ...

    def observe(self, state: int, action: int, value: int, first: object) -> None:
        """
        Update with one reward, given by its index among the values, after calling `first`; if that raises, nothing changes.
        """

    def counts(self, state: int, action: int) -> NDArray[numpy.float64]:
        """Count of each value. [V]"""

class NormalRewards(RewardBelief):
    """Observed normal rewards, and the prior over them."""

    def __init__(self, priors: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], num_actions: int, cuts: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> None:
        """
        `priors`: mean, strength, degrees and variance, for all pairs [1, 4] or for each [S·A, 4].
        """

    def state(self) -> bytes:
        """The learned state as bytes, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Restore the state of an object made with the same settings. If this raises, discard the object.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __deepcopy__(self, memo: object) -> NormalRewards: ...

    def observe(self, state: int, action: int, reward: float, first: object) -> None:
        """
        Update with one reward after calling `first`; if that raises, nothing changes.
        """

    def posterior(self, state: int, action: int) -> tuple[float, float, float, float]:
        """Mean, strength, degrees and variance of the rewards of a pair."""

class VisitedStates:
    """Set of visited states, for beliefs that are kept in Python."""

    def __init__(self, num_states: int, num_actions: int) -> None: ...

    def state(self) -> bytes:
        """The learned state as bytes, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Restore the state of an object made with the same settings. If this raises, discard the object.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __deepcopy__(self, memo: object) -> VisitedStates: ...

    @property
    def observations(self) -> int:
        """Number of transitions observed."""

    def observe(self, state: int, next_state: int, first: object) -> None:
        """
        Update with one transition after calling `first`, which updates the rest of the belief; if that raises, nothing changes.
        """

class BatchSource:
    """Source of batches of transition tables for the trees of a search."""

    def __init__(self, make: object) -> None:
        """`make` is called once for each tree and returns its `draw()`."""

class RowSource:
    """Source of single rows for the trees of a search."""

    def __init__(self, make: object) -> None:
        """
        `make` is called once for each tree and returns its (begin or None, sample_row).
        """

class Hooks:
    """
    A model defined by the addresses of C functions; see core/models/user.hpp.
    """

    def __init__(self, begin: int, step: int, policy: int, belief: int, scratch: bytes, failed: object) -> None: ...

def gamma_address() -> int:
    """
    The address of `double gamma(uint64_t rng[4], double shape)`, for hooks.
    """

def normal_address() -> int:
    """
    The address of `double normal(uint64_t rng[4])`, standard normal, for hooks.
    """

def poisson_address() -> int:
    """
    The address of `int64_t poisson(uint64_t rng[4], double mean)`, for hooks.
    """

class TreeDecision:
    """
    The decision of a search over beliefs; see core/search/belief_tree.hpp.
    """

    @property
    def action(self) -> int: ...

    @property
    def simulations(self) -> int: ...

    @property
    def depth(self) -> int: ...

    @property
    def solved(self) -> bool: ...

    @property
    def full(self) -> bool: ...

    @property
    def values(self) -> NDArray[numpy.float64]: ...

    @property
    def uncertainties(self) -> NDArray[numpy.float64]: ...

    @property
    def visits(self) -> NDArray[numpy.int64]: ...

@overload
def plan_counts(solver: Solver, belief: DirichletBelief, learned: RewardBelief | None, state: int, base: Sequence[int], left: StepsLeft | None, simulations: int | None, seconds: float | None, memory: int, slack: float, even: bool, want_tree: bool, returns: int, steps: int, worst: float, seed: Sequence[int], on_tick: object | None = None) -> tuple[TreeDecision, Tree, NDArray[numpy.float64]]: ...

@overload
def plan_counts(solver: Solver, belief: SparseDirichletBelief, learned: RewardBelief | None, state: int, base: Sequence[int], left: StepsLeft | None, simulations: int | None, seconds: float | None, memory: int, slack: float, even: bool, want_tree: bool, returns: int, steps: int, worst: float, seed: Sequence[int], on_tick: object | None = None) -> tuple[TreeDecision, Tree, NDArray[numpy.float64]]:
    """
    Plan with a belief whose mean is loaded and solved: the decision, its tree, and `returns` of its policy in worlds drawn from the belief.
    """

class BoundsDecision:
    """The decision of a search with bounds; see core/search/bounds.hpp."""

    @property
    def action(self) -> int: ...

    @property
    def simulations(self) -> int: ...

    @property
    def depth(self) -> int: ...

    @property
    def decided(self) -> bool: ...

    @property
    def full(self) -> bool: ...

    @property
    def lower(self) -> NDArray[numpy.float64]: ...

    @property
    def upper(self) -> NDArray[numpy.float64]: ...

    @property
    def estimates(self) -> NDArray[numpy.float64]: ...

    @property
    def visits(self) -> NDArray[numpy.int64]: ...

class BoundsPlanner:
    """Search with bounds over weighted worlds; see core/search/bounds.hpp."""

    def __init__(self, belief: WorldsBelief, discount: float, tolerance: float, most_rows: int, value: object | None = None) -> None:
        """
        `most_rows` are explored at most to solve the worlds; `value(world, state)`: what a world is worth to one who knows it, an upper bound, instead of solving it.
        """

    def plan(self, state: int, left: StepsLeft | None, simulations: int | None, seconds: float | None, memory: int, even: bool, want_tree: bool, on_tick: object | None = None) -> tuple[BoundsDecision, Tree]:
        """
        Plan with what is left of a run, None without an end: the decision and its tree.
        """

class OpenLoop:
    """
    A search for the best sequence of actions; see core/search/open_loop.hpp.
    """

    def state(self) -> bytes:
        """The learned state as bytes, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Restore the state of an object made with the same settings. If this raises, discard the object.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    def load(self, samples: int, seed: int) -> None:
        """
        Plan in the mean (0 samples), or in the best of models drawn from the posterior.
        """

    def q_values(self, state: int, steps: int) -> NDArray[numpy.float64]:
        """The return of the best sequence that begins with each action. [A]"""

@overload
def make_open_loop(belief: GridBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings) -> OpenLoop:
    """A search for the best path on an infinite grid."""

@overload
def make_open_loop(belief: VisitedStates, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], settings: Settings, hooks: Hooks) -> OpenLoop:
    """A search for the best sequence of actions in models of a belief."""

def simulated_return(belief: GridBelief, discount: float, bonus: float, worlds: int, seed: int) -> float:
    """
    The mean return of the best paths with a bonus in worlds drawn from the prior.
    """

def gittins_indices(successes: float, failures: float, discount: float, tolerance: float, more_successes: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], more_failures: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
    """
    Gittins indices of Beta(successes + more_successes, failures + more_failures). [K]
    """

def normal_gittins_indices(strength: float, count: int, discount: float, tolerance: float, fine: float = 1.0) -> NDArray[numpy.float64]:
    """
    Lower bounds, off by twice the tolerance at most, of the Gittins indices of normal arms with variance 1 and posteriors N(0, 1 / strength), N(0, 1 / (strength + 1)), … [count]
    """

def finite_gittins_indices(successes: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], failures: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], steps: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], discount: float, tolerance: float, threads: int) -> NDArray[numpy.float64]:
    """
    Gittins indices of Beta(successes, failures) arms that can be pulled at most `steps` more times. [K]
    """

def solve_arms(arms: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], discount: float, horizon: int, keep: str, last: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], threads: int, on_tick: object | None) -> tuple[NDArray[numpy.float64], NDArray[numpy.uint8], NDArray[numpy.uint16]]:
    """
    (values, masks, cuts) of Beta arms, [K, 4]: successes, failures, rewards of a failure and a success.
    """

class Lattice:
    """The belief states of a Bayes-adaptive MDP, step by step from the root."""

    def expand(self, state: int, limit: int, on_tick: object | None = None) -> bool:
        """Enumerate the belief states; False if there are more than `limit`."""

    def solve(self, on_tick: object | None = None) -> None:
        """Compute all values."""

    def q_values(self, depth: int, position: int) -> NDArray[numpy.float64]:
        """The value of each action in a belief state. [A]"""

    def outcomes(self, depth: int, position: int, action: int) -> list[tuple[int, float, bool, int | None, float]]:
        """
        What may follow an action: next state, reward, whether the episode ends, the position of the next belief state in its layer, and the probability.
        """

    @property
    def num_cells(self) -> int:
        """Number of counts of a belief state."""

    @property
    def num_outcomes(self) -> int:
        """Number of outcomes of an action, at most."""

    @property
    def layer_sizes(self) -> NDArray[numpy.int64]:
        """
        Number of belief states after 0, 1, … steps, as far as they were enumerated.
        """

@overload
def make_lattice(belief: DirichletBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], discount: float, horizon: int, leaf: float, terminal: Sequence[int], restart: int = -1, time_limit: int = 0) -> Lattice: ...

@overload
def make_lattice(belief: SparseDirichletBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], discount: float, horizon: int, leaf: float, terminal: Sequence[int], restart: int = -1, time_limit: int = 0) -> Lattice: ...

@overload
def make_lattice(belief: WorldsBelief, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], discount: float, horizon: int, leaf: float, terminal: Sequence[int], restart: int = -1, time_limit: int = 0) -> Lattice:
    """A lattice of future belief states, not yet expanded."""

def add_responses(after: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], weights: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], allocation: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], arm: int, patients: int) -> None:
    """
    Add to `after` the probabilities of the counts with so many more patients on an arm.
    """

def add_cut_responses(after: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], weights: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.uint16], dict(order='C', device='cpu', writable=False)], arm: int, below: float, between: float, above: float) -> None:
    """
    Add to `after` the probabilities with one more patient on one of two arms, if the allocation is constant below, between and from two cuts of each row.
    """

class Solver:
    """
    Bellman equations of the mean of a belief, or of samples from it; see core/solve/solver.hpp.
    """

    def __init__(self, rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], discount: float, terminal: Sequence[int] = [], ends: bool = False) -> None:
        """`ends`: whether steps of tables may end an episode."""

    def state(self) -> bytes:
        """The learned state as bytes, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Restore the state of an object made with the same settings. If this raises, discard the object.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __deepcopy__(self, memo: object) -> Solver: ...

    @property
    def num_states(self) -> int: ...

    @property
    def num_actions(self) -> int: ...

    @property
    def num_active(self) -> int:
        """Number of states with their own equation; all others share one."""

    def load_tables(self, transitions: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], rewards: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None = None, ends: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        Load dense models [K, S, A, S], to be solved as one; with their own expected rewards [K, S, A], and the part that ends the episode [K, S, A, S].
        """

    def set_bonuses(self, bonuses: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> None:
        """
        Add to the rewards of the table that is loaded, [S, A], until another model is.
        """

    def next_values(self) -> NDArray[numpy.float64]:
        """
        The value of each state after the next step, where the steps left are known. [S]
        """

    def solve(self, tolerance: float, on_tick: object | None = None) -> int:
        """
        Solve to within `tolerance`, starting from the last solution; returns the number of full backups.
        """

    def solve_steps(self, left: StepsLeft, on_tick: object | None = None) -> None:
        """Solve for a known number of steps left, by backward induction."""

    def set_leaf_layers(self, search: Search, left: StepsLeft, depth: int, tolerance: float, on_tick: object | None = None) -> None:
        """
        Solve with the steps left and set the leaf values of a search: there are fewer left at each depth, up to `depth`.
        """

    def set_leaf_values(self, search: Search, tolerance: float) -> None:
        """
        Set the leaf values of a search to the solution, which has this tolerance.
        """

    def q_values(self, state: int) -> NDArray[numpy.float64]:
        """The value of each action in `state`. [A]"""

    def q_table(self) -> NDArray[numpy.float64]:
        """The value of each action in each state, [S · A]."""

    @overload
    def load_mean(self, belief: DirichletBelief, bonus: float = 0.0, learned: RewardBelief | None = None) -> None: ...

    @overload
    def load_mean(self, belief: SparseDirichletBelief, bonus: float = 0.0, learned: RewardBelief | None = None) -> None:
        """
        Load the posterior mean, with each reward increased by bonus / (1 + pseudo-counts + visits); rewards are known, or `learned`.
        """

    @overload
    def solve_index(self, belief: DirichletBelief, state: int, tolerance: float, left: StepsLeft | None = None, learned: RewardBelief | None = None, on_tick: object | None = None) -> None: ...

    @overload
    def solve_index(self, belief: SparseDirichletBelief, state: int, tolerance: float, left: StepsLeft | None = None, learned: RewardBelief | None = None, on_tick: object | None = None) -> None:
        """
        Load the posterior mean and solve it with a bonus for learning, as seen from `state`, until another model is loaded; with `left`, for so many steps.
        """

    @overload
    def load_samples(self, belief: DirichletBelief, count: int, seed: Sequence[int], on_tick: object | None = None, learned: RewardBelief | None = None) -> None: ...

    @overload
    def load_samples(self, belief: SparseDirichletBelief, count: int, seed: Sequence[int], on_tick: object | None = None, learned: RewardBelief | None = None) -> None:
        """
        Load models drawn from the posterior, to be solved as one; rewards are known, or drawn from the counts `learned`.
        """

def index_units(u: float) -> float:
    """
    A bonus for learning in standard deviations; see core/solve/exploration_bonus.hpp.
    """

class Bfs3Settings:
    """Settings of BFS3; see bamdp.agents.BFS3."""

    def __init__(self, *, discount: float, branching: int, depth: int, trajectories: int, v_min: float, v_max: float, shared: bool, closed: bool, by_lower: bool, terminal: Sequence[int], memory: int) -> None: ...

class Bfs3Plan:
    """Bounds and visits of the actions at the root of BFS3."""

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
        """The learned state as bytes, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Restore the state of an object made with the same settings. If this raises, discard the object.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    def limit(self, depth: int, closed: bool, v_min: float, v_max: float) -> None:
        """For the next searches, of a run that ends."""

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
        """The learned state as bytes, for `restore`."""

    def restore(self, state: bytes) -> None:
        """
        Restore the state of an object made with the same settings. If this raises, discard the object.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    def limit(self, depth: int, closed: bool, v_min: float, v_max: float) -> None:
        """For the next searches, of a run that ends."""

    def plan(self, state: int, on_tick: object | None = None) -> Bfs3Plan:
        """Search from `state`."""
