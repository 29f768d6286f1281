"""`mlir-reducer report`, and the report at the end of a reduction."""

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from oracles import Oracle
from reducer.bundle import Bundle, History, PassFile, bundle_folder, gather, make_bundle
from reducer.bundle.archive import MOST_BYTES
from reducer.bundle.folder import check_folder
from reducer.bundle.gathering import compiler_of
from reducer.bundle.past import read_past
from reducer.cli.jobs import jobs_option
from reducer.cli.oracle import Wanted, wanted_options
from reducer.cli.record import command_of, read_record
from reducer.cli.report import report_json
from reducer.cli.report_parts import Parts, pass_file_of
from reducer.cli.signals import stopping
from reducer.cli.trailing import TrailingCommand
from reducer.cli.units import size
from reducer.cli.workspace import workspace
from reducer.session import Listener, Report
from reducer.session.errors import ExitCode, ReducerError
from reducer.session.files import read_input
from reducer.session.pass_level import PassReport

_RECORDED = ("origin", "input", "oracle", "wall_seconds", "one_minimal", "also_found", "checks")


@click.command(
    "report",
    cls=TrailingCommand,
    short_help="Write a bug report about INPUT: a folder, and a zip to attach.",
)
@click.argument("input", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Where it goes. [default: NAME.report beside the input, and NAME.report.zip]",
)
@click.option(
    "--report",
    "record_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Take COMMAND, and how INPUT came to be, from what `reduce --json FILE` has written, or "
    "from the metadata.json of an earlier report.",
)
@click.option(
    "--explain", "with_boundary", is_flag=True, help="Ask what it takes to fail; costs runs."
)
@click.option(
    "--versions", is_flag=True, help="Ask other releases, as `bisect` does; may install some."
)
@click.option(
    "--pass-level", is_flag=True, help="Go down to the failing pass, as `reduce` does; costs runs."
)
@wanted_options
@jobs_option("the report is")
def bug_report(
    *,
    input: Path,
    output: Path | None,
    record_file: Path | None,
    with_boundary: bool,
    versions: bool,
    pass_level: bool,
    jobs: int,
    words: tuple[str, ...],
    **wanted: Any,
) -> int:
    """Write what a maintainer wants to know about the failure of COMMAND on INPUT.

    INPUT is a small program, such as `reduce` leaves. The folder holds report.md in the form of
    IREE's bug reports, the program, a script that says whether it still fails, a test for lit, and
    the figures as JSON; NAME.report.zip holds the same, to be attached to an issue.

    \b
      mlir-reducer report model.reduced.mlir --explain -- \\
          iree-compile --iree-hal-target-device=hip --iree-rocm-target=gfx942

    Ends with 4 if the script did not see the failure in an empty folder.
    """
    source = read_input(input)
    folder = output or bundle_folder(input)
    check_folder(folder)
    record: dict[str, Any] = {}
    if record_file is not None:
        record = read_record(record_file)
        words = command_of(record, record_file, input, words)
    stop = threading.Event()
    with workspace() as place, stopping(stop, leave=place.clean_up):
        asked = Wanted(source=input, words=words, **wanted)
        oracle, opt = asked.oracle(source.text)
        facts = gather(source.text, oracle, opt=opt, pass_file=_pass_file(record, record_file))
        past = read_past(input, facts.signature, opt)
        recorded = {key: record[key] for key in _RECORDED if key in record}
        history = History({**(past.record if past else {}), **recorded})
        facts = replace(facts, history=history, source=_source(history, input))
        parts = Parts(asked, oracle, opt, place.folder, stop, jobs)
        for ask, part in (
            (with_boundary, parts.boundary),
            (versions, parts.versions),
            (pass_level, parts.pass_level),
        ):
            facts = part(facts) if ask else facts
        bundle = make_bundle(
            facts, folder, executable=_executable(oracle), page=past.page if past else None
        )
    click.echo(_told(bundle))
    return ExitCode.REDUCED if bundle.verified else ExitCode.FLAKY


def report_of(
    report: Report, level: PassReport | None, oracle: Oracle, opt: Path | None, listener: Listener
) -> Bundle | None:
    """The report at the end of a reduction; None where there is nothing certain to report.

    It costs two runs of the result. What goes wrong here spoils nothing that was reached before.
    """
    if report.status != "reduced" or not report.verified or report.flaky is not None:
        return None
    if not report.output_path.is_file():
        return None
    listener.phase("report")
    try:
        past = read_past(report.output_path, report.signature, opt)
        record = report_json(report, level)
        facts = gather(
            report.text,
            oracle,
            source=report.input_path.name,
            opt=opt,
            history=History({**record, "origin": past.record["origin"] if past else []}),
            pass_file=pass_file_of(level, report.output_path.name) if level else None,
        )
        return make_bundle(
            facts,
            bundle_folder(report.output_path),
            executable=_executable(oracle),
            page=past.page if past else None,
        )
    except (ReducerError, OSError) as error:
        listener.message(f"no report: {error}")
        return None


def _executable(oracle: Oracle) -> Path | None:
    compiler = compiler_of(oracle)
    return compiler.executable if compiler else None


def _pass_file(record: dict[str, Any], record_file: Path | None) -> PassFile | None:
    """The second reproducer that a record tells of, if its file still lies where it was."""
    found = record.get("pass_level")
    if record_file is None or not isinstance(found, dict):
        return None
    try:
        output = found["output"]
        named = Path(output["path"])
        text = next(
            path.read_text(errors="surrogateescape")
            for path in (record_file.parent / named, named)
            if path.is_file()
        )
        pipeline = None if found["pipeline"] is None else str(found["pipeline"])
        lines, ops = int(output["lines"]), int(output["ops"])
        file = PassFile(str(found["pass"]), pipeline, str(found["level"]), text, lines, ops)
        return file.beside(str(record["output"]["path"]).rsplit("/", 1)[-1])
    except (KeyError, TypeError, ValueError, OSError, StopIteration):
        return None


def _source(history: History, input: Path) -> str:
    """What was reduced, or else what is reported."""
    known = history.record.get("input")
    path = known.get("path") if isinstance(known, dict) else None
    return Path(path).name if isinstance(path, str) else input.name


def _told(bundle: Bundle) -> str:
    weight = size(bundle.archive.stat().st_size)
    lines = [f"report   {bundle.folder}/report.md", f"archive  {bundle.archive} ({weight})"]
    if bundle.left_out:
        missing = ", ".join(bundle.left_out)
        lines.append(f"         without {missing}: it would be larger than {size(MOST_BYTES)}")
    if bundle.verified:
        lines.append("VERIFIED: repro.sh sees the failure in an empty folder")
    else:
        lines.append(f"NOT VERIFIED: repro.sh ended with {bundle.status} in an empty folder")
    return "\n".join(lines)
