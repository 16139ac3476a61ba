"""What information is worth: of learning at all, of knowing the world or a part of it, and of
observations before anything is decided.

With V*(b) the Bayes-optimal value of a belief b, and V_w that of a known world w,

    V⁰        the best policy that never learns: it chooses by the state and the steps left alone
    V* − V⁰   the value of learning at all
    E[V_w] − V*              of knowing the world: expected value of perfect information
    E[V*(b given θ)] − V*    of knowing a parameter θ: of partial perfect information
    E[V*(b after n)] − V*    of n observations of an action: of sample information

None is negative (Raiffa and Schlaifer 1961; in adaptive management Williams, Eaton and Breininger
2011). Each V is exact where it can be computed; else it has an interval.
"""

from __future__ import annotations

import copy
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.exact._largest_mean import largest_beta, largest_normal
from bamdp.exact._never_learning import MOST_LISTED, HiddenCounts, HiddenWorlds, never_learning
from bamdp.exact.arms import arms_table, outcome_rewards
from bamdp.exact.bayes_optimal import bayes_optimal
from bamdp.exact.belief_states import BeliefStates, TooManyBeliefStatesError
from bamdp.exact.solution import LONGEST, Question
from bamdp.exact.upper_bound import upper_bound
from bamdp.mdp import MDP, annuity
from bamdp.prior import Belief
from bamdp.priors._worlds_belief import WorldsBelief
from bamdp.priors._worlds_list import number_columns
from bamdp.priors._worlds_tables import TooManyToListError
from bamdp.priors.beta_arms import BetaArmsBelief
from bamdp.priors.normal_arms import NormalArmsBelief
from bamdp.priors.parametric import ParametricBelief
from bamdp.problem import BAMDP, checked_problem, resolve_belief
from bamdp.progress import progress
from bamdp.spaces import action_name
from bamdp.statistics import Mean, digits
from bamdp.steps import check_nonterminal
from bamdp.validation import integer, listed, positive_integer, short_repr

Array = NDArray[np.float64]

MOST_BELIEFS = 5000  # after the observations that are valued
MOST_ROWS = 2 * 10**6  # explored to solve the worlds, where there are no tables
NODES = 3000  # of a search with bounds there
MEMORY = 2**30
CLOSE = 1e-9  # relative difference of bounds of a value that is known


@dataclass(frozen=True)
class ValueOfInformation:
    """What information is worth in a problem, from one state on. Each value has an interval; its
    ends are the same where it is exact.

    Attributes:
        never_learning: value of the best policy that never learns.
        learning: the Bayes-optimal value, V*.
        knowing: mean value of knowing the world from the start.
        knowing_parameters: that of knowing a parameter from the start, by its name.
        observing: mean value after the observations that were asked for, before they are known;
            None if none were.
        observations: what these are, in words.
    """

    never_learning: Mean
    learning: Mean
    knowing: Mean
    knowing_parameters: dict[str, Mean]
    observing: Mean | None = None
    observations: str = ""

    @property
    def of_learning(self) -> Mean:
        """The value of learning at all: V* less that of the best policy that never learns."""
        return _gain(self.learning, self.never_learning)

    @property
    def of_the_world(self) -> Mean:
        """The value of knowing the world: no information is worth more, beyond learning."""
        return _gain(self.knowing, self.learning)

    @property
    def of_parameters(self) -> dict[str, Mean]:
        """The value of knowing a parameter, by its name."""
        known = self.knowing_parameters
        return {name: _gain(value, self.learning) for name, value in known.items()}

    @property
    def of_observations(self) -> Mean | None:
        """The value of the observations; None if none were asked for."""
        return None if self.observing is None else _gain(self.observing, self.learning)

    def table(self) -> list[dict[str, Any]]:
        """Rows for `pandas.DataFrame`: what is known, its value, and what it adds to learning."""
        rows = [("never learning", self.never_learning, _gain(self.never_learning, self.learning))]
        rows.append(("learning (V*)", self.learning, Mean(0.0, 0.0, 0.0)))
        if self.observing is not None:
            rows.append((self.observations, self.observing, _gain(self.observing, self.learning)))
        for name, value in self.knowing_parameters.items():
            rows.append((f"knowing {name}", value, _gain(value, self.learning)))
        rows.append(("knowing the world", self.knowing, self.of_the_world))
        return [
            {
                "what": what,
                "value": value.value,
                "low": value.low,
                "high": value.high,
                "worth": worth.value,
                "worth_low": worth.low,
                "worth_high": worth.high,
            }
            for what, value, worth in rows
        ]

    def __str__(self) -> str:
        heads = ("", "value", "more than V*")
        rows = [heads]
        for row in self.table():
            value = Mean(row["value"], row["low"], row["high"])
            worth = Mean(row["worth"], row["worth_low"], row["worth_high"])
            rows.append((row["what"], _shown_value(value), _shown_value(worth)))
        wide = [max(len(row[i]) for row in rows) for i in range(3)]
        return "\n".join(
            f"{what:{wide[0]}}  {value:>{wide[1]}}  {worth:>{wide[2]}}"
            for what, value, worth in rows
        )


