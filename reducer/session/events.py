"""What a reduction tells those who watch it."""

from dataclasses import dataclass
from typing import Protocol

from reducer.ir import Document


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
