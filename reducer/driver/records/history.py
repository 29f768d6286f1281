"""The history of a reduction: recorded in the journal, and read back for pages and reports.

It is stored as one JSON text, so that a page can be drawn long after the run.
"""

import json
import math
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

from oracles import Signature
from oracles.stored import UNREADABLE, fields_of, file_name, parsed, tried, unpacked
from reducer.conversions import GENERIC, LOCATED, CompilerPasses, key_of
from reducer.driver.records.origins import Origins
from reducer.driver.settings import Size
from reducer.driver.stages.levels import CUT_ORIGIN as CUT
from reducer.driver.stages.levels import DISPATCH_ORIGIN as DISPATCH
from reducer.errors import BadInput, JournalBusy, MissingInput
from reducer.identity.builds.record import HealthRecord
from reducer.ir import Document, GenericSyntaxError, Module
from reducer.search.candidate import Candidate, Verdict
from reducer.search.conditions import Refused
from reducer.storage.sqlite_file import check_links

KEY = "history"
"""The journal's key for the history."""

FELL_BACK = "fall back"
"""The origin of a moment at which the best became larger again."""

PRINT = "print"
"""The origin of the last moment, at which the result was printed in readable form."""

_PRINTED_ANEW = frozenset({CompilerPasses.name, CUT, DISPATCH})  # renames the values
_PAUSE = 1.0  # seconds between saves: a fast script may have hundreds of candidates accepted
_VERSION = 1
_MAX_FINAL = 4 << 20  # maximum length of the final program in generic form that is kept


@dataclass(frozen=True)
class Spent:
    """What a reduction has cost so far: oracle calls, their CPU seconds, wall-clock seconds."""

    calls: int = 0
    compiler_seconds: float = 0.0
    seconds: float = 0.0

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(
            self.calls + other.calls,
            self.compiler_seconds + other.compiler_seconds,
            self.seconds + other.seconds,
        )


@dataclass(frozen=True)
class Moment:
    """The best after an accepted candidate; `origin` is the name of the edit that made it."""

    ops: int
    bytes: int
    origin: str
    spent: Spent


@dataclass
class Tries:
    """The attempts, successes and cost of one transformation or phase.

    `tried` and `accepted` count candidates, including those with cached verdicts; `calls` counts
    runs.
    """

    tried: int = 0
    accepted: int = 0
    ops: int = 0
    bytes: int = 0
    calls: int = 0
    compiler_seconds: float = 0.0


@dataclass
class RefusedBy:
    """How many candidates a condition has refused, and of the first the edit and the reason."""

    candidates: int = 0
    origin: str = ""
    reason: str = ""


