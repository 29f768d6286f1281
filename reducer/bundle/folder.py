"""Writes the folder of a report: all of it, or what was there before."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from reducer.bundle.archive import mode_of
from reducer.session.errors import OutputNotWritable

MARK = "metadata.json"
"""A folder that has no such file is not ours to replace."""


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Puts the files into `folder`, in place of an earlier report there.

    Raises OutputNotWritable where it cannot, or where something else is in the way.
    """
    fresh = folder.with_name(f".{folder.name}.tmp")
    old = folder.with_name(f".{folder.name}.old")
    try:
        check_folder(folder)
        for left in (fresh, old):  # of a run that was killed
            _remove(left)
        fresh.mkdir()
        for name, data in files.items():
            _write(fresh / name, data)
        if folder.exists():
            folder.rename(old)
        fresh.rename(folder)
        _remove(old)
    except OSError as error:
        shutil.rmtree(fresh, ignore_errors=True)
        if old.exists() and not folder.exists():
            old.rename(folder)
        raise OutputNotWritable(f"cannot write {folder}: {error.strerror or error}") from error


def files_of(folder: Path) -> dict[str, bytes]:
    """What a report holds, as `write_folder` takes it. Links are not followed."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def check_folder(folder: Path) -> None:
    """Raises OutputNotWritable unless there is nothing at `folder`, or a report."""
    if not folder.parent.is_dir():
        raise OutputNotWritable(f"there is no folder {folder.parent} to write {folder.name} to")
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise OutputNotWritable(f"{folder} is in the way, and is no report")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).is_file():
        raise OutputNotWritable(f"the folder {folder} holds other files; choose another with -o")


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    umask_keeps = 0o777 if mode_of(path.name) & 0o100 else 0o666
    descriptor = os.open(path, flags, umask_keeps)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(descriptor)


def _remove(folder: Path) -> None:
    if folder.is_symlink():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)
