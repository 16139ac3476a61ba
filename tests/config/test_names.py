"""Finding domains, priors and agents by name."""

import pytest

from bamdp.config.names import AGENTS, BENCHMARKS, DOMAINS, PRIORS, find_among
from bamdp.config.registry import Registry, UnknownNameError
from bamdp.validation import suggestion


def test_gymnasium() -> None:
    assert "gym:<ID>" in DOMAINS.listing()
    assert DOMAINS.find("gym:FrozenLake-v1").factory(map_name="8x8").num_states == 64


def test_digits_are_the_first_argument() -> None:
    found = DOMAINS.find("grid7")
    assert "size" not in {parameter.name for parameter in found.parameters}
    assert found.factory().num_states == 49
    numbered = {name for name in BENCHMARKS.listing() if name.endswith("]")}
    assert numbered == {"paper-grid[N]"}, "not where the first argument must be named"


@pytest.mark.usefixtures("mine")
def test_your_own() -> None:
    assert DOMAINS.find("mine:my_chain").description == "A chain of mine."
    assert DOMAINS.find("mine:chain").factory() is DOMAINS.find("mine:chain").target
    assert AGENTS.find("mine:Lazy").description == "Does the first thing."


UNKNOWN: list[tuple[Registry, str, str]] = [
    (DOMAINS, "maze7", "unknown domain 'maze7'; did you mean 'maze'?"),
    (
        BENCHMARKS,
        "rl2-mdp7",
        "unknown benchmark 'rl2-mdp7'; did you mean 'rl2-mdp'?",
    ),  # the number of episodes has a name
    (BENCHMARKS, "horizon-task1", "did you mean 'horizon-task'?"),
    (DOMAINS, "Grid", "unknown domain 'Grid'; did you mean 'grid'?"),
    (DOMAINS, "double_loop", "did you mean 'double-loop'?"),
    (DOMAINS, "zzz", "unknown domain 'zzz'. Known: "),
    (DOMAINS, "tabular", "domain 'tabular' needs mdp, discount"),
    (PRIORS, "finite", "name it as package.module:function; see bamdp list finite"),
    (PRIORS, "Finite", "unknown prior 'Finite'; did you mean 'finite'?"),
    (DOMAINS, "gym", "did you mean 'gym:FrozenLake-v1'?"),
    (AGENTS, "nowhere:Agent", "unknown agent 'nowhere:Agent': No module named 'nowhere'"),
    (DOMAINS, "mine:nothing", "module 'mine' has no attribute 'nothing'"),
    (DOMAINS, "mine:My_chian", "has no attribute 'My_chian'; did you mean 'my_chain'?"),
    (DOMAINS, "mine:NotADomain", "is a class that is not a bamdp.Domain"),
    (DOMAINS, "mine:number", "is neither a bamdp.Domain nor a function that makes one"),
    (AGENTS, "mine:agent", "is one object, but each run needs its own"),
]


@pytest.mark.parametrize(
    ("registry", "name", "message"), UNKNOWN, ids=[name for _, name, _ in UNKNOWN]
)
@pytest.mark.usefixtures("mine")
def test_unknown_names(registry: Registry, name: str, message: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        registry.find(name)
    assert message in str(caught.value)


AMONG = {
    "tabular": "domain 'tabular' needs mdp, discount",
    "gird5": "unknown domain 'gird5'; did you mean 'grid5'?",
    "grid5:slip": "'grid5:slip' needs a value, grid5:slip=VALUE",
    "riverswin": "unknown benchmark 'riverswin'; did you mean 'riverswim'?",
    "zzz": "unknown benchmark 'zzz'. Known: ",
}


@pytest.mark.parametrize("name", AMONG)
def test_the_error_is_that_of_the_kind_with_the_nearest_name(name: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        find_among((BENCHMARKS, DOMAINS), name)
    assert AMONG[name] in str(caught.value)


def test_nothing_near_is_no_suggestion() -> None:
    assert suggestion("zzz", ["slip"]) == ""
