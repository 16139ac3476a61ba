"""The user's code behind a name, as a hash of its files: a store keeps rows of other code apart."""

from __future__ import annotations

import ast
import hashlib
import sysconfig
from collections.abc import Iterable, Iterator
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

LIBRARY = __name__.partition(".")[0]
STANDARD = Path(sysconfig.get_path("stdlib")).resolve()
INSTALLED = {"site-packages", "dist-packages"}  # folders of packages


def source_hash(modules: Iterable[str]) -> str | None:
    """A hash of the files of some modules and of their imports; None if they are of this library.

    Other installed packages don't count, nor files that code reads, nor imports by computed names.

    Example:
        >>> source_hash(["bamdp.agents.random"]) is None
        True
    """
    waiting = list(modules)
    own = {_package(name) for name in waiting} - {LIBRARY}
    digests: dict[str, bytes] = {}
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen or not (_package(name) in own or _is_local(_package(name))):
            continue
        seen.add(name)
        spec = _spec(name)
        if spec is None or spec.origin is None or not spec.has_location:
            continue
        content = Path(spec.origin).read_bytes()
        digests[name] = hashlib.sha256(content).digest()
        waiting += [name.rpartition(".")[0], *_imports(content, spec.parent or "")]
    whole = b"".join(name.encode() + digests[name] for name in sorted(digests))
    return hashlib.sha256(whole).hexdigest()[:16] if digests else None


def _package(name: str) -> str:
    return name.partition(".")[0]


def _is_local(package: str) -> bool:
    """Whether it is neither this library, nor installed, nor a standard one; it is not imported."""
    spec = None if package == LIBRARY else _spec(package)
    if spec is None:
        return False
    file = [spec.origin] if spec.origin and spec.has_location else []
    paths = [Path(place).resolve() for place in [*file, *(spec.submodule_search_locations or [])]]
    return bool(paths) and not any(map(_is_installed, paths))


def _is_installed(path: Path) -> bool:
    return bool(INSTALLED.intersection(path.parts)) or path.is_relative_to(STANDARD)


def _spec(name: str) -> ModuleSpec | None:
    """The module of this name, or None: in `from module import name` it may be a function."""
    try:
        return find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return None


def _imports(content: bytes, package: str) -> Iterator[str]:
    """What a file imports, not all of it modules; nothing if it is compiled."""
    try:
        nodes = list(ast.walk(ast.parse(content)))
    except (SyntaxError, ValueError):
        return
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[:1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (base, *(f"{base}.{alias.name}" for alias in node.names))
