"""The best program so far: complete on disk, and known to fail under the full command.

Nothing is written before there is something to keep, and the result of an earlier run of the same
reduction is replaced only by a better one. The journal records the accepted steps and every content
ever written, so that a resumed run knows which step the file on disk has reached.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from oracles.run.run_process import is_full_disk
from oracles.stored import parsed
from reducer.driver.settings import Size
from reducer.errors import OutputNotWritable
from reducer.identity.program import Program
from reducer.ir import Document, Module, PlainText
from reducer.storage.files import is_plain, write_atomic
from reducer.storage.journal import Journal
from reducer.storage.result_folder import ResultFolder
from reducer.storage.written import Written, holds

_STEPS = "steps"

_DURABLE_SECONDS = 1.0
"""How often at most the output file is forced to the disk, which may take longer than a run."""


@dataclass(frozen=True)
class _Step:
    """An accepted candidate: the hash of its text, and its size."""

    digest: str
    ops: int
    bytes: int


class Steps:
    """The steps of this run, compared with those of the run before it.

    Attributes:
        repeat: whether this run has only taken steps that the earlier one took as well.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        as_stored = list[tuple[str, int, int]]
        stored = journal.read(_STEPS, lambda text: parsed(text, as_stored))
        self._before = [_Step(*step) for step in stored or ()]
        self._steps: list[_Step] = []
        self.repeat = True

    @property
    def count(self) -> int:
        """How many steps this run has taken."""
        return len(self._steps)

    def add(self, text: str, size: Size) -> None:
        """Record an accepted candidate."""
        step = _Step(_digest(text), size.ops, size.bytes)
        self._steps.append(step)
        if self._before[self.count - 1 : self.count] != [step]:
            self.repeat = False
            self._remember([*self._steps, *self._before[self.count :]])

    def beat(self, number: int) -> bool:
        """Whether the last step is better than an earlier run's step of this number.

        While a run repeats the earlier one, each step is better than those before it. With other
        options it may take a different path, and steps are compared by size.
        """
        if self.count > number and self._steps[:number] == self._before[:number]:
            return True
        last, other = self._steps[-1], self._before[number - 1]
        return not self.repeat and (last.ops, last.bytes) < (other.ops, other.bytes)

    def announce(self, content: str) -> None:
        """Record that the output file is about to get this content, a form of the last step."""
        self._journal.set_meta(key_of_output(_digest(content)), str(self.count))

    def forget_others(self) -> None:
        """Disregard the steps of the earlier run from here on."""
        if len(self._before) > self.count:
            self._before = self._steps[:]
            self._remember(self._steps)

    def on_disk(self, output: Path) -> int | None:
        """The number of the step that a file holds, in whatever form; None if it holds none.

        Steps are counted from 1; the input is not a step.
        """
        if not self._before or not output.is_file():
            return None
        try:
            digest = sha256(output.read_bytes()).hexdigest()
        except OSError:
            return None
        told = self._journal.get_meta(key_of_output(digest))
        return next((n for n in range(1, len(self._before) + 1) if str(n) == told), None)

    def _remember(self, steps: list[_Step]) -> None:
        self._journal.put_text(
            _STEPS, json.dumps([(step.digest, step.ops, step.bytes) for step in steps])
        )


def _digest(text: str) -> str:
    return sha256(text.encode(errors="surrogateescape")).hexdigest()


def key_of_output(digest: str) -> str:
    """The journal's key for the number of the step that was written with this content."""
    return f"output {digest}"


PRINTED = "print in generic form"
"""The origin of the input itself in generic form: a step, but not yet a result."""


class OnDisk(StrEnum):
    """What the output file holds."""

    RESULT = "result"  # the best of this run
    EARLIER = "earlier"  # a better one, from an earlier run of the same reduction
    OTHER = "other"  # a previous file; nothing was written
    NOTHING = "nothing"  # there is no such file


