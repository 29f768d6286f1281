"""Reads archives of parameters, which hold the weights of a model outside of the program.

The format is IREE's (`runtime/src/iree/schemas/parameter_archive.h`): a header, a table of entries
of various sizes, their names, and their data. All numbers are little-endian, nothing is padded but
the entries, to 16 bytes.
"""

import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from reducer.miscompile.interpreter.errors import Unsupported

_MAGIC = b"IRPA"
_HEADER = struct.Struct("<4sHHQQQQQQQQQQ")
_ENTRY = struct.Struct("<QIQQQQQQ")
_SPLAT = struct.Struct("<Q16sB")
_DATA = struct.Struct("<QQ")
_ALIGNMENT = 16
_SPLAT_TYPE, _DATA_TYPE = 1, 2


class Parameters:
    """The parameters of all archives, each given as `SCOPE=FILE` or, without a scope, `FILE`."""

    def __init__(self, archives: Sequence[str] = ()) -> None:
        self._found: dict[tuple[str, str], tuple[Path, bytes, int, int]] = {}
        for archive in archives:
            scope, _, path = archive.rpartition("=")
            self._read(scope, Path(path))

    def get(self, scope: str, name: str) -> bytes:
        """The bytes of a parameter.

        Raises:
            Unsupported: no archive has it.
        """
        if (scope, name) not in self._found:
            raise Unsupported([f"parameter {scope}::{name}, which no archive has"])
        path, pattern, offset, length = self._found[scope, name]
        if pattern:
            return (pattern * (length // len(pattern) + 1))[:length]
        return np.memmap(path, np.uint8, "r", offset, (length,)).tobytes() if length else b""

    def _read(self, scope: str, path: Path) -> None:
        with path.open("rb") as file:
            head = file.read(_HEADER.size)
            if len(head) < _HEADER.size or not head.startswith(_MAGIC):
                raise Unsupported([f"parameter file {path.name}"])
            fields = _HEADER.unpack(head)
            following, count, entries_at, entries_size, names_at, names_size, data_at, _ = (
                fields[4], *fields[6:],
            )  # fmt: skip
            if following:
                raise Unsupported([f"linked archives in {path.name}"])
            file.seek(entries_at)
            entries = file.read(entries_size)
            file.seek(names_at)
            names = file.read(names_size)
        at = 0
        for _ in range(count):
            size, kind, _, name_at, name_size, _, _, _ = _ENTRY.unpack_from(entries, at)
            name = names[name_at : name_at + name_size].decode()
            if kind == _SPLAT_TYPE:
                length, pattern, used = _SPLAT.unpack_from(entries, at + _ENTRY.size)
                self._found[scope, name] = path, pattern[:used], 0, length
            elif kind == _DATA_TYPE:
                offset, length = _DATA.unpack_from(entries, at + _ENTRY.size)
                self._found[scope, name] = path, b"", data_at + offset, length
            at += -(-size // _ALIGNMENT) * _ALIGNMENT
