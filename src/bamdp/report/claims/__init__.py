"""What Guez, Silver, Dayan, 2012, claim, one module for each part of the paper; see `bamdp.report.claim`.

A module has a tuple `CLAIMS`; a file that is dropped in here needs no entry in any list.
"""

from bamdp.report.claim import Claim
from bamdp.studies.discovery import modules


def all_claims() -> list[Claim]:
    """The claims of all modules, by the numbers in their ids."""
    return sorted((claim for module in modules(__name__) for claim in module.CLAIMS), key=lambda claim: claim.number)
