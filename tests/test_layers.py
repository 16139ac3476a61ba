"""Imports go one way, as in the flow of the design: nothing on the left imports from the right."""

import ast
from pathlib import Path

import pytest

import bamdp

ROOT = Path(bamdp.__file__).parent

# Lower layers first. Modules of one layer don't know each other, but files of one folder may import their neighbours.
LAYERS = [
    {
        "validation",
        "statistics",
        "published",
        "processes",
        "extras",
        "markup",
        "env_spaces",
        "env_making",
        "registration",
        "saved_file",
        "_core",
    },
    {"scene"},
    {"drawing", "sketches", "tree_picture", "cluster", "env_table", "learned"},
    {"prior", "tree", "cells", "team"},
    {"tabular_belief"},
    {"conjugate", "domain", "hooks", "plan"},
    {"compilation", "posterior"},
    {"numba_hooks"},
    {"priors", "agent", "bellman"},
    {"planner", "model_based", "model_free", "exact"},
    {"domains", "agents"},
    {"episode", "saving"},
    {"run_file"},
    {"discovery", "flags", "play", "results", "testing", "pictures"},
    {"request", "summary", "regret", "environments"},
    {"regret_command", "tasks", "task", "tune", "viewer"},
    {"experiment", "worker"},
    {"experiments", "sweep"},
    {"reproduce", "stored"},
    {"claim"},
    {"beside"},
    {"claims"},
    {"chart", "lines"},
    {"charts"},
    {"report"},
    {"page"},
    {"studies"},
    {"report_command"},
    {"cli"},
    {"__init__", "__main__"},
]
LAYER = {name: level for level, names in enumerate(LAYERS) for name in names}


def unit(path: Path) -> str:
    """The module or folder of the package that a file belongs to."""
    first = path.relative_to(ROOT).parts[0]
    return first.removesuffix(".py").removesuffix(".pyi")


def imports(path: Path) -> set[str]:
    """The parts of bamdp that a file imports when it is imported: what functions import, when called, is free."""
    found: set[str] = set()
    nodes: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or _is_type_checking(node):
            continue
        found |= _imported(node)
        nodes.extend(ast.iter_child_nodes(node))
    return found


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _imported(node: ast.AST) -> set[str]:
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute here"
        if node.module == "bamdp":
            return {alias.name for alias in node.names}
        return {node.module.split(".")[1]} if node.module and node.module.startswith("bamdp.") else set()
    if isinstance(node, ast.Import):
        return {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("bamdp.")}
    return set()


FILES = sorted(ROOT.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(ROOT)) for path in FILES])
def test_imports_go_one_way(path: Path) -> None:
    here = unit(path)
    assert here in LAYER, f"{here} has no place in LAYERS yet: put it where it belongs in the flow"
    for other in imports(path) - {here, "__version__"}:
        assert LAYER[other] < LAYER[here], f"{path.relative_to(ROOT)} imports {other}, which comes later in the flow"


def test_a_wrong_import_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text("from bamdp.cli.main import main\nfrom bamdp import agents\ndef f():\n    import bamdp.report.model\n")
    assert imports(file) == {"cli", "agents"}
