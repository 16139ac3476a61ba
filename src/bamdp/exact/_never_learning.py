"""The best policy that never learns: it chooses by the state and the steps left, whatever it has
seen.

What is hidden from it is the world, or what was observed so far. With x_t(s)_i the probability of
being in state s at step t with the hidden part i, and R, P those of the problem,

    V_t(x) = max_d Σ_s x(s) · R(s, d(s)) + γ V_{t+1}(Σ_s x(s) P(s, d(s))),   V_H = 0

over the rules d, an action for each state. The states are coupled, since one rule serves all
hidden parts: finding the best policy is NP-hard (Steimle, Kaufman and Denton 2021). Local
improvement of several policies gives a lower bound. Branch and bound, with the value of a policy
that knows what is hidden as the upper one, makes it exact where its budget suffices.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp import _core

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Masses = dict[Hashable, Array]  # of each state, by the hidden part [N]
Rules = Callable[[int, Hashable], int]  # the action at a step and in a state

MOST_NODES = 20_000  # of branch and bound: some seconds
MOST_RULES = 4096  # for one step
MOST_LISTED = 50_000  # belief states
MOST_STARTS = 4  # policies that are improved, beside a guess
MOST_REACHED = 20_000  # states and steps; of more, only those are improved that the policy visits
SWEEPS = 30
SLACK = 1e-12  # relative rounding of values


class Branch(NamedTuple):
    """Where an action leads: from hidden parts `source` to `target` with probabilities `p`. [E]"""

    state: Hashable
    source: Indices
    target: Indices
    p: Array


class Option(NamedTuple):
    """An action: its expected reward by the hidden part [N], and where it leads."""

    reward: Array
    branches: list[Branch]


class Hidden(ABC):
    """A problem of which only the state is visible.

    Args:
        start: the state at first.
        mass: the probability of each hidden part at first. [N]
        discount: the discount factor.
        horizon: number of steps.
    """

    def __init__(self, start: Hashable, mass: Array, discount: float, horizon: int) -> None:
        self.start, self.mass, self.discount, self.horizon = start, mass, discount, horizon

    @abstractmethod
    def options(self, t: int, state: Hashable) -> list[Option]:
        """The actions in a state at step t."""

    @abstractmethod
    def bound(self, t: int, state: Hashable) -> Array:
        """An upper bound of the value from there on, by the hidden part. [N]"""

    @abstractmethod
    def size(self, t: int) -> int:
        """Number of hidden parts at step t."""


class HiddenWorlds(Hidden):
    """Worlds that are hidden.

    Args:
        rows: `rows(world, state, action)` lists (next state, ends, probability, reward).
        weights: the probability of each world, none of them 0. [M]
        start: the state at first.
        actions: `actions(state)` lists those that are considered.
        discount: discount factor.
        horizon: number of steps.
    """

    def __init__(
        self,
        rows: Callable[[int, int, int], Iterable[tuple[int, bool, float, float]]],
        weights: Array,
        start: int,
        actions: Callable[[Any], Iterable[int]],
        discount: float,
        horizon: int,
    ) -> None:
        super().__init__(start, weights, discount, horizon)
        self._rows, self._actions = rows, actions
        self._options: dict[Hashable, list[Option]] = {}
        self._values: dict[tuple[int, Hashable], Array] = {}

    def size(self, t: int) -> int:
        return len(self.mass)

    def options(self, t: int, state: Hashable) -> list[Option]:
        if state not in self._options:
            self._options[state] = [self._option(state, a) for a in self._actions(state)]
        return self._options[state]

    def _option(self, state: Hashable, action: int) -> Option:
        M = len(self.mass)
        reward = np.zeros(M)
        leads: dict[int, Array] = {}
        for m in range(M):
            for after, ends, p, paid in self._rows(m, state, action):  # type: ignore[arg-type]
                reward[m] += p * paid
                if not ends:
                    leads.setdefault(after, np.zeros(M))[m] += p
        branches = []
        for after, likelihoods in leads.items():
            possible = np.flatnonzero(likelihoods)
            branches.append(Branch(after, possible, possible, likelihoods[possible]))
        return Option(reward, branches)

    def bound(self, t: int, state: Hashable) -> Array:
        """What each world is worth to one who knows it."""
        if t >= self.horizon:
            return np.zeros(len(self.mass))
        if (t, state) not in self._values:
            values = [_action_value(self, t, o, self.bound) for o in self.options(t, state)]
            self._values[t, state] = np.max(values, axis=0)
        return self._values[t, state]


class HiddenCounts(Hidden):
    """Belief states of which a policy sees the state alone.

    Args:
        lattice: the belief states, solved.
        visible: what is seen of a state.
        start: the state at first.
        num_actions: number of actions.
        discount: discount factor.
        horizon: number of steps.
    """

    def __init__(
        self,
        lattice: _core.Lattice,
        visible: Callable[[int], Hashable],
        start: int,
        num_actions: int,
        discount: float,
        horizon: int,
    ) -> None:
        super().__init__(visible(start), np.ones(1), discount, horizon)
        self._sizes = [*lattice.layer_sizes.tolist(), 0]
        self._values = [
            np.array([lattice.q_values(t, i).max() for i in range(size)])
            for t, size in enumerate(self._sizes)
        ]
        self._options: list[dict[Hashable, list[Option]]] = []
        places: dict[Hashable, list[int]] = {self.start: [0]}
        for t in range(horizon):
            layer: dict[Hashable, list[Option]] = {}
            after: dict[Hashable, set[int]] = {}
            for state, positions in places.items():
                layer[state] = []
                for a in range(num_actions):
                    reward = np.zeros(self._sizes[t])
                    leads: dict[Hashable, list[tuple[int, int, float]]] = {}
                    for i in positions:
                        for seen, paid, _, child, p in lattice.outcomes(t, i, a):
                            reward[i] += p * paid
                            if child is not None:
                                leads.setdefault(visible(seen), []).append((i, child, p))
                                after.setdefault(visible(seen), set()).add(child)
                    branches = [
                        Branch(to, *(np.array(part) for part in zip(*edges, strict=True)))
                        for to, edges in leads.items()
                    ]
                    layer[state].append(Option(reward, branches))
            self._options.append(layer)
            places = {state: sorted(positions) for state, positions in after.items()}

    def size(self, t: int) -> int:
        return int(self._sizes[t])

    def options(self, t: int, state: Hashable) -> list[Option]:
        return self._options[t][state]

    def bound(self, t: int, state: Hashable) -> Array:
        return self._values[t]


def never_learning(hidden: Hidden) -> tuple[float, float]:
    """Bounds on the value of the best policy that never learns; the same number if it was found."""
    low = max(_improved(hidden, start) for start in _first_policies(hidden))
    search = _Search(hidden)
    x: Masses = {hidden.start: hidden.mass}
    try:
        high, is_attained = search.best(0, x, low)
        return (high if is_attained else low), max(low, high)
    except _OutOfBudgetError:
        return low, max(low, float(hidden.mass @ hidden.bound(0, hidden.start)))


class _OutOfBudgetError(Exception):
    """Branch and bound takes too long."""


class _Search:
    """Branch and bound over the rules of each step."""

    def __init__(self, hidden: Hidden) -> None:
        self._hidden, self._nodes = hidden, 0
        self._known: dict[Hashable, tuple[float, bool, bool]] = {}

    def best(self, t: int, x: Masses, floor: float) -> tuple[float, bool]:
        """The value of x; or an upper bound of it, if it is at most `floor`. And whether a policy
        attains it: where values are the same but for rounding, a bound may pass for a value.
        """
        hidden = self._hidden
        if t == hidden.horizon or not x:
            return 0.0, True
        name = t, tuple(sorted((repr(s), np.round(m, 13).tobytes()) for s, m in x.items()))
        value, is_value, is_attained = self._known.get(name, (np.inf, False, False))
        if is_value or value <= floor:
            return value, is_attained
        self._nodes += 1
        states = list(x)
        options = [hidden.options(t, state) for state in states]
        size = int(np.prod([float(len(each)) for each in options]))
        if self._nodes > MOST_NODES or size > MOST_RULES:
            raise _OutOfBudgetError
        uppers = [
            [float(x[state] @ _action_value(hidden, t, option, hidden.bound)) for option in each]
            for state, each in zip(states, options, strict=True)
        ]
        rules = sorted(
            itertools.product(*map(range, map(len, options))),
            key=lambda rule: -sum(upper[a] for upper, a in zip(uppers, rule, strict=True)),
        )
        best, most = -np.inf, -np.inf  # a value, and an upper bound of the others
        is_attained = False
        for rule in rules:
            upper = sum(each[a] for each, a in zip(uppers, rule, strict=True))
            slack = SLACK * abs(upper)
            if upper <= max(best, floor) + slack:
                most = max(most, upper)
                break
            chosen = [each[a] for each, a in zip(options, rule, strict=True)]
            now = sum(float(x[s] @ option.reward) for s, option in zip(states, chosen, strict=True))
            gamma = hidden.discount
            needed = (max(best, floor) - now) / gamma if gamma > 0 else -np.inf
            later, attained = self.best(t + 1, _moved(hidden, t, x, states, chosen), needed)
            value = now + gamma * later
            if later <= needed:
                most = max(most, value)
            elif value > best:
                best, is_attained = value, attained
        is_value = best > floor
        if not is_value:
            best, is_attained = max(best, most), False
        self._known[name] = best, is_value, is_attained
        return best, is_attained


def _moved(
    hidden: Hidden, t: int, x: Masses, states: list[Hashable], chosen: list[Option]
) -> Masses:
    """The masses after a step."""
    after: Masses = {}
    for state, option in zip(states, chosen, strict=True):
        for to, source, target, p in option.branches:
            mass = np.bincount(target, x[state][source] * p, hidden.size(t + 1))
            if mass.any():
                after[to] = np.asarray(after[to] + mass if to in after else mass)
    return after


def _action_value(
    hidden: Hidden, t: int, option: Option, later: Callable[[int, Hashable], Array]
) -> Array:
    """The value of an action by the hidden part, from that of what follows. [N]"""
    value = option.reward.copy()
    if t + 1 < hidden.horizon:
        for state, source, target, p in option.branches:
            ahead = p * later(t + 1, state)[target]
            value += hidden.discount * np.bincount(source, ahead, len(value))
    return value


# ---- local improvement


def _first_policies(hidden: Hidden) -> list[Rules]:
    """Policies to improve: one that is best if all were known from the next step on, and those that
    are optimal in one of the likeliest worlds.
    """

    def by_mean(t: int, state: Hashable) -> int:
        options = hidden.options(t, state)
        weights = hidden.mass if len(hidden.mass) == hidden.size(t) else np.ones(hidden.size(t))
        return int(
            np.argmax([weights @ _action_value(hidden, t, o, hidden.bound) for o in options])
        )

    def in_world(m: int) -> Rules:
        return lambda t, state: int(
            np.argmax(
                [_action_value(hidden, t, o, hidden.bound)[m] for o in hidden.options(t, state)]
            )
        )

    if not isinstance(hidden, HiddenWorlds):
        return [by_mean]
    likeliest = np.argsort(-hidden.mass, kind="stable")[:MOST_STARTS]
    return [by_mean, *map(in_world, likeliest.tolist())]


def _improved(hidden: Hidden, start: Rules) -> float:
    """The value of a policy, improved step by step until nothing changes."""
    rules: dict[tuple[int, Hashable], int] = {}
    best, others = -np.inf, _reached(hidden)
    for _ in range(SWEEPS):
        masses: list[Masses] = [{hidden.start: hidden.mass}]
        for t in range(hidden.horizon):
            states = list(masses[t])
            for state in states:
                rules.setdefault((t, state), start(t, state))
            chosen = [hidden.options(t, state)[rules[t, state]] for state in states]
            masses.append(_moved(hidden, t, masses[t], states, chosen))
        known: dict[tuple[int, Hashable], Array] = {}

        def later(
            t: int, state: Hashable, known: dict[tuple[int, Hashable], Array] = known
        ) -> Array:
            if (t, state) not in known:
                action = rules.setdefault((t, state), start(t, state))
                option = hidden.options(t, state)[action]
                known[t, state] = _action_value(hidden, t, option, later)
            return known[t, state]

        for t in reversed(range(hidden.horizon)):
            # A state that is not visited yet: as if all that is still possible then were there.
            left = sum(masses[t].values(), np.zeros(hidden.size(t)))
            for state in {**masses[t], **others[t]}:
                x = masses[t].get(state, left)
                rules.setdefault((t, state), start(t, state))
                values = [
                    float(x @ _action_value(hidden, t, option, later))
                    for option in hidden.options(t, state)
                ]
                now = rules[t, state]
                if max(values) > values[now] + SLACK * abs(values[now]):
                    rules[t, state] = int(np.argmax(values))
        value = float(hidden.mass @ later(0, hidden.start))
        if value <= best + SLACK * abs(best):
            break
        best = value
    return best


def _reached(hidden: Hidden) -> list[dict[Hashable, None]]:
    """The states that can be reached by each step, in order; none if they are too many."""
    layers: list[dict[Hashable, None]] = [{hidden.start: None}]
    for t in range(hidden.horizon - 1):
        after: dict[Hashable, None] = {}
        for state in layers[t]:
            for option in hidden.options(t, state):
                after |= dict.fromkeys(branch.state for branch in option.branches)
        layers.append(after)
        if sum(map(len, layers)) > MOST_REACHED:
            return [{} for _ in range(hidden.horizon)]
    return layers