def value_of_information(
    problem: BAMDP,
    state: int | None = None,
    *,
    horizon: int | None = None,
    belief: Belief | None = None,
    parameters: Sequence[str] = (),
    action: Any = None,
    observations: int = 1,
    parts: int = 10,
    worlds: int = 2000,
    seed: int = 0,
) -> ValueOfInformation:
    """What information is worth: of learning at all, of knowing the world or a parameter, and of
    observations of an action before anything is decided.

    Args:
        problem: the problem, with the prior `Finite`, `Parametric`, `Worlds`, `Dirichlet`,
            `SparseDirichlet`, `BetaArms` or `NormalArms`, and one episode.
        state: the current state; the problem's start if not given.
        horizon: number of steps that count; the problem's if not given.
        belief: the belief after observations; that of the prior if not given.
        parameters: names of parameters whose knowledge is valued, as `belief.summary()` has them;
            of `Parametric`, `parameter`, or `parameter[0]` and so on.
        action: an action whose observations in `state` are valued, by its index or name: its
            outcomes are seen, and neither paid for nor followed.
        observations: number of these observations.
        parts: a parameter of more values is known but for its part, of so many of the same
            probability.
        worlds: number of worlds that are drawn where there are infinitely many, at least 50.
        seed: seed of these draws.

    Raises:
        ValueError: there is no horizon, or observations have too many outcomes.

    Example:
        A coin that shows heads with probability 0.2 or 0.8; 5 bets on heads, or none:

        >>> import bamdp
        >>> def bet(bias, state, action):
        ...     if action == "wait":
        ...         return bamdp.Outcome(state)
        ...     return [bamdp.Outcome(state, 1.0, probability=bias),
        ...             bamdp.Outcome(state, -1.0, probability=1 - bias)]
        >>> problem = bamdp.BAMDP(bamdp.priors.Worlds([0.2, 0.8], bet, weights=[0.7, 0.3]),
        ...     discount=1, horizon=5, start=0, actions=["wait", "bet"])
        >>> print(value_of_information(problem, action="bet", observations=2))
                                value  more than V*
        never learning              0       -0.1213
        learning (V*)          0.1213             0
        2 observations of bet  0.5512        0.4299
        knowing the world         0.9        0.7787
    """
    question = _Values.of(checked_problem(problem), state, horizon, belief, worlds, seed)
    parts = integer("parts", parts, 2, 1000)
    observations = positive_integer("observations", observations, 1000)
    index = None if action is None else _action(problem, action)
    names = [parameters] if isinstance(parameters, str) else listed("parameters", parameters, str)
    columns = {name: _parameter_values(question.belief, name) for name in names}
    optimum = question.optimum(question.belief)
    known = {
        name: question.mixture(_known(question.belief, column, parts))
        for name, column in columns.items()
    }
    observing, text = None, ""
    if index is not None:
        beliefs = _observed(question.belief, question.state, index, observations)
        observing = question.mixture(beliefs)
        many = "1 observation" if observations == 1 else f"{observations} observations"
        text = f"{many} of {action_name(problem, index)}"
    knowing = question.knowing()
    return ValueOfInformation(
        question.never_learning(optimum),
        _at_most(optimum, knowing),
        knowing,
        known,
        observing,
        text,
    )


