"""The progress display of `triage`, its table of bugs at the end, and the same in Markdown."""

import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from tqdm import tqdm

from reducer.bisect.query import ReleaseVerdict
from reducer.cli.display.console import echo
from reducer.cli.display.layout import Part, Style, Table
from reducer.escaping import lines, one_line
from reducer.identity.builds.statements import lifetime
from reducer.report import markdown as md
from reducer.triage import Bug, BugState, Summary, Watcher
from reducer.triage.backlog import BacklogAnswer
from reducer.triage.headlines import bug_headlines
from reducer.units import duration, plural

_TEXT = 90
_STYLES = {
    BugState.REOPENED: Style.BAD,
    BugState.NEW: Style.BAD,
    BugState.KNOWN: Style.WARNING,
    BugState.FIXED: Style.GOOD,
}
VERDICTS = {
    ReleaseVerdict.BAD: "fails",
    ReleaseVerdict.GOOD: "compiles",
    ReleaseVerdict.OTHER: "fails in another way",
    ReleaseVerdict.CANNOT_TELL: "cannot tell",
}
"""What a release does with a reproducer."""
_ORDER = (BugState.REOPENED, BugState.NEW, BugState.KNOWN, BugState.FIXED)


def summary_parts(summary: Summary) -> list[Part]:
    """The table of bugs, the inputs that could not be run, and a one-line summary."""
    bugs = in_order(summary.bugs)
    parts: list[Part] = [bugs_table(bugs)] if bugs else []
    if summary.answers:
        rows = [(one.place, one.compiler, one.verdict, one.says) for one in summary.answers]
        parts.append(Table(rows, head=_KNOWN_HEAD))
    return [*parts, *_troubles(summary), _counts(summary)]


_KNOWN_HEAD = ("known", "compiler", "now", "says")


def in_order(bugs: Sequence[Bug]) -> list[Bug]:
    """The bugs, those that need attention first."""
    return sorted(bugs, key=lambda bug: (_ORDER.index(bug.state), -len(bug.cells)))


def bugs_table(bugs: Sequence[Bug]) -> Table:
    """The table with one row per bug, and what people wrote about it behind its failure."""
    texts = bug_headlines(bugs, _TEXT)
    return Table(
        [_row(bug, text) for bug, text in zip(bugs, texts, strict=True)],
        head=("bucket", "state", "inputs", "since", "on", "ops", "failure"),
        right=frozenset({2}),
        styles={(row, 1): _STYLES[bug.state] for row, bug in enumerate(bugs)},
    )


def unread_lines(unread: Mapping[str, str]) -> list[str]:
    """One line for each input that could not be read or run."""
    return [f"not read: {path}: {one_line(reason)}" for path, reason in unread.items()]


def _row(bug: Bug, text: str) -> tuple[str, ...]:
    gone = lifetime("", bug.fixed_in)
    return (
        bug.name,
        ", ".join(filter(None, [str(bug.state), gone])),
        str(len(bug.paths)),
        bug.extent.short_since or "-",
        " ".join(bug.extent.targets) or "-",
        _ops(bug),
        f"{text}; note: {one_line(bug.note)}" if bug.note else text,
    )


def _ops(bug: Bug) -> str:
    one = bug.reproducer
    if one is None:
        return "-"
    if not one.usable:
        return one.status if one.status in ("failed", "flaky") else "unsure"
    return f"{one.input_ops} → {one.ops}{'' if one.one_minimal else '+'}"


def _troubles(summary: Summary) -> list[str]:
    lines = [
        f"skipped: {one_line(name)}: fails even on an empty function: {one_line(reason)}"
        for name, reason in summary.unusable.items()
    ]
    return lines + unread_lines(summary.unread)


def _splitting_text(summary: Summary) -> str:
    """The cost of distinguishing bugs with the same output, if there was any."""
    cost = summary.splitting_cost
    if not cost.calls:
        return ""
    return f" ({cost.calls} of them, {duration(cost.cpu_seconds)}, to split buckets)"


def _counts(summary: Summary) -> str:
    failing = sum(
        cell.result is not None and cell.result.bucket is not None for cell in summary.cells
    )
    states = ", ".join(
        f"{summary.count(state)} {state}" for state in _ORDER if summary.count(state)
    )
    open_bugs = len(summary.bugs) - summary.count(BugState.FIXED)
    verb = "is a failure" if failing == 1 else "are failures"
    return (
        f"{failing} of {plural(len(summary.cells), 'result')} {verb}; "
        f"{plural(len(summary.bugs), 'bug')}{f' ({states})' if states else ''}, {open_bugs} open; "
        f"{plural(summary.compiler_runs, 'compiler run')} and "
        f"{plural(summary.calls, 'reduction call')}"
        + _splitting_text(summary)
        + ("; interrupted" if summary.interrupted else "")
    )


_SECONDS = 60.0  # between two lines of progress
_WIDTH = 60


class TriageDisplay(Watcher, Protocol):
    """A watcher that can be closed."""

    def close(self) -> None:
        """Remove what is drawn from the screen."""
        ...


def make_watcher(*, quiet: bool) -> TriageDisplay:
    """The display for this terminal, log or pipe."""
    return _Bar() if not quiet and sys.stderr.isatty() else _Lines(quiet=quiet)


