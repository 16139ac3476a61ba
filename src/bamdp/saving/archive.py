"""The files that agents and runs are saved in: a header and arrays, without pickle.

A file is a zip archive that stores, uncompressed, `header.json` and one `.npy` for each array, so that `unzip` and NumPy can
open it. Its comment, the last bytes of the file, is the SHA-256 of all bytes before: a file that was cut off or changed is
refused. A file is written beside its place and then renamed: there is the old one or the new one, never half of one.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

VERSION = 1  # of the format; it rises when anything that is saved changes its meaning

Arrays = dict[str, NDArray[Any]]
Place = str | os.PathLike[str]

_HEADER = "header.json"
_COMMENT = b"bamdp, SHA-256 of all bytes before: "
_DIGEST = 64  # hexadecimal digits
_MOMENT = (1980, 1, 1, 0, 0, 0)  # the same state is the same file


class SavedFileError(ValueError):
    """The file can't be used; the message says why."""


def write(path: Place, kind: str, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a file; one that is there already is replaced at once, when the new one is complete.

    Args:
        path: where to.
        kind: what is saved, "agent" or "run".
        header: JSON values.
        arrays: numbers of any shape, by name.

    Raises:
        OSError: it can't be written; a file that was there is still there.
    """
    place = Path(path)
    content = _packed({**_about(kind), **header}, arrays)
    beside = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, place)
    finally:
        beside.unlink(missing_ok=True)


def read(path: Place, kind: str) -> tuple[dict[str, Any], Arrays]:
    """The header and the arrays of a file.

    Args:
        path: where it is.
        kind: what was saved, "agent" or "run".

    Raises:
        SavedFileError: it isn't such a file, or not a whole one, or of another version.
        OSError: there is none, or it can't be read.
    """
    content = Path(path).read_bytes()
    body, digest = content[:-_DIGEST], content[-_DIGEST:]
    if not body.endswith(_COMMENT):
        raise SavedFileError(f"{path} is not a file that bamdp has saved, or its end is missing")
    if hashlib.sha256(body).hexdigest().encode() != digest:
        raise SavedFileError(f"{path} is damaged: its contents are not those that were saved")
    header, arrays = understood(path, lambda: _unpacked(content))
    for name, expected in _about(kind).items():
        if name != "library" and header.get(name) != expected:
            raise SavedFileError(_other(path, name, header.get(name), expected, header.get("library")))
    return header, arrays


def understood(path: Place, make: Callable[[], Any]) -> Any:
    """`make()`; whatever goes wrong in it is the file's fault."""
    try:
        return make()
    except (SavedFileError, ImportError, OSError):
        raise
    except Exception as error:  # a file that was made on purpose may bring anything about
        raise SavedFileError(f"{path} can't be used: {str(error) or type(error).__name__}") from error


def _about(kind: str) -> dict[str, Any]:
    from bamdp._version import __version__

    return {"bamdp": kind, "version": VERSION, "byteorder": sys.byteorder, "library": __version__}


def _other(path: Place, name: str, found: Any, expected: Any, library: Any) -> str:
    if name == "version":
        return f"{path} has version {found} of the format, by bamdp {library}, and this bamdp reads version {expected} alone"
    if name == "byteorder":
        return f"{path} was saved on a machine with the bytes of numbers in another order, {found}-endian"
    return f"{path} holds {found!r}, not {expected!r}: {'bamdp play --resume' if found == 'run' else 'bamdp.load'} reads it"


def _packed(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo(_HEADER, _MOMENT), json.dumps(header, indent=1))
        for name, array in arrays.items():
            npy = io.BytesIO()
            np.lib.format.write_array(npy, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", _MOMENT), npy.getvalue())
        archive.comment = _COMMENT + b"0" * _DIGEST
    return _sealed(buffer.getvalue()[:-_DIGEST])


def _sealed(body: bytes) -> bytes:
    return body + hashlib.sha256(body).hexdigest().encode()


def _unpacked(content: bytes) -> tuple[dict[str, Any], Arrays]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = archive.infolist()
        if any(e.compress_type != zipfile.ZIP_STORED for e in entries) or sum(e.file_size for e in entries) > len(content):
            raise ValueError("its parts must be stored as they are, one after the other")
        header = json.loads(archive.read(_HEADER))
        if not isinstance(header, dict):
            raise ValueError("its header must be an object")
        names = [entry.filename for entry in entries if entry.filename != _HEADER]
        return header, {name.removesuffix(".npy"): _array(archive.read(name)) for name in names}


def _array(npy: bytes) -> NDArray[Any]:
    """An array of numbers from the bytes of its file; its size is compared with theirs before memory is taken for it."""
    file = io.BytesIO(npy)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("its arrays must be in version 1.0 of NumPy's format")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
    data = npy[file.tell() :]
    size = dtype.itemsize
    for length in shape:
        size *= length
    if dtype.kind not in "biuf" or fortran or size != len(data):
        raise ValueError("an array is not what its own header says")
    return np.frombuffer(data, dtype).reshape(shape).copy()