@dataclass(frozen=True)
class _Values:
    """The values of beliefs of a problem, from one state on."""

    problem: BAMDP
    state: int
    belief: Belief
    horizon: int
    worlds: int
    seed: int

    @classmethod
    def of(
        cls,
        problem: BAMDP,
        state: int | None,
        horizon: int | None,
        belief: Any,
        worlds: int,
        seed: int,
    ) -> _Values:
        """The arguments of `value_of_information`, checked."""
        steps = problem.horizon if horizon is None else horizon
        if steps is None:
            raise ValueError(
                "horizon must be given, the number of steps that count, or be that of the problem, "
                f"got none{_advice(problem.discount)}"
            )
        if problem.episode_length is not None:
            raise ValueError(
                "episode_length must be None for value_of_information, which has one episode, got "
                f"{problem.episode_length}"
            )
        steps = integer("horizon", steps, 1, LONGEST)
        if state is None and problem.start is None:
            raise ValueError("state must be given, as the problem has no start")
        checked = check_nonterminal(problem, problem.start if state is None else state)
        current = resolve_belief(problem, belief)
        if (
            _independent_arms(current) is None
            and _listed_worlds(current) is None
            and current.counts is None
        ):
            raise TypeError(
                "prior must be Finite, Parametric, Worlds, Dirichlet, SparseDirichlet, BetaArms or "
                f"NormalArms, got {problem.prior!r}"
            )
        worlds = integer("worlds", worlds, 50, 10**6)
        return cls(replace(problem, horizon=steps), checked, current, steps, worlds, seed)

    def optimum(self, belief: Belief) -> Mean:
        """V* of a belief; between bounds where it can't be solved."""
        arms = _independent_arms(belief)
        if arms is not None and not arms.can_be_solved:
            return _between(self.never_learning(_known_value(math.inf)).value, self.knowing().value)
        try:
            solution = bayes_optimal(self.problem, self.state, self.horizon, belief=belief)
        except (TooManyBeliefStatesError, TooManyToListError):
            return self._bounded(belief)
        error = solution.error_bound
        return Mean(solution.value, solution.value - error, solution.value + error)

    def _bounded(self, belief: Belief) -> Mean:
        """V* between the bounds of a search, of listed worlds; else between those of other
        policies.
        """
        native = None if belief.native is None else belief.native[0]
        if isinstance(native, _core.WorldsBelief):
            planner = _core.BoundsPlanner(native, self.problem.discount, CLOSE, MOST_ROWS, None)
            left = _core.StepsLeft(self.horizon)
            decision, _ = planner.plan(self.state, left, NODES, None, MEMORY, True, False, None)
            return _between(max(decision.lower), max(decision.upper))
        knowing = self.knowing()
        fixed = self._fixed(self._drawn(belief))
        return _between(_low(fixed), _high(knowing))

    def mixture(self, beliefs: list[tuple[float, Belief]]) -> Mean:
        """The mean of V* over beliefs with probabilities."""
        each = []
        with progress("beliefs") as show:
            for probability, belief in beliefs:
                each.append((probability, self.optimum(belief)))
                show("", len(each), len(beliefs))
        return Mean(
            sum(p * value.value for p, value in each),
            sum(p * _low(value) for p, value in each),
            sum(p * _high(value) for p, value in each),
        )

    def knowing(self) -> Mean:
        """The mean value of knowing the world."""
        arms = _independent_arms(self.belief)
        if arms is not None and arms.largest is not None:
            return _known_value(annuity(self.problem.discount, self.horizon) * arms.largest)
        hidden = self._hidden()
        if hidden is not None:
            return _known_value(float(hidden.mass @ hidden.bound(0, hidden.start)))
        batches = 10
        bound = upper_bound(
            self.problem,
            self.state,
            delay=0,
            belief=self.belief,
            worlds=max(1, self.worlds // batches),
            batches=batches,
            seed=self.seed,
        )
        return bound.perfect_information

    def never_learning(self, optimum: Mean) -> Mean:
        """The value of the best policy that never learns."""
        arms = _independent_arms(self.belief)
        if arms is not None:
            return _known_value(annuity(self.problem.discount, self.horizon) * arms.best)
        hidden: HiddenWorlds | HiddenCounts | None = self._hidden() or self._counts()
        if hidden is None:
            fixed = self._fixed(self._drawn(self.belief))
            return Mean(fixed.value, fixed.low, max(fixed.value, _high(optimum)))
        low, high = never_learning(hidden)
        return _between(low, max(low, min(high, _high(optimum))))

    def _hidden(self) -> HiddenWorlds | None:
        """The worlds of the belief, where they are listed."""
        listed = _listed_worlds(self.belief)
        if listed is None:
            return None
        start = listed.base(self.state)
        first = next(iter(listed.actions(start)))
        possible = np.flatnonzero(listed.weights).tolist()
        left = np.array([m for m in possible if listed.row(m, start, first)])  # it ends in no other
        return HiddenWorlds(
            lambda m, s, a: listed.row(int(left[m]), s, a),
            listed.weights[left] / listed.weights[left].sum(),
            start,
            listed.actions,
            self.problem.discount,
            self.horizon,
        )

    def _counts(self) -> HiddenCounts | None:
        """The belief states of independent rows, if they are few."""
        problem = self.problem
        question = Question.of(
            problem, self.state, self.horizon, None, self.belief, None, None, MOST_LISTED
        )
        states = BeliefStates(question)
        if not states.fits:
            return None
        return HiddenCounts(
            states.lattice(),
            int,
            self.state,
            problem.num_actions,
            problem.discount,
            self.horizon,
        )

    def _drawn(self, belief: Belief) -> MDP:
        return belief.sample(self.worlds, np.random.default_rng([self.seed, 1]))

    def _fixed(self, drawn: MDP) -> Mean:
        """What the policy that is optimal in the posterior mean earns in worlds that were drawn."""
        mean = self.belief.mean()
        values = np.zeros((len(drawn.terminal), mean.num_states))
        plan = [mean.solve(self.problem.discount, t).q_values for t in range(1, self.horizon + 1)]
        places = np.arange(mean.num_states)
        moves, paid = drawn.transitions, drawn.expected_rewards
        for q in plan:
            act = q.argmax(axis=1)
            ahead = np.where(drawn.terminal, 0.0, values)
            ahead = np.einsum("mst,mt->ms", moves[:, places, act], ahead)
            values = paid[:, places, act] + self.problem.discount * ahead
        each = values[:, self.state]
        half = 1.96 * float(each.std(ddof=1)) / math.sqrt(len(each))
        return Mean(float(each.mean()), float(each.mean()) - half, float(each.mean()) + half)


# ---- parameters and observations


@singledispatch
def _parameter_columns(belief: Belief) -> dict[str, Array]:
    """The parameters of the worlds of a belief by name. [M, …]"""
    return {}


@_parameter_columns.register
def _(belief: WorldsBelief) -> dict[str, Array]:
    return number_columns(belief.worlds)


@_parameter_columns.register
def _(belief: ParametricBelief) -> dict[str, Array]:
    return {"parameter": belief.parameters}


def _parameter_values(belief: Belief, name: str) -> Array:
    """The values of a parameter. [M]"""
    entries = {
        f"{each}[{', '.join(map(str, place))}]" if place else each: values[(slice(None), *place)]
        for each, values in _parameter_columns(belief).items()
        for place in np.ndindex(values.shape[1:])
    }
    if name not in entries:
        has = f"one of {sorted(entries)}" if entries else "none, as its worlds have no numbers"
        raise ValueError(f"each of parameters must be {has}, got {name!r}")
    return entries[name]


def _known(belief: Belief, column: Array, parts: int) -> list[tuple[float, Belief]]:
    """The beliefs given the value of a parameter, or its part of the same probability."""
    weights = _world_weights(belief)
    possible = np.flatnonzero(weights)
    values, group = np.unique(column[possible], return_inverse=True)
    if len(values) > parts:
        masses = np.bincount(group, weights[possible])
        middle = (np.cumsum(masses) - masses / 2) / masses.sum()
        group = np.minimum((middle * parts).astype(int), parts - 1)[group]
    beliefs = []
    for each in np.unique(group).tolist():
        inside = np.zeros(len(weights))
        inside[possible[group == each]] = weights[possible[group == each]]
        conditioned = copy.copy(belief)
        assert conditioned.native is not None
        conditioned.native[0].set_weights(inside / inside.sum())
        beliefs.append((float(inside.sum() / weights.sum()), conditioned))
    return beliefs


def _world_weights(belief: Belief) -> Array:
    assert belief.native is not None
    weights: Array = belief.native[0].weights
    return weights


Seen = tuple[int, float | None, bool]  # next state, reward, whether the episode ended


def _observed(belief: Belief, state: int, action: int, count: int) -> list[tuple[float, Belief]]:
    """The beliefs after so many observations of an action, with probabilities; their order does not
    matter.
    """
    layer: dict[tuple[tuple[Seen, int], ...], tuple[float, Belief]] = {(): (1.0, belief)}
    for _ in range(count):
        after: dict[Any, tuple[float, Belief]] = {}
        for seen, (probability, current) in layer.items():
            for p, outcome in _outcomes(current, state, action):
                counts = Counter(dict(seen))
                counts[outcome] += 1
                name = tuple(sorted(counts.items(), key=repr))
                if name in after:
                    after[name] = after[name][0] + probability * p, after[name][1]
                    continue
                learned = copy.copy(current)
                learned.observe(state, action, outcome[1], outcome[0], outcome[2])
                after[name] = probability * p, learned
                if len(after) > MOST_BELIEFS:
                    raise ValueError(
                        f"observations must be fewer, got {count}: they have more than "
                        f"{MOST_BELIEFS} different results"
                    )
        layer = after
    return list(layer.values())


@singledispatch
def _outcomes(belief: Belief, state: int, action: int) -> list[tuple[float, Seen]]:
    """What may be observed of an action, with probabilities."""
    listed, prior = _listed_worlds(belief), belief.problem.prior
    if listed is None:
        predictive = belief.predictive(state, action)
        return [(float(predictive[s]), (int(s), None, False)) for s in np.flatnonzero(predictive)]
    mean: dict[Seen, float] = {}
    for m in np.flatnonzero(listed.weights).tolist():
        for after, ends, p, reward in listed.row(m, state, action):
            seen = after, reward if prior.unknown_rewards else None, ends and prior.unknown_terminal
            mean[seen] = mean.get(seen, 0.0) + float(listed.weights[m]) * p
    return [(p, seen) for seen, p in mean.items()]


@_outcomes.register
def _(belief: WorldsBelief, state: int, action: int) -> list[tuple[float, Seen]]:
    row = belief.native[0].mean_row(state, action)
    return [(p, (number, reward, ends)) for number, _, ends, p, reward in row]


@_outcomes.register
def _(belief: NormalArmsBelief, state: int, action: int) -> list[tuple[float, Seen]]:
    raise TypeError(
        "action must be None for NormalArms, whose rewards can't be listed; knowing the world is "
        "the most that observations are worth"
    )


# ---- kinds of beliefs


class _Listed(NamedTuple):
    """Worlds in a list.

    Attributes:
        weights: their probabilities. [M]
        row: `row(world, state, action)` lists (next state, ends, probability, reward).
        base: the state in which an observation was made.
        actions: the actions that are considered in a state.
    """

    weights: Array
    row: Callable[[int, int, int], list[tuple[int, bool, float, float]]]
    base: Callable[[int], int]
    actions: Callable[[int], Sequence[int]]


@singledispatch
def _listed_worlds(belief: Belief) -> _Listed | None:
    """The worlds of a belief over tables; None if they are not in a list."""
    worlds = belief.particles
    if worlds is None or worlds.weights is None or worlds.outcomes is not None:
        return None
    tables, terminal = worlds.transitions, worlds.terminal
    paid = worlds.rewards if worlds.rewards.ndim == 4 else worlds.rewards[..., None]
    paid = np.broadcast_to(paid, tables.shape)

    def row(m: int, s: int, a: int) -> list[tuple[int, bool, float, float]]:
        if terminal[m, s]:
            return []
        return [
            (int(n), bool(terminal[m, n]), float(tables[m, s, a, n]), float(paid[m, s, a, n]))
            for n in np.flatnonzero(tables[m, s, a])
        ]

    A = belief.problem.num_actions
    return _Listed(worlds.weights, row, lambda state: state, lambda state: range(A))


@_listed_worlds.register
def _(belief: WorldsBelief) -> _Listed:
    def row(m: int, s: int, a: int) -> list[tuple[int, bool, float, float]]:
        outcomes = belief.rows.row(m, s, a)
        return [(base, ends, p, paid) for _, base, ends, p, paid in outcomes]

    numbers: Any = belief.problem.prior
    return _Listed(belief.weights, row, numbers.numbers.base, belief.rows.actions)


class _Arms(NamedTuple):
    """Independent arms, whose state is of no consequence.

    Attributes:
        best: the largest expected reward of an arm.
        largest: the expected largest mean reward, once all are known; None without SciPy.
        can_be_solved: whether `bayes_optimal` takes so many.
    """

    best: float
    largest: float | None
    can_be_solved: bool = True


@singledispatch
def _independent_arms(belief: Belief) -> _Arms | None:
    """The arms of a belief; None if it is not one over arms."""
    return None


@_independent_arms.register
def _(belief: NormalArmsBelief) -> _Arms:
    arms = [belief.arm(a) for a in range(belief.problem.num_actions)]
    normal = [(float(np.asarray(x.mean)), float(np.asarray(x.deviation))) for x in arms]
    best, largest = max(mean for mean, _ in normal), largest_normal(normal)
    return _Arms(best, largest, can_be_solved=len(normal) == 2)


@_independent_arms.register
def _(belief: BetaArmsBelief) -> _Arms | None:
    counts, paid = arms_table(belief), outcome_rewards(belief.problem.rewards)
    if counts is None or paid is None or belief.problem.terminal:
        return None
    (a, b), (failure, success) = counts.T, paid.T
    largest = largest_beta(np.hstack([counts, paid])) if find_spec("scipy") else None
    return _Arms(float(((b * failure + a * success) / (a + b)).max()), largest)


# ---- numbers


def _action(problem: BAMDP, action: Any) -> int:
    names = problem.actions or ()
    try:
        if action in names and (problem.actions is not None):
            return names.index(action)
    except TypeError:  # it can't be hashed or compared
        pass
    if isinstance(action, str):
        raise ValueError(f"action must be one of {short_repr(names)}, got {action!r}")
    return integer("action", action, 0, problem.num_actions - 1)


def _advice(discount: float) -> str:
    if discount == 1:
        return ""
    steps = 1 if discount == 0 else math.ceil(math.log(0.01) / math.log(discount))
    return f"; with the discount {discount:g}, {steps} steps leave out 1 % of the largest value"


def _known_value(value: float) -> Mean:
    return Mean(float(value), float(value), float(value))


def _between(low: float, high: float) -> Mean:
    """The middle of bounds; exact where they are as close as rounding."""
    high = max(low, high)
    if high - low <= CLOSE * max(1.0, abs(low)):
        return _known_value(low)
    return Mean((low + high) / 2, low, high)


def _low(value: Mean) -> float:
    return -math.inf if value.low is None else value.low


def _high(value: Mean) -> float:
    return math.inf if value.high is None else value.high


def _at_most(value: Mean, bound: Mean) -> Mean:
    """`value`, which is not above `bound`; only where it has an interval."""
    if value.low == value.high or _high(value) <= _high(bound):
        return value
    return _between(min(_low(value), _high(bound)), _high(bound))


def _gain(more: Mean, less: Mean) -> Mean:
    """How much better one value is than another."""
    return Mean(more.value - less.value, _low(more) - _high(less), _high(more) - _low(less))


def _shown_value(value: Mean) -> str:
    if value.low == value.high:
        return digits(value.value + 0.0)
    return value.range()
