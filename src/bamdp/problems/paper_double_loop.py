"""The double loop of Guez, Silver, Dayan 2012, with the labels of the actions permuted in each state and run."""

from __future__ import annotations

from bamdp.domains.double_loop import DoubleLoop
from bamdp.problems.problem import Problem


class PaperDoubleLoop(Problem):
    """The double loop of the paper; labels permuted.

    Args:
        discount: discount factor, in [0, 1).

    Example:
        >>> PaperDoubleLoop().steps
        1000
    """

    def __init__(self, *, discount: float = 0.95) -> None:
        super().__init__(DoubleLoop(discount=discount), draw="permuted")
