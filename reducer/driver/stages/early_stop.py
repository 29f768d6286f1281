"""Make candidates cheap: stop the compiler after the failing phase.

A candidate that does not fail pays for the whole compilation, and most candidates do not fail.
Stopped right after the failing phase, they never pay for code generation and linking. Which phase
that is, a run of the compiler can write down on the way: the flags for such notes change neither
what fails nor its signature.
"""

import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from oracles import CompilerOracle, Limits, Oracle, Outcome
from oracles.base import capabilities_of
from oracles.profiles import Phases
from reducer.asking import RunText
from reducer.ir import Document
from reducer.search.candidate import Candidate
from reducer.search.inquiry import Questions, boundary, inquire
from reducer.search.judge import Judge


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


Memoize = Callable[[str, str, Callable[[], str], Callable[[str], int]], int]
"""Returns the cached result for a purpose and a text, or computes it."""


def _make(purpose: str, text: str, make: Callable[[], str], read: Callable[[str], int]) -> int:
    return read(make())


def find_phase_number(
    judge: Judge,
    document: Document,
    memoize: Memoize = _make,
    likely: int | None = None,
) -> int:
    """The number of the failing phase among the shortened oracles; their number if it is none.

    A failure in one phase is seen by that phase's oracle and all later ones. If the compiler shows
    which phases it finished, one run of it and at most one of the oracle are enough; otherwise, or
    if that oracle does not see the failure, the phases are bisected.

    Args:
        likely: the phase in which a larger program failed. A run of it is enough, if it fails.
    """
    oracles: Sequence[Oracle] = judge.oracle.shortened()
    most = len(oracles)
    if likely == most:
        return most
    if likely is not None and 0 <= likely < most and _fails(judge, oracles[likely], document):
        return likely
    guess = _guess(judge, document, memoize) if oracles else most
    if guess == most:
        return most

    def search() -> Questions[int, int]:
        if guess >= 0 and (yield [guess]).taken is not None:
            return guess
        return (yield from boundary(most, guess, lambda number: [number]))[0]

    def made(number: int) -> Candidate[Document]:
        return Candidate(document, "find the failing phase", oracle=oracles[number])

    return inquire(judge.with_(is_observed=False), document, search, made)


def phase_note(phases: Phases, keep: Callable[[int], None]) -> Note:
    """Has a run note how many phases were finished before it returned."""

    def flags(folder: Path) -> list[str]:
        return [f"{phases.dump_flag}={folder}"]

    def read(folder: Path, outcome: Outcome) -> Outcome:
        keep(_finished(phases, folder))
        return outcome

    return Note(flags, read)


def phase_name(oracle: Oracle, number: int) -> str:
    """The name of a phase; '' for what comes after the last one."""
    phases = capabilities_of(oracle).phases
    return phases.names[number] if phases and number < len(phases.names) else ""


def failing_phase(judge: Judge, document: Document, memoize: Memoize = _make) -> str:
    """The compiler's phase in which a document fails; '' if it has no phases or shows none."""
    phases = capabilities_of(judge.oracle).phases
    guess = _guess(judge, document, memoize)
    return phases.names[guess] if phases and 0 <= guess < len(phases.names) else ""


def _guess(judge: Judge, document: Document, memoize: Memoize) -> int:
    """The index of the failing phase, from the files written after each phase; -1 if none.

    A compiler that does not know the flag, or fails in the first phase, writes no files.
    """
    compiler = capabilities_of(judge.oracle).failures
    if compiler is None or (phases := compiler.phases) is None:
        return -1

    def finished() -> str:
        with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
            flag = f"{phases.dump_flag}={folder}"
            same = _fails(judge, compiler.with_extra_flags([flag]), document)
            return str(_finished(phases, Path(folder)) if same else -1)

    return memoize("finished phases", document.text, finished, int)


def _finished(phases: Phases, folder: Path) -> int:
    """The number of phases that have written a file."""
    done = phases.dumped(folder)
    return sum(name in done for name in phases.names)


def _fails(judge: Judge, oracle: Oracle, document: Document) -> bool:
    return judge.with_(oracle=oracle).fails(document)