class Best:
    """Maintains the output file of a program, what is provisional being held back.

    Temporary files are in `folder`, if given, and what that holds of an earlier result goes once
    the result is replaced. A file that is not as `written` says (by default, what the folder lists)
    is never replaced.

    Attributes:
        program: the program.
        head: a comment above every module that is saved.
        origin: the edit that made the newest document.
        is_held_back: whether there is a result that is not saved, as it is longer than the input.
        on_accept: called with each better document, its size and its origin.
        on_roll_back: called with the document that is the best again, and its size.
        on_save: called whenever the output file is about to be replaced.
    """

    def __init__(
        self,
        output: Path,
        journal: Journal,
        program: Program,
        size: Size | None = None,
        folder: ResultFolder | None = None,
        written: Written | None = None,
    ) -> None:
        self._output = output
        self._folder = folder
        self._written = written or (folder.written if folder is not None else None)
        self.program = program
        self.size = self._input = size or Size.of(program.document)
        self._journal = journal
        self.head = ""
        self.is_held_back = False
        self.on_accept: Callable[[Document, Size, str], None] = lambda document, size, origin: None
        self.on_roll_back: Callable[[Document, Size], None] = lambda document, size: None
        self.on_save: Callable[[], None] = lambda: None
        self.origin = ""
        self._saved = False
        self._has_replaced = False
        self._durable_until = 0.0
        self._unsettled: str | None = None  # content that a power failure might still lose
        self._steps = Steps(journal)
        self._kept = self._steps.on_disk(output)

    def accept(self, document: Document, origin: str, *, provisional: bool = False) -> None:
        """Make a better document the best; save it at once unless it is provisional."""
        assert isinstance(document, Module | PlainText)
        self.program.accept(document, provisional=provisional)
        self.size = Size.of(document)
        self.origin = origin
        self.on_accept(document, self.size, origin)
        if not provisional:
            self.confirm()

    def confirm(self) -> None:
        """Save the newest document, which the full command has confirmed."""
        self.program.confirm()
        text = self.program.confirmed.text
        self._steps.add(text, self.size)
        if self.origin == PRINTED or not self._is_better_than_kept():
            return
        if self._saved or self.size.bytes <= self._input.bytes:
            self._save(text)
        else:  # fewer ops, but in generic form; once printed for people, it is smaller
            self.is_held_back = True

    def roll_back(self) -> None:
        """Discard everything that the full command has not confirmed."""
        if not self.program.is_provisional:
            return
        self.program.roll_back()
        self.size = Size.of(self.program.confirmed)
        self.on_roll_back(self.program.confirmed, self.size)

    def fall_back(self, document: Document) -> None:
        """Save an earlier, larger best, because the smaller one is another bug.

        Whatever this run saved is replaced at once.
        """
        self.size = Size.of(document)
        self.on_roll_back(document, self.size)
        self._steps.add(document.text, self.size)
        if self._saved:
            self._save(document.text)

    # ---- the file --------------------------------------------------------------------------

    @property
    def on_disk(self) -> OnDisk:
        """What the output file currently holds."""
        if self._saved:
            return OnDisk.RESULT
        if self._kept is not None:
            same = self._steps.repeat and self._steps.count == self._kept
            return OnDisk.RESULT if same else OnDisk.EARLIER
        return OnDisk.OTHER if self._output.exists() else OnDisk.NOTHING

    def finish(self, text: str, *, verified: bool, complete: bool) -> None:
        """Save the best in its printed form.

        A text verified at the end of a `complete` reduction is its result, even if it is the input
        itself. Any other text only replaces a file that holds the same program in another form.
        """
        shown = self._saved or (verified and (self.is_held_back or self.on_disk is OnDisk.RESULT))
        if shown or (verified and complete):
            self._save(text)

    def _save(self, text: str) -> None:
        """Replace the output file atomically, after recording it in the journal."""
        content = (self.head if isinstance(self.program.confirmed, Module) else "") + text
        self._steps.announce(content)
        now = time.monotonic()
        durable = self._durable_until <= now
        self._prepare(content)
        self.on_save()
        self._write(content, durable=durable)
        if durable:
            self._durable_until = time.monotonic() + _DURABLE_SECONDS
        self._unsettled = None if durable else content
        self._steps.forget_others()
        self._saved = True

    def keep(self) -> None:
        """Save what is held back, as it is longer than the input: nothing shorter will come."""
        confirmed = self.program.confirmed
        if self.is_held_back and not self._saved and confirmed.op_count < self._input.ops:
            self._save(confirmed.text)

    def flush(self) -> None:
        """Have the system write the output file to disk, if it was saved a moment ago."""
        if self._unsettled is not None:
            self._write(self._unsettled)
            self._unsettled = None

    def _prepare(self, content: str) -> None:
        """Once per run: delete what was made of another result before that is replaced."""
        if self._folder is None or self._has_replaced:
            return
        if not is_plain(self._output):  # the folder is that of another result, which stays
            return
        if holds(self._output, content.encode(errors="surrogateescape")):
            return
        self._has_replaced = True
        self._folder.forget_earlier_result()

    def _write(self, content: str, *, durable: bool = True) -> None:
        """Replace the output file; on a full disk, with the space that the journal takes."""
        try:
            self._replace(content, durable=durable)
        except OutputNotWritable as error:
            full = isinstance(error.__cause__, OSError) and is_full_disk(error.__cause__)
            if not full or not self._journal.give_up():
                raise
            self._replace(content, durable=durable)

    def _replace(self, content: str, *, durable: bool) -> None:
        through = self._folder.temporary if self._folder is not None else None
        if self._written is None:
            write_atomic(self._output, content, durable=durable, through=through)
        else:
            self._written.write(self._output, content, durable=durable, through=through)

    def _is_better_than_kept(self) -> bool:
        """Whether the document is better than the result of an earlier run."""
        return self._saved or self._kept is None or self._steps.beat(self._kept)
