"""The least that a belief must be."""

from bamdp import BAMDP, Belief
from bamdp.steps import Step


class Mute(Belief):
    """Can do nothing but observe."""

    def __init__(self, problem: BAMDP) -> None:
        self.problem = problem

    def learn(self, step: Step) -> None:
        pass
