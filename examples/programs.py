"""Programs as worlds: the rules of a game are one of some Python functions.

Which of three levers opens the door, and is the floor icy? Each rule is its own `outcomes`; any
of them that contradicts a step is ruled out.
"""

from collections.abc import Callable

import bamdp
from bamdp import Outcome


def rule(lever: int, icy: bool) -> Callable[[tuple[int, bool], str], Outcome]:
    """One way in which the game may work."""

    def world(state: tuple[int, bool], action: str) -> Outcome:
        place, is_open = state  # of the door
        if action == "pull":
            return Outcome((place, is_open or place == lever), -1.0)
        step = (2 if icy else 1) * (1 if action == "right" else -1)
        place = max(0, min(3, place + step))
        return Outcome((place, is_open), -1.0, done=is_open and place == 3)

    world.__name__ = f"lever_{lever}{'_icy' if icy else ''}"
    return world


def main() -> None:
    rules = [rule(lever, icy) for lever in range(3) for icy in (False, True)]
    prior, actions = bamdp.priors.Worlds(rules), ("left", "right", "pull")
    problem = bamdp.BAMDP(
        prior, discount=1, horizon=14, episodes=1, start=(1, False), actions=actions
    )
    result = bamdp.compare(
        problem,
        {
            "BayesAdaptive": (bamdp.agents.BayesAdaptive, {"simulations": 200}),
            "posterior mean": bamdp.agents.PosteriorMean,
            "random": bamdp.agents.Random,
        },
        worlds=60,
        workers=1,
    )
    print(result)


if __name__ == "__main__":
    main()
