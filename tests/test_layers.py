"""Rules of imports; those inside functions count, those for type checkers alone don't."""

import ast
from collections.abc import Iterator
from pathlib import Path

import bamdp

ROOT = Path(bamdp.__file__).parent
REPRODUCTION = Path(__file__).parents[1] / "reproduction"
REPORT = REPRODUCTION / "report"

# A unit (a module or a package) imports only from its left: what all use; contracts; what
# implements them; runs, their pictures and results, benchmarks; names, and what takes names;
# comparisons; applications; the command line.
RULES = (
    "_core _version validation progress statistics choice_rule hooks executors",
    "spaces steps mdp prior problem state agent domain",
    "priors domains exact search agents",
    "runs.loop pictures result runs suite",
    "config environments saving testing",
    "comparing",
    "fit trials viewer",
    "cli __main__ __init__",
)
ORDER = " ".join(RULES).split()

# Contracts import neither what implements them, nor saving, nor HTML.
CONTRACTS = set(RULES[1].split())

# Rooms built on what users can import themselves: nothing that begins with an underscore.
APPLICATIONS = ["cli", "comparing", "environments", "fit", "suite", "trials", "viewer"]

# What the report may use of the package: it shows stored rows and never makes an agent.
SHOWN = {"validation", "statistics", "pictures"}
READS = {"comparing.store", "comparing.rows"}  # rows; the rest of the room runs agents


def modules(root: Path) -> dict[str, Path]:
    """The modules of the package by name, without the name of the package."""
    paths = (path.relative_to(root).with_suffix("") for path in root.rglob("*.py"))
    return {
        ".".join(path.parts).removesuffix(".__init__"): (root / path).with_suffix(".py")
        for path in paths
    }


def imports(path: Path, known: dict[str, Path]) -> set[str]:
    """The modules of the package that a file imports, at its top or in a function."""
    found: set[str] = set()
    for node in _nodes(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute here"
            if node.module == "bamdp" or (node.module or "").startswith("bamdp."):
                within = (node.module or "").removeprefix("bamdp").removeprefix(".")
                names = [f"{within}.{alias.name}".removeprefix(".") for alias in node.names]
                found |= {
                    name if name in known or not within else within
                    for name in names
                    if name != "__version__"
                }
        elif isinstance(node, ast.Import):
            found |= {
                alias.name.removeprefix("bamdp.")
                for alias in node.names
                if alias.name.startswith("bamdp.")
            }
    return found


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if not (
            isinstance(node, ast.If)
            and isinstance(node.test, ast.Name)
            and node.test.id == "TYPE_CHECKING"
        ):
            yield node
            yield from _nodes(node)


def unit(module: str) -> str:
    return module if module in ORDER else module.partition(".")[0]


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
    """The modules that import each other: what is left after taking away who imports, or is
    imported by, nobody left.
    """
    left = {module: others & graph.keys() for module, others in graph.items()}
    while free := {m for m, others in left.items() if not others} | (
        left.keys() - set().union(*left.values())
    ):
        left = {module: others - free for module, others in left.items() if module not in free}
    return sorted(left)


def test_imports_go_from_left_to_right() -> None:
    assert upward(ROOT) == []


def test_contracts_import_no_implementation() -> None:
    """Nor does what they import."""
    known = modules(ROOT)
    graph = {module: imports(path, known) for module, path in known.items()}
    used, waiting = set(CONTRACTS), list(CONTRACTS)
    while waiting:
        new = graph[waiting.pop()] & graph.keys() - used
        used |= new
        waiting += new
    allowed = CONTRACTS | set(RULES[0].split())
    assert {module for module in used if unit(module) not in allowed} == set()


def test_no_modules_import_each_other() -> None:
    known = modules(ROOT)
    graph = {module: imports(path, known) - {module} for module, path in known.items()}
    assert cycle(graph) == []


def named(path: Path) -> list[str]:
    """The modules, of any package, that a file imports."""
    return [
        name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom | ast.Import)
        for name in [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
    ]


def private(path: Path) -> list[str]:
    """What a file imports from the package under a name with an underscore."""
    return [
        f"{path.name} imports {name}"
        for name in named(path)
        if any(part.startswith("_") and not part.startswith("__") for part in name.split("."))
    ]


def test_applications_import_public_names_only() -> None:
    assert [
        found
        for room in APPLICATIONS
        for path in (ROOT / room).rglob("*.py")
        for found in private(path)
    ] == []


def test_the_package_knows_nothing_of_the_reproduction() -> None:
    users = [
        path.name
        for path in ROOT.rglob("*.py")
        if "reproduction" in {name.partition(".")[0] for name in named(path)}
    ]
    assert users == []


def test_the_reproduction_imports_public_names_only() -> None:
    assert [found for path in REPRODUCTION.rglob("*.py") for found in private(path)] == []


def test_the_report_runs_no_agent() -> None:
    known = modules(ROOT)
    used = {other for path in REPORT.rglob("*.py") for other in imports(path, known)}
    assert {unit(other) for other in used - READS} <= SHOWN


def test_wrong_imports_are_seen(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("def save():\n    from bamdp.config import names\n")
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "__init__.py").write_text("")
    (tmp_path / "config" / "names.py").write_text("from bamdp.config.setup import x\n")
    (tmp_path / "config" / "setup.py").write_text(
        "import bamdp.config.names\nfrom bamdp import agent\n"
    )
    (tmp_path / "play.py").write_text(
        "import bamdp._core\nfrom bamdp.agents.random import Random, _hidden\n"
    )
    assert private(tmp_path / "play.py") == [
        "play.py imports bamdp._core",
        "play.py imports _hidden",
    ]
    (tmp_path / "play.py").unlink()
    known = modules(tmp_path)
    assert upward(tmp_path) == ["agent imports config.names"]
    assert cycle({m: imports(p, known) for m, p in known.items()}) == [
        "agent",
        "config.names",
        "config.setup",
    ]
