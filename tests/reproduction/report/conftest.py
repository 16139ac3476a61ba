"""Rows that several tests of the report need."""

import pytest

from report.crafted import small_store
from reproduction.experiments import named
from reproduction.query import Query
from reproduction.report.model import ReportData, build
from reproduction.worker import task_row as row

CHEAP = [
    "figure-s3",
    "figure-s4/markov chain",
    "figure-s4/one world/best column and row",
    "figure-s1/exact",
]
CHEAP += ["lemma-1", "bfs3-bounds"]


@pytest.fixture(scope="session")
def cheap() -> Query:
    """The rows of experiments of a few seconds, made here and now."""
    return Query(
        [row(task) for experiment in named(CHEAP) for task in experiment.tasks("paper", [])]
    )


@pytest.fixture(scope="session")
def found() -> ReportData:
    """The report of a small store made by hand."""
    return build(small_store())
