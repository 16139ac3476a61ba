"""Listed worlds by dictionaries, slowly: the twin of `_core.WorldRows`, `WorldsBelief` and
`BoundsPlanner`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np

from bamdp import _core
from bamdp.validation import UNBOUNDED


class Outcome(NamedTuple):
    """What may happen: `number` names what is observed, in the state `base`."""

    number: int
    base: int
    end: bool
    p: float
    reward: float


Weights = tuple[tuple[int, float], ...]


class ListedWorlds(NamedTuple):
    """Worlds of which one is the true one; `outcomes(m, state, action)` says what may happen."""

    weights: tuple[float, ...]
    num_actions: int
    outcomes: Callable[[int, int, int], list[Outcome]]
    discount: float
    horizon: int
    start: int = 0

    def belief(self, most_bytes: int = 2**30) -> _core.WorldsBelief:
        """The native belief, which requests its rows."""

        def request(m: int, state: int, action: int) -> list[Outcome]:
            return self.outcomes(m, state, action)

        rows = _core.WorldRows(len(self.weights), self.num_actions, request, most_bytes)
        return _core.WorldsBelief(rows, np.array(self.weights), UNBOUNDED, True, True)

    def prior(self) -> Weights:
        return tuple((m, w) for m, w in enumerate(self.weights) if w > 0)

    def split(
        self, weights: Weights, state: int, action: int
    ) -> list[tuple[float, Outcome, Weights]]:
        """What may be observed, with its probability and the posterior."""
        groups: dict[tuple[int, float, bool], dict[int, float]] = defaultdict(dict)
        bases = {}
        for m, w in weights:
            for o in self.outcomes(m, state, action):
                if o.p > 0:
                    group = groups[o.number, o.reward, o.end]
                    group[m] = group.get(m, 0.0) + w * o.p
                    bases[o.number] = o.base
        total = sum(sum(group.values()) for group in groups.values())
        return [
            (
                sum(group.values()) / total,
                Outcome(number, bases[number], end, 1.0, reward),
                tuple((m, w / sum(group.values())) for m, w in group.items()),
            )
            for (number, reward, end), group in groups.items()
        ]

    def optimal(self, state: int, weights: Weights, left: int) -> list[float]:
        """The Bayes-optimal value of each action."""
        memory: dict[tuple[int, Weights, int], list[float]] = {}

        def values(state: int, weights: Weights, left: int) -> list[float]:
            key = state, tuple((m, round(w, 12)) for m, w in weights), left
            if key not in memory:
                memory[key] = [value(state, weights, left, a) for a in range(self.num_actions)]
            return memory[key]

        def value(state: int, weights: Weights, left: int, action: int) -> float:
            return sum(
                p
                * (
                    o.reward
                    + (
                        0.0
                        if o.end or left == 1
                        else self.discount * max(values(o.base, after, left - 1))
                    )
                )
                for p, o, after in self.split(weights, state, action)
            )

        return values(state, weights, left)

    def known(self, m: int, state: int, left: int) -> float:
        """The value to one who knows world m."""
        return max(self.optimal(state, ((m, 1.0),), left))


def random_worlds(
    rng: np.random.Generator, num_actions: int | None = None, steps: int = 5
) -> ListedWorlds:
    """Few worlds, states and actions; some observe more than the state, some rewards and ends
    differ.
    """
    M, S, A = (int(rng.integers(2, most)) for most in (6, 6, 4))
    A = A if num_actions is None else num_actions
    table: dict[tuple[int, int, int], list[Outcome]] = {}
    stochastic, signs, differ = rng.random(3) < [0.5, 0.6, 0.5]
    for s, a in np.ndindex(S, A):
        shared = _row(rng, S, stochastic, signs)
        for m in range(M):
            table[m, s, a] = _row(rng, S, stochastic, signs) if rng.random() < 0.4 else shared
            if not differ:
                table[m, s, a] = [o._replace(reward=float(s == a)) for o in table[m, s, a]]
    return ListedWorlds(
        tuple(rng.dirichlet(np.ones(M)).tolist()),
        A,
        lambda m, s, a: table[m, s, a],
        float(rng.choice([0.8, 1.0])),
        int(rng.integers(2, steps + 1)),
    )


def _row(rng: np.random.Generator, S: int, stochastic: bool, signs: bool) -> list[Outcome]:
    count = int(rng.integers(1, 3)) if stochastic else 1
    probabilities = rng.dirichlet(np.ones(count))
    numbers = rng.choice(S * (3 if signs else 1), count, replace=False).tolist()
    return [
        Outcome(n, n % S, bool(rng.random() < 0.1), float(p), float(rng.choice([-2, -1, 0, 0, 1])))
        for n, p in zip(numbers, probabilities, strict=True)
    ]


def rooms_and_map(rooms: int = 12, away: int = 3) -> ListedWorlds:
    """Rooms along a corridor, the goal behind one door; `away` steps the other way hangs a map.
    Each action costs 1, a wrong door 4. With twelve rooms: three steps to the map, three back, 5.5
    on average to the door and one to enter it, 12.5.
    """
    left, right, _enter = 0, 1, 2
    beside_map, places = 0, away + rooms  # states; a reading of the map has a number of its own

    def outcomes(goal: int, state: int, action: int) -> list[Outcome]:
        if action not in (left, right):
            at_goal = state - away == goal
            return [Outcome(state, state, at_goal, 1.0, -1.0 if at_goal else -4.0)]
        state = min(max(state + (1 if action == right else -1), 0), places - 1)
        number = 1000 + goal if state == beside_map else state
        return [Outcome(number, state, False, 1.0, -1.0)]

    return ListedWorlds((1 / rooms,) * rooms, 3, outcomes, 1.0, 30, start=away)


def mastermind(pegs: int = 3, colours: int = 4) -> ListedWorlds:
    """A world is a code, an action a guess, and the answer is seen."""
    codes = list(product(range(colours), repeat=pegs))

    def answer(code: int, state: int, guess: int) -> list[Outcome]:
        pairs = zip(codes[code], codes[guess], strict=True)
        black = sum(left == right for left, right in pairs)
        both = sum(min(codes[code].count(c), codes[guess].count(c)) for c in range(colours))
        seen = 1 + black * (pegs + 1) + both
        return [Outcome(seen, 0, black == pegs, 1.0, -1.0)]

    return ListedWorlds((1 / len(codes),) * len(codes), len(codes), answer, 1.0, 8)


class Smell(NamedTuple):
    """A search on a square grid for the cell of a source, which is smelled from near."""

    size: int

    def neighbour(self, cell: int, action: int) -> int:
        """The cell after a move; moves out of the grid stay."""
        n = self.size
        x, y = cell // n + (1, -1, 0, 0)[action], cell % n + (0, 0, 1, -1)[action]
        return x * n + y if 0 <= x < n and 0 <= y < n else cell

    def distance(self, cell: int, source: int) -> int:
        """Steps between two cells."""
        n = self.size
        return abs(cell // n - source // n) + abs(cell % n - source % n)

    def smelled(self, cell: int, source: int) -> float:
        """The probability to smell something."""
        return float(0.9 * np.exp(-self.distance(cell, source) / 2))

    def worlds(self) -> ListedWorlds:
        """From the centre, where something was smelled."""
        n, start = self.size, self.size**2 // 2
        prior = np.array([self.smelled(start, m) * (m != start) for m in range(n**2)])

        def outcomes(m: int, state: int, action: int) -> list[Outcome]:
            cell = self.neighbour(state, action)
            if cell == m:
                return [Outcome(cell, cell, True, 1.0, -1.0)]
            p = self.smelled(cell, m)
            seen = [(cell + n**2, 1 - p), (cell + 2 * n**2, p)]
            return [Outcome(number, cell, False, float(q), -1.0) for number, q in seen]

        return ListedWorlds(tuple((prior / prior.sum()).tolist()), 4, outcomes, 1.0, 300, start)
