"""No extension of one compiler outside of `#if`: GCC, clang and MSVC build the core."""

import re

from reference.documents import ROOT

SOURCES = sorted([*ROOT.glob("core/**/*.hpp"), *ROOT.glob("core/**/*.cpp")])
EXTENSION = re.compile(
    r"__builtin_|__attribute__|__extension__|__int128|__restrict|__forceinline|__declspec|__umulh|__typeof|__asm|__PRETTY_FUNCTION__"
    r"|\[\[gnu::|#\s*pragma (?!once)|#\s*include "
    r"<(?:sys/|unistd|intrin)|=\s*\(\{|\bM_PI\b|\balloca\("
)


def unguarded(source: str) -> list[str]:
    """The lines with an extension that every compiler sees."""
    depth, found = 0, []
    for line in source.splitlines():
        code = line.split("//")[0]
        depth += bool(re.match(r"\s*#\s*if", code)) - bool(re.match(r"\s*#\s*endif", code))
        if depth == 0 and EXTENSION.search(code):
            found.append(line.strip())
    return found


def test_extensions_are_guarded() -> None:
    assert len(SOURCES) > 50
    found = {
        str(path.relative_to(ROOT)): lines
        for path in SOURCES
        if (lines := unguarded(path.read_text(encoding="utf-8")))
    }
    assert not found, "name it by a macro of core/support/common.hpp"


def test_no_two_headers_define_a_class_of_the_same_name() -> None:
    """The linker would take the destructor of one for that of the other, in silence."""
    where: dict[str, set[str]] = {}
    for path in SOURCES:
        for name in re.findall(
            r"^(?:class|struct|enum class) (\w+)(?: final)?(?: :[^;{]*)? \{",
            path.read_text(encoding="utf-8"),
            re.M,
        ):
            where.setdefault(name, set()).add(str(path.relative_to(ROOT)))
    assert len(where) > 50
    assert {name: files for name, files in where.items() if len(files) > 1} == {}
