"""The file format of saved agents: a header and arrays, without pickle.

A file is an uncompressed zip archive of `header.json` and one `.npy` for each array, so that
`unzip` and NumPy can open it. Its comment, the last bytes of the file, is the SHA-256 of all bytes
before: a truncated or changed file is rejected. A file is written under a temporary name and then
renamed: there is the old one or the new one, never half of one.
"""

import hashlib
import io
import json
import os
import sys
import zipfile
from collections.abc import Callable, Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp._version import __version__
from bamdp.state import Arrays

VERSION = 5  # of the format; incremented when anything saved changes its meaning

FilePath = str | os.PathLike[str]

_HEADER = "header.json"
_COMMENT = b"bamdp, SHA-256 of all bytes before: "
_DIGEST = 64  # hexadecimal digits
_DATE = (1980, 1, 1, 0, 0, 0)  # fixed, so that equal states make equal files
_ABOUT = {"bamdp": "agent", "version": VERSION, "byteorder": sys.byteorder, "library": __version__}


class SavedFileError(ValueError):
    """A saved file can't be used; the message says why."""


def write(path: FilePath, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a file: a header of JSON values, and arrays of numbers by name.

    It replaces an existing file atomically; if it can't be written (OSError), that is left
    unchanged.
    """
    target = Path(path)
    content = pack({**_ABOUT, **header}, arrays)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def read(path: FilePath) -> tuple[dict[str, Any], Arrays]:
    """The header and the arrays of a file; a SavedFileError if it is of another version, truncated
    or damaged.
    """
    content = Path(path).read_bytes()
    body, digest = content[:-_DIGEST], content[-_DIGEST:]
    if not body.endswith(_COMMENT):
        raise SavedFileError(f"{path} is not a file saved by bamdp, or it is truncated")
    if hashlib.sha256(body).hexdigest().encode() != digest:
        raise SavedFileError(f"{path} is damaged: its checksum is wrong")
    header, arrays = understood(path, lambda: unpack(content))
    for name in ("bamdp", "version", "byteorder"):
        if header.get(name) != _ABOUT[name]:
            by = f"by bamdp {header.get('library')}, and this bamdp reads only {_ABOUT[name]}"
            raise SavedFileError(f"{path} has {name} {header.get(name)} of the format, {by}")
    return header, arrays


def understood(path: FilePath, make: Callable[[], Any]) -> Any:
    """`make()`, with any error in it raised as a `SavedFileError`."""
    try:
        return make()
    except (SavedFileError, ImportError, OSError):
        raise
    except Exception as error:  # a crafted file may cause any error
        raise SavedFileError(
            f"{path} can't be used: {str(error) or type(error).__name__}"
        ) from error


def pack(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The bytes of a file, with their checksum at the end."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo(_HEADER, _DATE), json.dumps(header, indent=1))
        for name, array in arrays.items():
            npy = io.BytesIO()
            np.lib.format.write_array(
                npy, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False
            )
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", _DATE), npy.getvalue())
        archive.comment = _COMMENT + b"0" * _DIGEST
    body = buffer.getvalue()[:-_DIGEST]
    return body + hashlib.sha256(body).hexdigest().encode()


def unpack(content: bytes) -> tuple[dict[str, Any], Arrays]:
    """The header and the arrays of a file; see `pack`."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = archive.infolist()
        if any(e.compress_type != zipfile.ZIP_STORED for e in entries) or sum(
            e.file_size for e in entries
        ) > len(content):
            raise ValueError("its parts must be stored uncompressed, one after the other")
        header = json.loads(archive.read(_HEADER))
        if not isinstance(header, dict):
            raise ValueError("its header must be an object")
        names = [entry.filename for entry in entries if entry.filename != _HEADER]
        return header, {name.removesuffix(".npy"): _loaded(archive.read(name)) for name in names}


def _loaded(npy: bytes) -> NDArray[Any]:
    """An array of numbers from its .npy bytes; its size is checked before memory is allocated."""
    file = io.BytesIO(npy)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("its arrays must be in version 1.0 of NumPy's format")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
    data = npy[file.tell() :]
    if dtype.kind not in "biuf" or fortran or dtype.itemsize * prod(shape) != len(data):
        raise ValueError("an array does not match its own header")
    return np.frombuffer(data, dtype).reshape(shape).copy()
