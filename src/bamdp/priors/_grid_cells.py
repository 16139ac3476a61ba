"""States of the infinite grid as 64-bit integers: a cell (x, y) and whether it holds a reward.

    u = x + y,   v = x − y,   state = 2³² u + (v mod 2³²) with its last bit replaced by the content

u and v are both even or both odd, so nothing is lost: every cell within 2³¹ − 1 steps of (0, 0) has
its states, in any direction. Two coordinates of 32 bits and the content would need 65 bits. The
core does the same (grid_chain.hpp).
"""

from __future__ import annotations

from bamdp.validation import boolean, integer

REACH = 2**31 - 1  # steps from (0, 0)

MOVES = ((0, 1), (1, 0), (0, -1), (-1, 0))  # action 0: y + 1, 1: x + 1, 2: y − 1, 3: x − 1


def state_of(x: int, y: int, content: bool) -> int:
    """The state of cell (x, y), with or without a reward.

    Example:
        >>> cell_of(state_of(-3, 2**31 - 4, True))
        (-3, 2147483644, True)
    """
    x, y = integer("x", x, -REACH, REACH), integer("y", y, -REACH, REACH)
    if abs(x) + abs(y) > REACH:
        raise ValueError(
            f"x and y must be of a cell within 2^31 - 1 steps from (0, 0), got ({x}, {y})"
        )
    return ((x + y) << 32) | ((x - y) % 2**32 & ~1) | boolean("content", content)


def cell_of(state: int) -> tuple[int, int, bool]:
    """The cell (x, y) of a state and whether it holds a reward.

    Example:
        >>> cell_of(0)
        (0, 0, False)
    """
    state = integer("state", state, -(2**63), 2**63 - 1)
    u, low = state >> 32, state % 2**32
    v = ((low & ~1) | (u & 1)) - (2**32 if low >= 2**31 else 0)
    return (u + v) // 2, (u - v) // 2, bool(state & 1)


def next_cell(x: int, y: int, action: int) -> tuple[int, int]:
    """The next cell after `action`."""
    dx, dy = MOVES[action]
    return x + dx, y + dy
