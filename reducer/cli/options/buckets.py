"""What the commands of `mlir-reducer buckets` take; `cli/commands/buckets.py` does the work."""

from pathlib import Path
from typing import Any

import click

from reducer.cli.options.base import ReducerGroup
from reducer.cli.options.table import takes


@click.group(cls=ReducerGroup)
@takes("buckets")
@click.pass_context
def buckets(context: click.Context, db: Path | None) -> None:
    """List, show, and export the bugs found by `mlir-reducer triage`.

    A unique prefix is enough to name a bucket. None of these commands runs a compiler.
    """
    context.obj = db


@buckets.command("list")
@takes("buckets-list")
@takes("buckets")
@click.pass_obj
def list_command(given: Path | None, /, db: Path | None, **values: Any) -> None:
    """List the bugs, and the inputs that the last run could not read."""
    from reducer.cli.commands.buckets import list_bugs

    list_bugs(db or given, **values)


@buckets.command("show")
@click.argument("bucket")
@takes("buckets-show")
@takes("buckets")
@click.pass_obj
def show_command(given: Path | None, /, db: Path | None, **values: Any) -> None:
    """Show everything known about BUCKET."""
    from reducer.cli.commands.buckets import show_bug

    show_bug(db or given, **values)


@buckets.command("note")
@click.argument("bucket")
@click.argument("text", required=False)
@takes("buckets")
@click.pass_obj
def note_command(given: Path | None, /, db: Path | None, **values: Any) -> None:
    """Write TEXT about BUCKET, such as its issue, or show the note.

    It is shown wherever the bug is listed, and stays whatever later runs find. A new one
    replaces it, and an empty one removes it.

    \b
      mlir-reducer buckets note 5c61 "iree#20548, assigned to the codegen team"
    """
    from reducer.cli.commands.buckets import note_bug

    note_bug(db or given, **values)


@buckets.command("export")
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("wanted", nargs=-1, metavar="[BUCKET]…")
@takes("buckets")
@click.pass_obj
def export_command(given: Path | None, /, db: Path | None, **values: Any) -> None:
    """Write one folder per BUCKET (all buckets by default) into FOLDER.

    Each contains repro.mlir (with the failing command in its first line), bug.json, and the bug
    report written by triage: report, and report.zip to attach to an issue.
    """
    from reducer.cli.commands.buckets import export_bugs

    export_bugs(db or given, **values)


@buckets.command("forget")
@click.argument("bucket")
@takes("buckets")
@click.pass_obj
def forget_command(given: Path | None, /, db: Path | None, **values: Any) -> None:
    """Forget BUCKET, so that what fails like this is new again."""
    from reducer.cli.commands.buckets import forget_bug

    forget_bug(db or given, **values)
