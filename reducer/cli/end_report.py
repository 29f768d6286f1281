"""What follows a reduction: the reproducer for the failing pass, and the report."""

import math
import threading
import time
from dataclasses import replace
from pathlib import Path

from oracles import Oracle
from reducer.cli.reasons import DeferredErrors
from reducer.report import Bundle, gather, make_bundle
from reducer.report.gathering import level_file_of, pass_file_of
from reducer.report.portable_command import program_of
from reducer.report.provenance import provenance_of
from reducer.report.trying import ScriptRuns
from reducer.session.pass_level import MAX_CALLS, reduce_pass_level
from reducer.session.pass_report import PassReport
from reducer.session.record import Report
from reducer.session.settings import Listener, Settings
from reducer.storage.result_folder import ResultFolder


def pass_level_of(
    report: Report, settings: Settings, oracle: Oracle, listener: Listener, stop: threading.Event
) -> PassReport | None:
    """The second reproducer of a finished reduction, within the rest of the user's budget.

    None if the first is not verified, or if there is no file to put it next to.
    """
    if report.status != "reduced" or not report.verified or not settings.output.is_file():
        return None
    pass_file = settings.folder.before_pass
    if pass_file.exists() and settings.input.exists() and pass_file.samefile(settings.input):
        return None
    calls, until = MAX_CALLS, math.inf
    if settings.max_calls is not None:
        calls = min(calls, settings.max_calls - report.charged)
    if settings.max_seconds is not None:
        until = time.monotonic() + settings.max_seconds - report.wall_seconds
    return reduce_pass_level(
        report.text,
        oracle=oracle,
        target=report.signature,
        opt=settings.opt,
        output=settings.output,
        listener=listener,
        stop=stop,
        jobs=settings.jobs,
        keep_generic=settings.keep_generic,
        calls=max(0, calls),
        until=until,
        journal=settings.journal,
        enough=report.enough,
    )


def report_of(
    report: Report,
    oracle: Oracle,
    opt: Path | None,
    listener: Listener,
    deferred: DeferredErrors,
    stop: threading.Event,
    scripts: ScriptRuns,
) -> Bundle | None:
    """The report at the end of a reduction; None if nothing verified can be reported.

    It costs two runs of the result, unless `scripts` or the reduction has made them. If the page
    cannot be made, it is left out.
    """
    if report.status != "reduced" or not report.verified or report.flaky is not None:
        return None
    if not report.output_path.is_file():
        return None
    listener.phase("report")
    level, past = report.pass_level, None
    report = report.in_all()
    with deferred.attempt("page about the reduction"):
        past = provenance_of(report, report.output_path, report.lineage, opt)
    facts = gather(
        report.text,
        oracle,
        source=report.input_path.name,
        opt=opt,
        pass_file=(
            pass_file_of(level, report.output_path.name)
            if level and not level.same_program
            else None
        ),
        level_files=[level_file_of(one, report.input_path) for one in report.levels],
        known=report.reported,
        cancel=stop,
    )
    facts = replace(facts, record=past.record if past else replace(report, origin=()))
    if level is not None and level.same_program:
        facts = replace(facts, pass_name=level.pass_name or facts.pass_name)

    def page() -> str | None:
        shown = None
        with deferred.attempt("page about the reduction"):
            if past is not None:
                shown = past.page()
        return shown

    folder = ResultFolder.of(report.output_path)
    folder.create()
    return make_bundle(
        facts, folder.report, executable=program_of(oracle), page=page, scripts=scripts
    )
