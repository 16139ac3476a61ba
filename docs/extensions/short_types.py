"""Types of arrays as they are written, `NDArray[int64]`, not as NumPy spells them out."""

import re

from sphinx.application import Sphinx

ARRAY = re.compile(r"(?:numpy\.)?ndarray\[tuple\[Any, \.\.\.\], (?:numpy\.)?dtype\[(?:numpy\.)?(\w+)\]\]")


def shorten(app: Sphinx, what: str, name: str, obj: object, options: object, signature: str, returns: str) -> tuple[str, str]:
    """A signature with short types."""
    return ARRAY.sub(r"NDArray[\1]", signature or ""), ARRAY.sub(r"NDArray[\1]", returns or "")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx to ask."""
    app.connect("autodoc-process-signature", shorten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
