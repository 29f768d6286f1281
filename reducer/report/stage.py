"""The bug report as the stage that a caller of a reduction appends to its table."""

from dataclasses import replace

from reducer.driver.records.record import Report
from reducer.driver.settings import Message, Phase
from reducer.driver.stages.following import Ended, Following
from reducer.report.gathering import Located, gather
from reducer.report.portable_command import program_of
from reducer.report.provenance import provenance_of
from reducer.report.trying import ScriptRuns
from reducer.report.writing import Bundle, make_bundle
from reducer.storage.result_folder import ResultFolder


class ReportStage:
    """Writes the report at the end of a reduction; `bundle` is what was written, if anything.

    It costs two runs of the result, unless the reduction has made them, as it does on idle workers
    if `Settings.reported` is `scripts`. If the page cannot be made, it is left out.
    """

    def __init__(self) -> None:
        self.bundle: Bundle | None = None
        self.scripts = ScriptRuns()

    @property
    def stage(self) -> Following:
        """The stage to append."""
        return Following("bug report", self._run)

    def _run(self, ended: Ended) -> Report:
        record, attempts, opt = ended.report, ended.attempts, ended.settings.opt
        if record.verified and record.flaky is not None:
            rate = record.flaky.result or record.flaky.input
            why = f"no report, since the result fails only in {rate}"
            ended.listener(Message(f"{why}: `mlir-reducer report {record.output_path}` tries to"))
        if not ended.is_worth_more or not record.output_path.is_file():
            return record
        ended.listener(Phase("report"))
        past, report = None, record.in_all()
        folder = ResultFolder.of(report.output_path)
        with attempts.attempt("history of the reduction"):
            past = provenance_of(report, report.output_path, report.lineage, opt)
        facts = gather(
            report.text,
            ended.oracle,
            source=report.input_path.name,
            opt=opt,
            located=replace(Located.read(report, folder.path), bucket=""),
            ahead=report.reported,
            cancel=ended.stop,
        )
        facts = replace(facts, record=past or replace(report, origin=()))
        folder.create()
        self.bundle = make_bundle(
            facts,
            folder.report,
            executable=program_of(ended.oracle),
            scripts=self.scripts,
        )
        return record
