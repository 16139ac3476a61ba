"""Links of the pages of `bamdp watch`. A link may come from anybody: it may name what is allowed here, and nothing else.

Allowed are names of `bamdp list`, and settings that take a number, two numbers, yes or no, or one of some words: no code, no
texts, no files. The arguments are written anew from what was read, so that nothing depends on how a text was quoted.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, get_origin
from urllib.parse import parse_qs, urlencode, urlsplit

from bamdp.cli.parser import UsageError, user_errors
from bamdp.cli.watching import NEUTRAL, is_problem
from bamdp.config.choice import choose, settable
from bamdp.config.names import Kind
from bamdp.config.parameters import NONE, PAIR, Parameter
from bamdp.config.setup import setup

ONCE = ("domain", "settings", "prior", "seed", "simulations", "step", "speed", "truth")  # in a query; agents may be several
LASTING = ("steps", "prior")  # flags of the command that a link may have
NAME = re.compile(r"[a-z][a-z0-9-]*|gym:[A-Za-z0-9_/.-]+")  # a second colon would come after a module, which Gymnasium imports
CHOICE = re.compile(r"[a-z][a-z0-9-]*(:[a-z_-]+=.*)?")  # a name, perhaps with settings
PLAIN = (bool, int, float, PAIR, NONE)
HINT = "a link may come from anybody; to use it, write the command yourself"


def is_link(name: str) -> bool:
    """Whether it is a link, and not the name of a domain."""
    return "://" in name or "?" in name


def of_link(link: str, own: Sequence[Parameter]) -> tuple[list[str], str]:
    """The arguments that a link of a page stands for, and its query; `own` are the flags of the command."""
    with user_errors():
        asked = parse_qs(urlsplit(link).query, keep_blank_values=True)
        given = _given(shlex.split(asked.get("settings", [""])[0]))
    strange = [key for key in asked if key != "agent" and (key not in ONCE or len(asked[key]) > 1)]
    if "domain" not in asked or "agent" not in asked or strange:
        what = f"; it can't have this {strange[0]}" if strange else ""
        raise UsageError(f"a link must be that of a page of bamdp watch, with domain and agent{what}, got {link!r}")
    seed = [f"--seed={text}" for text in asked.get("seed", [])]
    with user_errors():
        flags = _flags(given, _allowed(asked["domain"][0], asked["agent"], given, own))
    if flags:
        asked["settings"] = [shlex.join(flags)]
    return [asked["domain"][0], *asked["agent"], *flags, *seed], f"?{urlencode(asked, doseq=True)}"


def _given(words: Sequence[str]) -> dict[str, list[str]]:
    """The flags among `words`, each with its values."""
    given: dict[str, list[str]] = {}
    for word in words:
        flag, equals, value = word.partition("=")
        if flag.startswith("--"):
            name = flag[2:].replace("-", "_")
            if name in given:
                raise ValueError(f"a link must not give a setting twice, got {flag!r}")
            given[name] = [value] if equals else []
        elif given:
            given[name].append(word)
        else:
            raise ValueError(f"settings of a link must begin with --, got {word!r}")
    return given


def _allowed(domain: str, agents: Sequence[str], given: Mapping[str, list[str]], own: Sequence[Parameter]) -> list[Parameter]:
    """The settings that a link for this domain and these agents may have; an error if it may not name them."""
    for agent in agents:
        _check_choice("agent", agent)
    lasting = [p for p in own if p.name in LASTING]
    if is_problem(domain):
        _check_choice("problem", domain)
        return [p for p in lasting if p.name != "prior"]
    prior = given.get("prior", [])
    for name in (domain, *prior):
        if not NAME.fullmatch(name):
            raise ValueError(f"a link must name what bamdp list has, got {name!r}: {HINT}")
    agent = agents[0].partition(":")[0] if len(agents) == 1 else NEUTRAL  # settings of two agents follow their names
    made = setup(domain, agent, prior=prior[0] if prior else None, taken=[p.name for p in own])
    return lasting + [replace(p, name=made.names[group, p.name]) for group, some in made.groups.items() for p in some]


def _check_choice(kind: Kind, name: str) -> None:
    if not CHOICE.fullmatch(name):
        raise ValueError(f"a link must name what bamdp list has, got {name!r}: {HINT}")
    choice = choose(kind, name)
    for parameter in settable(kind, choice.found):
        if parameter.name in choice.settings:
            _check_plain(parameter)


def _flags(given: Mapping[str, list[str]], allowed: Sequence[Parameter]) -> list[str]:
    """The flags of a link, each one word but those of two numbers; an error if one is not allowed."""
    known = {p.name: p for p in allowed} | {f"no_{p.name}": p for p in allowed if p.type is bool}
    flags = []
    for name, values in given.items():
        flag = "--" + name.replace("_", "-")
        if name not in known:
            raise ValueError(f"a link must not have the setting {flag!r}: {HINT}")
        if name != "prior":  # the only text, a name that has been looked up
            _check_plain(known[name])
        if len(values) != {bool: 0, PAIR: 2}.get(known[name].type, 1):
            raise ValueError(f"{flag} in a link must be {known[name].accepts}, got {' '.join(values) or 'nothing'}")
        if known[name].type == PAIR:
            flags += [flag, *(str(float(value)) for value in values)]
        else:
            flags += [f"{flag}={value}" for value in values] or [flag]
    return flags


def _check_plain(parameter: Parameter) -> None:
    if not all(kind in PLAIN or get_origin(kind) is Literal for kind in parameter.types):
        raise ValueError(f"{parameter.name} must not be in a link, as it is a text: {HINT}")
