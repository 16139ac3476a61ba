"""Names with settings, and what is made of them, without the command line."""

from typing import Any

import pytest

from bamdp.config import setup
from bamdp.config.names import AGENTS, BENCHMARKS, DOMAINS, PRIORS
from bamdp.config.registry import Registry
from bamdp.config.spec import command_line, parse_grid, parse_spec


def test_settings_reach_the_domain_the_prior_and_the_agent() -> None:
    made = setup(
        "infinite-grid:columns=4,1,seed=3",
        "bamcp:simulations=5,reuse-tree=yes",
        "grid-rewards:rows=1,3,cap=none",
    )
    assert repr(made.domain).startswith("InfiniteGrid(columns=(4.0, 1.0), rows=(2.0, 1.0)")
    assert repr(made.prior).startswith("GridRewards(columns=(1.0, 2.0), rows=(1.0, 3.0),"), (
        "the prior's own, not the domain's"
    )
    agent: Any = made.make_agent(0)
    assert (agent.simulations, agent.reuse_tree) == (5, True)
    again: Any = made.make_agent(0, simulations=7)
    assert (again.simulations, again.reuse_tree) == (7, True)
    assert made.texts(again)["agent"].startswith("BAMCP(simulations=7")


def test_a_problem_in_place_of_a_domain() -> None:
    made = setup("small-chain:discount=0.8", "random", kinds=(DOMAINS, BENCHMARKS))
    assert (made.domain.discount, repr(made.prior)) == (0.8, "Dirichlet(array)")
    assert parse_spec((DOMAINS, BENCHMARKS), "grid-navi").registry is DOMAINS
    assert parse_spec((BENCHMARKS, DOMAINS), "grid-navi").registry is BENCHMARKS


TEXTS: list[tuple[Registry, str, dict[str, Any]]] = [
    (
        AGENTS,
        "bamcp:simulations=1e4,exploration=auto,depth=None",
        {"simulations": 10_000, "exploration": "auto", "depth": None},
    ),
    (AGENTS, "bamcp:exploration=3,reuse_tree=False", {"exploration": 3.0, "reuse_tree": False}),
    (
        DOMAINS,
        "infinite-grid:columns=1,2,rows=0.5,0.5",
        {"columns": (1.0, 2.0), "rows": (0.5, 0.5)},
    ),
    (DOMAINS, "grid:size=7, slip=0", {"size": 7, "slip": 0.0}),
    (
        DOMAINS,
        "gym:FrozenLake-v1:map_name=8x8,is_slippery=False",
        {"map_name": "8x8", "is_slippery": False},
    ),
    (DOMAINS, "gym:Blackjack-v1:values=-1,0,1,1.5", {"values": "-1,0,1,1.5"}),
    (PRIORS, "dirichlet:alpha=0.5", {"alpha": 0.5}),
    (BENCHMARKS, "riverswim:discount=0.9,episodes=3", {"discount": 0.9, "episodes": 3}),
]


@pytest.mark.parametrize(
    ("registry", "text", "settings"), TEXTS, ids=[text for _, text, _ in TEXTS]
)
def test_values_as_people_write_them(
    registry: Registry, text: str, settings: dict[str, Any]
) -> None:
    choice = parse_spec(registry, text)
    assert choice.settings == settings
    assert [type(value) for value in choice.settings.values()] == [
        type(value) for value in settings.values()
    ]
    assert parse_spec(registry, str(choice)) == choice, "what it prints can be typed"


def test_further_settings_are_values() -> None:
    choice = parse_spec(AGENTS, "bamcp:simulations=5", {"exploration": 3})
    assert choice.settings == {"simulations": 5, "exploration": 3.0}
    with pytest.raises(ValueError, match="simulations must be an integer or None, got '5'"):
        parse_spec(AGENTS, "bamcp", {"simulations": "5"})


