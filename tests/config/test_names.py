"""Finding domains, priors and agents by name."""

import pytest

from bamdp.config.names import Kind, UnknownNameError, find, find_among, listing
from bamdp.validation import suggestion


def test_gymnasium() -> None:
    assert "gym:<ID>" in listing("domain")
    assert find("domain", "gym:FrozenLake-v1").factory(map_name="8x8").num_states == 64


def test_digits_are_the_first_argument() -> None:
    found = find("domain", "grid7")
    assert (found.given, found.factory().num_states) == ({"size"}, 49)
    numbered = {name for name in listing("problem") if name.endswith("]")}
    assert numbered == {"paper-grid[N]"}, "not where the first argument must be named"


@pytest.mark.usefixtures("mine")
def test_your_own() -> None:
    assert find("domain", "mine:my_chain").description == "A chain of mine."
    assert find("domain", "mine:chain").factory() is find("domain", "mine:chain").target
    assert find("agent", "mine:Lazy").description == "Does the first thing."


UNKNOWN: list[tuple[Kind, str, str]] = [
    ("domain", "maze7", "unknown domain 'maze7'; did you mean 'maze'?"),
    ("problem", "rl2-mdp7", "unknown problem 'rl2-mdp7'; did you mean 'rl2-mdp'?"),  # the number of episodes has a name
    ("problem", "horizon-task1", "did you mean 'horizon-task'?"),
    ("domain", "Grid", "unknown domain 'Grid'; did you mean 'grid'?"),
    ("domain", "double_loop", "did you mean 'double-loop'?"),
    ("domain", "zzz", "unknown domain 'zzz'. Known: "),
    ("domain", "tabular", "domain 'tabular' needs mdp, discount"),
    ("prior", "finite", "name it as package.module:function; see bamdp list finite"),
    ("prior", "Finite", "unknown prior 'Finite'; did you mean 'finite'?"),
    ("domain", "gym", "did you mean 'gym:FrozenLake-v1'?"),
    ("agent", "nowhere:Agent", "unknown agent 'nowhere:Agent': No module named 'nowhere'"),
    ("domain", "mine:nothing", "module 'mine' has no attribute 'nothing'"),
    ("domain", "mine:My_chian", "has no attribute 'My_chian'; did you mean 'my_chain'?"),
    ("domain", "mine:NotADomain", "is a class that is not a bamdp.Domain"),
    ("domain", "mine:number", "is neither a bamdp.Domain nor a function that makes one"),
    ("agent", "mine:agent", "is one object, but each run needs its own"),
]


@pytest.mark.parametrize(("kind", "name", "message"), UNKNOWN, ids=[name for _, name, _ in UNKNOWN])
@pytest.mark.usefixtures("mine")
def test_unknown_names(kind: Kind, name: str, message: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        find(kind, name)
    assert message in str(caught.value)


AMONG = {
    "tabular": "domain 'tabular' needs mdp, discount",
    "gird5": "unknown domain 'gird5'; did you mean 'grid5'?",
    "grid5:slip": "'grid5:slip' needs a value, grid5:slip=VALUE",
    "riverswin": "unknown problem 'riverswin'; did you mean 'riverswim'?",
    "zzz": "unknown problem 'zzz'. Known: ",
}


@pytest.mark.parametrize("name", AMONG)
def test_the_error_is_that_of_the_kind_with_the_nearest_name(name: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        find_among(("problem", "domain"), name)
    assert AMONG[name] in str(caught.value)


def test_nothing_near_is_no_suggestion() -> None:
    assert suggestion("zzz", ["slip"]) == ""
