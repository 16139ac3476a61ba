"""The viewer's page in a browser."""

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture
def watch(browser: Any) -> Iterator[Any]:
    """Opens the viewer's page of a show."""
    from browser.pages import watching

    with watching(browser) as opened:
        yield opened
