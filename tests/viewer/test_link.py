"""A link of `bamdp watch` may come from anybody: it names what `bamdp list` has, with plain
settings, and nothing else.
"""

import sys
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from bamdp.cli import main as cli
from bamdp.cli.link import of_link
from viewer.serving import show_of

CODE = "planted:make"
PLANTED = """
from pathlib import Path
Path("ran").touch()
def make(*arguments, **settings):
    raise SystemExit("code of the link was called")
"""


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is there once a module in the current folder has been imported."""
    for name in ("planted", "small-chain"):
        (tmp_path / f"{name}.py").write_text(PLANTED)
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    return tmp_path / "ran"


def refused(
    capsys: pytest.CaptureFixture[str], query: str, link: str = "http://127.0.0.1:8000/?"
) -> str:
    code: object = None
    try:
        code = cli.main(["watch", link + query, "--film", "film.gif"])
    except SystemExit as exit:  # of the parser of flags
        code = exit.code
    assert code == 2, query
    assert not Path("film.gif").exists()
    return " ".join(capsys.readouterr().err.split())


SETTINGS = [
    *(
        f"--prior {CODE}",
        f"--prior={CODE}",
        f"'--prior' '{CODE}'",
        f"--prior '{CODE}'",
        f'--pri"or" {CODE}',
        f"-prior {CODE}",
    ),
    *(
        f"--prior=\\p{CODE[1:]}",
        f"--PRIOR {CODE}",
        f"--pri {CODE}",
        f"--prior dirichlet --prior {CODE}",
        "--prior",
    ),
    *(
        f"--prior dirichlet --prior={CODE}",
        f"--prior dirichlet {CODE}",
        f"--prior {CODE} --prior dirichlet",
    ),
    *(
        f"--steps 9 --prior={CODE}",
        f"--prior dirichlet:alpha={CODE}",
        f"--prior {CODE}:alpha=1",
        f"--steps {CODE}",
    ),
    *(
        f"--simulations={CODE}",
        f"--rollouts {CODE}",
        f"--agent {CODE}",
        f"--domain={CODE}",
        CODE,
        f"-- {CODE}",
    ),
    *(
        "--prior ./planted.py",
        "--prior planted.py",
        "--prior 'gym:planted:X-v0'",
        "--film x.gif",
        "--film=x.gif",
    ),
    *(
        "--host 0.0.0.0",
        "--port=80",
        "--open",
        "--seed 3",
        "--help",
        "--steps -h",
        "-h",
        "@planted.py",
        "--steps @planted.py",
    ),
    *(
        "--steps '1 --prior planted:make'",
        "--slip 0.1",
        "--simulations 3",
        "--unknown 3",
        "--prior 'dirichlet",
    ),
]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize(
    "encode", [quote, quote_plus, lambda text: "".join(f"%{byte:02x}" for byte in text.encode())]
)
def test_settings_that_a_link_may_not_have(  # type: ignore[no-untyped-def]
    settings: str, encode, trap: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused(capsys, f"domain=grid5&agent=bamcp&settings={encode(settings)}")
    assert not trap.exists()


def test_no_text_is_a_setting(trap: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`values` may be a function, and what the domain doesn't know goes to gymnasium.make."""
    for settings in (
        f"values={CODE}",
        "map_name=8x8",
        f"rewards=learned,env_id={CODE}",
        "is_slippery=False",
    ):
        query = f"domain={quote(f'gym:FrozenLake-v1:{settings}')}&agent=random"
        assert "must not be in a link, as it is a text" in refused(capsys, query)
    assert not trap.exists()


NAMES = [
    *(
        CODE,
        f"{CODE}:x=1",
        "planted:x=1",
        "planted",
        "planted.make",
        "./planted.py",
        "os:getcwd",
        "mine:Chain:slip=0.1",
    ),
    *(
        "gym:planted:X-v0",
        "gym:planted-v0:X-v0=1",
        "gymnasium:planted:X-v0",
        "GYM:planted:X-v0",
        "--film",
        "-h",
        "",
        " ",
    ),
    *(
        "grid5 --prior planted:make",
        f"grid5\n{CODE}",
        "small-chain:x=1",
        f"bamcp:simulations={CODE}",
        "bamcp:seed=3",
    ),
    *(
        "bamcp:rollouts=planted:make",
        "bamcp:prior=planted:make",
        "bamcp:simulations=3,prior=planted:make",
    ),
    *(
        "bamcp:simulations=__import__('planted')",
        "bamcp:simulations=open('ran','w')",
        "bamcp :simulations=3",
    ),
]


