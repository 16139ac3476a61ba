"""A domain, its prior, and agents for it, made from names and settings.

Settings are plain values by name: `{"simulations": 1000, "slip": 0.1}`. A setting has the name of the constructor's parameter
that it sets. Where the agent, the domain and the prior share a name, the first of them has it, and the others' settings begin
with `domain_` or `prior_`; names that a run uses itself (`RUN`) are taken too: `agent_workers`, `domain_seed`, `prior_columns`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

from bamdp.agent import Agent, given_settings
from bamdp.config import parameters
from bamdp.config.names import Kind, find, find_among
from bamdp.config.parameters import Parameter
from bamdp.domain import Domain
from bamdp.prior import Prior
from bamdp.validation import suggestion

RUN = ("steps", "runs", "seed", "workers", "prior", "json", "save", "resume")  # of `bamdp play`


@dataclass(frozen=True)
class Setup:
    """A domain, a prior, and how agents are made.

    Attributes:
        domain_name: the name of the domain.
        agent_name: the name of the agent.
        domain: the domain.
        prior: the prior; the domain's own unless another was chosen.
        agent_class: the class of the agents, or a function that makes one.
        groups: the parameters of "agent", "domain" and "prior", with their defaults.
        names: the names of the settings, by group and parameter.
        given: the settings that differ from the defaults, by group and parameter.
    """

    domain_name: str
    agent_name: str
    domain: Domain
    prior: Prior
    agent_class: Any
    groups: Mapping[str, Sequence[Parameter]]
    names: Mapping[tuple[str, str], str]
    given: Mapping[str, Mapping[str, Any]]

    @property
    def values(self) -> dict[str, Any]:
        """The value of every setting, by name."""
        every = [(group, p) for group, some in self.groups.items() for p in some]
        return {self.names[group, p.name]: self.given[group].get(p.name, p.default) for group, p in every}

    def with_settings(self, settings: Mapping[str, Any]) -> Setup:
        """The same domain with these settings of the agent and the prior."""
        self._check(settings)
        given = {group: _given(group, self.groups[group], settings, self.names) for group in ("agent", "prior")}
        prior = self.prior
        if given["prior"]:
            with _renamed(self.names, "prior"):
                transitions = replace(cast(Any, prior.of_transitions), **given["prior"])
            prior = prior.with_transitions(transitions)
        return replace(self, prior=prior, given={**self.given, **given})

    def _check(self, settings: Mapping[str, Any]) -> None:
        known = [name for (group, _), name in self.names.items() if group != "domain"]
        for name in settings:
            if name not in known:
                same = [called for (group, own), called in self.names.items() if name in (own, f"{group}_{own}")]
                hint = f"; did you mean '{same[0]}'?" if same else suggestion(name, self.names.values()) or "."
                what = f"{self.agent_name} in {self.domain_name}"
                raise ValueError(f"unknown setting '{name}' of {what}{hint} Known: {', '.join(self.names.values())}")

    def make_agent(self, seed: int, domain: Domain | None = None, prior: Prior | None = None, **more: Any) -> Agent:
        """An agent.

        Args:
            seed: seed of the agent's random generator.
            domain: another domain than the setup's.
            prior: another prior than the setup's.
            more: further settings of the agent, by parameter.
        """
        settings = {**self.given["agent"], **more}
        with _renamed(self.names, "agent"):
            return make_agent(self.agent_class, domain or self.domain, prior or self.prior, seed, settings)

    def texts(self, agent: Agent) -> dict[str, str]:
        """Domain, agent and prior, each as a text."""
        return {
            "domain": described(self.domain),
            "agent": f"{type(agent).__name__}({', '.join(given_settings(agent))})",
            "prior": described(self.domain.complete(self.prior)),
        }


def setup(
    domain: str,
    agent: str,
    settings: Mapping[str, Any] | None = None,
    *,
    prior: str | None = None,
    taken: Collection[str] = RUN,
    kinds: Sequence[Kind] = ("domain",),
) -> Setup:
    """Make the domain and the prior, and prepare to make agents.

    Args:
        domain: the name of the domain; see `bamdp list`.
        agent: the name of the agent.
        settings: of the domain, the prior and the agent; those not given have their defaults.
        prior: the name of the prior; the domain's own if not given.
        taken: names that settings don't have because they mean something else to the caller.
        kinds: what `domain` may be; with "problem", the domain and the prior of a problem with worlds drawn from that prior.

    Raises:
        UnknownNameError: there is no such domain, agent or prior.
        ValueError: there is no such setting, or its value isn't one that it can have.

    Example:
        >>> made = setup("grid5", "bamcp", {"simulations": 100, "slip": 0.1}, prior="dirichlet")
        >>> made.domain.num_states, made.prior
        (25, Dirichlet(1/S))
        >>> made.make_agent(seed=0).simulations
        100
    """
    settings = settings or {}
    found, found_agent = find_among(kinds, domain), find("agent", agent)
    found_prior = None if prior is None else find("prior", prior)
    of_domain = parameters.of_constructor(found.target) if callable(found.target) else []
    groups = {
        "agent": [parameter for parameter in agent_parameters(found_agent.target) if parameter.name != "seed"],
        "domain": [parameter for parameter in of_domain if parameter.name not in found.given],
    }
    names = parameters.names(groups, taken)
    given = _given("domain", groups["domain"], settings, names)
    with _renamed(names, "domain"):
        world, own = _posed(domain, found.factory(**given))
    own = own if found_prior is None else found_prior.factory()
    groups["prior"] = parameters.of_object(own.of_transitions)
    names = parameters.names(groups, taken)
    rest = {name: value for name, value in settings.items() if name not in [names["domain", p.name] for p in groups["domain"]]}
    made = {"agent": {}, "domain": given, "prior": {}}
    return Setup(domain, agent, world, own, found_agent.target, groups, names, made).with_settings(rest)


def _posed(name: str, made: Any) -> tuple[Domain, Prior]:
    """The domain and the prior of a domain, or of a problem, of this name."""
    if isinstance(made, Domain):
        return made, made.prior()
    if made.draw != "prior":
        raise ValueError(f"domain must be one with worlds drawn from the prior of the agents, which those of '{name}' are not")
    return made.domain, made.problem.prior


def make_agent(target: Any, domain: Domain, prior: Prior, seed: int, settings: Mapping[str, Any]) -> Agent:
    """An agent.

    Args:
        target: its class, or a function that makes one.
        domain: the domain; the agent is given its rewards, discount and terminal states.
        prior: its prior.
        seed: seed of the agent's random generator.
        settings: further settings, by parameter.
    """
    takes_seed = any(parameter.name == "seed" for parameter in agent_parameters(target))
    given = {**settings, "seed": seed} if takes_seed else dict(settings)
    make = partial(target, domain.problem(prior)) if isinstance(target, type) and issubclass(target, Agent) else target
    if getattr(target, "uses_true_model", False):
        given["world"] = domain.mdp
    agent: Agent = make(**given)
    if not takes_seed:
        agent.reset(seed)
    return agent


def described(thing: Any) -> str:
    """Its repr, unless that is the default one, which has an address in it."""
    own = "__repr__" in {name for cls in type(thing).__mro__[:-1] for name in vars(cls)}
    return repr(thing) if own else f"{type(thing).__name__}()"


def agent_parameters(target: Any) -> list[Parameter]:
    """The settings of a class of agents, or of a function that makes one, without the world that an oracle is given."""
    given = ("world",) if getattr(target, "uses_true_model", False) else ()
    return [p for p in parameters.of_constructor(target, keyword_only=True) if p.name not in given]


def _given(
    group: str, group_parameters: Sequence[Parameter], settings: Mapping[str, Any], names: Mapping[tuple[str, str], str]
) -> dict[str, Any]:
    """The settings of a group by parameter, without those that are the defaults."""
    given: dict[str, Any] = {}
    for parameter in group_parameters:
        value = settings.get(names[group, parameter.name], parameter.default)
        if value != parameter.default:
            with _renamed(names, group):
                value = parameter.convert(value)
        if value != parameter.default:
            given[parameter.name] = value
    return given


@contextmanager
def _renamed(names: Mapping[tuple[str, str], str], group: str) -> Iterator[None]:
    """Errors begin with the name of the setting, where it isn't that of the parameter."""
    try:
        yield
    except (TypeError, ValueError) as error:
        argument, space, rest = str(error).partition(" ")
        name = names.get((group, argument), argument)
        if name == argument:
            raise
        raise (TypeError if isinstance(error, TypeError) else ValueError)(name + space + rest) from error
