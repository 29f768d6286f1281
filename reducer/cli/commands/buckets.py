"""`mlir-reducer buckets`: what is known of the bugs in a database of triage."""

import json
from pathlib import Path
from typing import Any

from reducer.bisect.query import ReleaseVerdict
from reducer.cli.commands.triage_database import find_database
from reducer.cli.display.console import echo, show
from reducer.cli.display.record import write_json, write_text
from reducer.cli.display.triage import (
    VERDICTS,
    bugs_table,
    in_order,
    markdown_summary,
    unread_lines,
)
from reducer.cli.options.values import by_suffix
from reducer.driver.comments import command_line
from reducer.errors import OutputNotWritable
from reducer.escaping import one_line, shell_joined
from reducer.identity.builds.statements import lifetime
from reducer.report.bucket_files import has_report, report_folder, write_bucket_pages
from reducer.report.writing import files_of, write_folder
from reducer.storage.result_folder import archive_of
from reducer.storage.written import Written
from reducer.triage import Bug, Database
from reducer.triage.buckets import find_group, note_of, set_note
from reducer.triage.reproducers import StoredReproducer, reproducers
from reducer.triage.summary import (
    all_bugs,
    bug_of,
    forget,
    history_of,
    program_of,
    unread_in,
)
from reducer.units import plural

REPRODUCER, FACTS = "repro.mlir", "bug.json"


def list_bugs(
    db: Path | None,
    *,
    states: tuple[str, ...],
    json_target: str | None,
    outputs: tuple[Path, ...],
    summary_target: str | None,
) -> None:
    """`buckets list`: a table, and the files that are asked for."""
    html = by_suffix(outputs, ".html").get(".html")
    with _database(db) as database:
        bugs = [bug for bug in all_bugs(database) if not states or str(bug.state) in states]
        bugs, unread = in_order(bugs), unread_in(database)
        if json_target is not None:
            write_json(json_target, {"bugs": [bug.to_json() for bug in bugs], "unread": unread})
        if html is not None:
            write_bucket_pages(html, bugs, database.path, unread)
        if summary_target is not None:
            write_text(summary_target, markdown_summary(bugs, unread))
        if "-" not in (json_target, summary_target):
            show(bugs_table(bugs) if bugs else "no bugs", *unread_lines(unread))


def show_bug(db: Path | None, *, bucket: str, json_target: str | None) -> None:
    """`buckets show`: everything known about one."""
    with _database(db) as database:
        bug = bug_of(database, find_group(database, bucket), reproducers(database))
        if json_target is not None:
            write_json(json_target, bug.to_json())
        if json_target != "-":
            echo(_described(database, bug))


def note_bug(db: Path | None, *, bucket: str, text: str | None) -> None:
    """`buckets note`: keep what the owner says, or show it if `text` is None."""
    with _database(db) as database:
        group = find_group(database, bucket)
        if text is not None:
            set_note(database, group, text.strip())
        elif note := note_of(database, group):
            echo(one_line(note))


def export_bugs(db: Path | None, *, folder: Path, wanted: tuple[str, ...]) -> None:
    """`buckets export`: a folder for each bug."""
    with _database(db) as database:
        known = reproducers(database)
        groups = [find_group(database, one) for one in wanted]
        bugs = [bug_of(database, group, known) for group in groups] or all_bugs(database)
        for bug in bugs:
            _export(database, bug, folder / bug.name)
    echo(f"exported {plural(len(bugs), 'bucket')} to {folder}", err=True)


def forget_bug(db: Path | None, *, bucket: str) -> None:
    """`buckets forget`: the next triage starts anew with its inputs."""
    with _database(db) as database:
        group = find_group(database, bucket)
        forget(database, group)
    echo(f"forgot {', '.join(sorted(group.names))}", err=True)


def _database(path: Path | None) -> Database:
    """The database in `path`; without one, that of the folder where the user stands."""
    return Database.open(path or find_database(Path.cwd()), create=False)


