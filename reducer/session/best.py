"""The best program so far: on disk, whole, and known to fail under the full command."""

from collections.abc import Callable
from pathlib import Path

from reducer.ir import Document
from reducer.session.events import Size
from reducer.session.files import write_atomic


class Best:
    """Keeps the output file. A provisional best is held back until the full command confirms it.

    Attributes:
        document: the best that the full command is known to fail on.
        newest: the same, or a smaller one that only a shortened command has seen.
        head: a comment above whatever is saved.
        on_confirm: is told of each document that the full command is known to fail on.
        on_accept: is told of each better document, its size and what made it.
        on_fall_back: is told of the document that is the best again, and its size.
    """

    def __init__(self, output: Path, document: Document, size: Size) -> None:
        self._output = output
        self.document = self.newest = document
        self.size = size
        self.head = ""
        self.on_confirm: Callable[[Document], None] = lambda document: None
        self.on_accept: Callable[[Document, Size, str], None] = lambda document, size, origin: None
        self.on_fall_back: Callable[[Document, Size], None] = lambda document, size: None
        self.save(document.text)

    def accept(self, document: Document, origin: str, *, provisional: bool = False) -> None:
        """Takes a better document; saves it at once unless it is provisional."""
        self.newest = document
        self.size = Size.of(document)
        self.on_accept(document, self.size, origin)
        if not provisional:
            self.confirm()

    @property
    def is_provisional(self) -> bool:
        return self.newest is not self.document

    def confirm(self) -> None:
        """The full command fails on the newest document too."""
        self.document = self.newest
        self.save(self.document.text)
        self.on_confirm(self.document)

    def fall_back(self) -> None:
        """Forgets what the full command has not confirmed."""
        if not self.is_provisional:
            return
        self.newest = self.document
        self.size = Size.of(self.document)
        self.on_fall_back(self.document, self.size)

    def save(self, text: str) -> None:
        """Replaces the output file in one step."""
        write_atomic(self._output, self.head + text)
