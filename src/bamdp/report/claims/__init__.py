"""What Guez, Silver, Dayan, 2012, claim, one file a part of the paper; see `bamdp.report.claim`."""

from bamdp.report.claim import Claim
from bamdp.report.claims import bandits, infinite_grid, parts, planning_time, rivals, table1, theory

ALL: tuple[Claim, ...] = (
    *table1.CLAIMS,
    *planning_time.CLAIMS,
    *parts.CLAIMS,
    *rivals.CLAIMS,
    *infinite_grid.CLAIMS,
    *bandits.CLAIMS,
    *theory.CLAIMS,
)
