"""No file and no message can run code: nothing in the package unpickles, evaluates, or hands text to a shell.

Process pools and Ray pickle what they pass between processes of one user; that is theirs, and goes through no file of ours.
"""

import ast
from pathlib import Path

import pytest

import bamdp

SOURCES = sorted(Path(bamdp.__file__).parent.rglob("*.py"))
MODULES = {"pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "yaml", "jsonpickle"}
CALLS = {"eval", "exec", "compile", "__import__"}
METHODS = {"system", "popen", "read_pickle", "unpickle"}  # of any object


ALLOWED = {"ray_team.py": ["pickle"]}  # how a worker of one's own cluster gets its agent


def dangers(source: str) -> list[str]:
    """What a piece of code does that it should not."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [name.name for name in node.names if name.name.split(".")[0] in MODULES]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found += [node.module] if node.module.split(".")[0] in MODULES else []
        elif isinstance(node, ast.Call):
            found += _of_call(node)
    return found


def _of_call(node: ast.Call) -> list[str]:
    true = [k.arg for k in node.keywords if isinstance(k.value, ast.Constant) and k.value.value is True]
    found = [str(name) for name in true if name in ("allow_pickle", "shell")]
    if isinstance(node.func, ast.Name) and node.func.id in CALLS:
        found.append(node.func.id)
    if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
        found.append(node.func.attr)
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(Path(bamdp.__file__).parent)))
def test_nothing_is_unpickled(path: Path) -> None:
    assert dangers(path.read_text(encoding="utf-8")) == ALLOWED.get(path.name, [])


@pytest.mark.parametrize(
    "planted",
    [
        "import pickle",
        "from marshal import loads",
        "np.load(path, allow_pickle=True)",
        "eval(text)",
        "pandas.read_pickle(path)",
        "subprocess.run(text, shell=True)",
        "os.system(text)",
    ],
)
def test_planted_dangers_are_found(planted: str) -> None:
    assert len(dangers(planted)) == 1
