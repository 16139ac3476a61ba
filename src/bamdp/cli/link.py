"""Links of the pages of `bamdp watch`. A link may come from anybody: it may name what is allowed
here, and nothing else.

Allowed are names of `bamdp list`, and settings that take numbers, yes or no, or one of some words:
no code, no texts, no files. The flags are written again from what was read, so that nothing depends
on how a text was quoted.
"""

from __future__ import annotations

import re
import shlex
from typing import Any, Literal, get_origin
from urllib.parse import parse_qs, urlencode, urlsplit

from bamdp.cli.parser import KINDS, PRIOR, STEPS, UsageError, parse_flags, user_errors
from bamdp.config.names import PRIORS
from bamdp.config.parameters import NONE, NUMBERS, PAIR
from bamdp.config.registry import Registry
from bamdp.config.spec import parse_spec

ONCE = (
    "domain",
    "settings",
    "seed",
    "simulations",
    "step",
    "speed",
    "truth",
)  # in a query; agents may be several
KEPT = (STEPS, PRIOR)  # flags of the command that a link has
# A name, perhaps with settings. A colon in a name would come after a module, which is imported.
NAME = re.compile(r"([a-z][a-z0-9-]*|gym:[A-Za-z0-9_/.-]+)(:[a-z][a-z_-]*=.*)?")
PLAIN = (bool, int, float, PAIR, NUMBERS, NONE)
HINT = "a link may come from anybody; to use it, write the command yourself"


def is_link(name: str) -> bool:
    """Whether it is a link, and not the name of a domain."""
    return "://" in name or "?" in name


def of_link(link: str) -> tuple[list[str], str]:
    """The arguments that a link of a page stands for, and its query."""
    with user_errors():
        asked = parse_qs(urlsplit(link).query, keep_blank_values=True)
        words = shlex.split(asked.get("settings", [""])[0])
    strange = [key for key in asked if key != "agent" and (key not in ONCE or len(asked[key]) > 1)]
    if "domain" not in asked or "agent" not in asked or strange:
        what = f"; it can't have this {strange[0]}" if strange else ""
        raise UsageError(
            f"a link must be that of a page of bamdp watch, with domain and agent{what}, got "
            f"{link!r}"
        )
    flags = [word.partition("=")[0] for word in words if word.startswith("-")]
    if len(set(flags)) < len(flags) or {"-h", "--help"} & set(flags):
        raise UsageError(f"a link must have each setting once, and not ask for help, got {link!r}")
    values = parse_flags(KEPT, words, "bamdp watch", "")
    with user_errors():
        asked["domain"] = [_checked(KINDS["DOMAIN"], asked["domain"][0])]
        asked["agent"] = [_checked(KINDS["AGENT"], name) for name in asked["agent"]]
        values["prior"] = None if values["prior"] is None else _checked((PRIORS,), values["prior"])
    kept = kept_flags(values)
    if kept:
        asked["settings"] = [shlex.join(kept)]
    seed = [f"--seed={text}" for text in asked.get("seed", [])]
    return [asked["domain"][0], *asked["agent"], *kept, *seed], f"?{urlencode(asked, doseq=True)}"


def kept_flags(values: dict[str, Any]) -> list[str]:
    """The flags of a command that a link has, as they are typed."""
    return [f"--{flag.name}={values[flag.name]}" for flag in KEPT if values[flag.name] is not None]


def _checked(registries: tuple[Registry, ...], name: str) -> str:
    """A name of a link as the page writes it, if a link may have it."""
    if not NAME.fullmatch(name):
        raise ValueError(f"a link must name what bamdp list has, got {name!r}: {HINT}")
    spec = parse_spec(registries, name)
    types = {parameter.name: parameter.types for parameter in spec.parameters}
    for setting in spec.settings:
        if not all(
            kind in PLAIN or get_origin(kind) is Literal for kind in types.get(setting, (str,))
        ):
            raise ValueError(f"{setting} must not be in a link, as it is a text: {HINT}")
    return str(spec)
