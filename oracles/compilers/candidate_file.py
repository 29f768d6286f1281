"""The file that a compiler gets to read, and which of the files that its errors name is that."""

from dataclasses import dataclass
from pathlib import Path

from oracles.base import write_candidate
from oracles.compilers.command import Command

_PIPED = ("<", "-", "/dev/stdin", "/dev/fd/", "/proc/")
"""How names of pipes begin. What has such a name is another file for every process."""


@dataclass(frozen=True)
class CandidateFile:
    """A candidate in the folder of a run.

    Attributes:
        path: where it is.
        written: when it was written, in nanoseconds, by the clock of the file system.
    """

    path: Path
    written: int

    @classmethod
    def write(cls, folder: Path, name: str, text: str | bytes) -> "CandidateFile":
        """Write a candidate into the private folder of a run, byte for byte.

        Raises:
            OSError: it cannot be written.
        """
        path = write_candidate(folder, name, text)
        return cls(path, path.stat().st_mtime_ns)

    def is_meant_by(self, file: str, command: Command) -> bool:
        """Whether a file that an error of the command names is the candidate, or made of it.

        A script may pass it on by any name, or through a pipe. But a file that was there before,
        such as a library that a pass loads, is another one. What cannot be found was removed, or
        a script has read it in another folder: it is another file if the command names one like it.
        """
        if file.startswith(_PIPED):
            return True
        try:
            return (self.path.parent / file).stat().st_mtime_ns >= self.written
        except (OSError, ValueError):
            is_own = Path(file).is_absolute() or Path(file).name == self.path.name
            return is_own or not command.names(file)
