"""Sphinx configuration: `make docs`. Pages are Markdown (MyST); the API reference comes from the
docstrings.
"""

import os
import shutil
import sys
from pathlib import Path

import bamdp

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "extensions"), str(HERE.parent)]  # the second for `reproduction`

NOTEBOOKS = HERE / "notebooks"  # the notebooks of examples are run and shown
NOTEBOOKS.mkdir(exist_ok=True)
for file in [*HERE.glob("../examples/*.ipynb"), *HERE.glob("../examples/*.csv")]:
    shutil.copy(file, NOTEBOOKS)

project = "bamdp"
author = "the bamdp developers"
version = release = bamdp.__version__
copyright = "the bamdp developers, MIT license"

extensions = [
    "myst_nb",
    "sphinxcontrib.bibtex",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "short_types",
    "static_math",
]
if os.environ.get("DOCS_ONLINE"):  # links to other projects' pages, whose indices are fetched
    extensions.append("sphinx.ext.intersphinx")
intersphinx_mapping = {
    "python": ("https://docs.python.org/3", None),
    "numpy": ("https://numpy.org/doc/stable", None),
    "gymnasium": ("https://gymnasium.farama.org", None),
}
bibtex_bibfiles = ["../paper/paper.bib", "papers.bib"]
bibtex_default_style = "plain"
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
exclude_patterns = ["extensions", "results"]  # results is included in results.md
default_role = "literal"  # `x` in a docstring is code
highlight_language = "none"  # for blocks without a language

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_typehints_format = "short"
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}
python_maximum_signature_line_length = 100
napoleon_numpy_docstring = False
napoleon_attr_annotations = False
napoleon_use_ivar = True  # attributes are documented once, in the class

html_theme = "furo"
html_title = f"bamdp {release}"
html_math_renderer = "static"
html_copy_source = False
html_static_path = ["static"]
html_extra_path = ["llms.txt"]  # the library on one screen, for programs that read it
html_css_files = ["wide.css"]