@pytest.mark.usefixtures("mine")
def test_your_own_have_settings() -> None:
    assert parse_spec(AGENTS, "mine:Lazy:seconds=0").settings == {"seconds": 0.0}
    with pytest.raises(ValueError, match=r"unknown setting 'slip' of mine:my_chain\. Known: none"):
        parse_spec(DOMAINS, "mine:my_chain:slip=0.1")


def test_a_grid() -> None:
    choice, grid = parse_grid(
        AGENTS,
        "q-learning:half_life=None/10,learning_rate=0.5,exploration=boltzmann/epsilon-greedy",
    )
    assert choice.settings == {"learning_rate": 0.5}
    assert grid == {"half_life": (None, 10.0), "exploration": ("boltzmann", "epsilon-greedy")}


def test_a_command_can_be_pasted() -> None:
    names = parse_spec(DOMAINS, "grid5:slip=0.1"), parse_spec(AGENTS, "bamcp:simulations=5")
    assert (
        command_line("play", *names, runs=3, prior=None)
        == "bamdp play grid5:slip=0.1 bamcp:simulations=5 --runs 3"
    )


MISTAKES: list[tuple[Registry, str, str]] = [
    (
        AGENTS,
        "bamcp:simulation=3",
        "unknown setting 'simulation' of bamcp; did you mean 'simulations'? Known: simulations, ",
    ),
    (AGENTS, "bamcp:zzz=3", "unknown setting 'zzz' of bamcp. Known: simulations, "),
    (AGENTS, "bamcp:seed=3", "unknown setting 'seed' of bamcp"),
    (AGENTS, "bamcp:simulations=many", "simulations must be an integer or None, got 'many'"),
    (
        AGENTS,
        "bamcp:simulations=3,simulations=4",
        "simulations must be given once, got 'bamcp:simulations=3,simulations=4'",
    ),
    (AGENTS, "bamcp:rollouts=unifrm", "got 'unifrm'; did you mean 'uniform'?"),
    (AGENTS, "bamcp:exploration=1/2", "exploration must be a number or 'auto', got '1/2'"),
    (
        AGENTS,
        "bamcp:simulations",
        "'bamcp:simulations' needs a value, bamcp:simulations=VALUE; see bamdp list bamcp",
    ),
    (AGENTS, "bamcp:", "'bamcp:' needs a value, bamcp:SETTING=VALUE"),
    (AGENTS, "simulations=3", "settings follow a name and a colon, as in bamcp:simulations=300"),
    (DOMAINS, "infinite-grid:columns=1", "columns must be two numbers, got '1'"),
    (DOMAINS, "bbrl-gc", "unknown domain 'bbrl-gc': it is a benchmark, for bamdp compare."),
    (PRIORS, "dirichlet:beta=1", "unknown setting 'beta' of dirichlet"),
    # What papers and other libraries call it
    (AGENTS, "psrl", "unknown agent 'psrl'; psrl is called 'bayesian-dp' here. Known: "),
    (AGENTS, "Thompson-sampling", "Thompson-sampling is called 'bayesian-dp' here."),
    (AGENTS, "bamcp:c=3", "unknown setting 'c' of bamcp; c is called 'exploration' here. Known: "),
    (AGENTS, "bfs3:C=3", "C is called 'branching' here."),
    (AGENTS, "bamcp:K=3", "K is called 'simulations' here."),
    (AGENTS, "sboss:K=3", "K is called 'models' here."),
    (DOMAINS, "grid5:gamma=0.9", "gamma is called 'discount' here."),
    (
        AGENTS,
        "bamcp:gamma=0.9",
        "unknown setting 'gamma' of bamcp: it is one of the domain, DOMAIN:discount=VALUE.",
    ),
]


@pytest.mark.parametrize(
    ("registry", "text", "message"), MISTAKES, ids=[text for _, text, _ in MISTAKES]
)
def test_mistakes(registry: Registry, text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (compared below)
        parse_spec(registry, text)
    assert message in str(caught.value)
