"""The results of a triage as GitHub's Markdown, for the page of a CI job.

Equal results give equal text: there are no times, durations or costs in it.
"""

from collections.abc import Mapping, Sequence

from reducer.health.statements import lifetime
from reducer.report import markdown as md
from reducer.triage import Bug, BugState
from reducer.triage.headlines import bug_headlines
from reducer.units import plural

_TEXT = 140  # characters of a failure in a table
_MAX_PROGRAM = 4_000  # characters of a reproducer that is shown
_MAX_PROGRAMS = 20  # reproducers that are shown
_MAX_UNREAD = 50
_HEAD = ("Bucket", "Failure", "Since", "On", "Inputs", "Ops", "Note")


def markdown_summary(bugs: Sequence[Bug], unread: Mapping[str, str]) -> str:
    """New, reopened, known and gone bugs since the last run, and inputs that could not be read."""
    texts = bug_headlines(bugs, _TEXT)
    shown = {bug.name: text for bug, text in zip(bugs, texts, strict=True)}
    groups = (
        ("New", [bug for bug in bugs if bug.state is BugState.NEW]),
        ("Back again", [bug for bug in bugs if bug.state is BugState.REOPENED]),
        ("Known", [bug for bug in bugs if bug.state is BugState.KNOWN]),
        ("Gone since the last run", [bug for bug in bugs if bug.is_gone]),
    )
    past = sum(bug.state is BugState.FIXED and not bug.is_gone for bug in bugs)
    parts = [f"## Triage: {_counts(groups, past, unread)}"]
    for title, some in groups:
        if some:
            parts += [f"### {title} ({len(some)})", md.table(_HEAD, [_row(b, shown) for b in some])]
    attention = [bug for _, some in groups[:2] for bug in some]
    found = [_program(bug) for bug in attention if bug.reproducer and bug.reproducer.text]
    parts += found[:_MAX_PROGRAMS]
    parts += _unread(unread)
    return "\n\n".join(parts) + "\n"


def _counts(groups: Sequence[tuple[str, list[Bug]]], past: int, unread: Mapping[str, str]) -> str:
    """How many bugs there are in each group, how many were fixed before, and what was not read."""
    words = ("new", "back again", "known", "gone")
    told = [f"{len(some)} {word}" for (_, some), word in zip(groups, words, strict=True) if some]
    told += [f"{past} fixed before"] if past else []
    told += [f"{plural(len(unread), 'input')} not read"] if unread else []
    return ", ".join(told) or "nothing fails"


def _row(bug: Bug, shown: Mapping[str, str]) -> tuple[str, ...]:
    return (
        md.code(bug.name),
        md.code(shown[bug.name]),
        md.plain(lifetime(bug.since, bug.fixed_in).removeprefix("since ")),
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
