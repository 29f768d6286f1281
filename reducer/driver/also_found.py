"""Other failures found on the way, each with the smallest program that showed it, and its command.

A candidate that fails differently is not what the user asked for, but may be a bug of its own,
unless that is only what cutting a program up does (`identity/cutting_artifacts.py`). The judge
reports such candidates in order of preference, so the failures found do not depend on the number of
workers. Files are written immediately; the journal holds the same data, so that a resumed reduction
ends with the same failures as an uninterrupted one. Files of another reduction in the folder stay
until this one replaces the other's result, and what somebody else put there or changed stays.
"""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oracles import Signature
from oracles.stored import UNREADABLE, fields_of, parsed
from reducer.driver.comments import message_of
from reducer.driver.records.figures import OtherFailureRecord
from reducer.errors import OutputNotWritable
from reducer.escaping import one_line, shell_joined
from reducer.search.query import OtherFailure
from reducer.storage.journal import Journal
from reducer.storage.written import Written

MAX_BUCKETS = 16
MAX_BYTES = 4 << 20
"""The maximum size of one program. Bounds apply to each candidate alone, so order is irrelevant."""

INPUT, COMMAND, SIGNATURE = "repro.mlir", "command", "signature.json"
_FILES, _STEM = (COMMAND, SIGNATURE), INPUT.removesuffix(".mlir")
_BUCKET = re.compile(r"[0-9a-f]{12}")
KEPT = "also found"
DISMISSED = "found by cutting"
_OURS = "also found in folder"


@dataclass(frozen=True)
class AlsoFound:
    """Another failure: its signature and message, and the smallest program that showed it.

    `command` is the command run on the program, as words for a shell in its folder.
    """

    signature: Signature
    message: tuple[str, ...]
    command: tuple[str, ...]
    text: str

    @property
    def bytes(self) -> int:
        return _bytes(self.text)

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())

    def to_json(self) -> dict[str, Any]:
        """All fields except the program, JSON-compatible."""
        return {
            "bucket": self.signature.bucket,
            "text": self.signature.text,
            "message": list(self.message),
            "signature": self.signature.to_json(),
            "command": list(self.command),
        }


