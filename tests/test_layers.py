"""Rules of imports; those inside functions count, those for type checkers alone don't."""

import ast
from collections.abc import Iterator
from pathlib import Path

import bamdp

ROOT = Path(bamdp.__file__).parent

# Rules 1 to 5: a unit (a module or a package) imports only from its left.
RULES = (
    "_core _version validation progress statistics choice_rule hooks pictures executors",
    "mdp prior problem priors domain domains exact saving agent search agents",
    "runs testing problems config",
    "environments studies trials fit report",
    "viewer cli __main__ __init__",
)
ORDER = " ".join(RULES).split()

# Rooms built on what users can import themselves: nothing that begins with an underscore.
APPLICATIONS = ["cli", "environments", "fit", "problems", "report", "studies", "trials", "viewer"]

# What the report may use beside its own room: it shows stored rows and never makes an agent.
SHOWN = {"validation", "statistics", "pictures", "studies", "report"}
READS = {"runs.store", "runs.task"}  # rows that are stored; the rest of the room runs agents


def modules(root: Path) -> dict[str, Path]:
    """The modules of the package by name, without the name of the package."""
    paths = (path.relative_to(root).with_suffix("") for path in root.rglob("*.py"))
    return {".".join(path.parts).removesuffix(".__init__"): (root / path).with_suffix(".py") for path in paths}


def imports(path: Path, known: dict[str, Path]) -> set[str]:
    """The modules of the package that a file imports, at its top or in a function."""
    found: set[str] = set()
    for node in _nodes(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute here"
            if node.module == "bamdp" or (node.module or "").startswith("bamdp."):
                within = (node.module or "").removeprefix("bamdp").removeprefix(".")
                names = [f"{within}.{alias.name}".removeprefix(".") for alias in node.names]
                found |= {name if name in known or not within else within for name in names if name != "__version__"}
        elif isinstance(node, ast.Import):
            found |= {alias.name.removeprefix("bamdp.") for alias in node.names if alias.name.startswith("bamdp.")}
    return found


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            yield node
            yield from _nodes(node)


def unit(module: str) -> str:
    return module.partition(".")[0]


def upward(root: Path) -> list[str]:
    """Imports from the right."""
    known = modules(root)
    return [
        f"{module} imports {other}"
        for module, path in sorted(known.items())
        for other in sorted(imports(path, known))
        if unit(other) != unit(module) and ORDER.index(unit(other)) >= ORDER.index(unit(module))
    ]


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """The modules that import each other: what is left after taking away who imports, or is imported by, nobody left."""
    left = {module: others & graph.keys() for module, others in graph.items()}
    while free := {m for m, others in left.items() if not others} | (left.keys() - set().union(*left.values())):
        left = {module: others - free for module, others in left.items() if module not in free}
    return sorted(left)


def test_imports_go_from_left_to_right() -> None:
    assert upward(ROOT) == []


def test_no_modules_import_each_other() -> None:
    known = modules(ROOT)
    graph = {module: imports(path, known) - {module} for module, path in known.items()}
    assert cycle(graph) == []


def private(path: Path) -> list[str]:
    """What a file imports from the package under a name with an underscore."""
    return [
        f"{path.name} imports {name}"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom | ast.Import)
        for name in [getattr(node, "module", ""), *(alias.name for alias in node.names)]
        if any(part.startswith("_") and not part.startswith("__") for part in (name or "").split("."))
    ]


def test_applications_import_public_names_only() -> None:
    assert [found for room in APPLICATIONS for path in (ROOT / room).rglob("*.py") for found in private(path)] == []


def test_the_report_runs_no_agent() -> None:
    known = modules(ROOT)
    used = {other for module, path in known.items() if unit(module) == "report" for other in imports(path, known)}
    assert {unit(other) for other in used - READS} <= SHOWN


def test_wrong_imports_are_seen(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("def save():\n    from bamdp.config import names\n")
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "__init__.py").write_text("")
    (tmp_path / "config" / "names.py").write_text("from bamdp.config.setup import x\n")
    (tmp_path / "config" / "setup.py").write_text("import bamdp.config.names\nfrom bamdp import agent\n")
    (tmp_path / "play.py").write_text("import bamdp._core\nfrom bamdp.agents.random import Random, _hidden\n")
    assert private(tmp_path / "play.py") == ["play.py imports bamdp._core", "play.py imports _hidden"]
    (tmp_path / "play.py").unlink()
    known = modules(tmp_path)
    assert upward(tmp_path) == ["agent imports config.names"]
    assert cycle({m: imports(p, known) for m, p in known.items()}) == ["agent", "config.names", "config.setup"]
