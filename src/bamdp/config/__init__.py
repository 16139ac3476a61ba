"""From names and settings to domains, priors, agents and benchmarks; the command line and studies
build on it.

One grammar, `NAME[:SETTING=VALUE,SETTING=VALUE...]`, wherever something is named:

| kind      | examples |
|-----------|---|
| domain    | `grid5`, `grid5:slip=0.1`, `infinite-grid:columns=1,2,rows=2,1`, `gym:FrozenLake-v1` |
| agent     | `bamcp`, `bamcp:simulations=300,exploration=auto` |
| prior     | `dirichlet:alpha=0.5` |
| benchmark | `bbrl-gc:discount=0.9` |
| your own  | `package.module:Name`, `package.module:Name:setting=value` |

`registry` finds what there is, `names` has the kinds of `bamdp list`, `parameters` says what can be
set on one, `spec` reads a name with its settings. Here is what most need: a domain, its prior, and
agents for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bamdp.agent import Agent, changed_settings
from bamdp.config.names import AGENTS, BENCHMARKS, DOMAINS, PRIORS
from bamdp.config.registry import Registry
from bamdp.config.spec import Spec, parse_spec
from bamdp.domain import Domain
from bamdp.prior import Prior
from bamdp.problem import BAMDP


@dataclass(frozen=True)
class Setup:
    """A domain, a prior, and how agents are made.

    Attributes:
        domain_spec: the domain, or the benchmark that it is of, by name.
        agent_spec: the agent by name.
        prior_spec: the prior by name; None for the domain's own.
        domain: the domain.
        prior: the prior.
    """

    domain_spec: Spec
    agent_spec: Spec
    prior_spec: Spec | None
    domain: Domain
    prior: Prior

    def make_agent(
        self, seed: int, domain: Domain | None = None, prior: Prior | None = None, **more: Any
    ) -> Agent:
        """An agent.

        Args:
            seed: seed of the agent's random generator.
            domain: another domain than the setup's.
            prior: another prior than the setup's.
            more: further settings of the agent.
        """
        agent = self.agent_spec.with_settings(more) if more else self.agent_spec
        return agent.make_agent(domain or self.domain, prior or self.prior, seed)

    def texts(self, agent: Agent) -> dict[str, str]:
        """What the domain, an agent and the prior are, with their settings."""
        return {
            "domain": described(self.domain),
            "agent": f"{type(agent).__name__}({', '.join(changed_settings(agent))})",
            "prior": described(self.domain.problem(self.prior).prior),
        }


def setup(
    domain: str | Spec,
    agent: str | Spec,
    prior: str | Spec | None = None,
    *,
    kinds: tuple[Registry, ...] = (DOMAINS,),
) -> Setup:
    """Make the domain and the prior, and prepare to make agents.

    Args:
        domain: a name of `bamdp list`, perhaps with settings, "NAME:SETTING=VALUE,SETTING=VALUE".
        agent: name of an agent.
        prior: name of a prior; the domain's own by default.
        kinds: what `domain` may be; with `BENCHMARKS`, the domain and the prior of a benchmark
            with worlds drawn from that prior.

    Raises:
        UnknownNameError: there is no such domain, agent or prior.
        ValueError: there is no such setting, or its value isn't one that it can have.

    Example:
        >>> made = setup("grid5:slip=0.1", "bamcp:simulations=100", "dirichlet:alpha=0.5")
        >>> made.domain.num_states, made.prior
        (25, Dirichlet(0.5))
        >>> made.make_agent(seed=0).simulations
        100
    """
    posed = parse_spec(kinds, domain) if isinstance(domain, str) else domain
    chosen = parse_spec(AGENTS, agent) if isinstance(agent, str) else agent
    other = parse_spec(PRIORS, prior) if isinstance(prior, str) else prior
    made = as_benchmark(posed.make())
    if isinstance(made, Domain):
        own_or_other = made.problem().prior if other is None else other.make()
        return Setup(posed, chosen, other, made, own_or_other)
    if BENCHMARKS not in kinds:
        raise ValueError(
            f"domain must be a single world, got '{posed}', whose worlds are drawn: see bamdp "
            "compare"
        )
    if made.draw != "prior":
        raise ValueError(
            "domain must be one with worlds drawn from the prior of the agents, which those of "
            f"'{posed}' are not"
        )
    own = made.problem.prior
    return Setup(posed, chosen, other, made.domain, own if other is None else other.make())


def as_benchmark(target: Any) -> Any:
    """A benchmark if `target` is a `BAMDP`; everything else as it is."""
    from bamdp.suite import Benchmark

    return Benchmark(target) if isinstance(target, BAMDP) else target


def described(thing: Any) -> str:
    """Its repr, unless that is the default one, which has an address in it."""
    own = "__repr__" in {name for cls in type(thing).__mro__[:-1] for name in vars(cls)}
    return repr(thing) if own else f"{type(thing).__name__}()"
