"""The least that a belief must be."""

from bamdp import BAMDP, Belief


class Mute(Belief):
    """Can do nothing but observe."""

    def __init__(self, problem: BAMDP) -> None:
        self.problem = problem

    def observe(self, state: int, action: int, reward: float | None, next_state: int, terminated: bool | None = False) -> None:
        pass
