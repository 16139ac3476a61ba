"""Commands as functions of flags and settings: what is not understood, exit code 2, becomes a ValueError."""

import inspect
import io
import re
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from bamdp.cli import main as cli
from bamdp.config.choice import choose
from bamdp.config.names import Kind
from bamdp.config.parameters import Parameter

TITLE = re.compile("bamdp: error")  # `error` is a flag of `bamdp regret`
ALWAYS = ("steps", "runs", "simulations", "limit")  # by default they take minutes
KINDS: tuple[Kind, ...] = ("domain", "agent")


def command(name: str, own: Sequence[Parameter], *words: str) -> Callable[..., None]:
    """A function with a parameter for each flag of `bamdp NAME DOMAIN AGENT` and each setting of the two."""
    table = {parameter.name: parameter for parameter in own}
    settings = {
        word: [p for p in choose(kind, word).parameters if p.name not in table] for kind, word in zip(KINDS, words, strict=True)
    }
    owner = {parameter.name: word for word, some in settings.items() for parameter in some}
    table |= {parameter.name: parameter for some in settings.values() for parameter in some}

    def call(**given: Any) -> None:
        typed = {word: [f"{n}={_text(v)}" for n, v in given.items() if owner.get(n) == word] for word in words}
        line = [name, *(f"{word}:{','.join(some)}" if some else word for word, some in typed.items())]
        line += [
            f"--{n.replace('_', '-')}={_text(v)}"
            for n, v in given.items()
            if n not in owner and v is not False and v is not True
        ]
        line += [f"--{n}" for n, v in given.items() if n not in owner and v is True]
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as errors:
            code = cli.main(line)
        if code == 2:
            raise ValueError(TITLE.sub("", errors.getvalue()).replace("--", " ").replace("-", "_"))
        assert code == 0, (line, code, errors.getvalue())
        assert "nan" not in out.getvalue().lower(), (line, out.getvalue())

    kind = inspect.Parameter.KEYWORD_ONLY
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(called, kind, default=_default(called, p), annotation=p.type) for called, p in table.items()]
    )
    call.__qualname__ = name
    return call


def _default(name: str, parameter: Parameter) -> Any:
    return inspect.Parameter.empty if name in ALWAYS else parameter.default


def _text(value: Any) -> str:
    """A value as it is typed."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