class AlsoFoundStore:
    """Keeps other failures, on disk and in the journal.

    `ignored` are buckets that are meaningless, such as the failure of an empty module, and
    `explained` says why a failure is not a bug of its own, or ''. If the folder cannot be written,
    `log` is called once and the list continues without it.
    """

    def __init__(
        self,
        folder: Path,
        journal: Journal,
        log: Callable[[str], None],
        *,
        ignored: frozenset[str] = frozenset(),
        explained: Callable[[OtherFailure], str] = lambda failure: "",
        suffix: str = ".mlir",
    ) -> None:
        self.folder = folder
        self._journal = journal
        self._written = Written(folder.parent)
        self._log = log
        self._ignored = ignored
        self._explained = explained
        self._input = f"{_STEM}{suffix}"
        self._beyond: set[str] = set()  # the bounds, at least once
        self._writes = True
        self._found = stored(journal, KEPT)
        self._dismissed = stored(journal, DISMISSED)
        self._is_ours = False
        self._safely(self._begin)

    def take_over(self) -> None:
        """Make the folder this reduction's own, once its result has replaced another's."""
        if not self._is_ours:
            self._safely(self._clear)

    @property
    def found(self) -> list[AlsoFound]:
        """All kept failures, in the order in which they were found."""
        return list(self._found.values())

    @property
    def records(self) -> tuple[OtherFailureRecord, ...]:
        """The same for the record of the reduction, with the path of each program."""
        return tuple(
            OtherFailureRecord(
                bucket=one.signature.bucket,
                text=one.signature.text,
                message=one.message,
                signature=one.signature,
                command=one.command,
                path=str(self.folder / one.signature.bucket / self._input)
                if self.on_disk
                else None,
                lines=one.lines,
                bytes=one.bytes,
            )
            for one in self.found
        )

    @property
    def left_out(self) -> int:
        """How many other failures were too large or too many to keep."""
        return len(self._beyond - self._found.keys())

    @property
    def dismissed(self) -> int:
        """How many other failures only cutting causes."""
        return len(self._dismissed.keys() - self._found.keys())

    @property
    def on_disk(self) -> bool:
        """Whether all of it has been written."""
        return self._writes and self._is_ours

    def add(self, failure: OtherFailure, *, is_whole: bool = False) -> None:
        """Keep a candidate that fails differently, if it is the smallest with this failure.

        That a compiler refuses an empty file says nothing. `is_whole` is whether the input itself
        is known to fail so, which is not only what cutting does.
        """
        signature = failure.outcome.signature
        bucket = signature.bucket
        is_nothing = bucket in self._ignored or not failure.text.strip()
        if is_nothing or not failure.outcome.kind.traits.kept_when_met:
            return
        earlier = self._found.get(bucket)
        size = _bytes(failure.text)
        if earlier is not None and size >= earlier.bytes:
            return
        if size > MAX_BYTES:
            self._beyond.add(bucket)
            return
        other = AlsoFound(
            signature,
            tuple(map(one_line, message_of(failure.outcome))),
            tuple(failure.oracle.display(self._input)),
            failure.text,
        )
        if not is_whole and (reason := self._explained(failure)):
            self._dismiss(other, reason)
            return
        if earlier is None and len(self._found) >= MAX_BUCKETS:
            self._beyond.add(bucket)
            return
        self._found[bucket] = other
        self._remember(other, self._found, KEPT)
        if self._is_ours:
            self._safely(lambda: self._write(other))

    def _dismiss(self, failure: AlsoFound, reason: str) -> None:
        """Keep the smallest program in the journal alone, for whoever doubts the reason."""
        bucket = failure.signature.bucket
        known = self._dismissed.get(bucket)
        if known is None or failure.bytes < known.bytes:
            self._dismissed[bucket] = failure
            self._remember(failure, self._dismissed, DISMISSED, reason)

    def _remember(
        self, one: AlsoFound, those: dict[str, AlsoFound], key: str, reason: str = ""
    ) -> None:
        stored = {**one.to_json(), "program": one.text, "reason": reason}
        self._journal.put_text(f"{key} {one.signature.bucket}", json.dumps(stored))
        self._journal.set_meta(key, json.dumps(list(those)))

    # ---- files -----------------------------------------------------------------------------

    def _begin(self) -> None:
        """Take over the folder at once if it holds nothing of another reduction."""
        if self._journal.get_meta(_OURS) is not None or not self._buckets():
            self._clear()

    def _clear(self) -> None:
        """Make the folder match the journal, without anything of another reduction."""
        self._is_ours = True
        self._journal.set_meta(_OURS, "yes")
        if not self.folder.exists() and not self.folder.is_symlink() and not self._found:
            return
        self._check()
        for path in self._buckets():
            if path.name not in self._found:
                ours = [*(path / name for name in _FILES), *path.glob(f"{_STEM}.*")]
                self._written.remove(*ours)
                if path.is_dir() and not any(path.iterdir()):
                    path.rmdir()
        for one in self._found.values():
            self._write(one)
        if not self._found and not any(self.folder.iterdir()):
            self.folder.rmdir()

    def _buckets(self) -> list[Path]:
        """The folders of failures."""
        if not self.folder.is_dir() or self.folder.is_symlink():
            return []
        return [path for path in self.folder.iterdir() if _BUCKET.fullmatch(path.name)]

    def _write(self, failure: AlsoFound) -> None:
        """Write the files of a bucket; if killed here, the data is still in the journal."""
        self._check()
        place = self.folder / failure.signature.bucket
        if place.is_symlink():
            raise OutputNotWritable(f"{place} is a symbolic link")
        place.mkdir(exist_ok=True)
        self._written.write(self._program(failure.signature), failure.text)
        self._written.write(place / COMMAND, shell_joined(failure.command) + "\n")
        self._written.write(place / SIGNATURE, json.dumps(failure.to_json(), indent=2) + "\n")

    def _program(self, signature: Signature) -> Path:
        return self.folder / signature.bucket / self._input

    def _check(self) -> None:
        """Check that the folder exists and is not a link, which would redirect the files."""
        if self.folder.is_symlink():
            raise OutputNotWritable(f"{self.folder} is a symbolic link")
        self.folder.mkdir(exist_ok=True, parents=True)

    def _safely(self, write: Callable[[], None]) -> None:
        if not self._writes:
            return
        try:
            write()
        except (OSError, OutputNotWritable) as error:
            self._writes = False
            self._log(f"other failures are listed but not saved: {error}")


def stored(journal: Journal, key: str) -> dict[str, AlsoFound]:
    """The failures found by an earlier run of the same reduction."""
    failures: dict[str, AlsoFound] = {}
    with suppress(*UNREADABLE):
        for bucket in parsed(journal.get_meta(key) or "[]", list[str]):
            stored = parsed(journal.get_text(f"{key} {bucket}") or "null")
            if stored is not None:
                one = fields_of({**stored, "text": stored["program"]}, AlsoFound)
                failures[one.signature.bucket] = one
    return failures


def _bytes(text: str) -> int:
    return len(text.encode(errors="surrogateescape"))
