"""One browser for the tests of a file."""

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from browser.chromium import chromium

    with chromium() as found:
        yield found
