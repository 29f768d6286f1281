"""`mlir-reducer report`: write a bug report, or list what resembles a failure."""

import re
import threading
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from oracles import Oracle
from oracles.profiles import profile_of
from reducer.asking import Memory
from reducer.bisect import Bisector, ReleaseRunner
from reducer.bisect.query import ReleaseVerdict
from reducer.cli.commands.bisect import journal_of, query_of, versions_of, with_reference
from reducer.cli.display import layout
from reducer.cli.display.console import echo, print_phase, print_status, show
from reducer.cli.display.layout import NamedValue, Style
from reducer.cli.display.record import recorded_input, write_json
from reducer.cli.request.oracle_options import OracleOptions
from reducer.cli.request.recorded import ResultRecord, with_command
from reducer.cli.signals import stop_on_signals
from reducer.cli.workspace import workspace
from reducer.driver.records.record import ReductionRecord
from reducer.driver.reduction import reduce_in
from reducer.driver.settings import Event, Message
from reducer.driver.stages.pass_level import PASS_LEVEL
from reducer.driver.stages.rewrite_level import BY_FAILURE, find_rewrite
from reducer.driver.stages.second_program import First
from reducer.errors import ExitCode, InternalError, NotInteresting, ReducerError, UsageError
from reducer.explain.explainer import Explainer
from reducer.explain.explainer import Fact as Change
from reducer.miscompile.locate.pass_level import BY_RESULT, WRONG_PASS
from reducer.miscompile.oracle import values_of
from reducer.report import (
    Bundle,
    Facts,
    gather,
    make_bundle,
)
from reducer.report.anonymize import NOTE, anonymized_text, leak_check
from reducer.report.facts import Healthy, Version, repro_name
from reducer.report.gathering import Located, healthy_output, limits_of, without_comments
from reducer.report.page import findings_of
from reducer.report.portable_command import program_of
from reducer.report.provenance import read_provenance
from reducer.report.similar import Evidence, Known, Match, rank, read_known
from reducer.report.similar.evidence import passes_named
from reducer.report.title import issue_command
from reducer.report.wording import target_of
from reducer.report.writing import MAX_ARCHIVE_BYTES, REPORT, check_folder
from reducer.search.judge import Judge, Stopped
from reducer.storage.json_values import JsonValues
from reducer.storage.result_folder import ResultFolder, report_folder_of
from reducer.toolchain import NEWEST
from reducer.units import cut, plural, size


