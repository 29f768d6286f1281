"""`mlir-reducer buckets`"""

import json
import shlex
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from reducer.bundle.writing import files_of, write_folder
from reducer.cli.bucket_pages import write_bucket_pages
from reducer.cli.bucket_reports import has_report, report_folder
from reducer.cli.commands.base import ReducerGroup
from reducer.cli.commands.shared import html_option, json_option, summary_option
from reducer.cli.console import show
from reducer.cli.record import write_json, write_text
from reducer.cli.triage_database import database_option, find_database
from reducer.cli.triage_markdown import markdown_summary
from reducer.cli.triage_output import VERDICTS, bugs_table, in_order, unread_lines
from reducer.errors import OutputNotWritable
from reducer.releases.query import ReleaseVerdict
from reducer.session.printing import command_line, one_line
from reducer.storage.files import write_atomic
from reducer.storage.result_folder import archive_of
from reducer.triage import Bug, Database
from reducer.triage.buckets import find_group
from reducer.triage.notes import note_of, set_note
from reducer.triage.reproducers import StoredReproducer, reproducers
from reducer.triage.states import BugState
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


@click.group(cls=ReducerGroup)
@database_option
@click.pass_context
def buckets(context: click.Context, db: Path | None) -> None:
    """List, show, and export the bugs found by `mlir-reducer triage`.

    A unique prefix is enough to name a bucket. None of these commands runs a compiler.
    """
    context.obj = db


def _with_database(function: Callable[..., None]) -> Callable[..., None]:
    """Open the database for a command; --db may be given before or after the command's name."""

    @database_option
    @wraps(function)
    def command(*, db: Path | None, **options: Any) -> None:
        path = db or click.get_current_context().obj or find_database(Path.cwd())
        with Database.open(path, create=False) as database:
            function(database, **options)

    return command


@buckets.command("list")
@click.option(
    "--state",
    "states",
    multiple=True,
    type=click.Choice([str(state) for state in BugState]),
    help="Show only bugs in this state; can be repeated.",
)
@json_option
@html_option
@summary_option
@_with_database
def list_command(
    database: Database,
    states: tuple[str, ...],
    json_target: str | None,
    html: Path | None,
    summary_target: str | None,
) -> None:
    """List the bugs, one line each, and the inputs that the last run could not read."""
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


@buckets.command("show")
@click.argument("bucket")
@json_option
@_with_database
def show_command(database: Database, bucket: str, json_target: str | None) -> None:
    """Show everything known about BUCKET."""
    bug = bug_of(database, find_group(database, bucket), reproducers(database))
    if json_target is not None:
        write_json(json_target, bug.to_json())
    if json_target != "-":
        click.echo(_described(database, bug))


@buckets.command("note")
@click.argument("bucket")
@click.argument("text", required=False)
@_with_database
def note_command(database: Database, bucket: str, text: str | None) -> None:
    """Write TEXT about BUCKET, such as who works on it or its issue; without TEXT, show it.

    The note is shown wherever the bug is listed, and stays whatever later runs find. A new one
    replaces it, and an empty one removes it.

    \b
      mlir-reducer buckets note 5c61 "iree#20548, Ann is on it"
    """
    group = find_group(database, bucket)
    if text is not None:
        set_note(database, group, text.strip())
    elif note := note_of(database, group):
        click.echo(one_line(note))


@buckets.command("export")
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("wanted", nargs=-1, metavar="[BUCKET]…")
@_with_database
def export_command(database: Database, folder: Path, wanted: tuple[str, ...]) -> None:
    """Write one folder per BUCKET (all buckets by default) into FOLDER.

    Each contains repro.mlir (with the failing command in its first line), bug.json, and the bug
    report written by triage: report, and report.zip to attach to an issue.
    """
    known = reproducers(database)
    groups = [find_group(database, one) for one in wanted]
    bugs = [bug_of(database, group, known) for group in groups] or all_bugs(database)
    for bug in bugs:
        _export(database, bug, folder / bug.name)
    click.echo(f"exported {plural(len(bugs), 'bucket')} to {folder}", err=True)


@buckets.command("forget")
@click.argument("bucket")
@_with_database
def forget_command(database: Database, bucket: str) -> None:
    """Forget BUCKET: the next triage reruns its inputs and reports what fails as new."""
    group = find_group(database, bucket)
    forget(database, group)
    click.echo(f"forgot {', '.join(sorted(group.names))}", err=True)


def _export(database: Database, bug: Bug, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputNotWritable(f"cannot write to {folder}: {error.strerror}") from error
    facts: dict[str, Any] = bug.to_json()
    one = bug.reproducer
    if one is not None and one.text:
        facts["reproducer"]["command"] = _command(database, one)
        write_atomic(folder / REPRODUCER, command_line(_command(database, one)) + one.text)
        _export_report(report_folder(database.path, one), one, folder)
    write_atomic(folder / FACTS, json.dumps(facts, indent=2) + "\n")


def _export_report(report: Path, known: StoredReproducer, folder: Path) -> None:
    """Copy the report about a reproducer, if there is one, over an earlier copy."""
    target = folder / report.name
    try:
        files = files_of(report) if has_report(report, known) else {}
        if files:
            write_folder(target, files)
            write_atomic(archive_of(target), archive_of(report).read_bytes())
    except OSError as error:
        raise OutputNotWritable(f"cannot write to {target}: {error.strerror}") from error


def _command(database: Database, known: StoredReproducer) -> list[str]:
    program = program_of(database, known)["program"]
    return [program, *known.flags, REPRODUCER, "-o", "/dev/null"]


def _described(database: Database, bug: Bug) -> str:
    lines = [
        f"bucket     {bug.name}",
        f"state      {bug.state}{f' (gone in {bug.fixed_in})' if bug.fixed_in else ''}",
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
        lines.append(f"run {run:<6} {state}{f', gone in {fixed_in}' if fixed_in else ''}")
    lines += ["", f"fails on {plural(len(bug.paths), 'input')}:"]
    lines += [f"  {cell.path}  {one_line(cell.configuration)}" for cell in bug.cells]
    return "\n".join([*lines, *_reproducer(database, bug)])


def _extent(bug: Bug) -> list[str]:
    """Since when and on what the bug occurs, and what each release does with it."""
    facts = [("since", bug.since), ("on", " ".join(bug.extent.targets))]
    lines = [f"{name:<11}{value}" for name, value in facts if value]
    width = max((len(one.version) for one in bug.extent.releases), default=0)
    for one in bug.extent.releases:
        verdict = VERDICTS[one.verdict]
        other = one.failure if one.verdict is not ReleaseVerdict.BAD else ""
        told = f": {one_line(other)}" if other else ""
        lines.append(f"release    {one.version:<{width}}  {verdict}{told}")
    return lines


def _reproducer(database: Database, bug: Bug) -> list[str]:
    one = bug.reproducer
    if one is None:
        return ["", "not reduced"]
    if not one.text:
        return ["", f"not reduced: {one_line(one.note)}"]
    facts = program_of(database, one)
    doubts = [] if one.verified else ["not verified"]
    doubts += [] if one.one_minimal else ["not 1-minimal"]
    report = report_folder(database.path, one)
    told = ["", f"report: {report}"] if has_report(report, one) else []
    head = f"{one.input_ops} → {one.ops} ops, {one.bytes} bytes, {plural(one.calls, 'run')}"
    return [
        "",
        f"reproducer ({', '.join([head, *doubts])}), with {facts['name']}:",
        f"  {shlex.join(_command(database, one))}",
        *told,
        "",
        one.text,
    ]
