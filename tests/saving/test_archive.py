"""Files that are damaged, something else, of another version or made on purpose: refused with a
sentence; nothing crashes.
"""

import hashlib
import io
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp.agents import BAMCP
from bamdp.domains import DoubleLoop
from bamdp.saving import archive
from bamdp.saving.archive import SavedFileError

DIGEST = 64


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("good") / "agent"
    world = DoubleLoop()
    agent = BAMCP(world.problem(), simulations=20, seed=1)
    bamdp.run(agent, world, steps=20)
    agent.save(path)
    return path.read_bytes()


@pytest.fixture
def refused(tmp_path: Path) -> Callable[[bytes], str]:
    """What loading says of some bytes, which it must refuse."""
    path = tmp_path / "agent"

    def load(content: bytes) -> str:
        path.write_bytes(content)
        with pytest.raises(SavedFileError) as caught:
            bamdp.load(path)
        return str(caught.value).replace(str(path), "FILE")

    return load


def sealed(body: bytes) -> bytes:
    """With the checksum that belongs to it: what somebody can make on purpose."""
    return body + hashlib.sha256(body).hexdigest().encode()


def put(value: Any, *path: str) -> Callable[[dict[str, Any], Any], None]:
    """A change of the header: `value` at `path`."""

    def change(header: dict[str, Any], _: Any) -> None:
        *outer, last = path
        for name in outer:
            header = header[name]
        header[last] = value

    return change


def remade(good: bytes, change: Callable[[dict[str, Any], dict[str, Any]], None]) -> bytes:
    """The file with another header and other arrays, and a checksum that is right."""
    header, arrays = archive.unpack(good)
    change(header, arrays)
    return archive.pack(header, arrays)


