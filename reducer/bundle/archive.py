"""The zip to attach: the same bytes for the same files, and never more than a host takes."""

import io
import stat
import zipfile
from collections.abc import Mapping

MOST_BYTES = 25_000_000
"""GitHub takes no larger file."""

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can hold
_UNIX = 3


def zipped(files: Mapping[str, bytes], folder: str) -> bytes:
    """A zip of the files, in a folder of that name. Scripts may be run."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(f"{folder}/{name}", _EPOCH)
            info.create_system = _UNIX
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (stat.S_IFREG | mode_of(name)) << 16
            archive.writestr(info, files[name])
    return buffer.getvalue()


def mode_of(name: str) -> int:
    """The permissions of a file of a report."""
    return 0o755 if name.endswith(".sh") else 0o644


def too_large(
    files: Mapping[str, bytes], needed: frozenset[str], most: int = MOST_BYTES
) -> list[str]:
    """The files to leave out, the largest first, so that a zip of the others is small enough.

    Those that are `needed` stay, whatever they weigh.
    """
    weights = {name: len(zipped({name: data}, "x")) for name, data in files.items()}
    out: list[str] = []
    for name in sorted(files, key=lambda name: (-weights[name], name)):
        if sum(weights.values()) <= most:
            break
        if name not in needed:
            del weights[name]
            out.append(name)
    return out
