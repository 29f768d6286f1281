"""The overview of buckets: one row per bug, with filters."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from reducer.identity.builds.statements import lifetime
from reducer.report.page.highlight import lines
from reducer.report.page.render import render

_STATES = ("new", "reopened", "known", "fixed")  # most interesting first
_MAX_INPUTS = 200  # input names to show per row


@dataclass(frozen=True)
class BucketRow:
    """One bucket, as plain data.

    Attributes:
        bucket: its short name.
        kind: the kind of failure: bufferization, crash…
        signature: its signature, in one line.
        state: `new`, `known`, `fixed`, `reopened`, or any other word.
        wheels: the compiler versions on which it fails.
        inputs: the inputs that fail.
        before, after: ops of the representative and of its reproducer, None if unknown.
        text: the reproducer, '' if there is none yet.
        since, fixed_in: the release with which it came, and the one with which it went; '' if
            unknown.
        targets: what is compiled for when it fails.
        note: what people wrote about it.
        page: a page with details, as a path relative to this page, '' if there is none.
    """

    bucket: str
    kind: str
    signature: str
    state: str
    wheels: Sequence[str] = ()
    inputs: Sequence[str] = ()
    before: int | None = None
    after: int | None = None
    text: str = ""
    page: str = ""
    since: str = ""
    fixed_in: str = ""
    targets: Sequence[str] = ()
    note: str = ""

    @property
    def lifetime(self) -> str:
        """Since when there is this bug, and until when."""
        return lifetime(self.since, self.fixed_in)


@dataclass(frozen=True)
class _Shown:
    row: BucketRow
    inputs: Sequence[str]
    hidden: int
    link: str
    text: list[list[tuple[str, str]]]


def bucket_page(
    rows: Sequence[BucketRow], title: str = "Buckets", unread: Mapping[str, str] | None = None
) -> str:
    """A complete HTML document with the rows in the given order; readers can sort and filter.

    `unread` says why inputs could not be read, by name.
    """
    states = Counter(row.state for row in rows)
    known = [state for state in _STATES if state in states]
    return render(
        "buckets",
        title=title,
        rows=[_shown(row) for row in rows],
        states=[(state, states[state]) for state in [*known, *sorted(states.keys() - known)]],
        kinds=sorted({row.kind for row in rows}),
        wheels=sorted({wheel for row in rows for wheel in row.wheels}, key=_version),
        targets=sorted({target for row in rows for target in row.targets}),
        inputs=len({name for row in rows for name in row.inputs}),
        unread=dict(unread or {}),
    )


def _shown(row: BucketRow) -> _Shown:
    return _Shown(
        row,
        row.inputs[:_MAX_INPUTS],
        max(0, len(row.inputs) - _MAX_INPUTS),
        _link(row.page),
        list(lines(row.text)) if row.text else [],
    )


def _link(path: str) -> str:
    """A link that can only lead to a file in this page's folder or below, whatever the path."""
    return f"./{quote(path.lstrip('/'), errors='surrogateescape')}" if path else ""


def _version(wheel: str) -> tuple[tuple[int, str], ...]:
    """A sort key that puts 3.8.0 before 3.13.0."""
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in wheel.split("."))
