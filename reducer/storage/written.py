"""What this program wrote, by hash, so that nothing of anybody else is replaced or deleted.

The list is a file in a folder of ours, one line for each content that a file was given, as
`sha256sum` prints it. A line is added before the file is replaced, so a killed process leaves no
file that is not listed.
"""

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from reducer.errors import OutputNotWritable
from reducer.storage.files import is_plain, write_atomic

LIST = ".written"
_LINE = re.compile(r"^([0-9a-f]{64})  ([^\0\n]+)$", re.M)


class Written:
    """The files that were written to a folder, or beside it, as the list in that folder says."""

    def __init__(self, folder: Path) -> None:
        self.list = folder / LIST
        self._folder = folder
        self._known: dict[str, list[str]] = {}
        with suppress(OSError):
            data = self.list.read_bytes() if self.list.is_file() else b""
            for digest, name in _LINE.findall(data.decode(errors="surrogateescape")):
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
            OutputNotWritable: there is a file of somebody else, or a link to another place.
        """
        for path in paths:
            if self._leads_away(path):
                raise OutputNotWritable(f"{path} is a link to another place, or in one; remove it")
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
        if self._leads_away(path) or (is_plain(path) and not holds(path, data)):
            self.check(path)
        if is_plain(path):
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
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            with open(os.open(self.list, flags, 0o666), "ab") as stream:  # noqa: PTH123
                stream.write(os.fsencode(f"{digest}  {self._name(path)}\n"))
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
        for name, path in places.items():
            if self._leads_away(path) or not holds(path, files[name]):
                self.check(path)
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
            if path.is_symlink() or self._leads_away(path) or not self.holds(path):
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
        """The files in the folder, and those beside it that belong to it, as `ResultFolder` says.

        Somebody else may have made the list.
        """
        own = self._folder.name
        beside = {
            Path("..", one) for one in (f"{own}.zip", f"{own}.mlir", own.removesuffix(".files"))
        }
        return [
            Path(os.path.normpath(self._folder / name))
            for name in map(Path, self._known)
            if name in beside or not (name.is_absolute() or ".." in name.parts)
        ]

    def _leads_away(self, path: Path) -> bool:
        """Whether a link on the way from the folder leads to another place, or beside it, a zip.

        A result beside the folder may be a link that the user has made.
        """
        own, path = self._folder.absolute(), path.absolute()
        top = own if own in path.parents else path.parent if path.suffix == ".zip" else path
        return Path(os.path.realpath(path)) != Path(os.path.realpath(top), path.relative_to(top))

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