@pytest.mark.parametrize("name", NAMES)
def test_names_that_a_link_may_not_have(
    name: str, trap: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for query in (
        "domain={}&agent=random",
        "domain=grid5&agent={}",
        "domain=grid5&agent=random&agent={}",
        "domain=riverswim&agent={}",
    ):
        refused(capsys, query.format(quote(name, safe="")))
        assert not trap.exists()


QUERIES = [
    *(
        f"domain=grid5&domain={CODE}&agent=random",
        f"domain={CODE}&domain=grid5&agent=random",
        "agent=random",
        "domain=grid5",
        "",
    ),
    *(
        f"domain=grid5&agent=random&{more}={CODE}"
        for more in ("seed", "--prior", "settings=&settings=--prior", "prior")
    ),
    *(
        f"domain=grid5&agent=random&{more}"
        for more in ("seed=1&seed=2", "seed=3+--film+x.gif", "film=x.gif")
    ),
    *(f"domain=riverswim&agent=random&settings=--prior={prior}" for prior in (CODE, "dirichlet")),
    "domain=grid5&agent=bamcp&agent=random&settings=--simulations=3",
]


@pytest.mark.parametrize("query", QUERIES)
def test_queries_that_are_not_of_a_page(
    query: str, trap: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for link in (
        "http://127.0.0.1:8000/?",
        "http:///?",
        "planted:8000/?",
        "planted://x/?",
        "?",
        "HTTP://[/?",
    ):
        refused(capsys, query, link)
        assert not trap.exists()


@pytest.mark.parametrize("flags", [["--help"], ["-h"], ["--seed", "3", "--help"]])
def test_help_imports_nothing_of_a_link(
    flags: list[str], trap: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["watch", "planted://make?domain=planted:make&agent=random", *flags]) == 2
    assert not trap.exists()


@pytest.mark.parametrize(
    ("query", "settings"),
    [
        (
            "domain=grid5:slip=0.1&agent=bamcp%3Asimulations%3D30&agent=random&settings=--steps+9",
            "--steps=9",
        ),
        (
            "domain=grid5&agent=bamcp:simulations=1e2&settings=--prior+dirichlet",
            "--prior=dirichlet",
        ),
        (
            "domain=grid5&agent=bamcp&settings=--prior+'dirichlet:alpha=1'+--steps=3",
            "--steps=3 --prior=dirichlet:alpha=1",
        ),
        ("domain=grid5&agent=bamcp:simulations=3,variant=program,reuse_tree=no&settings=", ""),
        ("domain=infinite-grid:columns=1,2&agent=random", ""),
        ("domain=infinite-grid:columns=1,rows=1,2&agent=random", None),
        ("domain=gym:FrozenLake-v1:rewards=learned&agent=random", ""),
        ("domain=riverswim&agent=bamcp:simulations=3&settings=--steps+5", "--steps=5"),
    ],
)
def test_what_a_link_may_say(
    query: str, settings: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    if settings is None:
        assert "must be two numbers, got '1'" in refused(capsys, query)
        return
    arguments, opened = of_link(f"http://127.0.0.1:1234/?{query}&seed=4&step=12&speed=4")
    show = show_of(" ".join(arguments))
    assert (show.settings, show.seed) == (settings, 4)
    assert of_link(f"http://x/{opened}") == (
        arguments,
        opened,
    )  # the page opens what it was asked for


def test_a_problem_with_settings_imports_no_module_of_its_name(
    trap: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["watch", "small-chain:unknown=1", "random"]) == 2
    assert "unknown setting" in capsys.readouterr().err
    assert not trap.exists()