@pytest.mark.parametrize("damage", ["cut", "flipped", "lost", "added"])
def test_damage_anywhere(good: bytes, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "damaged"
    for at in range(0, len(good), 1 + len(good) // 200):
        changed = {
            "cut": b"",
            "flipped": bytes([good[at] ^ (1 << at % 8)]) + good[at + 1 :],
            "lost": good[at + 1 :],
            "added": b"\0" + good[at:],
        }
        path.write_bytes(good[:at] + changed[damage])
        with pytest.raises(SavedFileError):
            archive.read(path)


def test_what_is_said_of_damage(good: bytes, refused: Callable[[bytes], str]) -> None:
    assert refused(good[:-1]) == "FILE is not a file saved by bamdp, or it is truncated"
    assert refused(bytes([good[0] ^ 1]) + good[1:]) == "FILE is damaged: its checksum is wrong"


@pytest.mark.parametrize("name", ["nothing", "text", "pickle", "zip", "npz"])
def test_something_else(name: str, tmp_path: Path, refused: Callable[[bytes], str]) -> None:
    archive, arrays = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("header.json", "{}")
    np.savez(arrays, x=np.arange(3))
    content = {
        "nothing": b"",
        "text": b"an agent\n" * 100,
        "pickle": pickle.dumps({"agent": 1}),
        "zip": archive.getvalue(),
        "npz": arrays.getvalue(),
    }[name]
    assert refused(content) == "FILE is not a file saved by bamdp, or it is truncated"


def test_no_file_at_all(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        bamdp.load(tmp_path / "none")


CODE = {"prior": {"class": "Sampled", "fields": {"posterior": {"value": "os.system"}}}}
SAID = {
    "FILE can't be used: simulations must be an integer from 1 to 2147483647, got -1": put(
        {"value": -1}, "arguments", "simulations"
    ),
    "has byteorder big of the format": put("big", "byteorder"),
    "no 'Sampled' that can be stored in a file": put(
        CODE, "arguments", "problem", "problem", "prior"
    ),
}


@pytest.mark.parametrize("words", SAID)
def test_what_is_said_of_a_header(words: str, good: bytes, refused: Callable[[bytes], str]) -> None:
    said = refused(remade(good, SAID[words]))
    assert said == words if words.startswith("FILE") else words in said


def test_another_version(good: bytes, refused: Callable[[bytes], str]) -> None:
    said = refused(remade(good, lambda header, _: header.update(version=0, library="0.0.1")))
    assert (
        said == "FILE has version 0 of the format, by bamdp 0.0.1, and this bamdp reads only "
        f"{archive.VERSION}"
    )


@pytest.mark.parametrize(
    "name", ["os.system", "Prior", "Agent", "__builtins__", "BAMCP()", 3, None, ["BAMCP"], {}]
)
def test_no_name_in_a_file_is_trusted(
    name: Any, good: bytes, refused: Callable[[bytes], str]
) -> None:
    refused(remade(good, put(name, "class")))
    refused(remade(good, put(name, "arguments", "problem", "problem", "prior", "prior", "class")))


class Bomb:
    """Says so if it is ever unpickled."""

    def __reduce__(self) -> Any:
        return (pytest.fail, ("a pickle was loaded",))


def test_nothing_is_unpickled(good: bytes, refused: Callable[[bytes], str]) -> None:
    npy = io.BytesIO()
    np.lib.format.write_array(
        npy, np.array([Bomb()], dtype=object), version=(1, 0), allow_pickle=True
    )
    assert (
        refused(_with_member(good, "0.npy", npy.getvalue()))
        == "FILE can't be used: an array does not match its own header"
    )


def test_an_array_larger_than_its_file(good: bytes, refused: Callable[[bytes], str]) -> None:
    npy = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        npy, {"descr": "<f8", "fortran_order": False, "shape": (2**40, 2**20)}
    )
    assert "an array does not match its own header" in refused(
        _with_member(good, "0.npy", npy.getvalue())
    )


def test_compressed_parts(good: bytes, refused: Callable[[bytes], str]) -> None:
    """They could be larger than memory."""
    assert "must be stored uncompressed" in refused(
        _with_member(good, "bomb.npy", bytes(10**6), zipfile.ZIP_DEFLATED)
    )


def _with_member(
    good: bytes, name: str, data: bytes, compression: int = zipfile.ZIP_STORED
) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(good)) as old, zipfile.ZipFile(buffer, "w") as new:
        for entry in old.infolist():
            if entry.filename != name:
                new.writestr(entry, old.read(entry))
        new.writestr(name, data, compress_type=compression)
        new.comment = old.comment
    return sealed(buffer.getvalue()[:-DIGEST])


@pytest.mark.parametrize("key", ["class", "own_class", "arguments", "learned", "version", "bamdp"])
@pytest.mark.parametrize("value", [None, 7, "x", [], {}, [[[]]], {"prior": 1}])
def test_a_header_of_other_things(
    key: str, value: Any, good: bytes, refused: Callable[[bytes], str]
) -> None:
    if (key, bool(value)) != ("own_class", False):
        refused(remade(good, put(value, key)))


def test_a_header_without_end(good: bytes, refused: Callable[[bytes], str]) -> None:
    deep = '{"x":' * 20_000 + "1" + "}" * 20_000
    refused(_with_member(good, "header.json", deep.encode()))
    refused(_with_member(good, "header.json", b"\xff\xfe"))
    refused(_with_member(good, "header.json", b"[]"))


def test_another_world(good: bytes, refused: Callable[[bytes], str]) -> None:
    """Counts of nine states in an agent for two."""

    def change(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        name = header["arguments"]["problem"]["problem"]["rewards"]["value"]["array"]
        arrays[name] = arrays[name][:2]

    assert refused(remade(good, change)) == "FILE can't be used: a state is out of range"


CRAFT = """
import sys
sys.path.insert(0, ".")
from saving.test_archive import craft
print(craft(sys.argv[1], int(sys.argv[2])))
"""


def craft(name: str, tries: int) -> str:
    """Loads files with random changes of what was learned, sealed as if they were right; acts on
    those that are not refused.
    """
    from reference.saved_agents import CASES_BY_NAME, Journey

    rng = np.random.default_rng(0)
    case = CASES_BY_NAME[name]
    journey = Journey(case.make(), case.world, seed=7)
    journey.go(12)
    path = Path(f"{sys.argv[3]}")
    journey.agent.save(path)
    good, refusals = path.read_bytes(), 0
    for _ in range(tries):
        header, arrays = archive.unpack(good)
        _damage(arrays, rng)
        path.write_bytes(archive.pack(header, arrays))
        try:
            agent = bamdp.load(path, prior=case.given)
        except SavedFileError:
            refusals += 1
            continue
        for step in range(3):
            try:
                agent.act(journey.state)
                agent.observe(journey.state, step % 2, 0.0, journey.state)
            except (ValueError, IndexError, KeyError, RuntimeError, FloatingPointError):
                break
    return f"refused {refusals} of {tries}"


def _damage(arrays: dict[str, Any], rng: np.random.Generator) -> None:
    """A few bytes of an array become others: mostly small numbers, which are right
    in most places.
    """
    name = list(arrays)[rng.integers(len(arrays))]
    raw = bytearray(arrays[name].tobytes())
    if not raw:
        return
    for _ in range(rng.integers(1, 4)):
        value = int(rng.choice([0, 1, 2, 127, 128, 255, int(rng.integers(256))]))
        raw[int(rng.integers(len(raw)))] = value
    if rng.random() < 0.1:
        del raw[int(rng.integers(len(raw))) :]
        arrays[name] = np.frombuffer(bytes(raw), np.uint8)
    else:
        arrays[name] = np.frombuffer(bytes(raw), arrays[name].dtype).reshape(arrays[name].shape)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *(
            "bamcp",
            "reuse-tree",
            "sparse",
            "arms",
            "finite",
            "unknown-rewards",
            "infinite-grid-trees",
        ),
        *(
            "sampled",
            "lazy-rows",
            "mean-of-arrays",
            "boss",
            "posterior-mean-leaves",
            "bfs3",
            "q-learning",
        ),
    ],
)
def test_files_made_on_purpose_crash_nothing(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CRAFT, name, "300", str(tmp_path / "agent")],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[1],
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("refused ")
    assert (
        int(done.stdout.split()[1]) >= 10
    )  # if nothing were refused, nothing would have been tried
