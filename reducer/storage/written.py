"""What this program wrote, by hash, so that nothing of anybody else is replaced or deleted.

The list is a file in a folder of ours, one line for each content that a file was given, as
`sha256sum` prints it. A line is added before the file is replaced, so a killed process leaves no
file that is not listed.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from reducer.errors import OutputNotWritable
from reducer.storage.files import is_plain, write_atomic

LIST = ".written"


class Written:
    """The files that were written to a folder, or beside it, as the list in that folder says."""

    def __init__(self, folder: Path) -> None:
        self.list = folder / LIST
        self._folder = folder
        self._known: dict[str, list[str]] = {}
        with suppress(OSError):
            for line in self.list.read_text(encoding="utf-8", errors="surrogateescape").split("\n"):
                digest, _, name = line.partition("  ")
                self._known.setdefault(name, []).append(digest)

    def holds(self, path: Path) -> bool:
        """Whether a file is as it was written."""
        try:
            return path.is_file() and _digest(path.read_bytes()) in self._of(path)
        except OSError:
            return False

    def check(self, *paths: Path) -> None:
        """Check that there is nothing in the way of what will be written.

        Raises:
            OutputNotWritable: there is a file of somebody else.
        """
        for path in paths:
            if path.is_file() and not self.holds(path):
                raise OutputNotWritable(
                    f"{path} was not written by mlir-reducer, or has been changed since, so it is "
                    "not replaced; move it away, or choose another place with -o"
                )

    def write(
        self,
        path: Path,
        content: str | bytes,
        *,
        durable: bool = True,
        through: Path | None = None,
    ) -> None:
        """Write a file (see `write_atomic`) that does not exist or is as it was written last.

        Raises:
            OutputNotWritable: there is a file of somebody else, or it cannot be written.
        """
        data = content.encode(errors="surrogateescape") if isinstance(content, str) else content
        if is_plain(path):
            if not holds(path, data):
                self.check(path)
            self.note(path, data, durable=durable)
        write_atomic(path, data, durable=durable, through=through)

    def note(self, path: Path, data: bytes, *, durable: bool = True) -> None:
        """List a content that a file has or is about to get.

        Raises:
            OutputNotWritable: the list cannot be written.
        """
        digests, digest = self._of(path), _digest(data)
        if digest in digests:
            return
        digests.append(digest)
        try:
            self._folder.mkdir(exist_ok=True)
            with self.list.open("a", encoding="utf-8", errors="surrogateescape") as stream:
                stream.write(f"{digest}  {self._name(path)}\n")
                stream.flush()
                if durable:
                    os.fsync(stream.fileno())
        except OSError as error:
            digests.remove(digest)
            raise OutputNotWritable(f"cannot write {self.list}: {error.strerror}") from error

    def fill(self, fresh: Path, files: Mapping[str, bytes], last: str) -> None:
        """Move files of another folder to this one; `last` says that the others are complete.

        What was written here before and is not among them goes.

        Raises:
            OutputNotWritable: a file of somebody else is in the way.
            OSError: the files cannot be moved.
        """
        places = {name: self._folder / name for name in files}
        self.check(*(path for name, path in places.items() if not holds(path, files[name])))
        for name, data in files.items():
            self.note(places[name], data, durable=name == last)
        old = [path for path in self._listed() if path not in places.values()]
        self.remove(places[last], *old)
        for name in sorted(files, key=last.__eq__):
            places[name].parent.mkdir(exist_ok=True)
            (fresh / name).replace(places[name])

    def remove(self, *paths: Path) -> None:
        """Delete files that are as they were written."""
        for path in paths:
            if path.is_symlink() or not self.holds(path):
                continue
            path.unlink()
            if self._folder in path.parent.parents and not any(path.parent.iterdir()):
                path.parent.rmdir()

    def remove_all(self) -> None:
        """Delete all files that are as they were written, and the folder, if empty."""
        self.remove(*self._listed())
        if self._folder.is_dir() and {path.name for path in self._folder.iterdir()} <= {LIST}:
            self.list.unlink(missing_ok=True)
            self._folder.rmdir()

    def _listed(self) -> list[Path]:
        """The files in the folder, or right beside it: somebody else may have made the list."""
        folder = self._folder.resolve()
        paths = [self._folder / name for name in self._known]
        return [
            path
            for path in paths
            if folder in (one := path.resolve()).parents or one.parent == folder.parent
        ]

    def _of(self, path: Path) -> list[str]:
        return self._known.setdefault(self._name(path), [])

    def _name(self, path: Path) -> str:
        return os.path.relpath(path.absolute(), self._folder.absolute()).replace("\n", "\\n")


def holds(path: Path, data: bytes) -> bool:
    """Whether there is a file with this content."""
    try:
        return path.is_file() and path.read_bytes() == data
    except OSError:
        return False


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()
