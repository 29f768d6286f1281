"""Find what shows a known failure in folders: results, reports and issues."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from oracles import Outcome, Signature
from oracles.signature.match_any_error import match_any_error
from oracles.stored import UNREADABLE, parsed
from reducer.cli.options.table import Options
from reducer.cli.request.recorded import ResultRecord
from reducer.driver.records.history import reading
from reducer.errors import ReducerError
from reducer.intake import read_crash
from reducer.report.similar.evidence import Evidence, is_telling
from reducer.report.similar.known import Known
from reducer.report.similar.ranking import rank
from reducer.report.writing import MARK
from reducer.storage.files import read_input
from reducer.storage.result_folder import ResultFolder
from reducer.triage.backlog import BacklogEntry
from reducer.triage.inputs import files_below, printable

_ISSUES = ".md", ".markdown", ".txt", ".log"
_FREE = "words", "iree", "timeout", "memory_limit", "opt", "from_file"


def find_backlog(folders: Iterable[Path]) -> tuple[list[BacklogEntry], frozenset[Path]]:
    """The failures that are known, and the programs that they are about, which are no inputs."""
    entries: list[BacklogEntry] = []
    programs = set()
    for folder in folders:
        for path in [folder] if folder.is_file() else files_below(folder):
            place = printable(path.name if path == folder else path.relative_to(folder))
            try:
                entry = _entry(path, place)
            except (ReducerError, OSError, *UNREADABLE) as error:
                entry = BacklogEntry(place, problem=printable(str(error)))
            if entry is not None:
                about = path.parent.glob("*.mlir") if path.name == MARK else [path]
                programs |= {one.absolute() for one in about}
                entries.append(entry)
    return entries, frozenset(programs)


def _entry(path: Path, place: str) -> BacklogEntry | None:
    """The failure that a file is or tells of; None if it tells of none."""
    if path.name == MARK:
        return _report(path, place)
    if path.suffix in _ISSUES and not path.with_name(MARK).is_file():
        return _issue(path, place)
    folder = ResultFolder.of(path)
    return _result(path, place) if folder.record.is_file() and folder.is_ours else None


def _result(path: Path, place: str) -> BacklogEntry:
    request = ResultRecord.of(path).request
    if request is None:
        return BacklogEntry(place, problem="its record is not this user's own")
    usual = {name: value for name, value in Options().showing().items() if name not in _FREE}
    if not all(request.get(name, value) in (value, ()) for name, value in usual.items()):
        return BacklogEntry(place, problem="it is not about how a command alone fails")
    with reading(ResultFolder.of(path).journal) as journal:
        target = journal.history().signature
    own, text = not request.get("from_file"), read_input(path).text
    return BacklogEntry(place, text, (tuple(request["words"]),), partial(_is, target), own)


def _report(path: Path, place: str) -> BacklogEntry | None:
    data = parsed(path.read_text(encoding="utf-8"))
    if not str(data.get("schema", "")).startswith("mlir-reducer-report/"):
        return None
    program = path.with_name(Path(str(data["output"]["path"])).name)
    words = tuple("{}" if word == program.name else str(word) for word in data["command"])
    target = Signature.from_json(data["signature_fields"])
    return BacklogEntry(place, read_input(program).text, (words,), partial(_is, target))


def _issue(path: Path, place: str) -> BacklogEntry | None:
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    crash = read_crash(text, path)
    if not crash.commands:
        return None
    body = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    known = Known(place, Evidence.of_issue("", body))  # titles are in people's words
    problem = f"it lacks {crash.missing}" if crash.missing else ""
    alike = partial(_resembles, known, crash.text)
    return BacklogEntry(place, crash.text, crash.commands, alike, problem=problem)


def _is(target: Signature, outcome: Outcome) -> bool:
    return match_any_error(target, outcome)[0] is not None


def _resembles(known: Known, program: str, outcome: Outcome) -> bool | None:
    """Whether a failure has a message of an issue; None if that quotes none that tells anything."""
    (match,) = rank(Evidence.of_failure(outcome.signature, program), [known])
    return match.same_message or (False if any(map(is_telling, known.evidence.messages)) else None)
