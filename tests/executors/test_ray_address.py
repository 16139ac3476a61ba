"""Ray as it is without Ray; what it does with Ray is in test_ray.py."""

import subprocess
import sys
from pathlib import Path

import pytest

from bamdp import executors as cluster

WITHOUT = (
    "import sys; sys.modules['ray'] = None; from reproduction.cli.main import main; "
    "sys.exit(main({words}))"
)


def without_ray(*words: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-c", WITHOUT.format(words=list(words))]
    return subprocess.run(line, capture_output=True, text=True, timeout=60)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["ray", "ray://head:10001"])
def test_a_missing_ray_is_a_sentence(tmp_path: Path, where: str) -> None:
    process = without_ray("lazy", "--scale", "smoke", "--store", str(tmp_path), "--on", where)
    assert process.returncode == 2
    assert process.stderr.startswith(
        "bamdp: error: clusters and workers need Ray, which is not installed: pip install "
        "'bamdp[ray]'"
    )


@pytest.mark.parametrize(
    ("address", "sentence"),
    {
        "ray://head": "must be local or ray://HOST:PORT, got ray://head",
        "ray://head:port": "must be local or ray://HOST:PORT, got ray://head:port",
        "127.0.0.1:6379": "must be local or ray://HOST:PORT",
        "ray://127.0.0.1:1": "no answer from ray://127.0.0.1:1: Connection refused",
        "ray://head.invalid:10001": "no answer from ray://head.invalid:10001: ",
    }.items(),
)
def test_wrong_addresses(address: str, sentence: str) -> None:
    with pytest.raises(cluster.ClusterError, match=sentence):
        cluster.check_reachable(address)


def test_ray_is_imported_when_it_is_needed() -> None:
    code = (
        "import sys, bamdp.executors, reproduction.cli.rerun, bamdp.agents; print('ray' in "
        "sys.modules)"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "False\n"
    )
