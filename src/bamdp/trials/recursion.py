"""Exact probabilities of the counts at the end of a trial, by recursion over the counts.

With π_k the allocation probabilities of a design at the counts (n, s), n patients and s successes
on each arm, the probability of the counts at the end is

    P(n, s) = w(n, s) Π_k p_k^{s_k} (1 − p_k)^{n_k − s_k}

where w sums, over all paths that lead there, the products of the π along the path. w does not
depend on the success probabilities: one recursion gives the characteristics for all of them. Kept
are u = w Π_k B(s_k + 1, n_k − s_k + 1), the probabilities over uniform priors
(`bamdp.exact.add_responses`), one array for each n.

If all arms have the same success probability, P(n, s | S) = w(n, s)/C(N, S) given the total S of
successes: it does not depend on p (Baas, Jacko and Villar 2024). That is what exact tests are made
of.

Patients are allocated in blocks, all of a block with the same probabilities, and their responses
are known at the first decision that comes more than `delay` patients later. Patients whose
responses become known at the same decision are a group; only the numbers on each arm matter within
a group. A state is thus the counts that are known and the groups that wait. A patient whose
response is missing is allocated, and belongs to no group.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from itertools import product
from math import comb, factorial, prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp.exact.responses import add_cut_responses, add_responses
from bamdp.executors import cores
from bamdp.progress import progress
from bamdp.trials.counts import Array, Layer, Pulls, compositions, grid
from bamdp.trials.outcomes import EndCounts

if TYPE_CHECKING:
    from collections.abc import Collection

    from bamdp.trials.design import Design, Rule
    from bamdp.trials.trial import Trial

WORK_OF_TWO_ARMS = 10**11  # largest number of transitions between states, of two arms
WORK_OF_MANY_ARMS = 5 * 10**9  # and of more
LAYER = 1.8 * 10**8  # states at a time: 1.4 GB
WINDOW = 32  # arrays whose allocation probabilities are kept at a time
LARGE = 10**5  # states of a layer from which on threads are worth it

# Patients on each arm whose responses become known at the next decision, the one after, …
Queue = tuple[Pulls, ...]
State = tuple[Queue, Pulls]  # an array of a layer: who waits, and the patients with known responses


def feasible(design: Design, trial: Trial, missing: Collection[int] = ()) -> bool:
    """Whether the recursion is feasible: see the table of costs in the documentation."""
    if missing and design.balances:
        return False
    block = design.block_of(trial)
    delay = trial.delay if design.adaptive else 0
    A, N = trial.num_arms, trial.patients
    late, split = divmod(delay, block)
    waiting = prod(comb(n + A - 1, A - 1) for n in [*[block] * late, split])
    last_layer = comb(N + 2 * A - 1, 2 * A - 1) * waiting
    states = comb(N + 2 * A - 1, 2 * A) * waiting
    moves = comb(block + A - 1, A - 1) * (block if block > 1 else 1)
    work = states * moves // block
    return last_layer <= LAYER and work <= (WORK_OF_TWO_ARMS if A == 2 else WORK_OF_MANY_ARMS)


class Move(NamedTuple):
    """What may happen in one block.

    Attributes:
        allocated: patients allocated to each arm.
        ways: number of orders in which they may come.
        known: patients on each arm whose responses become known.
        queue: those who wait afterwards.
    """

    allocated: Pulls
    ways: int
    known: Pulls
    queue: Queue


def end_counts(
    design: Design, trial: Trial, rule: Rule | None = None, *, missing: Collection[int] = ()
) -> EndCounts:
    """The probabilities of all counts at the end of a trial, for one design.

    Args:
        design: the design.
        trial: the trial.
        rule: the design's rule for the trial, if it is there already.
        missing: numbers of the patients, from 0, whose responses are never known.
    """
    recursion = _Recursion(design, trial, rule, missing)
    return recursion.end()


def stopped_at(
    design: Design,
    trial: Trial,
    look: int,
    rule: Rule | None = None,
    *,
    missing: Collection[int] = (),
) -> Layer:
    """The probabilities of the counts that are known at a look, of the trials that end there."""
    recursion = _Recursion(design, trial, rule, missing)
    recursion.run(look)
    return recursion.stopped[look]


def going_on(
    design: Design, trial: Trial, known: int, patients: int, rule: Rule | None = None
) -> Layer:
    """The probabilities of the counts after so many known responses, of the trials that have not
    ended when so many patients are allocated.
    """
    recursion = _Recursion(design, trial, rule, ())
    recursion.run(patients if design.adaptive else known)
    return recursion.known_counts(patients)


class _Recursion:
    """The recursion over the patients of a trial, with its looks.

    Where allocation does not depend on the responses, they need not wait: a trial that ends at a
    look after n patients is known to end with the responses of n − delay, and continues for the
    others on its own. Else who waits is part of the state.
    """

    def __init__(
        self, design: Design, trial: Trial, rule: Rule | None, missing: Collection[int]
    ) -> None:
        if missing and design.balances:
            raise ValueError(
                f"{design.label(trial)} has no exact probabilities where responses are missing"
            )
        self._block = design.block_of(trial)
        trial.check_looks(self._block)
        self._design, self._trial, self._missing = design, trial, frozenset(missing)
        A, rule = trial.num_arms, design.rule(trial) if rule is None else rule
        self._walk = _Walk(rule, A, trial.floor if design.adaptive else 0.0)
        late, self._split = divmod(trial.delay if design.adaptive else 0, self._block)
        nobody: Queue = ((0,) * A,) * (late + (self._split > 0))
        self._layers: dict[Queue, Layer] = {nobody: {(0,) * A: np.ones((1,) * A)}}
        self._ending: dict[int, dict[Queue, Layer]] = {}  # by look, those that have yet to end
        self._counts: Layer = {}
        self._reached: dict[int, Layer] = {}
        self.stopped: dict[int, Layer] = {}  # by look, the known counts of the trials that end

    def run(self, patients: int) -> None:
        """Allocate so many patients, and no part of a block; then look, if there is a look."""
        trial, block = self._trial, self._block
        last = patients if patients == trial.patients else patients // block * block
        with progress("patients") as show:
            for patient in range(0, last, block):
                show(self._design.label(trial), patient, trial.patients)
                self._look(patient)
                end = min(patient + block, trial.patients)
                middle = max(patient, end - self._split)
                sizes = self._responding(patient, middle), self._responding(middle, end)
                self._layers = self._walk.step(self._layers, patient, sizes, self._split)
                for look, layers in self._ending.items():
                    self._ending[look] = self._walk.step(layers, patient, sizes, self._split)
        self._look(last)

    def end(self) -> EndCounts:
        """The probabilities at the end."""
        self.run(self._trial.patients)
        _add(self._counts, _followed_up(self._layers))
        looks = (*self._reached, self._trial.patients)
        allocated = {self._responding(0, look): look for look in looks}
        return EndCounts(
            self._counts,
            self._trial.patients,
            reached=self._reached,
            allocated=allocated,
        )

    def known_counts(self, patients: int = 0) -> Layer:
        """The probabilities of the counts that are known, whoever waits; with those of trials that
        end at looks after more patients.
        """
        ending = [self._ending[look] for look in self._ending if 0 < patients < look]
        known: Layer = {}
        for layers in (self._layers, *ending):
            for layer in layers.values():
                _add(known, layer)
        return known

    def _look(self, patient: int) -> None:
        """Do what is due at looks before a patient is allocated."""
        stopping, delay = self._trial.stopping, self._trial.delay
        for look in () if stopping is None else stopping.looks:
            if patient == (look if self._design.adaptive else look - delay):
                self._stop(look)
            if patient == look:
                self._end_at(look)

    def _responding(self, first: int, last: int) -> int:
        """The number of patients from one to before another whose responses are not missing."""
        return last - first - sum(first <= patient < last for patient in self._missing)

    def _stop(self, look: int) -> None:
        """Separate the trials that end at a look, by the responses that are known."""
        trial = self._trial
        assert trial.stopping is not None
        known = self.known_counts()
        before: Layer = {}
        for layer in self.stopped.values():
            _add(before, layer)
        stops = trial.stopping.stops(known, before, look - trial.delay, trial)
        self.stopped[look] = {n: np.where(stops[n], u, 0.0) for n, u in known.items()}
        ending = self._ending[look] = {}
        for queue, layer in self._layers.items():
            ends = {n: np.where(stops[n], u, 0.0) for n, u in layer.items()}
            ending[queue] = {n: u for n, u in ends.items() if u.any()}
            self._layers[queue] = {n: np.where(stops[n], 0.0, u) for n, u in layer.items()}

    def _end_at(self, look: int) -> None:
        """Follow up those who wait, of the trials that end at a look."""
        ended = _followed_up(self._ending.pop(look))
        reached = _followed_up(self._layers)
        _add(reached, ended)
        for layers in self._ending.values():  # they end at later looks
            _add(reached, _followed_up(layers))
        self._reached[look] = reached
        _add(self._counts, {pulls: u for pulls, u in ended.items() if u.any()})


def _followed_up(layers: dict[Queue, Layer]) -> Layer:
    """The counts with the responses of all who wait."""
    counts: Layer = {}
    for queue, layer in layers.items():
        for pulls, weights in layer.items():
            after, total = pulls, weights
            for group in queue:
                after, total = _with_responses(after, total, None, group)
            _add(counts, {after: total})
    return counts


def _add(total: Layer, layer: Layer) -> None:
    """Add the probabilities of a layer to another."""
    for pulls, weights in layer.items():
        total[pulls] = total[pulls] + weights if pulls in total else weights


# Allocation probabilities at the counts of a state: of each arm, None where an arm has none; or the
# cuts of `Rule.cuts`.
Allocation = list[Array | None] | NDArray[np.uint16]


class _Walk:
    """Steps of the recursion."""

    def __init__(self, rule: Rule, num_arms: int, floor: float) -> None:
        self._rule, self._A, self._floor = rule, num_arms, floor

    def step(
        self, layers: dict[Queue, Layer], patient: int, sizes: tuple[int, int], split: int
    ) -> dict[Queue, Layer]:
        """The layers one block later, in which so many respond, the second part a decision later.
        Arrays are released as soon as they are no longer needed.
        """
        last: dict[State, State] = {}  # the last state in order that needs a source
        targets: dict[State, list[tuple[State, Move]]] = {}
        for queue, layer in layers.items():
            moves = _moves(queue, sizes, split, self._A)
            for pulls in layer:
                source = queue, pulls
                for move in moves:
                    known = zip(pulls, move.known, strict=True)
                    target = move.queue, tuple(n + more for n, more in known)
                    targets.setdefault(target, []).append((source, move))
                    last[source] = max(last.get(source, target), target)
        single = sum(sizes) == 1 and layers.keys() == {()}
        allocations: dict[State, Allocation] = {}
        order = sorted(targets)
        size = sum(weights.size for layer in layers.values() for weights in layer.values())
        after: dict[Queue, Layer] = {}
        with ThreadPoolExecutor(cores()) as pool:
            run = pool.map if size > LARGE else map
            for start in range(0, len(order), WINDOW):
                window = order[start : start + WINDOW]
                needed = dict.fromkeys(s for target in window for s, _ in targets[target])
                new = [source for source in needed if source not in allocations]
                if start == 0:  # rules may keep what belongs to this patient: one thread sets it up
                    allocations[new[0]] = self._allocation(new[0][1], patient, single)
                    new = new[1:]
                computed = run(lambda source: self._allocation(source[1], patient, single), new)
                allocations.update(zip(new, computed, strict=True))
                sums = run(lambda to: self._gathered(targets[to], layers, allocations), window)
                for (queue, pulls), weights in zip(window, sums, strict=True):
                    if weights is not None:
                        after.setdefault(queue, {})[pulls] = weights
                for queue, pulls in [s for s in allocations if last[s] <= window[-1]]:
                    del allocations[queue, pulls], layers[queue][pulls]
        return after

    def _allocation(self, pulls: Pulls, patient: int, single: bool) -> Allocation:
        if single and (cuts := self._rule.cuts(pulls, patient)) is not None:
            return cuts
        probabilities = self._rule.probabilities(*grid(pulls), patient)
        if self._floor:
            probabilities = self._floor + (1 - self._A * self._floor) * probabilities
        return [each if each.any() else None for each in probabilities]

    def _gathered(
        self,
        moves: list[tuple[State, Move]],
        layers: dict[Queue, Layer],
        allocations: dict[State, Allocation],
    ) -> Array | None:
        """What all moves to one state add up to; None if the design makes none of them."""
        total: Array | None = None
        for (queue, pulls), move in moves:
            weights, allocation = layers[queue][pulls], allocations[queue, pulls]
            if not isinstance(allocation, list):
                arm, low, high = move.known.index(1), self._floor, 1 - self._floor
                shape = tuple(n + 1 + more for n, more in zip(pulls, move.known, strict=True))
                total = np.zeros(shape) if total is None else total
                levels = (low, 0.5, high) if arm else (high, 0.5, low)
                add_cut_responses(total, weights, allocation, arm, levels)
                continue
            if not any(move.allocated):  # of patients whose responses are missing
                probability = np.ones(weights.shape)
                _, total = _with_responses(pulls, weights, probability, move.known, total)
                continue
            used = [(allocation[arm], n) for arm, n in enumerate(move.allocated) if n]
            powers = [each if n == 1 else each**n for each, n in used if each is not None]
            if len(powers) < len(used):
                continue
            if move.ways > 1:
                powers[0] = move.ways * powers[0]
            probability = reduce(np.multiply, powers)
            _, total = _with_responses(pulls, weights, probability, move.known, total)
        return total


def _with_responses(
    pulls: Pulls, weights: Array, factor: Array | None, more: Pulls, total: Array | None = None
) -> tuple[Pulls, Array]:
    """The counts, times a factor, after the responses of some more patients on each arm, added to
    `total`.
    """
    arms = [arm for arm, n in enumerate(more) if n]
    if not arms:
        part = weights if factor is None else weights * factor
        return pulls, part if total is None else total + part
    for arm in arms:
        factor = np.ones(weights.shape) if factor is None else factor
        pulls = tuple(n + more[arm] * (other == arm) for other, n in enumerate(pulls))
        shape = tuple(n + 1 for n in pulls)
        after = total if total is not None and arm == arms[-1] else np.zeros(shape)
        add_responses(after, weights, factor, arm, more[arm])
        weights, factor = after, None
    return pulls, weights


def _moves(queue: Queue, sizes: tuple[int, int], split: int, arms: int) -> list[Move]:
    """What may happen in a block, if so many of its patients are known together, and so many a
    decision later.
    """
    moves: list[Move] = []
    for first, second in product(*(compositions(size, arms) for size in sizes)):
        ways = _multinomial(first) * _multinomial(second)
        allocated = tuple(map(sum, zip(first, second, strict=True)))
        if not queue:
            moves.append(Move(allocated, ways, allocated, ()))
        elif not split:
            moves.append(Move(allocated, ways, queue[0], (*queue[1:], first)))
        else:
            joined = tuple(map(sum, zip(queue[-1], first, strict=True)))
            groups: Queue = (*queue[:-1], joined, second)
            moves.append(Move(allocated, ways, groups[0], groups[1:]))
    return moves


def _multinomial(numbers: Pulls) -> int:
    return factorial(sum(numbers)) // prod(map(factorial, numbers))
