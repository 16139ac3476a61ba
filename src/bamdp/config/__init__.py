"""From names and settings to domains, priors, agents and problems; the command line and studies build on it.

One grammar, `NAME[:SETTING=VALUE,SETTING=VALUE...]`, wherever something is named:

| kind      | examples                                                                                |
|-----------|-----------------------------------------------------------------------------------------|
| domain    | `grid5`, `grid5:slip=0.1`, `infinite-grid:columns=1,2,rows=2,1`, `gym:FrozenLake-v1`    |
| agent     | `bamcp`, `bamcp:simulations=300,exploration=auto`                                       |
| prior     | `dirichlet:alpha=0.5`                                                                   |
| problem   | `bbrl-gc:discount=0.9`                                                                  |
| your own  | `package.module:Name`, `package.module:Name:setting=value`                              |

`names` finds what a name stands for, `parameters` what can be set on it, `choice` reads a name with its settings. Here is what
most need: a domain, its prior, and agents for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bamdp.agent import Agent, given_settings
from bamdp.config.choice import Choice, choose
from bamdp.config.names import Kind
from bamdp.domain import Domain
from bamdp.prior import Prior
from bamdp.problem import BAMDP


@dataclass(frozen=True)
class Setup:
    """A domain, a prior, and how agents are made.

    Attributes:
        domain_choice: the domain, or the problem that it is of, by name.
        agent_choice: the agent by name.
        prior_choice: the prior by name; None for the domain's own.
        domain: the domain.
        prior: the prior.
    """

    domain_choice: Choice
    agent_choice: Choice
    prior_choice: Choice | None
    domain: Domain
    prior: Prior

    def make_agent(self, seed: int, domain: Domain | None = None, prior: Prior | None = None, **more: Any) -> Agent:
        """An agent.

        Args:
            seed: seed of the agent's random generator.
            domain: another domain than the setup's.
            prior: another prior than the setup's.
            more: further settings of the agent.
        """
        agent = self.agent_choice.with_settings(more) if more else self.agent_choice
        return agent.make_agent(domain or self.domain, prior or self.prior, seed)

    def texts(self, agent: Agent) -> dict[str, str]:
        """What the domain, an agent and the prior are, with their settings."""
        return {
            "domain": described(self.domain),
            "agent": f"{type(agent).__name__}({', '.join(given_settings(agent))})",
            "prior": described(self.domain.complete(self.prior)),
        }


def setup(
    domain: str | Choice, agent: str | Choice, prior: str | Choice | None = None, *, kinds: Sequence[Kind] = ("domain",)
) -> Setup:
    """Make the domain and the prior, and prepare to make agents.

    Args:
        domain: a name of `bamdp list`, perhaps with settings, "NAME:SETTING=VALUE,SETTING=VALUE".
        agent: that of the agent.
        prior: that of the prior; the domain's own if not given.
        kinds: what `domain` may be; with "problem", the domain and the prior of a problem with worlds drawn from that prior.

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
    posed = choose(kinds, domain) if isinstance(domain, str) else domain
    chosen = choose("agent", agent) if isinstance(agent, str) else agent
    other = choose("prior", prior) if isinstance(prior, str) else prior
    made = as_benchmark(posed.make())
    if not isinstance(made, Domain) and "problem" not in kinds:
        raise ValueError(f"domain must be a single world, got '{posed}', whose worlds are drawn: see bamdp compare")
    if not isinstance(made, Domain) and made.draw != "prior":
        raise ValueError(f"domain must be one with worlds drawn from the prior of the agents, which those of '{posed}' are not")
    world, own = (made, made.prior()) if isinstance(made, Domain) else (made.domain, made.problem.prior)
    return Setup(posed, chosen, other, world, own if other is None else other.make())


def as_benchmark(made: Any) -> Any:
    """A problem to draw worlds of, if a `BAMDP` was made; everything else as it is."""
    from bamdp.problems import Problem

    return Problem(made) if isinstance(made, BAMDP) else made


def described(thing: Any) -> str:
    """Its repr, unless that is the default one, which has an address in it."""
    own = "__repr__" in {name for cls in type(thing).__mro__[:-1] for name in vars(cls)}
    return repr(thing) if own else f"{type(thing).__name__}()"