def _export(database: Database, bug: Bug, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputNotWritable(f"cannot write to {folder}: {error.strerror}") from error
    written = Written(folder)
    facts: dict[str, Any] = bug.to_json()
    one = bug.reproducer
    if one is not None and one.text:
        facts["reproducer"]["command"] = _command(database, one)
        written.write(folder / REPRODUCER, command_line(_command(database, one)) + one.text)
        _export_report(report_folder(database.path, one), one, folder)
    written.write(folder / FACTS, json.dumps(facts, indent=2) + "\n")


def _export_report(report: Path, known: StoredReproducer, folder: Path) -> None:
    """Copy the report about a reproducer, if there is one, over an earlier copy."""
    target = folder / report.name
    try:
        files = files_of(report) if has_report(report, known) else {}
        if files:
            write_folder(target, files)
            Written(target).write(archive_of(target), archive_of(report).read_bytes())
    except OSError as error:
        raise OutputNotWritable(f"cannot write to {target}: {error.strerror}") from error


def _command(database: Database, known: StoredReproducer) -> list[str]:
    program = program_of(database, known)["program"]
    return [program, *known.flags, REPRODUCER, "-o", "/dev/null"]


def _described(database: Database, bug: Bug) -> str:
    lines = [
        f"bucket     {bug.name}",
        f"state      {_state(bug.state, bug.fixed_in)}",
        f"signature  {one_line(bug.text)}",
        *_extent(bug),
    ]
    if bug.note:
        lines.append(f"note       {one_line(bug.note)}")
    for member in bug.group.members:
        if member.merged_into is not None:
            lines.append(f"also       {member.bucket}: {one_line(member.text)}")
            lines.append(f"           because {member.reason}")
    for run, _, state, fixed_in in history_of(database, bug.group):
        lines.append(f"run {run:<6} {_state(state, fixed_in)}")
    lines += ["", f"fails on {plural(len(bug.paths), 'input')}:"]
    lines += [f"  {cell.path}  {one_line(cell.configuration)}" for cell in bug.cells]
    return "\n".join([*lines, *_reproducer(database, bug)])


def _state(state: str, gone_in: str | None) -> str:
    return ", ".join(filter(None, [state, lifetime("", gone_in)]))


def _extent(bug: Bug) -> list[str]:
    """Since when and on what the bug occurs, and what each release does with it."""
    facts = [("since", bug.extent.since), ("on", " ".join(bug.extent.targets))]
    lines = [f"{name:<11}{value}" for name, value in facts if value]
    width = max((len(one.version) for one in bug.extent.releases), default=0)
    for one in bug.extent.releases:
        verdict = VERDICTS[one.verdict]
        other = one.failure if one.verdict is not ReleaseVerdict.BAD else ""
        told = f": {one_line(other)}" if other else ""
        lines.append(f"release    {one.version:<{width}}  {verdict}{told}")
    return lines


def _reproducer(database: Database, bug: Bug) -> list[str]:
    reproducer = bug.reproducer
    if reproducer is None:
        return ["", "not reduced"]
    if not reproducer.text:
        return ["", f"not reduced: {one_line(reproducer.note)}"]
    facts = program_of(database, reproducer)
    doubts = ["intermittent"] if reproducer.intermittent else []
    doubts += [] if reproducer.verified else ["not verified"]
    doubts += [] if reproducer.one_minimal else ["not 1-minimal"]
    report = report_folder(database.path, reproducer)
    place = ["", f"report: {report}"] if has_report(report, reproducer) else []
    sizes = f"{reproducer.input_ops} → {reproducer.ops} ops, {reproducer.bytes} bytes"
    head = f"{sizes}, {plural(reproducer.calls, 'run')}"
    return [
        "",
        f"reproducer ({', '.join([head, *doubts])}), with {facts['name']}:",
        f"  {shell_joined(_command(database, reproducer))}",
        *([one_line(reproducer.note)] if reproducer.intermittent else []),
        *place,
        "",
        reproducer.text,
    ]