@dataclass(frozen=True)
class OptionalSections:
    """Collects more data about a failure. `folder` is for temporary files, `stop` ends it early."""

    options: OracleOptions
    oracle: Oracle
    opt: Path | None
    folder: Path
    stop: threading.Event
    jobs: int = 1
    internal_errors: list[InternalError] = field(default_factory=list)

    def boundary(self, facts: Facts) -> Facts:
        """The facts with the parts that the failure needs; raises what `Explainer.run` does."""
        explaining = Explainer(
            facts.head + facts.text, self.oracle, self.opt, print_phase, jobs=self.jobs
        )
        explaining.stop = self.stop
        return replace(facts, boundary=tuple(explaining.run().facts))

    def versions(self, facts: Facts) -> Facts:
        """The facts with the results of other releases; raises what `Bisector.run` does.

        Verdicts of an earlier `bisect` of the input are reused.
        """
        bad = self.options.iree or facts.compiler.package or NEWEST
        options = with_reference(replace(self.options, iree=None), bad)
        with journal_of(self.options.source) as journal:
            runner = ReleaseRunner(
                query_of(options, facts.text), journal, log=print_phase, stop=self.stop
            )
            result = Bisector(runner, bad=bad, log=print_phase).run()
        good = [one.version for one in result.results if one.verdict is ReleaseVerdict.GOOD]
        return replace(
            facts,
            versions=tuple(Version(**row) for row in versions_of(result)),
            healthy=self._healthy(good[-1], facts) if good else None,
        )

    def _healthy(self, release: str, facts: Facts) -> Healthy | None:
        """What a good release prints; None if it cannot be asked in the same words."""
        with suppress(ReducerError):
            oracle, _ = replace(self.options, iree=release).oracle(facts.text)
            return healthy_output(release, oracle, facts)
        return None

    def pass_level(self, facts: Facts) -> Facts:
        """The facts with the reproducer before the failing pass, if there is one.

        It is kept in the folder of a result, and not made again.
        """
        if facts.record.pass_level is not None:
            return facts
        output, source = self.folder / repro_name(self.oracle), self.options.source
        if ResultFolder.of(source).is_ours:
            output = source
        first = First(
            facts.text,
            output,
            self.oracle,
            facts.signature,
            _print_messages,
            self.stop,
            partial(reduce_in, internal_errors=self.internal_errors),
            self.opt,
            self.jobs,
        )
        is_wrong = values_of(self.oracle) is not None
        report = (WRONG_PASS if is_wrong else PASS_LEVEL).of(first)
        if report is None:
            return facts
        report = find_rewrite(first, report, BY_RESULT if is_wrong else BY_FAILURE)
        record = replace(facts.record, pass_level=report, output_path=output)
        found = Located.read(record, report.output_path.parent)
        return replace(
            facts,
            record=record,
            rewrite=found.rewrite or facts.rewrite,
            pass_file=found.pass_file,
            pass_name=found.pass_name or facts.pass_name,
        )


def _print_messages(event: Event) -> None:
    """Print the messages of a reduction and ignore its other events."""
    if isinstance(event, Message):
        print_phase(event.text)


def bug_report(
    *,
    input: Path,
    output: Path | None,
    add: tuple[str, ...],
    anonymize: str | None,
    known: Path | None,
    json_target: str | None,
    jobs: int,
    words: tuple[str, ...],
    **options: Any,
) -> int:
    """Write a bug report about the failure of COMMAND on INPUT."""
    hide_names = anonymize is not None
    told = tuple(filter(None, (anonymize or "").split(",")))
    input = ResultFolder.result_of(input)
    input, record, words = recorded_input(input, words)
    if json_target is not None and known is None:
        raise UsageError("--json needs --similar")
    others = read_known(known) if known is not None else None
    if output is not None or not hide_names:
        check_folder(output or report_folder_of(input))
    oracle_options = OracleOptions(source=input, words=words, **options).with_own_limit()
    source = oracle_options.read()
    stop = threading.Event()
    with workspace() as place, stop_on_signals(stop, leave=place.clean_up):
        oracle_options = with_command(oracle_options, source.text)
        oracle, opt = oracle_options.oracle(source.text)
        recorded = ResultRecord.of(input)
        found = recorded.findings(source.text) if recorded.is_own else JsonValues(None)
        record = record or ReductionRecord.from_json(found.part("reduction").plain())
        about = _ReportSource(input, record, found, opt, stop)
        if hide_names:
            facts = about.without_names(source.text, oracle, told)
            check_leaks = leak_check(source.text, told)
        else:
            facts = about.all(source.text, oracle)
            check_leaks = None
        parts = OptionalSections(oracle_options, oracle, opt, place.folder, stop, jobs)
        for name, part in (
            ("explain", parts.boundary),
            ("versions", parts.versions),
            ("pass-level", parts.pass_level),
        ):
            facts = part(facts) if name in add else facts
        if not hide_names:
            ResultRecord.of(input).add(source.text, facts.bucket, **_findings(facts, source.text))
        folder = output or about.folder(facts, hide_names)
        earlier = _headings(folder)
        bundle = make_bundle(
            facts,
            folder,
            executable=program_of(oracle),
            check_leaks=check_leaks,
        )
    if lost := [one for one in earlier if one not in _headings(folder)]:
        print_status(f"the earlier report had more: {', '.join(lost)}")
    if json_target != "-":
        show(layout.NamedValues(_summary(bundle)))
    if others is not None:
        _show_similar(bundle, others, json_target)
    if parts.internal_errors:
        return ExitCode.INTERNAL
    return ExitCode.REDUCED if bundle.verified else ExitCode.FLAKY


