"""The table of claims: ids, what they say without rows, and those that a few seconds of runs
decide.
"""

import pytest

from reproduction.query import Query
from reproduction.report.claim import CLAIMS, Claim


def test_every_claim_has_its_own_id_and_they_are_in_order() -> None:
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)
    numbers = [claim.number for claim in CLAIMS]
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(1, 23)), "a claim of the paper is missing"


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.id)
def test_nothing_follows_from_nothing(claim: Claim) -> None:
    finding = claim.check(Query([]))
    assert finding.verdict == "not enough data"
    assert finding.evidence


@pytest.mark.parametrize(
    "id_", ["T9", "T13", "T15", "T16", "T17 mean", "T19", "T20", "T22 program"]
)
def test_claims_that_need_few_runs_hold(id_: str, cheap: Query) -> None:
    assert next(claim for claim in CLAIMS if claim.id == id_).check(cheap).verdict == "held"
