"""One browser for the tests of a file."""

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from browser.chromium import chromium

    with chromium() as found:
        yield found


@pytest.fixture
def watch(browser: Any) -> Iterator[Any]:
    """Opens the viewer's page of a show."""
    from browser.pages import watching

    with watching(browser) as opened:
        yield opened
