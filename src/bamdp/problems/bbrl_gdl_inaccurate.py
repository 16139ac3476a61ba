"""BBRL's generalised double loop (`bamdp.problems.bbrl_gdl`), where agents don't know which next states are possible."""

from __future__ import annotations

from bamdp.problems.bbrl_gdl import BBRLGDL


class BBRLGDLInaccurate(BBRLGDL):
    """BBRL's generalised double loop; agents have count 1 on all next states, a wrong prior.

    Args:
        discount: discount factor, in [0, 1).

    Example:
        >>> BBRLGDLInaccurate().problem.prior
        Dirichlet(1.0)
    """

    def __init__(self, *, discount: float = 0.95) -> None:
        super().__init__(accurate=False, discount=discount)
