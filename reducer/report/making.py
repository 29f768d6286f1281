"""What a bug report is made of: what is known of a program, and what more is asked for."""

import re
import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from oracles import Oracle
from oracles.base import capabilities_of
from oracles.profiles import profile_of
from reducer.asking import Memory
from reducer.bisect import Bisector, ReleaseRunner
from reducer.bisect.bisection import Bisection, journal_of
from reducer.bisect.query import BisectQuery, ReleaseVerdict
from reducer.driver.failing import FailingProgram
from reducer.driver.records.record import ReductionRecord
from reducer.driver.reduction import reduce_in
from reducer.driver.settings import Event, Message
from reducer.driver.stages.pass_level import PASS_LEVEL
from reducer.driver.stages.rewrite_level import BY_FAILURE, find_rewrite
from reducer.driver.stages.second_program import First
from reducer.errors import InternalError, NotInteresting, ReducerError
from reducer.explain.explainer import Explainer
from reducer.explain.explainer import Fact as Change
from reducer.report import (
    Facts,
    gather,
)
from reducer.report.anonymize import NOTE, anonymized_text
from reducer.report.facts import Healthy, Version, repro_name
from reducer.report.gathering import Located, healthy_output, limits_of, without_comments
from reducer.report.page import findings_of
from reducer.report.provenance import read_provenance
from reducer.report.similar import Evidence
from reducer.report.similar.evidence import passes_named
from reducer.report.wording import target_of
from reducer.report.writing import REPORT
from reducer.search.judge import Judge, Stopped
from reducer.storage.json_values import JsonValues
from reducer.storage.result_folder import ResultFolder, report_folder_of


@dataclass(frozen=True)
class OptionalSections:
    """Collects more data about a failure. `folder` is for temporary files.

    `ask` makes the query about other releases, and names the one that fails.
    """

    it: FailingProgram
    folder: Path
    ask: Callable[[Facts], tuple[BisectQuery, str]]
    internal_errors: list[InternalError] = field(default_factory=list)

    def add(self, facts: Facts, names: Collection[str]) -> Facts:
        """The facts with the sections of these names."""
        sections = {
            "explain": self.boundary,
            "versions": self.versions,
            "pass-level": self.pass_level,
        }
        for name, section in sections.items():
            facts = section(facts) if name in names else facts
        return facts

    def boundary(self, facts: Facts) -> Facts:
        """The facts with the parts that the failure needs; raises what `Explainer.run` does."""
        it = self.it
        explaining = Explainer(facts.head + facts.text, it.oracle, it.opt, it.log, jobs=it.jobs)
        explaining.stop = it.stop
        return replace(facts, boundary=tuple(explaining.run().facts))

    def versions(self, facts: Facts) -> Facts:
        """The facts with the results of other releases; raises what `Bisector.run` does.

        Verdicts of an earlier `bisect` of the input are reused.
        """
        query, bad = self.ask(facts)
        with journal_of(self.it.source, self.it.log) as journal:
            runner = ReleaseRunner(query, journal, log=self.it.log, stop=self.it.stop)
            result = Bisector(runner, bad=bad, log=self.it.log).run()
        good = [one.version for one in result.results if one.verdict is ReleaseVerdict.GOOD]
        return replace(
            facts,
            versions=tuple(Version(**row) for row in Bisection(result, runner).versions),
            healthy=_healthy(query, good[-1], facts) if good else None,
        )

    def pass_level(self, facts: Facts) -> Facts:
        """The facts with the reproducer before the failing pass, if there is one.

        It is kept in the folder of a result, and not made again.
        """
        if facts.record.pass_level is not None:
            return facts
        output, source = self.folder / repro_name(self.it.oracle), self.it.source
        if ResultFolder.of(source).is_ours:
            output = source
        first = First(
            facts.text,
            output,
            self.it.oracle,
            facts.signature,
            self._on_event,
            self.it.stop,
            partial(reduce_in, internal_errors=self.internal_errors),
            self.it.opt,
            self.it.jobs,
        )
        level, fails = PASS_LEVEL, BY_FAILURE
        if capabilities_of(self.it.oracle).results is not None:
            from reducer.miscompile.locate.pass_level import BY_RESULT, WRONG_PASS

            level, fails = WRONG_PASS, BY_RESULT
        report = level.of(first)
        if report is None:
            return facts
        report = find_rewrite(first, report, fails)
        record = replace(facts.record, pass_level=report, output_path=output)
        located = Located.read(record, report.output_path.parent)
        return replace(
            facts,
            record=record,
            rewrite=located.rewrite or facts.rewrite,
            blames=tuple({one.kind: one for one in (*facts.blames, *located.blames)}.values()),
            pass_file=located.pass_file,
            pass_name=located.pass_name or facts.pass_name,
        )

    def _on_event(self, event: Event) -> None:
        if isinstance(event, Message):
            self.it.log(event.text)


def _healthy(query: BisectQuery, release: str, facts: Facts) -> Healthy | None:
    """What a good release prints; None if it cannot be asked in the same words."""
    with suppress(ReducerError):
        oracle = query.make_oracle(release, query.words, facts.text)
        return healthy_output(release, oracle, facts)
    return None


@dataclass(frozen=True)
class ReportSource:
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

    def without_names(self, text: str, oracle: Oracle, kept: tuple[str, ...]) -> Facts:
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
        located = self._located
        blames = tuple(one for one in located.blames if one.kind == "pass")
        judge = Judge(oracle, Memory(), target=first.signature, stop=self.stop)
        with closing(judge):
            shared = anonymized_text(text, judge, self.opt, kept)
        facts = gather(
            shared,
            oracle,
            opt=self.opt,
            located=Located(located.bucket, located.pass_name, blames)
            if located.bucket
            else Located(),
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


def headings(folder: Path) -> list[str]:
    """The headings of a report that has been written."""
    with suppress(OSError, UnicodeError):
        return re.findall(r"^#### (.+)", (folder / REPORT).read_text(encoding="utf-8"), re.M)
    return []


def findings(facts: Facts, text: str) -> dict[str, Any]:
    """What the record of a result says after a report about it."""
    boundary = _moved(facts.boundary, facts.head + facts.text, text)
    return {
        "reduction": facts.record.to_json(),
        "boundary": boundary and [fact.to_json() for fact in boundary],
        "versions": facts.versions and [vars(one) for one in facts.versions],
        "growth": facts.growth and facts.growth.to_json(),
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


_PIPELINE = "pass-pipeline"


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
