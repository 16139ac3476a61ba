"""Formulas as MathML, made when the pages are built: no script and no network is needed to read them."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx

TILDE, RELATION = "<mi>&#x0007E;</mi>", "<mo>&#x0223C;</mo>"  # the second has space around it


def mathml(formula: str, display: str) -> str:
    """A formula of LaTeX as MathML."""
    return convert(formula, display=display).replace(TILDE, RELATION)


def inline(self: Any, node: nodes.math) -> None:
    """A formula in a line of text."""
    self.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def block(self: Any, node: nodes.math_block) -> None:
    """A formula of its own."""
    self.body.append(f'<div style="margin: 1em 0; overflow-x: auto">{mathml(node.astext(), "block")}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx that there is such a renderer."""
    app.add_html_math_renderer("static", inline_renderers=(inline, None), block_renderers=(block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
