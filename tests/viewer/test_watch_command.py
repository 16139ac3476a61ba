"""`bamdp watch`, the real command: it serves, opens the browser, warns, ends with Ctrl-C."""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect
from websockets.typing import Origin

import bamdp
from bamdp.cli import main as cli
from bamdp.viewer.stage import Stage
from reference.signals import hear_interrupts
from viewer.serving import show_of

pytestmark = pytest.mark.slow


@contextmanager
def watching(*words: str, **environment: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process and the address that it prints."""

    line = [sys.executable, "-m", "bamdp", "watch", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(
        line,
        text=True,
        env={**os.environ, **environment},
        preexec_fn=hear_interrupts,
        **pipes,  # type: ignore[call-overload]
    ) as process:
        try:
            yield process, process.stdout.readline().split(" ")[0]
        finally:
            process.kill()


def error(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert cli.main(["watch", *words]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    return captured.err


def test_it_serves_and_ends_with_ctrl_c_in_the_middle_of_a_search() -> None:
    with watching("grid5", "bamcp:seconds=600", "--no-open") as (process, url):
        assert url.startswith("http://127.0.0.1:")
        assert b"bamdp watch" in urllib.request.urlopen(url).read()
        with connect(url.replace("http", "ws") + "socket", origin=Origin(url.rstrip("/"))) as page:
            assert '"domain":"grid5"' in str(page.recv(30))
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (0, "", "")


def test_it_opens_the_browser(tmp_path: Path) -> None:
    browser = tmp_path / "browser.py"
    browser.write_text(
        f"import sys, pathlib; pathlib.Path({str(tmp_path / 'opened')!r}).write_text(sys.argv[1])"
    )
    with watching("chain", "random", BROWSER=f"{sys.executable} {browser} %s") as (process, url):
        while not (tmp_path / "opened").exists() or not (tmp_path / "opened").read_text():
            assert process.poll() is None
            time.sleep(0.05)
        assert (tmp_path / "opened").read_text() == url


def test_it_warns_when_others_can_reach_it() -> None:
    with watching("chain", "random", "--no-open", "--host", "0.0.0.0") as (process, url):
        assert url.startswith("http://127.0.0.1:")
        process.send_signal(signal.SIGINT)
        assert (
            "warning: anyone who reaches this address can watch and steer"
            in process.communicate(timeout=30)[1]
        )


def test_without_the_extra_it_says_what_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("uvicorn", "websockets"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, module, None)
            told = error(capsys, "chain", "random", "--no-open")
        assert f"watch needs {module}, which is not installed: pip install 'bamdp[viewer]'" in told


def test_names_flags_and_what_a_link_keeps_of_them() -> None:
    assert isinstance(Stage(show_of("grid5:slip=0.1")).runs[0].agent, bamdp.agents.BayesAdaptive), (
        "without an agent"
    )
    words = (
        "grid5:discount=0.9 bamcp:simulations=5,trees=2 --prior dirichlet:alpha=0.5 --steps 7 "
        "--seed 4 --port 0 --no-open"
    )
    show = show_of(words)
    made: Any = Stage(show).runs[0].agent
    assert (made.simulations, made.trees, made.problem.discount) == (5, 2, 0.9)
    assert repr(made.problem.prior) == "Dirichlet(0.5)"
    assert (show.domain_name, show.agents[0].name) == (
        "grid5:discount=0.9",
        "bamcp:simulations=5,trees=2",
    )
    assert show.settings == "--steps=7 --prior=dirichlet:alpha=0.5"


def test_a_link_takes_the_place_of_the_names() -> None:
    query = (
        "domain=grid5%3Aslip%3D0.1&agent=bamcp%3Asimulations%3D30&agent=random"
        "&settings=--steps%3D9&seed=4&step=12&speed=4"
    )
    with watching(f"http://127.0.0.1:1234/?{query}", "--no-open") as (process, url):
        assert url.endswith(f"/?{query}")
        assert b"bamdp watch" in urllib.request.urlopen(url).read()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
