"""Signatures as in the source: `NDArray[int64]` instead of NumPy's expanded form, and of agents the arguments of `__init__`.

`Agent.__new__` takes any arguments and keeps them for `save`; autodoc would show that one.
"""

import inspect
import re

from sphinx.application import Sphinx
from sphinx.util.inspect import signature as signature_of
from sphinx.util.inspect import stringify_signature

from bamdp import Agent

ARRAY = re.compile(r"(?:numpy\.)?ndarray\[tuple\[Any, \.\.\.\], (?:numpy\.)?dtype\[(?:numpy\.)?(\w+)\]\]")


def shorten(app: Sphinx, what: str, name: str, obj: object, options: object, signature: str, returns: str) -> tuple[str, str]:
    """Shorten the types in a signature."""
    if inspect.isclass(obj) and issubclass(obj, Agent):
        made = signature_of(obj.__init__, bound_method=True, type_aliases=app.config.autodoc_type_aliases)
        signature = stringify_signature(made, unqualified_typehints=True)
    return ARRAY.sub(r"NDArray[\1]", signature or ""), ARRAY.sub(r"NDArray[\1]", returns or "")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("autodoc-process-signature", shorten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
