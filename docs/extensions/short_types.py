"""Signatures as in the source: `NDArray[int64]` instead of NumPy's expanded form."""

import re

from sphinx.application import Sphinx

ARRAY = re.compile(
    r"(?:numpy\.)?ndarray\[tuple\[Any, \.\.\.\], (?:numpy\.)?dtype\[(?:numpy\.)?(\w+)\]\]"
)


def shorten(
    app: Sphinx,
    what: str,
    name: str,
    obj: object,
    options: object,
    signature: str,
    returns: str,
) -> tuple[str, str]:
    """Shorten the types in a signature."""
    return ARRAY.sub(r"NDArray[\1]", signature or ""), ARRAY.sub(r"NDArray[\1]", returns or "")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("autodoc-process-signature", shorten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
