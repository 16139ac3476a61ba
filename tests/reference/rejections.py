"""Tables of calls that must be rejected, one line each, with words of the message that names what
is wrong.
"""

from collections.abc import Callable
from typing import Any

import pytest

Rejection = tuple[type[Exception] | tuple[type[Exception], ...], str, Callable[[], Any]]


def rejections(*table: Rejection) -> Any:
    """A test for each row: the error, a pattern of its message, and the call."""

    @pytest.mark.parametrize(
        ("error", "words", "call"), table, ids=[words for _, words, _ in table]
    )
    def test(error: Any, words: str, call: Callable[[], Any]) -> None:
        with pytest.raises(error, match=words):
            call()

    return test
