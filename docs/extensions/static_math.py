"""Formulas as MathML, rendered at build time: reading them needs no script and no network."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx

TILDE, RELATION = "<mi>&#x0007E;</mi>", "<mo>&#x0223C;</mo>"  # the second has space around it


def mathml(formula: str, display: str) -> str:
    """Convert a LaTeX formula to MathML."""
    return convert(formula, display=display).replace(TILDE, RELATION)


def inline(self: Any, node: nodes.math) -> None:
    """Render an inline formula."""
    self.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def block(self: Any, node: nodes.math_block) -> None:
    """Render a display formula."""
    self.body.append(
        f'<div style="margin: 1em 0; overflow-x: auto">{mathml(node.astext(), "block")}</div>'
    )
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer(
        "static", inline_renderers=(inline, None), block_renderers=(block, None)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
