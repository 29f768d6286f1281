"""The parts of a bug report that cost runs, each made only where it is asked for."""

import threading
from dataclasses import dataclass, replace
from pathlib import Path

import click

from oracles import Oracle
from reducer.bundle import Facts, PassFile
from reducer.bundle.check import REPRO
from reducer.bundle.facts import Version
from reducer.cli.bisect import journal_of, question_of, summary, with_reference
from reducer.cli.oracle import Wanted
from reducer.releases import Bench, Bisecting
from reducer.session.explaining import Explaining
from reducer.session.pass_level import PassReport, reduce_pass_level
from reducer.toolchain import NEWEST


@dataclass(frozen=True)
class Parts:
    """Asks more about one failure. `folder` is for temporary files, `stop` ends it early."""

    wanted: Wanted
    oracle: Oracle
    opt: Path | None
    folder: Path
    stop: threading.Event
    jobs: int = 1

    def boundary(self, facts: Facts) -> Facts:
        """With what it takes to fail; raises what `Explaining.run` does."""
        explaining = Explaining(
            facts.head + facts.text, self.oracle, self.opt, tell, jobs=self.jobs
        )
        explaining.stop = self.stop
        return replace(facts, boundary=tuple(explaining.run().facts))

    def versions(self, facts: Facts) -> Facts:
        """With what other releases do; raises what `Bisecting.run` does.

        What is known of the input from an earlier `bisect` is not asked again.
        """
        bad = self.wanted.iree or facts.compiler.package or NEWEST
        wanted = with_reference(replace(self.wanted, iree=None), bad)
        with journal_of(self.wanted.source) as journal:
            bench = Bench(question_of(wanted, facts.text), journal, say=tell, stop=self.stop)
            result = Bisecting(bench, bad=bad, say=tell).run()
        rows = tuple(Version(a.version, str(a.verdict), a.message) for a in result.answers)
        return replace(facts, versions=rows, turns=tuple(summary(result)))

    def pass_level(self, facts: Facts) -> Facts:
        """With the reproducer before the failing pass, if there is one."""
        report = reduce_pass_level(
            facts.text,
            oracle=self.oracle,
            wanted=facts.signature,
            opt=self.opt,
            output=self.folder / REPRO,
            listener=_Telling(),
            stop=self.stop,
            jobs=self.jobs,
        )
        if report is None:
            return facts
        return replace(
            facts,
            pass_file=pass_file_of(report, REPRO),
            pass_name=report.pass_name or facts.pass_name,
        )


def pass_file_of(report: PassReport, name: str) -> PassFile:
    """The second reproducer as a report has it; `name` is what the first one is called there."""
    text = report.output_path.read_text(encoding="utf-8", errors="surrogateescape")
    size = report.output
    file = PassFile(report.pass_name, report.pipeline, report.level, text, size.lines, size.ops)
    return file.beside(name)


def tell(text: str) -> None:
    """Says what goes on, where it does not mix with the answer."""
    click.echo(f"{text} …", err=True)


class _Telling:
    """What a reduction has to say, as far as it matters here."""

    def phase(self, name: str) -> None: ...

    def progress(self, event: object) -> None: ...

    def message(self, text: str) -> None:
        tell(text)
