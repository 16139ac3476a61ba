"""Every domain, prior and agent that is found keeps its contract."""

import inspect
from importlib import import_module
from typing import Any

import pytest

from bamdp import MDP, Domain
from bamdp.config import names
from bamdp.config.registry import Entry, Registry
from bamdp.domain import UNBOUNDED
from bamdp.domains import Bandit, Chain, Grid, Tabular
from bamdp.priors import SparseDirichlet
from bamdp.search.planner import Planner
from bamdp.testing import check_agent, check_domain, check_prior

DOMAINS = names.DOMAINS.find_all()
PRIORS = names.PRIORS.find_all()
AGENTS = names.AGENTS.find_all()
BANDITS_ONLY = {"gittins"}
UNBOUNDED_ONLY = {"grid-rewards": 4}  # with this many actions
ONE_STATE_ONLY = {"normal-arms"}


def name(found: Entry) -> str:
    return found.name


@pytest.mark.parametrize("found", DOMAINS, ids=name)
def test_domain(found: Entry) -> None:
    check_domain(found.factory())


@pytest.mark.parametrize("found", DOMAINS, ids=name)
def test_prior_of_domain(found: Entry) -> None:
    domain = found.factory()
    num_states = (
        domain.num_states if domain.num_states == UNBOUNDED else min(domain.num_states, 25)
    )  # whole tables are drawn
    check_prior(domain.problem().prior, num_states, domain.num_actions)


@pytest.mark.parametrize("found", PRIORS, ids=name)
def test_prior(found: Entry) -> None:
    if found.name in UNBOUNDED_ONLY:
        with pytest.raises(ValueError, match="rewards must be of infinitely many states"):
            check_prior(found.factory(), num_states=2, num_actions=3)
        check_prior(found.factory(), UNBOUNDED, UNBOUNDED_ONLY[found.name])
        return
    # Two states, so that priors of bandits can be tried too.
    check_prior(found.factory(), num_states=1 if found.name in ONE_STATE_ONLY else 2, num_actions=3)


ENDING = Tabular(
    MDP(Grid(3).transitions, Grid(3).rewards, terminal=[8]),
    0.95,
    time_limit=7,
    prior=SparseDirichlet(),
)


@pytest.mark.parametrize("world", [Chain(), Grid(3), ENDING], ids=repr)
@pytest.mark.parametrize("found", AGENTS, ids=name)
def test_agent(found: Entry, world: Domain) -> None:
    if found.name in BANDITS_ONLY:
        with pytest.raises(TypeError, match="for bandits"):
            found.target(world.problem())
        world = Bandit()
    given: dict[str, Any] = {"world": world.mdp} if found.target.uses_true_model else {}
    given |= {"simulations": 50} if issubclass(found.target, Planner) else {}
    check_agent(lambda seed: found.target(world.problem(), seed=seed, **given), world)


@pytest.mark.parametrize("registry", names.REGISTRIES, ids=repr)
def test_what_is_found_is_exported_and_the_rest_needs_arguments(registry: Registry) -> None:
    package: Any = import_module(registry.package)
    exported = set(package.__all__)
    by_name = {entry.target.__name__ for entry in registry.find_all()}
    assert by_name <= exported, f"{registry.package}.__init__ exports every class of its modules"
    for name in exported - by_name:
        assert registry is not names.AGENTS
        assert any(
            p.default is p.empty
            for p in inspect.signature(getattr(package, name)).parameters.values()
        ), name
