"""The answer of `mlir-reducer bisect`, for people and as JSON."""

from collections.abc import Sequence
from typing import Any

from reducer.bisect import BisectResult, ReleaseResult, ReleaseRunner, ReleaseVerdict
from reducer.bisect.query import adaptations
from reducer.cli.layout import Part, Style, Table
from reducer.cli.shown_command import shell_line
from reducer.escaping import one_line
from reducer.health.statements import boundary
from reducer.units import cut, duration, plural, size

_WIDTH = 160  # maximum characters of a message
_STYLES = {ReleaseVerdict.GOOD: Style.GOOD, ReleaseVerdict.BAD: Style.BAD}


def as_parts(result: BisectResult, runner: ReleaseRunner) -> list[Part]:
    """One row for each release that was tested, the changes of the command, and the summary."""
    notes = [f"{note}: {where}" for note, where in adaptations(result.results)]
    cost = f"{plural(runner.runs, 'run')}, {duration(runner.seconds)} of compiler time"
    if runner.fetched:
        fetched = ", ".join(runner.fetched)
        cost += f"; installed {fetched} ({size(round(runner.megabytes * 1e6))})"
    if result.untested:
        cost += f"; {plural(len(result.untested), 'release')} not tested (--all tests every one)"
    return [
        f"failure: {one_line(result.signature.text)}",
        "",
        _table(result.results),
        *_legend(runner),
        *(["", *notes] if notes else []),
        "",
        *summary(result),
        cost,
    ]


def _table(answers: Sequence[ReleaseResult]) -> Table:
    rows = [
        (
            answer.version,
            str(answer.verdict),
            duration(answer.seconds) if answer.seconds else "",
            cut(one_line(answer.message), _WIDTH),
        )
        for answer in answers
    ]
    styles = {
        (number, 1): _STYLES.get(answer.verdict, Style.WARNING)
        for number, answer in enumerate(answers)
    }
    return Table(rows, right=frozenset({2}), styles=styles)


def _legend(runner: ReleaseRunner) -> list[str]:
    """Which compiler each label of a build stands for."""
    builds = runner.query.builds.values()
    lines = [
        f"{build.label}: {shell_line([str(build.program)])}"
        + (f" ({build.version})" if build.version not in ("", build.label) else "")
        for build in builds
    ]
    return ["", *lines] if lines else []


def summary(result: BisectResult) -> list[str]:
    """The releases between which the failure appeared and disappeared."""
    lines = [f"note: {note}" for note in result.notes]
    for end in (result.first, result.fixed):
        if end is not None:
            first = end is result.first
            lines.append(boundary(end.bad, end.good, end.between, first=first))
    if result.other_bad:
        lines.append(f"also bad: {', '.join(result.other_bad)}")
    return lines


def as_json(result: BisectResult, runner: ReleaseRunner) -> dict[str, Any]:
    """The fields of `bisect --json`."""
    first, fixed = result.first, result.fixed
    return {
        "signature": result.signature.text,
        "bucket": result.signature.bucket,
        "reference": result.reference,
        "first_bad": first and first.bad,
        "last_good": first and first.good,
        "last_bad": fixed and fixed.bad,
        "first_good_again": fixed and fixed.good,
        "undecided": [*(first.between if first else ()), *(fixed.between if fixed else ())],
        "also_bad": list(result.other_bad),
        "releases": [answer.to_json() for answer in result.results],
        "not_asked": list(result.untested),
        "notes": list(result.notes),
        "builds": {build.label: str(build.program) for build in runner.query.builds.values()},
        "adaptations": dict(adaptations(result.results)),
        "runs": runner.runs,
        "compiler_seconds": round(runner.seconds, 3),
        "fetched": runner.fetched,
        "fetched_bytes": round(runner.megabytes * 1e6),
    }