def _show_similar(bundle: Bundle, known: Sequence[Known], json_target: str | None) -> None:
    matches = similar_to(bundle.facts, known, own=bundle.folder)
    if json_target is not None:
        write_json(json_target, as_json(matches))
    if json_target != "-":
        echo(similar_text(matches))


@dataclass(frozen=True)
class _ReportSource:
    """What is known about the program in `source` before further runs."""

    source: Path
    record: ReductionRecord
    found: JsonValues
    opt: Path | None
    stop: threading.Event

    def all(self, text: str, oracle: Oracle) -> Facts:
        """Its failure and its provenance."""
        facts = gather(text, oracle, opt=self.opt, located=self._located, cancel=self.stop)
        past = read_provenance(self.source, facts.signature, self.opt) or ReductionRecord()
        failure = self.record.failure
        is_same = failure is None or failure.bucket == facts.bucket
        record = past.updated(self.record) if is_same else past
        facts = replace(facts, record=record, source=(record.input_path or self.source).name)
        if self.found.text("bucket") != facts.bucket:
            return facts
        known = findings_of(self.found.plain())
        return replace(
            facts,
            boundary=_moved(known.boundary, text, facts.head + facts.text),
            versions=known.releases or None,
            healthy=self.found.part("healthy").read(Healthy),
        )

    @property
    def _located(self) -> Located:
        """What is known of the place of the failure, with the files that still exist."""
        folders = ResultFolder.of(self.source).path, self.source.parent
        return Located.read(self.record, *folders, locate=self.found.part("locate"))

    def without_names(self, text: str, oracle: Oracle, told: tuple[str, ...]) -> Facts:
        """Its failure without names from the input, and only figures of its provenance.

        Raises:
            NotAnonymous: a name would remain.
            NotInteresting: nothing fails.
        """
        first = oracle.run(text, cancel=self.stop, limits=limits_of(oracle))
        if first.cancelled:
            raise Stopped("interrupted")
        if not oracle.wants(first):
            raise NotInteresting("the command does not fail on the input")
        found = self._located
        judge = Judge(oracle, Memory(), target=first.signature, stop=self.stop)
        with closing(judge):
            shared = anonymized_text(text, judge, self.opt, told)
        facts = gather(
            shared,
            oracle,
            opt=self.opt,
            located=Located(found.bucket, found.pass_name) if found.bucket else Located(),
            cancel=self.stop,
        )
        past = read_provenance(self.source, first.signature, self.opt)
        record = (past or ReductionRecord()).updated(self.record)
        return replace(
            facts,
            record=record.figures(),
            source="",
            notes=(*facts.notes, NOTE),
        )

    def folder(self, facts: Facts, hide_names: bool) -> Path:
        """The folder of the report; the input's file name is not used with `hide_names`."""
        if hide_names:
            return self.source.with_name(f"report-{facts.bucket}")
        return report_folder_of(self.source)


def _headings(folder: Path) -> list[str]:
    """The headings of a report that has been written."""
    with suppress(OSError, UnicodeError):
        return re.findall(r"^#### (.+)", (folder / REPORT).read_text(encoding="utf-8"), re.M)
    return []


def _findings(facts: Facts, text: str) -> dict[str, Any]:
    """What the record of a result says after a report about it."""
    boundary = _moved(facts.boundary, facts.head + facts.text, text)
    return {
        "reduction": facts.record.to_json(),
        "boundary": boundary and [fact.to_json() for fact in boundary],
        "versions": facts.versions and [vars(one) for one in facts.versions],
        "healthy": facts.healthy and vars(facts.healthy),
    }


