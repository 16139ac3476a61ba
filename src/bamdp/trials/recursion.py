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
a group. A state is thus the counts that are known and the groups that wait.
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


def feasible(design: Design, trial: Trial) -> bool:
    """Whether the recursion is feasible: see the table of costs in the documentation."""
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


def end_counts(design: Design, trial: Trial, rule: Rule | None = None) -> EndCounts:
    """The probabilities of all counts at the end of a trial, for one design.

    Args:
        design: the design.
        trial: the trial.
        rule: the design's rule for the trial, if it is there already.
    """
    block = design.block_of(trial)
    trial.check_looks(block)
    A, rule = trial.num_arms, design.rule(trial) if rule is None else rule
    walk = _Walk(rule, A, trial.floor if design.adaptive else 0.0)
    late, split = divmod(trial.delay if design.adaptive else 0, block)
    nobody: Queue = ((0,) * A,) * (late + (split > 0))
    layers: dict[Queue, Layer] = {nobody: {(0,) * A: np.ones((1,) * A)}}
    counts: Layer = {}
    with progress("patients") as show:
        for patient in range(0, trial.patients, block):
            show(design.label(trial), patient, trial.patients)
            if trial.stopping is not None:
                counts.update(trial.stopping.split(layers[()], counts, patient, trial))
            layers = walk.step(layers, patient, min(block, trial.patients - patient), split)
    for queue, layer in layers.items():
        for pulls, weights in layer.items():
            after, total = pulls, weights
            for group in queue:
                after, total = _with_responses(after, total, None, group)
            counts[after] = counts[after] + total if after in counts else total
    return EndCounts(counts, trial.patients)


# Allocation probabilities at the counts of a state: of each arm, None where an arm has none; or the
# cuts of `Rule.cuts`.
Allocation = list[Array | None] | NDArray[np.uint16]


class _Walk:
    """Steps of the recursion."""

    def __init__(self, rule: Rule, num_arms: int, floor: float) -> None:
        self._rule, self._A, self._floor = rule, num_arms, floor

    def step(
        self, layers: dict[Queue, Layer], patient: int, block: int, split: int
    ) -> dict[Queue, Layer]:
        """The layers one block later. Arrays are released as soon as they are no longer needed."""
        last: dict[State, State] = {}  # the last state in order that needs a source
        targets: dict[State, list[tuple[State, Move]]] = {}
        for queue, layer in layers.items():
            moves = _moves(queue, block, split, self._A)
            for pulls in layer:
                source = queue, pulls
                for move in moves:
                    known = zip(pulls, move.known, strict=True)
                    target = move.queue, tuple(n + more for n, more in known)
                    targets.setdefault(target, []).append((source, move))
                    last[source] = max(last.get(source, target), target)
        single = block == 1 and layers.keys() == {()}
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


def _moves(queue: Queue, block: int, split: int, arms: int) -> list[Move]:
    """What may happen in a block: of its patients, the last `split` are known a decision later than
    the others.
    """
    later = min(split, block)
    moves: list[Move] = []
    for first, second in product(compositions(block - later, arms), compositions(later, arms)):
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
