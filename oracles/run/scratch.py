"""Private folders for runs, reused because making and removing one may take longer than the run.

Removing a folder takes milliseconds on a journaling file system, removing a file microseconds.
"""

import atexit
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "oracle-"
_MAX_FILES = 16  # a folder with more entries, or with folders, is removed instead of emptied
_MAX_LINKS = 2000  # to the entries of one folder; more take seconds, and such folders hold programs


class _Pool:
    """Empty folders that wait for the next run, by the folder for temporary files they are in."""

    def __init__(self) -> None:
        self._free: dict[str, list[str]] = {}
        self._lock = threading.Lock()

    def take(self) -> str:
        """An empty folder; a new one if none is left."""
        place = tempfile.gettempdir()
        with self._lock:
            free = self._free.get(place, [])
            folder = free.pop() if free else None
        if folder is None or not _is_empty(folder):
            return tempfile.mkdtemp(prefix=_PREFIX, dir=place)
        return folder

    def give(self, folder: str) -> None:
        """Keep an empty folder for the next run."""
        with self._lock:
            self._free.setdefault(str(Path(folder).parent), []).append(folder)

    def clear(self) -> None:
        """Remove the folders that this process has made."""
        with self._lock:
            free, self._free = self._free, {}
        for folder in (folder for folders in free.values() for folder in folders):
            shutil.rmtree(folder, ignore_errors=True)


_pool = _Pool()


@contextmanager
def private_folder() -> Iterator[Path]:
    """An empty folder that no other run uses; its content is gone afterwards.

    The folder itself may serve a later run. It goes with the process, at the latest.

    Raises:
        OSError: it cannot be made.
    """
    folder = _pool.take()
    kept = False
    try:
        yield Path(folder)
        kept = _emptied(folder)
    finally:
        if kept:
            _pool.give(folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)


def name_in_working_folder(file: Path) -> Path:
    """The path of a file below the current folder; only its name if it is elsewhere."""
    path, here = Path(os.path.abspath(file)), Path.cwd()  # noqa: PTH100
    return path.relative_to(here) if path.is_relative_to(here) else Path(path.name)


def like_working_folder(folder: Path, file: Path) -> Path:
    """Make a folder like the current one, except for this file, whose name in it is returned.

    It holds links to what is there and beside the file, so that a program finds all that it finds
    where the user stands, but what it writes stays in this folder, and may be in place of the file.
    Of a folder with very many entries, it holds none.
    """
    name = name_in_working_folder(file)
    (folder / name).parent.mkdir(parents=True)
    for source, parent in [(file.parent, name.parent), *((one, one) for one in name.parents)]:
        with suppress(OSError):  # it cannot be listed
            entries = list(source.iterdir())
            for entry in entries if len(entries) <= _MAX_LINKS else ():
                link = folder / parent / entry.name
                if link != folder / name and not os.path.lexists(link):
                    link.symlink_to(entry.absolute())
    return name


def clear_private_folders() -> None:
    """Remove the folders that wait for another run."""
    _pool.clear()


def _emptied(folder: str) -> bool:
    """Remove the files of a folder; whether it is empty and may be used again."""
    try:
        with os.scandir(folder) as entries:
            found = [(Path(entry), entry.is_dir(follow_symlinks=False)) for entry in entries]
        if len(found) > _MAX_FILES or any(is_folder for _, is_folder in found):
            return False
        for path, _ in found:
            path.unlink()
        mode = Path(folder).stat().st_mode
    except OSError:
        return False
    return mode & 0o777 == 0o700  # the program did not change it


def _is_empty(folder: str) -> bool:
    """Whether the folder is still there, and nothing has been left in it since."""
    try:
        return not any(Path(folder).iterdir())
    except OSError:
        return False


def _start_anew() -> None:
    """In a forked child: the folders belong to the parent."""
    global _pool
    _pool = _Pool()


atexit.register(clear_private_folders)
os.register_at_fork(after_in_child=_start_anew)