@dataclass
class History:
    """Plain data, stored with `to_json` and `from_json`.

    `refused` counts candidates by the name of the condition that refused them. `origins` maps ops
    of the `final` program (generic form) to ops of the input's generic form, which the journal
    holds under the key `generic`. `failing` are the ops of `final` to which the compiler's errors
    point. `health` is where else the result compiles. `status`, `command` and
    `verified` are those of the report once the reduction has ended; until then the status is ''.
    """

    name: str
    input: Size
    signature: Signature
    moments: list[Moment] = field(default_factory=list)
    tries: dict[str, Tries] = field(default_factory=dict)
    refused: dict[str, RefusedBy] = field(default_factory=dict)
    total: Spent = field(default_factory=Spent)
    origins: dict[int, int] = field(default_factory=dict)
    generic: str = ""
    final: str = ""
    failing: list[int] = field(default_factory=list)
    health: HealthRecord | None = None
    status: str = ""
    verified: bool = False
    one_minimal: bool = False
    command: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def refused_most_first(self) -> list[tuple[str, RefusedBy]]:
        """The conditions that refused candidates, and how often."""
        return sorted(self.refused.items(), key=lambda item: (-item[1].candidates, item[0]))

    def to_json(self) -> dict[str, Any]:
        return {
            **vars(self),  # `asdict` would copy everything, at every step
            "moments": [{**vars(moment), "spent": vars(moment.spent)} for moment in self.moments],
            "tries": {name: vars(tries) for name, tries in self.tries.items()},
            "refused": {name: vars(refused) for name, refused in self.refused.items()},
            "input": vars(self.input),
            "total": vars(self.total),
            "version": _VERSION,
            "signature": self.signature.to_json(),
            "origins": sorted(self.origins.items()),
            "health": self.health and self.health.to_json(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`; raises one of `UNREADABLE` on invalid data."""
        if data["version"] != _VERSION:
            raise ValueError("a history of another version")
        fields = {**data, "origins": dict(data["origins"]), "name": file_name(data["name"])}
        return fields_of(fields, cls)


@dataclass(frozen=True)
class Lineage:
    """How the result descends from the input: the source of pages and bug reports.

    Attributes:
        history: the history of the reduction.
        original: the input in generic form, None if it has none.
        source: the text of the input, None if no longer known.
        located: the input in generic form with locations, '' if not yet computed.
    """

    history: History
    original: Module | None = None
    source: str | None = None
    located: str = ""


class HistoryRecorder:
    """Writes the history of one reduction while it runs. Called from one thread.

    Steps that a resumed reduction repeats keep the costs that they had originally.

    Args:
        history: the initial history.
        module: the input in generic form, None if it has none.
        spent: what this process has spent so far.
        save: stores the history's text.
        earlier: how far an interrupted run of the same reduction came.
    """

    def __init__(
        self,
        history: History,
        module: Module | None,
        spent: Callable[[], Spent],
        save: Callable[[str], None],
        earlier: History | None = None,
    ) -> None:
        self.history = history
        self.module = module
        self._origins = Origins(module) if module is not None else None
        self._spent = spent
        self._save = save
        self._before = earlier.total if earlier else Spent()
        self._known = earlier.moments if earlier else []
        for name, tries in (earlier.tries if earlier else {}).items():
            self._tries(name).calls = tries.calls
            self._tries(name).compiler_seconds = tries.compiler_seconds
        self._size = history.input
        self._phase = ""
        self._settled = Spent()
        self._saved = -math.inf

    def origins(self) -> dict[int, int]:
        """Maps the ops of the best to those of the input, as far as known."""
        return {} if self._origins is None else self._origins.known

    def phase(self, name: str) -> None:
        """Start a phase; costs since the last verdict on a candidate belong to the previous one."""
        if self._phase:
            self._settle(self._phase)
        self._phase = name

    def judged(self, candidate: Candidate[Any], verdict: Verdict) -> None:
        """Record the verdict on a candidate."""
        if verdict is not Verdict.CANCELLED:
            self._settle(candidate.origin)
            self._tries(candidate.origin).tried += 1

    def refused(self, refused: Refused) -> None:
        """Count a candidate that was refused, run or not."""
        refusal = refused.refusal
        first = RefusedBy(0, refused.origin, refusal.reason)
        self.history.refused.setdefault(str(refusal.condition), first).candidates += 1

    def accepted(self, document: Document, size: Size, origin: str) -> None:
        """Record that a candidate became the best."""
        self._tries(origin).accepted += 1
        self._moment(size, origin)
        if self._origins is not None and isinstance(document, Module):
            self._origins.follow(document, renumbered=origin in _PRINTED_ANEW)
        if time.monotonic() - self._saved >= _PAUSE:
            self.save()

    def rolled_back(self, document: Document, size: Size) -> None:
        """Record that the last accepted candidates turned out to have another failure."""
        self._moment(size, FELL_BACK)
        if self._origins is not None and isinstance(document, Module):
            self._origins.restart(document)

    def finished(self, document: Document, size: Size, **facts: Any) -> History:
        """Record the end; `size` is that of the printed program, `facts` are fields to set."""
        self._settle(self._phase)
        if size != self._size:
            self._moment(size, PRINT)
        if self._origins is not None and isinstance(document, Module):
            self.history.origins = self._origins.known
            self.history.final = document.text if len(document.text) <= _MAX_FINAL else ""
        self.history = replace(self.history, **facts)
        self.save()
        return self.history

    def save(self) -> None:
        self.history.total = self._before + self._spent()
        self._save(json.dumps(self.history.to_json()))
        self._saved = time.monotonic()

    def _moment(self, size: Size, origin: str) -> None:
        moments = self.history.moments
        moment = Moment(size.ops, size.bytes, origin, self._before + self._spent())
        if len(moments) < len(self._known):
            known = self._known[len(moments)]
            if (known.ops, known.bytes, known.origin) == (size.ops, size.bytes, origin):
                moment = known
            else:
                self._known = []
        moments.append(moment)
        tries = self._tries(origin)
        tries.ops += self._size.ops - size.ops
        tries.bytes += self._size.bytes - size.bytes
        self._size = size

    def _settle(self, name: str) -> None:
        now = self._spent()
        tries = self._tries(name)
        tries.calls += now.calls - self._settled.calls
        tries.compiler_seconds += now.compiler_seconds - self._settled.compiler_seconds
        self._settled = now

    def _tries(self, name: str) -> Tries:
        return self.history.tries.setdefault(name, Tries())


def read_history(text: str | None) -> History | None:
    """The history stored in a journal, None if there is none in a known format."""
    return tried(lambda text: History.from_json(parsed(text)), text)


_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class JournalReader:
    """The texts of one journal."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self._connection = connection

    def history(self) -> History:
        """The history of the reduction.

        Raises:
            BadInput: the journal has none.
        """
        text = self.text(KEY)
        history = read_history(text)
        if history is None:
            what = "has no history" if text is None else "is damaged: it has no readable history"
            raise BadInput(f"{self._path} {what}; run the same command again to record it")
        return history

    def lineage(self, source: str | None = None) -> Lineage:
        """The lineage that the reduction itself reports at its end.

        `source` may be the text of the input; it is ignored if another text was reduced.

        Raises:
            BadInput: the journal has no history.
        """
        history = self.history()
        original = self.module(history.generic)
        if source is None or key_of(GENERIC, source) != history.generic:
            return Lineage(history, original)
        return Lineage(history, original, source, self.text(key_of(LOCATED, source)) or "")

    def module(self, key: str) -> Module | None:
        """A module in generic form, None if the journal does not have it."""
        text = self.text(key) if key else None
        try:
            return Module.parse(text) if text else None
        except GenericSyntaxError:
            return None

    def meta(self, key: str) -> str | None:
        """The metadata stored under a key."""
        return self._value("SELECT value FROM meta WHERE key = ?", key, str)

    def text(self, key: str) -> str | None:
        """The text stored under a key."""
        return self._value("SELECT text FROM texts WHERE key = ?", key, unpacked)

    def _value(self, query: str, key: str, read: Callable[[Any], str]) -> str | None:
        try:
            row = self._connection.execute(query, (key,)).fetchone()
            return None if row is None else read(row[0])
        except UNREADABLE as error:
            raise BadInput(f"{self._path} is damaged ({error}); reduce the input again") from error


@contextmanager
def reading(path: Path) -> Iterator[JournalReader]:
    """Open a journal for reading.

    Raises:
        MissingInput: there is no such file.
        JournalBusy: a reduction is using it.
        BadInput: it is not a journal, or damaged.
    """
    if not path.is_file():
        raise MissingInput(
            f"there is no journal of a reduction at {path}; give its path with --journal"
        )
    # Even reading a write-ahead log creates files; without a log there is no writer.
    mode = "ro" if path.with_name(f"{path.name}-wal").exists() else "ro&immutable=1"
    try:
        check_links(path)
        with closing(
            sqlite3.connect(
                f"file:{quote(bytes(path.absolute()))}?mode={mode}", uri=True, timeout=1.0
            )
        ) as connection:
            yield JournalReader(path, connection)
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _BUSY:
            raise JournalBusy(f"a reduction is using {path}; wait for it to finish") from error
        raise BadInput(
            f"{path} is not the journal of a reduction, or is damaged ({error})"
        ) from error
