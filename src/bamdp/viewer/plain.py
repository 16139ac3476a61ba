"""The least that can be shown of a world, which every view of it shows too."""

from typing import Any

from bamdp.domain import UNBOUNDED, Domain, Scene
from bamdp.prior import Belief
from bamdp.viewer.beliefs import Rows


class Plain:
    """No picture: where the agent is and, in a finite world, where it believes its actions lead."""

    kind = "plain"

    def __init__(self, domain: Domain, scene: Scene, belief: Belief | None) -> None:
        self.domain, self.scene = domain, scene
        self.rows = Rows(belief, domain, self.label) if domain.num_states < UNBOUNDED else None

    def label(self, state: int) -> str:
        return self.scene.label(state)

    def layout(self) -> dict[str, Any]:
        return {"kind": self.kind}

    def observe(self, state: int, action: int, next_state: int) -> None:
        if self.rows is not None:
            self.rows.observe(state, action)

    def frame(self, state: int) -> dict[str, Any]:
        transitions = [] if self.rows is None else self.rows.from_state(state)
        return {"label": self.label(state), "transitions": transitions}
