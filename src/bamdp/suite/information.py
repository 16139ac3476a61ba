"""Problems in which information has to be bought, or a rare loss avoided.

| name                | what is unknown                         | what tells it                    |
|---------------------|-----------------------------------------|----------------------------------|
| `signposts`         | which of four doors pays                | two signs on either side of it,  |
|                     |                                         | each right in 4 of 5 looks       |
| `rooms-and-map`     | which of twelve rooms has the goal      | a map, three steps away          |
| `rare-losses`       | how often each of two fast speeds       | driving at that speed            |
|                     | breaks the machine                      |                                  |
| `informative-arms`  | which of four arms is better            | the arms, and a fifth one that   |
|                     |                                         | never pays                       |
| `small-mastermind`  | a code of three pegs in four colours    | the answers to guesses           |
| `ten-arms`          | ten success rates, for 500 pulls        | pulling                          |

A greedy use of the belief fails in each: it opens the likeliest door, tries room after room, or
never pays for what only teaches. Except for the ten arms the exact optimum can be computed. In
`rare-losses` a breakdown is seen in one of thirty first attempts and costs twenty days of pay.

Mastermind on 64 codes needs 3.21875 guesses on average, the last one included. The ten arms are
those of DataWraith's banditbench, without a discount.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache
from itertools import product

import numpy as np

from bamdp.domains.bandit import Bandit
from bamdp.domains.tabular import Tabular
from bamdp.mdp import MDP
from bamdp.priors import BetaArms, Dirichlet, Worlds
from bamdp.priors.worlds import Outcome
from bamdp.problem import BAMDP
from bamdp.suite.benchmark import Benchmark
from bamdp.validation import beta_parameters, positive_integer

Row = Outcome | list[Outcome]

DOORS, SIGNS = 4, {-1: 0, 2: 1}  # the sign in a cell tells this bit of the door's number
RELIABILITY, STEP_COST = 0.8, 0.02
SIGN_STEPS = 20

ROOMS, MAP, WRONG_DOOR = 12, 3, 3.0
ROOM_STEPS = 40

RUNNING, BROKEN = range(2)
PAY, REPAIR = (1.0, 1.5, 2.0), -30.0  # of each speed; a repair takes a step
BREAKS = (0.0, 0.1, 0.2)  # pseudo-counts of breakdowns, of 3
DAYS = 20

ARMS, TELLER = 4, 4
GOOD, BAD, TELLS = 0.8, 0.4, 0.8
PULLS = 8

COLOURS, PEGS, GUESSES = 4, 3, 10


def signposts(door: int, cell: int, action: str) -> Row:
    """A corridor of cells −1 to 2; doors in cell 0, signs at both ends."""
    move = {"left": -1, "right": 1}.get(action)
    if move is not None:
        return Outcome(min(max(cell + move, min(SIGNS)), max(SIGNS)), -STEP_COST)
    if action == "look" and cell in SIGNS:
        bit = door >> SIGNS[cell] & 1
        return [
            Outcome(cell, -STEP_COST, seen=shown, probability=p)
            for shown, p in ((bit, RELIABILITY), (1 - bit, 1 - RELIABILITY))
        ]
    if action != "look" and cell == 0:
        return Outcome(0, 1.0 if action == f"door {door}" else -1.0, done=True)
    return Outcome(cell, -STEP_COST)


class Signposts(Benchmark, name="signposts"):
    """Four doors, one of which pays 1 and the others −1; two unreliable signs tell which.

    Args:
        discount: discount factor, in [0, 1].
    """

    def __init__(self, *, discount: float = 1.0) -> None:
        doors = [f"door {door}" for door in range(DOORS)]
        problem = BAMDP(
            Worlds(range(DOORS), signposts),
            discount=discount,
            horizon=SIGN_STEPS,
            episodes=1,
            start=0,
            actions=["left", "right", "look", *doors],
        )
        super().__init__(problem, steps=SIGN_STEPS)


def rooms_and_map(goal: int, cell: int, action: str) -> Outcome:
    """A corridor: rooms beside the cells 0 to 11, the map in cell −3."""
    if action == "enter":
        return Outcome(cell, -1.0, done=True) if cell == goal else Outcome(cell, -WRONG_DOOR)
    cell = min(max(cell + (1 if action == "right" else -1), -MAP), ROOMS - 1)
    return Outcome(cell, -1.0, seen=goal if cell == -MAP else None)


class RoomsAndMap(Benchmark, name="rooms-and-map"):
    """Twelve rooms on a corridor, the goal in one of them, and a map three steps in the other
    direction; a step costs 1, and a wrong door 3.

    With the map the goal is found at a cost of 12.5 on average: 3 steps to it, 3 back, 0 to 11 on,
    and the door.

    Args:
        discount: discount factor, in [0, 1].
    """

    def __init__(self, *, discount: float = 1.0) -> None:
        problem = BAMDP(
            Worlds(range(ROOMS), rooms_and_map),
            discount=discount,
            horizon=ROOM_STEPS,
            episodes=1,
            start=0,
            actions=["left", "right", "enter"],
        )
        super().__init__(problem, steps=ROOM_STEPS)


class RareLosses(Benchmark, name="rare-losses"):
    """A machine with three speeds, that pay 1, 1.5 and 2 a day; the faster ones may break it, with
    probabilities Beta(0.1, 2.9) and Beta(0.2, 2.8), and a repair costs 30.

    Args:
        discount: discount factor, in [0, 1].
    """

    def __init__(self, *, discount: float = 1.0) -> None:
        counts = np.zeros((2, len(PAY), 2))
        counts[RUNNING] = [[3 - breaks, breaks] for breaks in BREAKS]
        counts[BROKEN, :, RUNNING] = 1
        rewards = np.array([PAY, [REPAIR] * len(PAY)])
        means = counts / counts.sum(axis=-1, keepdims=True)
        machine = Tabular(
            MDP(means, rewards),
            discount,
            horizon=DAYS,
            states=("running", "broken"),
            actions=("slow", "fast", "faster"),
        )
        super().__init__(machine, Dirichlet(counts), steps=DAYS)


def informative_arms(best: int, state: Hashable, arm: int) -> Row:
    """A win pays 1; the last arm never pays, and shows the best one or, less often, another."""
    if arm == TELLER:
        others = (1 - TELLS) / (ARMS - 1)
        return [
            Outcome(state, seen=shown, probability=TELLS if shown == best else others)
            for shown in range(ARMS)
        ]
    p = GOOD if arm == best else BAD
    return [Outcome(state, 1.0, probability=p), Outcome(state, probability=1 - p)]


class InformativeArms(Benchmark, name="informative-arms"):
    """Four arms, one of which pays 1 in 4 of 5 pulls and the others in 2 of 5, and a fifth one that
    pays nothing and names the best one in 4 of 5.

    Args:
        discount: discount factor, in [0, 1].
    """

    def __init__(self, *, discount: float = 1.0) -> None:
        problem = BAMDP(
            Worlds(range(ARMS), informative_arms),
            discount=discount,
            horizon=PULLS,
            start="arms",
            actions=range(ARMS + 1),
        )
        super().__init__(problem, steps=PULLS)


Code = tuple[int, ...]


@cache
def answer(code: Code, guess: Code) -> tuple[int, int]:
    """Pegs of the right colour in the right place, and in the wrong one.

    Example:
        >>> answer((0, 0, 1), (0, 1, 2))
        (1, 1)
    """
    right = sum(a == b for a, b in zip(code, guess, strict=True))
    common = sum(min(code.count(colour), guess.count(colour)) for colour in range(COLOURS))
    return right, common - right


def mastermind(code: Code, state: Hashable, guess: Code) -> Outcome:
    """A guess costs 1; the right one ends the game."""
    return Outcome(state, -1.0, done=guess == code, seen=answer(code, guess))


class SmallMastermind(Benchmark, name="small-mastermind"):
    """Mastermind with three pegs in four colours: 64 codes, as few guesses as possible.

    Args:
        discount: discount factor, in [0, 1].
    """

    def __init__(self, *, discount: float = 1.0) -> None:
        codes = list(product(range(COLOURS), repeat=PEGS))
        problem = BAMDP(
            Worlds(codes, mastermind),
            discount=discount,
            horizon=GUESSES,
            episodes=1,
            start="board",
            actions=codes,
        )
        super().__init__(problem, steps=GUESSES)


class TenArms(Benchmark, name="ten-arms"):
    """Ten Bernoulli arms and 500 pulls.

    Args:
        success: the two parameters of the Beta distribution of success rates.
        pulls: number of pulls, at most 100,000.
        discount: discount factor, in [0, 1].
    """

    def __init__(
        self,
        *,
        success: tuple[float, float] = (1.0, 1.0),
        pulls: int = 500,
        discount: float = 1.0,
    ) -> None:
        a, b = beta_parameters("success", success)
        horizon = positive_integer("pulls", pulls, 10**5)
        bandit = Bandit([a / (a + b)] * 10, discount, horizon=horizon)
        super().__init__(bandit, BetaArms(a, b), steps=horizon)
