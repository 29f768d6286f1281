"""Read what is known: exported issues, reports, and triage databases, from files and folders.

A JSON export is what `gh issue list --json number,title,body,url` writes; `comments`, if asked for,
are read as well. A Markdown file is one issue, whose title is its first heading. A report is known
by its metadata.json, and a database by its buckets.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oracles import Signature
from oracles.stored import UNREADABLE, parsed
from reducer.errors import ReducerError, UsageError
from reducer.report.similar.evidence import Evidence
from reducer.triage import Database

_DATABASES = frozenset({".sqlite", ".sqlite3", ".db"})
_MARKDOWN = frozenset({".md", ".markdown"})
_METADATA, _PROGRAM = "metadata.json", "repro.mlir"
_SCHEMA = "mlir-reducer-report/"


@dataclass(frozen=True)
class Known:
    """An issue, a report or a bucket.

    `number` is that of an issue, `url` where it is, `place` the file that it was read from; each
    may be '' or None. `state` is that of an issue, such as `OPEN`.
    """

    title: str
    evidence: Evidence
    number: int | None = None
    url: str = ""
    place: str = ""
    state: str = ""

    @property
    def name(self) -> str:
        """How to refer to it in a list."""
        return f"#{self.number}" if self.number is not None else self.place


def read_known(place: Path) -> list[Known]:
    """Everything known in a file or a folder, and the folders in that.

    Raises:
        UsageError: nothing there can be read as an issue, a report or a bucket.
    """
    if not place.exists():
        raise UsageError(f"{place}: no such file or folder")
    if place.is_file():
        issues = list(_of_file(place))
    else:
        files = (path for path in sorted(place.rglob("*")) if path.is_file())
        issues = [one for path in files for one in _in_folder(path)]
    if not issues:
        raise UsageError(
            f"{place} has no issues, reports or buckets; export issues with "
            "`gh issue list --limit 1000 --state all --json number,title,body,url > issues.json`"
        )
    return issues


def _of_file(path: Path) -> Iterator[Known]:
    """What is in a file that the user named.

    Raises:
        UsageError: it cannot be read.
    """
    if path.suffix in _DATABASES:
        yield from _buckets(path)
    elif path.suffix in _MARKDOWN:
        yield _markdown(path)
    else:
        yield from _json(path)


def _in_folder(path: Path) -> Iterator[Known]:
    """What is in a file of a folder; nothing if it is something else."""
    if path.suffix in _MARKDOWN and (path.parent / _METADATA).is_file():
        return  # the text of a report, which its metadata tells better
    if path.suffix not in _DATABASES | _MARKDOWN | {".json"}:
        return
    try:
        yield from _of_file(path)
    except ReducerError:
        return


def _json(path: Path) -> Iterator[Known]:
    try:
        data = parsed(_text(path))
    except UNREADABLE as error:
        raise UsageError(f"{path} is not JSON: {error}") from error
    if isinstance(data, dict) and str(data.get("schema", "")).startswith(_SCHEMA):
        yield _report(path, data)
        return
    issues = data if isinstance(data, list) else [data]
    if not all(isinstance(one, dict) and "title" in one for one in issues):
        raise UsageError(f"{path} is neither an export of issues nor a report")
    for issue in issues:
        yield _issue(path, issue)


def _issue(path: Path, issue: Mapping[str, Any]) -> Known:
    title, number = str(issue["title"] or ""), issue.get("number")
    comments = issue.get("comments")
    texts = [issue.get("body")]
    if isinstance(comments, list):
        texts += [one.get("body") for one in comments if isinstance(one, dict)]
    return Known(
        title,
        Evidence.of_issue(title, "\n".join(str(text) for text in texts if text)),
        number if isinstance(number, int) else None,
        str(issue.get("url") or ""),
        str(path),
        str(issue.get("state") or ""),
    )


def _markdown(path: Path) -> Known:
    text = _text(path)
    heads = (line.lstrip("# ") for line in text.splitlines() if line.startswith("#"))
    title = next(heads, "") or path.stem
    return Known(title, Evidence.of_issue(title, text), place=str(path))


def _report(path: Path, data: Mapping[str, Any]) -> Known:
    try:
        signature = Signature.from_json(data["signature_fields"])
    except UNREADABLE as error:
        raise UsageError(f"{path} is not a complete report: {error}") from error
    output = data.get("output")
    name = output.get("path") if isinstance(output, dict) else None
    program = path.with_name(Path(str(name or _PROGRAM)).name)
    text = _text(program) if program.is_file() else ""
    compiler = data.get("compiler")
    name = str(compiler.get("name", "")) if isinstance(compiler, dict) else ""
    evidence = Evidence.of_failure(
        signature,
        text,
        passes=[str(data.get("pass") or "")],
        targets=filter(None, [name, *map(str, data.get("target") or ())]),
    )
    return Known(signature.text, evidence, place=str(path.parent))


def _buckets(path: Path) -> Iterator[Known]:
    with closing(Database.open(path, create=False)) as database:
        rows = database.rows(
            "SELECT b.bucket, b.signature, b.text AS told, r.text FROM buckets b "
            "LEFT JOIN reproducers r USING (bucket) WHERE b.merged_into IS NULL ORDER BY b.bucket"
        )
    for row in rows:
        signature = Signature.from_json(parsed(row["signature"]))
        evidence = Evidence.of_failure(signature, row["text"] or "")
        yield Known(f"bucket {row['bucket']}: {row['told']}", evidence, place=str(path))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