def _moved(needs: Sequence[Change] | None, old: str, new: str) -> tuple[Change, ...] | None:
    """What a failure needs, with the lines of a text that has other comments above the program."""
    above = _head_lines(new) - _head_lines(old)
    moved = (replace(one, line=one.line and one.line + above) for one in needs or ())
    return None if needs is None else tuple(moved)


def _head_lines(text: str) -> int:
    bare = without_comments(text)
    return text[: text.find(bare)].count("\n") if bare else 0


def _summary(bundle: Bundle) -> list[NamedValue]:
    weight = size(bundle.archive.stat().st_size)
    facts = [
        NamedValue("report", f"{bundle.folder}/report.md"),
        NamedValue("archive", f"{bundle.archive} ({weight})"),
    ]
    if bundle.left_out:
        missing = ", ".join(bundle.left_out)
        limit = f"without {missing}: over the limit of {size(MAX_ARCHIVE_BYTES)}"
        facts.append(NamedValue("", limit, Style.WARNING))
    if not bundle.verified:
        said = f"NOT VERIFIED: repro.sh exited with {bundle.status} in an empty folder"
        return [*facts, NamedValue("verdict", said, Style.BAD)]
    said = "VERIFIED: repro.sh reproduces the failure in an empty folder"
    command = issue_command(bundle.facts, str(bundle.folder / REPORT))
    return [
        *facts,
        NamedValue("verdict", said, Style.GOOD),
        NamedValue("to file it", command, Style.COMMAND),
    ]


SHOWN = 5
"""How many matches are listed for people; `--json` has all of them."""

_WIDTH = 80
_PIPELINE = "pass-pipeline"


def similar_to(facts: Facts, known: Sequence[Known], *, own: Path) -> list[Match]:
    """What is known, the most similar to the failure first.

    Args:
        own: the folder of the report about the failure itself, which is left out.
    """
    others = [one for one in known if Path(one.place).absolute() != own.absolute()]
    return rank(evidence_of(facts), others)


def evidence_of(facts: Facts) -> Evidence:
    """What identifies the failure of a report."""
    program = facts.compiler.name
    return Evidence.of_failure(
        facts.signature,
        facts.text,
        passes=[facts.pass_name, *_passes_of(facts.check.words)],
        functions=[line.split(None, 1)[1] for line in facts.stack if line.startswith("#")],
        targets=[program, *target_of(facts.check.words)],
    )


def _passes_of(words: Sequence[str]) -> list[str]:
    """The passes that the flags of an `…-opt` tool name; a compiler's flags are none."""
    profile = profile_of(words[0])
    if profile.compiler and words[0].endswith(profile.compiler):
        return []
    flags = (word for word in words[1:] if word.startswith("-"))
    return [name for flag in flags for name in passes_named(flag) if name != _PIPELINE]


def similar_text(matches: Sequence[Match]) -> str:
    """The matches that a person should look at before filing."""
    likely = [match for match in matches if match.is_likely]
    if not likely:
        return f"similar  none of {plural(len(matches), 'known failure')} resembles this one"
    lines = [f"similar  look at these before filing ({len(matches):,} are known):"]
    for match in likely[:SHOWN]:
        lines += _entry(match)
    if len(likely) > SHOWN:
        lines.append(f"         and {len(likely) - SHOWN:,} more; --json FILE lists all")
    return "\n".join(lines)


def as_json(matches: Sequence[Match]) -> dict[str, Any]:
    """All matches as plain values, the most similar first."""
    return {"similar": [match.to_json() for match in matches]}


def _entry(match: Match) -> list[str]:
    known = match.known
    state = f" ({known.state.lower()})" if known.state else ""
    head = f"  {match.score:4.0%}  {known.name}{state}  {known.title}"
    lines = [cut(head, _WIDTH), f"        {match.reason}"]
    return [*lines, f"        {known.url}"] if known.url else lines
