"""The bug report as the stage that a caller of a reduction appends to its table."""

from dataclasses import replace

from reducer.driver.records.record import Report
from reducer.driver.settings import Phase
from reducer.driver.stages.following import Ended, Following
from reducer.report.gathering import gather, level_file_of, pass_file_of
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
        found, attempts, opt = ended.report, ended.attempts, ended.settings.opt
        if not ended.is_worth_more or not found.output_path.is_file():
            return found
        ended.listener(Phase("report"))
        level, past = found.pass_level, None
        report = found.in_all()
        with attempts.attempt("history of the reduction"):
            past = provenance_of(report, report.output_path, report.lineage, opt)
        facts = gather(
            report.text,
            ended.oracle,
            source=report.input_path.name,
            opt=opt,
            pass_file=(
                pass_file_of(level, report.output_path.name)
                if level and not level.same_program
                else None
            ),
            level_files=[level_file_of(one, report.input_path) for one in report.levels],
            known=report.reported,
            cancel=ended.stop,
        )
        facts = replace(facts, record=past or replace(report, origin=()))
        if level is not None:
            facts = replace(facts, rewrite=level.rewrite)
        if level is not None and level.same_program:
            facts = replace(facts, pass_name=level.pass_name or facts.pass_name)

        folder = ResultFolder.of(report.output_path)
        folder.create()
        self.bundle = make_bundle(
            facts,
            folder.report,
            executable=program_of(ended.oracle),
            scripts=self.scripts,
        )
        return found
