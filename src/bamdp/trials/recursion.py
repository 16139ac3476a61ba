"""Exact probabilities of the counts at the end of a trial, by recursion over the counts.

With π_k the allocation probabilities of a design at the counts (n, s), n patients and s successes on each arm, the probability
of the counts at the end is

    P(n, s) = w(n, s) Π_k p_k^{s_k} (1 − p_k)^{n_k − s_k}

where w sums, over all paths that lead there, the products of the π along the path. w does not depend on the success
probabilities: one recursion gives the characteristics for all of them. Kept are u = w Π_k B(s_k + 1, n_k − s_k + 1), the
probabilities over uniform priors (`bamdp.exact.add_responses`), one array for each n.

If all arms have the same success probability, P(n, s | S) = w(n, s)/C(N, S) given the total S of successes: it does not depend
on p (Baas, Jacko and Villar 2024). That is what exact tests are made of.

Patients are allocated in blocks, all of a block with the same probabilities, and their responses are known at the first
decision that comes more than `delay` patients later. Patients whose responses become known at the same decision are a group;
only the numbers on each arm matter within a group. A state is thus the counts that are known and the groups that wait.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, reduce
from itertools import product
from math import comb, factorial, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.exact import add_cut_responses, add_responses
from bamdp.executors import cores
from bamdp.progress import progress
from bamdp.trials.design import Array, Design, Rule, grid
from bamdp.trials.trial import Layer, Pulls, Trial

WORK, WORK_OF_MANY = 10**11, 5 * 10**9  # states times ways on that a recursion may go through, of two arms and of more
LAYER = 1.8 * 10**8  # states at a time: 1.4 GB
WINDOW = 32  # arrays whose allocation probabilities are kept at a time
LARGE = 10**5  # states of a layer from which on threads are worth it

Queue = tuple[Pulls, ...]  # patients on each arm whose responses become known at the next decision, the one after, …
Move = tuple[Pulls, int, Pulls, Queue]  # patients allocated, in how many ways; patients whose responses are known; who waits


def states(trial: Trial, block: int) -> tuple[int, int]:
    """The number of states of the last layer, and the number that a recursion goes through, times the ways on."""
    K = trial.num_arms
    last, every = comb(trial.patients + 2 * K - 1, 2 * K - 1), comb(trial.patients + 2 * K - 1, 2 * K)
    late, split = divmod(trial.delay, block)
    waiting = prod(comb(n + K - 1, K - 1) for n in [*[block] * late, split])
    ways = comb(block + K - 1, K - 1) * (block if block > 1 else 1)
    return last * waiting, every * waiting * ways // block


def possible(design: Design, trial: Trial) -> bool:
    """Whether the recursion is feasible: see the table of costs in the documentation."""
    plain = trial.without_delay if not design.adaptive else trial
    last, work = states(plain, design.block_of(trial))
    return last <= LAYER and work <= (WORK if trial.num_arms == 2 else WORK_OF_MANY)


class EndCounts:
    """The probabilities of all counts at the end of a trial, for one design.

    Attributes:
        counts: the probabilities over uniform priors, for each n an array [n_1 + 1, …, n_K + 1].
        patients: number of patients, if the trial is not stopped.

    Example:
        >>> from bamdp.trials.designs import EqualDesign
        >>> end = EndCounts(EqualDesign(), Trial([0.3, 0.5], patients=4))
        >>> {n: u.shape for n, u in end.counts.items()}
        {(2, 2): (3, 3)}
        >>> float(end.probabilities([0.5, 0.5])[2, 2][1, 1].round(6))
        0.25
    """

    def __init__(self, design: Design, trial: Trial, rule: Rule | None = None) -> None:
        plain = trial if design.adaptive else trial.without_delay
        self.patients = trial.patients
        trial.check_looks(design.block_of(trial))
        self.counts: Layer = {}
        walk = _Walk(design.rule(trial) if rule is None else rule, trial.num_arms, trial.floor if design.adaptive else 0.0)
        block, (late, split) = design.block_of(trial), divmod(plain.delay, design.block_of(trial))
        layers: dict[Queue, Layer] = {
            _waiting(late, split, trial.num_arms): {(0,) * trial.num_arms: np.ones((1,) * trial.num_arms)}
        }
        with progress("patients") as show:
            for patient in range(0, trial.patients, block):
                show(design.label(trial), patient, trial.patients)
                if trial.stopping is not None:
                    self.counts.update(trial.stopping.split(layers[()], self.counts, patient, trial))
                layers = walk.on(layers, patient, min(block, trial.patients - patient), split)
        for queue, layer in layers.items():
            for pulls, weights in layer.items():
                after, total = pulls, weights
                for group in queue:
                    after, total = _with_responses(after, total, None, group)
                self.counts[after] = self.counts[after] + total if after in self.counts else total

    def probabilities(self, arms: Sequence[float]) -> Layer:
        """The probabilities of all counts at given success probabilities."""
        return dict(self._weighted(lambda arm, n: (n + 1) * binomial(n, np.array([arms[arm]]))[0]))

    def successes(self, arms: Sequence[float]) -> tuple[float, float]:
        """Mean and standard deviation of the number of successes at given success probabilities."""
        sums = np.zeros(2)
        for pulls, chances in self._weighted(lambda arm, n: (n + 1) * binomial(n, np.array([arms[arm]]))[0]):
            total = sum(grid(pulls)[0])
            sums += float((chances * total).sum()), float((chances * total**2).sum())
        mean, square = sums.tolist()
        return mean, max(0.0, square - mean**2) ** 0.5

    def prior_successes(self, prior: Array) -> float:
        """Expected number of successes over independent Beta priors, [A, 2]."""
        weighted = self._weighted(lambda arm, n: prior_factor(prior[arm], n))
        return sum(float((chances * sum(grid(pulls)[0])).sum()) for pulls, chances in weighted)

    def _weighted(self, factor: Callable[[int, int], Array]) -> Iterator[tuple[Pulls, Array]]:
        """The counts of each n times a factor for each arm and its number of patients, [n_k + 1]."""
        for pulls, u in self.counts.items():
            axes = [factor(arm, n).reshape(s.shape) for (arm, n), s in zip(enumerate(pulls), grid(pulls)[0], strict=True)]
            yield pulls, reduce(np.multiply, axes, u)

    def rejected(self, arms: Array, rejects: Layer) -> Array:
        """The probability of rejection at each of many success probabilities, [P, A]; `rejects` has that of each count. [P]"""
        found = np.zeros(len(arms))
        for pulls, u in self.counts.items():
            if rejects[pulls].any():
                found += _contract(u * rejects[pulls], _densities(pulls, arms))
        return found

    def rejected_by_total(self, rejects: Layer) -> dict[int, Array]:
        """The same if all arms are alike, given the total of successes: for each number n of patients at the end, [n + 1]."""
        return by_total({pulls: u * rejects[pulls] for pulls, u in self.counts.items()})

    def masses(self, arms: Array) -> dict[Pulls, Array]:
        """The probability of each n at each of many success probabilities, [P, A]. [P] each"""
        return {pulls: _contract(u, _densities(pulls, arms)) for pulls, u in self.counts.items()}

    def totals(self) -> dict[int, list[Pulls]]:
        """The n of each number of patients at the end; one number if the trial is not stopped early."""
        found: dict[int, list[Pulls]] = {}
        for pulls in self.counts:
            found.setdefault(sum(pulls), []).append(pulls)
        return found


def null_weights(pulls: Pulls, u: Array) -> Array:
    """w/C(N, S) of some counts."""
    logs, successes = log_factorials(sum(pulls)), grid(pulls)[0]
    parts = [_log_choose(logs, n, s) + np.log(n + 1) for n, s in zip(pulls, successes, strict=True)]
    return np.asarray(u * np.exp(sum(parts) - _log_choose(logs, sum(pulls), sum(successes))))


def success_totals(pulls: Pulls) -> NDArray[np.int64]:
    """The total of successes at all counts with so many patients on each arm. [n_1 + 1, …, n_A + 1]"""
    return np.broadcast_to(sum(grid(pulls)[0]), [n + 1 for n in pulls])


def by_total(layer: Layer) -> dict[int, Array]:
    """The sum of w/C(n, S) over counts, by the total S of successes, for each number n of patients. [n + 1] each"""
    found: dict[int, Array] = {}
    for pulls, u in layer.items():
        n = sum(pulls)
        found.setdefault(n, np.zeros(n + 1))
        found[n] += np.bincount(success_totals(pulls).ravel(), null_weights(pulls, u).ravel(), n + 1)
    return found


_Chances = list[Array | None] | NDArray[np.uint16]


class _Walk:
    """Steps of the recursion."""

    def __init__(self, rule: Rule, num_arms: int, floor: float) -> None:
        self._rule, self._A, self._floor = rule, num_arms, floor

    def on(self, layers: dict[Queue, Layer], patient: int, block: int, split: int) -> dict[Queue, Layer]:
        """The layers one block later. Used arrays are released as soon as they are no longer needed."""
        sources: dict[tuple[Queue, Pulls], list[tuple[Queue, Pulls]]] = {}
        targets: dict[tuple[Queue, Pulls], list[tuple[tuple[Queue, Pulls], Move]]] = {}
        for queue, layer in layers.items():
            moves = _moves(queue, block, split, self._A)
            for pulls in layer:
                for move in moves:
                    to = move[3], tuple(n + more for n, more in zip(pulls, move[2], strict=True))
                    targets.setdefault(to, []).append(((queue, pulls), move))
                    sources.setdefault((queue, pulls), []).append(to)
        single = block == 1 and layers.keys() == {()}
        chances: dict[tuple[Queue, Pulls], _Chances] = {}
        order = sorted(targets)
        last = {source: max(uses) for source, uses in sources.items()}
        size = sum(weights.size for layer in layers.values() for weights in layer.values())
        after: dict[Queue, Layer] = {}
        with ThreadPoolExecutor(cores()) as pool:
            run = pool.map if size > LARGE else map
            for start in range(0, len(order), WINDOW):
                window = order[start : start + WINDOW]
                new = list(dict.fromkeys(s for to in window for s, _ in targets[to] if s not in chances))
                if start == 0:  # rules may keep what belongs to this patient: one thread sets it up
                    chances[new[0]] = self._chances(new[0][1], patient, single)
                    new = new[1:]
                chances.update(zip(new, run(lambda s: self._chances(s[1], patient, single), new), strict=True))
                for to, weights in zip(
                    window, run(lambda to: self._gathered(targets[to], layers, chances), window), strict=True
                ):
                    if weights is not None:
                        after.setdefault(to[0], {})[to[1]] = weights
                for source in [s for s in chances if last[s] <= window[-1]]:
                    del chances[source], layers[source[0]][source[1]]
        return after

    def _chances(self, pulls: Pulls, patient: int, single: bool) -> _Chances:
        """The allocation probabilities of each arm at all counts, None where an arm has none; or the cuts where they change."""
        if single and (cuts := self._rule.cuts(pulls, patient)) is not None:
            return cuts
        found = self._rule.probabilities(*grid(pulls), patient)
        if self._floor:
            found = self._floor + (1 - self._A * self._floor) * found
        return [chance if chance.any() else None for chance in found]

    def _gathered(
        self,
        moves: list[tuple[tuple[Queue, Pulls], Move]],
        layers: dict[Queue, Layer],
        chances: dict[tuple[Queue, Pulls], _Chances],
    ) -> Array | None:
        total: Array | None = None
        for (queue, pulls), (allocated, ways, known, _) in moves:
            given = chances[queue, pulls]
            if not isinstance(given, list):
                arm, low, high = known.index(1), self._floor, 1 - self._floor
                shape = tuple(n + 1 + more for n, more in zip(pulls, known, strict=True))
                total = np.zeros(shape) if total is None else total
                add_cut_responses(total, layers[queue][pulls], given, arm, (low, 0.5, high) if arm else (high, 0.5, low))
                continue
            used = [(given[arm], n) for arm, n in enumerate(allocated) if n]
            if any(chance is None for chance, _ in used):
                continue
            parts = [chance if n == 1 else chance**n for chance, n in used if chance is not None]
            if ways > 1:
                parts[0] = ways * parts[0]
            total = _with_responses(pulls, layers[queue][pulls], reduce(np.multiply, parts), known, total)[1]
        return total


def _with_responses(
    pulls: Pulls, weights: Array, chances: Array | None, more: Pulls, total: Array | None = None
) -> tuple[Pulls, Array]:
    """The counts after the responses of some more patients on each arm, added to `total`."""
    arms = [arm for arm, n in enumerate(more) if n]
    if not arms:
        part = weights if chances is None else weights * chances
        return pulls, part if total is None else total + part
    for arm in arms:
        chances = np.ones(weights.shape) if chances is None else chances
        pulls = tuple(n + more[arm] * (other == arm) for other, n in enumerate(pulls))
        shape = tuple(n + 1 for n in pulls)
        after = total if total is not None and arm == arms[-1] else np.zeros(shape)
        add_responses(after, weights, chances, arm, more[arm])
        weights, chances = after, None
    return pulls, weights


def _waiting(late: int, split: int, arms: int) -> Queue:
    return ((0,) * arms,) * (late + (split > 0))


def _moves(queue: Queue, block: int, split: int, arms: int) -> list[Move]:
    """What can happen in a block: of its patients, the last `split` are known a decision later than the others."""
    later = min(split, block)
    found: list[Move] = []
    for first, second in product(compositions(block - later, arms), compositions(later, arms)):
        ways = _multinomial(first) * _multinomial(second)
        allocated = tuple(map(sum, zip(first, second, strict=True)))
        if not queue:
            found.append((allocated, ways, allocated, ()))
        elif not split:
            found.append((allocated, ways, queue[0], (*queue[1:], first)))
        else:
            joined = tuple(map(sum, zip(queue[-1], first, strict=True)))
            groups = (*queue[:-1], joined, second)
            found.append((allocated, ways, groups[0], groups[1:]))
    return found


def compositions(total: int, parts: int) -> Iterator[Pulls]:
    """All ways to write a number as a sum of non-negative ones.

    Example:
        >>> list(compositions(2, 2))
        [(2, 0), (1, 1), (0, 2)]
    """
    if parts == 1:
        yield (total,)
        return
    for first in range(total, -1, -1):
        for others in compositions(total - first, parts - 1):
            yield (first, *others)


def _multinomial(numbers: Pulls) -> int:
    return factorial(sum(numbers)) // prod(map(factorial, numbers))


@cache
def log_factorials(n: int) -> Array:
    """The logarithms of 0! … n!."""
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])


def _log_choose(logs: Array, n: int, k: Any) -> Array:
    return np.asarray(logs[n] - logs[k] - logs[n - k])


def hypergeometric(n: int, m: int) -> Array:
    """The probability of s successes among m of n patients, given the total of successes. [n + 1, m + 1]"""
    total, s = np.arange(n + 1)[:, None], np.arange(m + 1)
    possible = (s <= total) & (total - s <= n - m)
    logs, outside = log_factorials(n), np.where(possible, total - s, 0)
    ways = [_log_choose(logs, a, b) for a, b in ((m, s), (n - m, outside), (n, total))]
    return np.where(possible, np.exp(ways[0] + ways[1] - ways[2]), 0.0)


def _densities(pulls: Pulls, arms: Array) -> list[Array]:
    """(n + 1) C(n, s) p^s (1 − p)^{n − s} of each arm: the probability at p over that of a uniform prior. [P, n + 1] each"""
    return [(n + 1) * binomial(n, arms[:, arm]) for arm, n in enumerate(pulls)]


def binomial(n: int, p: Array) -> Array:
    """C(n, s) p^s (1 − p)^{n − s} for each p. [P, n + 1]"""
    s, logs = np.arange(n + 1), log_factorials(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        powers = [np.where(k == 0, 0.0, k * np.log(x)[:, None]) for k, x in ((s, p), (n - s, 1 - p))]
    return np.asarray(np.exp(_log_choose(logs, n, s) + powers[0] + powers[1]))


def prior_factor(prior: Array, n: int) -> Array:
    """The probability of s successes over a Beta prior, (a, b), over that of a uniform one, 1/(n + 1). [n + 1]"""
    (a, b), i, s, logs = prior, np.arange(n), np.arange(n + 1), log_factorials(n + 1)
    with np.errstate(divide="ignore"):  # a count of 0: impossible
        rising = [np.concatenate([[0.0], np.cumsum(np.log(count + i))]) for count in (a, b, a + b)]
    ways = logs[n + 1] - logs[s] - logs[n - s]
    return np.asarray(np.exp(ways + rising[0] + rising[1][::-1] - rising[2][-1]))


def _contract(values: Array, vectors: Sequence[Array]) -> Array:
    """Σ values Π vectors, for each of P sets of vectors, [P, n_k + 1] each. [P]"""
    first, *others = vectors
    found = np.tensordot(first, values, axes=1)
    for vector in others:
        found = (vector.reshape(*vector.shape, *[1] * (found.ndim - 2)) * found).sum(axis=1)
    return np.asarray(found)
