"""The accepted candidates of a reduction, and which of them the output file holds.

The journal keeps them, so that a run which goes on from an earlier one knows how far that has come.
"""

import json
from dataclasses import astuple, dataclass
from hashlib import sha256
from pathlib import Path

from reducer.session.events import Size
from reducer.session.journal import Journal

_STEPS = "steps"


@dataclass(frozen=True)
class _Step:
    """An accepted candidate: the hash of its text, and its size."""

    digest: str
    ops: int
    bytes: int


class Steps:
    """The steps of this run beside those of the run before it.

    Attributes:
        repeat: whether this run has only taken steps that the earlier one has taken.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        stored = json.loads(journal.get_text(_STEPS) or "[]")
        self._before = [_Step(*step) for step in stored]
        self._steps: list[_Step] = []
        self.repeat = True

    @property
    def count(self) -> int:
        """How many steps this run has taken."""
        return len(self._steps)

    def add(self, text: str, size: Size) -> None:
        """A candidate was accepted."""
        step = _Step(_digest(text), size.ops, size.bytes)
        self._steps.append(step)
        if self._before[self.count - 1 : self.count] != [step]:
            self.repeat = False
            self._remember([*self._steps, *self._before[self.count :]])

    def beat(self, number: int) -> bool:
        """Whether the last step is better than an earlier run's step of this number.

        While a run repeats the earlier one, each step is better than those before it. With other
        options it may take another way, and steps are compared by their sizes.
        """
        if self.count > number and self._steps[:number] == self._before[:number]:
            return True
        last, other = self._steps[-1], self._before[number - 1]
        return not self.repeat and (last.ops, last.bytes) < (other.ops, other.bytes)

    def announce(self, content: str) -> None:
        """The output file is about to get this content, a form of the last step."""
        self._journal.set_meta(_key(_digest(content)), str(self.count))

    def forget_others(self) -> None:
        """From here on the steps of the run before do not matter."""
        if len(self._before) > self.count:
            self._before = self._steps[:]
            self._remember(self._steps)

    def on_disk(self, output: Path) -> int | None:
        """The number of the step that a file holds, in whatever form; None if it is none of ours.

        It is counted from 1; the input is no step.
        """
        if not self._before or not output.is_file():
            return None
        try:
            digest = sha256(output.read_bytes()).hexdigest()
        except OSError:
            return None
        number = int(self._journal.get_meta(_key(digest)) or 0)
        return number if 0 < number <= len(self._before) else None

    def _remember(self, steps: list[_Step]) -> None:
        self._journal.put_text(_STEPS, json.dumps([astuple(step) for step in steps]))


def _digest(text: str) -> str:
    return sha256(text.encode(errors="surrogateescape")).hexdigest()


def _key(digest: str) -> str:
    """Where the journal keeps the number of the step that was written with this content."""
    return f"output {digest}"
