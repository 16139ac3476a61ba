"""Commands as functions of their flags: what is not understood, exit code 2, becomes a ValueError of what was written."""

import inspect
import io
import re
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from bamdp.cli import main as cli
from bamdp.cli.command import parse_setup
from bamdp.config.parameters import Parameter
from bamdp.studies.tasks.play import flags

TITLE = re.compile("bamdp: error|Value error|Parsing error")  # `error` is a flag of `bamdp regret`
ALWAYS = ("steps", "runs", "simulations", "limit")  # by default they take minutes


def command(name: str, own: Sequence[Parameter], domain: str, agent: str) -> Callable[..., None]:
    """A function with a parameter for each flag of `bamdp NAME DOMAIN AGENT`."""
    made = parse_setup(name, own, [domain, agent]).setup
    table = {parameter.name: parameter for parameter in own}
    table |= {made.names[group, parameter.name]: parameter for group, some in made.groups.items() for parameter in some}

    def call(**given: Any) -> None:
        words = [name, domain, agent, *(word for name, value in given.items() for word in _typed(name, value))]
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as errors:
            try:
                code = cli.main(words)
            except SystemExit as exit:
                code = exit.code if isinstance(exit.code, int) else 1
        if code == 2:
            raise ValueError(TITLE.sub("", errors.getvalue()).replace("--", " ").replace("-", "_"))
        assert code == 0, (words, code, errors.getvalue())
        assert "nan" not in out.getvalue().lower(), (words, out.getvalue())

    kind = inspect.Parameter.KEYWORD_ONLY
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(called, kind, default=_default(called, p), annotation=p.type) for called, p in table.items()]
    )
    call.__qualname__ = name
    return call


def _default(name: str, parameter: Parameter) -> Any:
    return inspect.Parameter.empty if name in ALWAYS else parameter.default


def _typed(name: str, value: Any) -> list[str]:
    """A flag as it is typed; of a value that nobody can type, its text."""
    if isinstance(value, bool | int | float | str | tuple):
        first, *rest = flags({name: value}) or [f"--{name}"]
        return [f"{first}={rest[0]}"] if len(rest) == 1 else [first, *rest]
    return [f"--{name.replace('_', '-')}={value}"]
