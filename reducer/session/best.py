"""The best program so far: on disk, whole, and known to fail under the full command.

Nothing is written before there is something to keep, and what an earlier run of the same reduction
has left is replaced only by something better. The journal knows each content that was ever written,
so that a run which goes on from there knows how far the file on disk is.
"""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

from reducer.ir import Document
from reducer.session.events import Size
from reducer.session.files import write_atomic
from reducer.session.journal import Journal
from reducer.session.steps import Steps

PRINTED = "print in generic form"
"""The origin of the input itself in the form that is searched: a step, but no result yet."""


class OnDisk(StrEnum):
    """What the output file holds."""

    RESULT = "result"  # the best of this run
    EARLIER = "earlier"  # a better one, which an earlier run of the same reduction has left
    OTHER = "other"  # what was there before; nothing was written
    NOTHING = "nothing"  # there is no such file


class Best:
    """Keeps the output file. A provisional best is held back until the full command confirms it.

    Attributes:
        document: the best that the full command is known to fail on.
        newest: the same, or a smaller one that only a shortened command has seen.
        head: a comment above whatever is saved.
        on_confirm: is told of each document that the full command is known to fail on.
        on_accept: is told of each better document, its size and what made it.
        on_fall_back: is told of the document that is the best again, and its size.
        on_save: is told whenever the output file was replaced.
    """

    def __init__(self, output: Path, journal: Journal, document: Document, size: Size) -> None:
        self._output = output
        self.document = self.newest = document
        self.size = size
        self.head = ""
        self.on_confirm: Callable[[Document], None] = lambda document: None
        self.on_accept: Callable[[Document, Size, str], None] = lambda document, size, origin: None
        self.on_fall_back: Callable[[Document, Size], None] = lambda document, size: None
        self.on_save: Callable[[], None] = lambda: None
        self._origin = ""
        self._saved = False
        self._steps = Steps(journal)
        self._kept = self._steps.on_disk(output)

    def accept(self, document: Document, origin: str, *, provisional: bool = False) -> None:
        """Takes a better document; saves it at once unless it is provisional."""
        self.newest = document
        self.size = Size.of(document)
        self._origin = origin
        self.on_accept(document, self.size, origin)
        if not provisional:
            self.confirm()

    @property
    def is_provisional(self) -> bool:
        return self.newest is not self.document

    def confirm(self) -> None:
        """The full command fails on the newest document too."""
        self.document = self.newest
        self._steps.add(self.document.text, self.size)
        if self._origin != PRINTED and self._is_better_than_kept():
            self._save(self.document.text)
        self.on_confirm(self.document)

    def fall_back(self) -> None:
        """Forgets what the full command has not confirmed."""
        if not self.is_provisional:
            return
        self.newest = self.document
        self.size = Size.of(self.document)
        self.on_fall_back(self.document, self.size)

    # ---- the file --------------------------------------------------------------------------

    @property
    def on_disk(self) -> OnDisk:
        """What the output file holds now."""
        if self._saved:
            return OnDisk.RESULT
        if self._kept is not None:
            same = self._steps.repeat and self._steps.count == self._kept
            return OnDisk.RESULT if same else OnDisk.EARLIER
        return OnDisk.OTHER if self._output.exists() else OnDisk.NOTHING

    def finish(self, text: str, *, verified: bool, complete: bool) -> None:
        """Saves the best as it is printed.

        What was verified at the end of a `complete` reduction is its result, even if that is the
        input itself. Anything else only takes the place of what it is another form of.
        """
        shown = self._saved or (verified and self.on_disk is OnDisk.RESULT)
        if shown or (verified and complete):
            self._save(text)

    def _save(self, text: str) -> None:
        """Replaces the output file in one step, after the journal has been told."""
        content = self.head + text
        self._steps.announce(content)
        write_atomic(self._output, content)
        self._steps.forget_others()
        self._saved = True
        self.on_save()

    def _is_better_than_kept(self) -> bool:
        """Whether the document is better than what an earlier run has left."""
        return self._saved or self._kept is None or self._steps.beat(self._kept)
