"""What a reduction is asked to do, and the events that it reports while it runs."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from reducer.ir import Document


@dataclass(frozen=True)
class Settings:
    """Everything a reduction needs beside the oracle.

    Attributes:
        input: where the text came from (for messages only; the text itself is `text`).
        text: the program to reduce.
        output: where the best result so far is kept, and the final one is left.
        journal: the SQLite file that remembers verdicts; one of the same reduction goes on.
        opt: an `…-opt` tool of the compiler under test, which turns text into generic form and
            back; None if there is none, and then text is cut by lines and brackets.
        jobs: how many compilers may run at once. The result is the same for any number.
        resume: refuse to take the place of another reduction's journal.
        fresh: start with an empty journal.
        max_calls: stop after so many oracle calls.
        max_seconds: stop after so many seconds of wall time.
        keep_generic: leave the result in generic form.
        keep_flags: leave the command as it is.
        comments: begin the result with the command and end it with the message.
        also_found: keep what fails differently, beside the output.
        flaky: the failure may come and go; at most so many runs decide about a candidate. None if
            each run of the same program should end in the same way.
    """

    input: Path
    text: str
    output: Path
    journal: Path
    opt: Path | None = None
    jobs: int = 1
    resume: bool = False
    fresh: bool = False
    max_calls: int | None = None
    max_seconds: float | None = None
    keep_generic: bool = False
    keep_flags: bool = False
    comments: bool = True
    also_found: bool = True
    flaky: int | None = None


@dataclass(frozen=True)
class Size:
    """How large a program is."""

    lines: int
    ops: int
    bytes: int

    @staticmethod
    def of(document: Document) -> "Size":
        text = document.text
        lines = text.count("\n") + (bool(text) and not text.endswith("\n"))
        return Size(lines, document.op_count, len(text.encode(errors="surrogateescape")))


@dataclass(frozen=True)
class Progress:
    """A moment of a reduction: the size of the best so far, and what it has cost.

    `charged` are the calls that count against a budget; see `Costs`.
    """

    phase: str
    best: Size
    calls: int
    cached: int
    compiler_seconds: float
    seconds: float
    charged: int = 0


class Listener(Protocol):
    """Gets events, on the thread that runs the reduction or on a worker's."""

    def phase(self, name: str) -> None:
        """A new phase begins."""
        ...

    def progress(self, event: Progress) -> None:
        """A verdict came in, or a candidate was accepted."""
        ...

    def message(self, text: str) -> None:
        """Something that a person should know."""
        ...
