"""What a run of the compiler writes down on the way, so that no other needs to find it out.

The flags for that change neither what fails nor its signature: the compiler writes more files, and
prints the locations of ops in what it says about them. These may be places in the files.
"""

import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from oracles import CompilerOracle, Limits, Outcome
from reducer.search.query import RunText


@dataclass(frozen=True)
class Note:
    """Something that a compiler writes to a folder.

    Attributes:
        flags: those that make it write.
        read: called with the folder once the compiler has ended, and with the outcome. Returns that
            of a run without the flags.
    """

    flags: Callable[[Path], Sequence[str]]
    read: Callable[[Path, Outcome], Outcome]

    @property
    def names(self) -> frozenset[str]:
        """The flags without their values."""
        return frozenset(flag.partition("=")[0] for flag in self.flags(Path()))


def taking_notes(oracle: CompilerOracle, notes: Sequence[Note]) -> RunText:
    """Runs a text as the oracle does, and takes these notes."""

    def run(text: str, *, cancel: threading.Event | None, limits: Limits | None) -> Outcome:
        with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as place:
            folders = [Path(place, str(number)) for number in range(len(notes))]
            flags: list[str] = []
            for note, folder in zip(notes, folders, strict=True):
                folder.mkdir()
                flags += note.flags(folder)
            outcome = oracle.with_extra_flags(flags).run(text, cancel=cancel, limits=limits)
            for note, folder in zip(notes, folders, strict=True):
                outcome = note.read(folder, outcome)
        return outcome

    return run
