"""The pages that people read, README.md and docs/*.md, as what can be run: their blocks of code and
their commands.
"""

import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bamdp.cli import link, tune, watch
from bamdp.cli import main as cli
from bamdp.cli.parser import parse_flags, split_words
from reproduction.cli import main as rerun
from reproduction.cli import report
from reproduction.experiment import checked
from reproduction.experiments import named

ROOT = Path(__file__).parents[2]
PAGES = [
    "README.md",
    *(str(page.relative_to(ROOT)) for page in sorted((ROOT / "docs").glob("*.md"))),
]

# Sizes that make a command quick; the rest of it stays as it is.
SMALL = {
    "--steps": 10,
    "--runs": 2,
    "--worlds": 2,
    "--patients": 20,
    "--people": 2,
    "--episodes": 20,
}
BUDGET = re.compile(r"\b(simulations|trajectories)=(\d+)")
_DONE: set[tuple[str, ...]] = set()


def text(page: str) -> str:
    """A page as it is written."""
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    """The blocks of code of a page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text(page), re.DOTALL | re.MULTILINE)


def commands(page: str) -> list[str]:
    """The lines for a shell on a page, in its `sh` blocks and in blocks that are indented; not
    those with a PLACEHOLDER.
    """
    indented = re.findall(r"^    (bamdp .*)$", text(page), re.MULTILINE)
    lines = [
        line for block in blocks(page, "sh") for line in block.replace("\\\n", " ").splitlines()
    ] + indented
    typed = [line for line in lines if not re.search(r"\b[A-Z]{3,}\b", line)]
    return [shlex.join(words) for line in typed if (words := shlex.split(line, comments=True))]


def run_blocks(page: str) -> dict[str, object]:
    """Run the Python blocks of a page one after the other, as in one session, and return what they
    have defined.
    """
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks(page, "python"):
        exec(compile(block, page, "exec"), names)
    return names


def run_command(command: str) -> None:
    """Run a command of a page, smaller, or see that it could be run; it fails where the real one
    would.
    """
    program, *words = shlex.split(command)
    if program == "bamdp":
        _run_bamdp(words)
    elif program == "python" and words[:2] == ["-m", "reproduction"]:
        _run_rerun(words[2:])
    elif program == "python":
        _check_script(*words)
    elif program == "make":
        assert re.search(rf"^{words[0]}:", text("Makefile"), re.MULTILINE), (
            f"there is no make {words[0]}"
        )
    else:
        assert program in ("pip", "rsync", "cd", "git"), (
            f"not a command that a reader would expect: {command}"
        )


def _check_script(script: str, *words: str) -> None:
    """That an example is there and knows the flags; that it runs, test_examples.py sees to."""
    assert (ROOT / script).exists(), f"there is no {script}"
    flags = [word for word in words if word.startswith("--")]
    if flags:
        known = subprocess.run(
            [sys.executable, ROOT / script, "--help"], check=True, capture_output=True, text=True
        ).stdout
        assert all(flag in known for flag in flags), f"{script} does not know all of {flags}"


def _run_bamdp(words: list[str]) -> None:
    kind = words[0]
    if kind == "watch":  # would serve for ever; the real command is tested in tests/viewer
        names, flags = split_words(words[1:])
        if link.is_link(names[0]):
            names, flags = split_words(link.of_link(names[0])[0])
        assert watch.show_of(names, parse_flags(watch.FLAGS, flags, "bamdp watch", "")).agents
        return
    if (
        kind == "tune"
    ):  # takes minutes, whatever the sizes; the real command is tested in test_tune.py
        names, flags = split_words(words[1:])
        assert tune.tried(names, parse_flags(tune.FLAGS, flags, "bamdp tune", "")["prior"])[1]
        return
    _run_once(cli.main, _small(words))


def _run_rerun(words: list[str]) -> None:
    """`python -m reproduction`."""
    if words[0] == "report":  # takes a minute, whatever is stored; tested in test_report.py
        checked(parse_flags(report.FLAGS, words[1:], "report", "")["scale"])
        return
    if words[0] != "export":
        names, flags = split_words(words)
        assert named(names)
        checked(_value(words, "--scale", "quick"))
        words = ["lazy", *_replaced(flags, "--scale", "smoke")]
    _run_once(rerun.main, words)


def _run_once(main: Callable[[Sequence[str]], int], words: Sequence[str]) -> None:
    """Several pages have the same command, or one that is the same when small."""
    if (key := (main.__module__, *words)) not in _DONE:
        assert main(words) == 0, f"refused: {shlex.join(words)}"
        _DONE.add(key)


def _small(words: list[str]) -> list[str]:
    words = [
        BUDGET.sub(lambda match: f"{match[1]}={min(20, int(match[2]))}", word) for word in words
    ]
    for flag, most in SMALL.items():
        if flag in words:
            words = _replaced(words, flag, str(min(most, int(_value(words, flag, "0")))))
    return (
        [*words, "--steps", str(SMALL["--steps"])]
        if words[0] == "play" and "--steps" not in words
        else words
    )


def _value(words: list[str], flag: str, default: str) -> str:
    return words[words.index(flag) + 1] if flag in words else default


def _replaced(words: list[str], flag: str, value: str) -> list[str]:
    at = words.index(flag) if flag in words else len(words)
    return [*words[:at], flag, value, *words[at + 2 :]]
