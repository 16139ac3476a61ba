"""Mastermind: 3 pegs, 4 colours. A world is a code, an action a guess, the answer is observed.

The optimum is 3.219 guesses on average over the 64 codes.
"""

from itertools import product

import numpy as np

import bamdp

Code = tuple[int, ...]
CODES = list(product(range(4), repeat=3))


def answer(code: Code, state: str, guess: Code) -> bamdp.Outcome:
    """Black pegs: right colour and place; white ones: right colour elsewhere."""
    black = sum(a == b for a, b in zip(code, guess, strict=True))
    both = sum(min(code.count(c), guess.count(c)) for c in set(guess))
    return bamdp.Outcome("guess", -1.0, done=black == 3, seen=(black, both - black))


def main() -> None:
    prior = bamdp.priors.Worlds(CODES, answer)
    problem = bamdp.BAMDP(prior, discount=1, horizon=8, episodes=1, start="guess", actions=CODES)
    agent = bamdp.agents.BayesAdaptive(problem, simulations=300, seed=0)
    guesses = []
    for code in CODES:
        agent.reset(seed=0)
        record = bamdp.run(agent, prior.domain(problem, code))
        guesses.append(len(record.actions))
    print(f"{np.mean(guesses):.3f} guesses on average, {max(guesses)} at most")


if __name__ == "__main__":
    main()
