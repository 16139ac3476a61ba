"""The least that a belief must be."""

from bamdp import Belief


class Mute(Belief):
    """Can do nothing but observe."""

    def __init__(self, num_states: int, num_actions: int) -> None:
        self.num_states, self.num_actions = num_states, num_actions

    def observe(self, state: int, action: int, next_state: int) -> None:
        pass