class _Lines:
    """Plain lines: messages, and now and then progress."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._lock = threading.Lock()
        self._name, self._total, self._done = "", 0, 0
        self._next = time.monotonic() + _SECONDS

    def phase(self, name: str, total: int) -> None:
        with self._lock:
            self._name, self._total, self._done = name, total, 0

    def step(self, text: str = "") -> None:
        with self._lock:
            self._done += 1
        self.note(text)

    def note(self, text: str) -> None:
        with self._lock:
            if time.monotonic() < self._next:
                return
            self._next = time.monotonic() + _SECONDS
        self.message(f"{self._name}: {self._done} of {self._total} {text}".rstrip())

    def message(self, text: str) -> None:
        if not self._quiet:
            echo(text, err=True)

    def close(self) -> None: ...


class _Bar:
    """A bar for each phase that has work to do."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bar: Any = None

    def phase(self, name: str, total: int) -> None:
        self.close()
        if total:
            with self._lock:
                self._bar = tqdm(
                    total=total, desc=name, file=sys.stderr, leave=False, dynamic_ncols=True
                )

    def step(self, text: str = "") -> None:
        with self._lock:
            if self._bar is not None:
                self._bar.set_postfix_str(one_line(text)[:_WIDTH], refresh=False)
                self._bar.update()

    def note(self, text: str) -> None:
        with self._lock:
            if self._bar is not None:
                self._bar.set_postfix_str(one_line(text)[:_WIDTH])

    def message(self, text: str) -> None:
        tqdm.write(lines(text), file=sys.stderr)

    def close(self) -> None:
        with self._lock:
            if self._bar is not None:
                self._bar.close()
                self._bar = None


_CELL = 140  # characters of a failure in a table
_MAX_PROGRAM = 4_000  # characters of a reproducer that is shown
_MAX_PROGRAMS = 20  # reproducers that are shown
_MAX_UNREAD = 50
_HEAD = ("Bucket", "Failure", "Since", "On", "Inputs", "Ops", "Note")


def markdown_summary(
    bugs: Sequence[Bug], unread: Mapping[str, str], answers: Sequence[BacklogAnswer] = ()
) -> str:
    """New, reopened, known and gone bugs since the last run, and inputs that could not be read.

    Before them, what known failures do now.
    """
    texts = bug_headlines(bugs, _CELL)
    shown = {bug.name: text for bug, text in zip(bugs, texts, strict=True)}
    groups = (
        ("New", [bug for bug in bugs if bug.state is BugState.NEW]),
        ("Back again", [bug for bug in bugs if bug.state is BugState.REOPENED]),
        ("Known", [bug for bug in bugs if bug.state is BugState.KNOWN]),
        ("Gone since the last run", [bug for bug in bugs if bug.is_gone]),
    )
    past = sum(bug.state is BugState.FIXED and not bug.is_gone for bug in bugs)
    parts = [f"## Triage: {_markdown_counts(groups, past, unread)}"]
    if answers:
        rows = [
            (md.code(one.place), md.code(one.compiler), str(one.verdict), md.code(one.says))
            for one in answers
        ]
        head = tuple(map(str.capitalize, _KNOWN_HEAD))
        parts += [f"### Known failures, asked again ({len(rows)})", md.table(head, rows)]
    for title, some in groups:
        if some:
            parts += [
                f"### {title} ({len(some)})",
                md.table(_HEAD, [_markdown_row(b, shown) for b in some]),
            ]
    attention = [bug for _, some in groups[:2] for bug in some]
    found = [_program(bug) for bug in attention if bug.reproducer and bug.reproducer.text]
    parts += found[:_MAX_PROGRAMS]
    parts += _unread(unread)
    return "\n\n".join(parts) + "\n"


def _markdown_counts(
    groups: Sequence[tuple[str, list[Bug]]], past: int, unread: Mapping[str, str]
) -> str:
    """How many bugs there are in each group, how many were fixed before, and what was not read."""
    words = ("new", "back again", "known", "gone")
    told = [f"{len(some)} {word}" for (_, some), word in zip(groups, words, strict=True) if some]
    told += [f"{past} fixed before"] if past else []
    told += [f"{plural(len(unread), 'input')} not read"] if unread else []
    return ", ".join(told) or "nothing fails"


def _markdown_row(bug: Bug, shown: Mapping[str, str]) -> tuple[str, ...]:
    return (
        md.code(bug.name),
        md.code(shown[bug.name]),
        md.plain(lifetime(bug.extent.short_since, bug.fixed_in).removeprefix("since ")),
        md.plain(", ".join(bug.extent.targets)),
        _inputs(bug),
        str(bug.reproducer.ops) if bug.reproducer and bug.reproducer.usable else "",
        md.plain(bug.note),
    )


def _inputs(bug: Bug) -> str:
    """The input, or how many there are with one as an example."""
    paths = bug.paths
    if not paths:
        return "none in this run"
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"{md.code(paths[0])}{more}"


def _program(bug: Bug) -> str:
    assert bug.reproducer is not None
    text = bug.reproducer.text
    body = text if len(text) <= _MAX_PROGRAM else f"{text[:_MAX_PROGRAM].rstrip()}\n…\n"
    return md.folded(f"Reproducer of {bug.name}", md.fenced(body, "mlir"))


def _unread(unread: Mapping[str, str]) -> list[str]:
    if not unread:
        return []
    lines = [f"- {md.code(path)}: {md.plain(reason)}" for path, reason in unread.items()]
    if len(lines) > _MAX_UNREAD:
        lines[_MAX_UNREAD:] = [f"- and {len(lines) - _MAX_UNREAD} more"]
    return [f"### Not read ({len(unread)})", "\n".join(lines)]
