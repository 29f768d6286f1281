"""What the commands do, for Python: a typed function for each, which prints nothing.

`reducer.reduce` and docs/python.md say how they are called; packages of this program have the names
of some, so they are here.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import threading

    from oracles import Outcome, Signature
    from reducer.bisect.bisection import Bisection
    from reducer.bisect.query import BisectQuery
    from reducer.driver.checked import Checked
    from reducer.driver.failing import FailingProgram
    from reducer.driver.records.record import ReductionRecord
    from reducer.explain.explainer import Explanation
    from reducer.explain.locator import FailureLocation
    from reducer.miscompile.locate.finding import WrongResultLocation
    from reducer.report import Bundle, Facts
    from reducer.report.similar import Known, Match
    from reducer.storage.json_values import JsonValues
    from reducer.toolchain import PackageSource
    from reducer.toolchain.metric_request import MetricRequest
    from reducer.triage import Compiler, FlagsLine, Input, Summary, TriageOptions, Watcher
    from reducer.triage.backlog import BacklogEntry
    from reducer.triage.inputs import UnreadableFile


def check(
    it: "FailingProgram",
    *,
    is_part: bool = False,
    target: "Signature | None" = None,
    fails: "Callable[[Outcome], bool] | None" = None,
    names_late: bool = True,
) -> "Checked":
    """Run a program once, more often if it does not fail alike, and an empty module if it fails.

    Args:
        is_part: whether the program is only a part of its file.
        target: the failure to look for, if that of the oracle is not meant.
        fails: whether an outcome shows that.
        names_late: run what takes too long or too much again, to say where it is by then.

    Raises:
        Stopped: `it.stop` was set.
    """
    from oracles.base import capabilities_of
    from reducer.driver.checked import checked

    found = checked(it, is_part=is_part, target=target, fails=fails, names_late=names_late)
    numbers = capabilities_of(it.oracle).numbers
    if not (numbers and names_late and found.is_wanted) or numbers.metric.is_noisy:
        return found
    from reducer.explain.growth import growth_in

    ran = [found.outcome]
    growth = growth_in(it.text, it.opt, numbers, ran.append)
    return found.with_blames([growth.blame] if growth else [], ran)


def locate(it: "FailingProgram") -> "FailureLocation | WrongResultLocation":
    """Find where a program fails without reducing it: its phase, its pass, and the suspect ops.

    Raises:
        NotInteresting: it does not fail.
        Stopped: `it.stop` was set.
    """
    from reducer.explain.locator import Locator
    from reducer.miscompile.locate.locator import WrongResultLocator
    from reducer.miscompile.oracle import values_of

    values = values_of(it.oracle)
    locator: Locator | WrongResultLocator
    if values is not None:
        locator = WrongResultLocator(it.text, values, it.opt, it.log)
    else:
        locator = Locator(it.text, it.oracle, it.opt, it.log)
    locator.stop = it.stop
    return locator.run()


def explain(it: "FailingProgram", *, parts: int | None = None) -> "Explanation":
    """Find for each part of a small program the nearest change that makes its failure go away.

    Args:
        parts: change only so many, those nearest to the op at fault; all if it is 0.

    Raises:
        NotInteresting: the program does not fail, or no longer does in generic form.
        BadInput: it cannot be printed in generic form.
        Stopped: `it.stop` was set.
    """
    from reducer.explain.explainer import MOST_PARTS, Explainer

    most = MOST_PARTS if parts is None else parts
    explainer = Explainer(it.text, it.oracle, it.opt, it.log, jobs=it.jobs, most=most)
    explainer.stop = it.stop
    return explainer.run()


def bisect(
    query: "BisectQuery",
    source: "Path",
    *,
    bad: str | None = None,
    good: str | None = None,
    everything: bool = False,
    packages: "PackageSource | None" = None,
    log: "Callable[[str], None]" = lambda text: None,
    stop: "threading.Event | None" = None,
) -> "Bisection":
    """Find the release or build that introduced a failure, and the one that fixed it.

    Every verdict is kept in a journal beside the program, and not asked for again.

    Args:
        query: what is run on which compilers (see `reducer.bisect.bisection.query_of_program`).
        source: the program; its journal is next to it, or in the folder of a result.
        bad: one that fails; the newest by default.
        good: one that does not.
        everything: test all of them.
        packages: where releases come from; from the package index alone by default.
        log: is called with what is done now, in one line.
        stop: ends the work once it is set.

    Raises:
        NotInteresting, DoesNotTerminate, UsageError: on the compiler that should fail.
        ToolchainError: that cannot be installed.
        Stopped: `stop` was set.
    """
    from reducer.bisect import Bisector, ReleaseRunner
    from reducer.bisect.bisection import Bisection, has_room, journal_of
    from reducer.toolchain import INDEX_ONLY, NEWEST

    where = packages or INDEX_ONLY
    with journal_of(source, log) as journal:
        runner = ReleaseRunner(query, journal, log=log, stop=stop, keep=has_room(), source=where)
        bisector = Bisector(
            runner,
            bad=bad or NEWEST,
            good=good,
            line=query.line,
            everything=everything,
            source=where,
            log=log,
        )
        return Bisection(bisector.run(), runner)


def report(
    it: "FailingProgram",
    *,
    folder: "Path | None" = None,
    add: "Sequence[str]" = (),
    keeps: "Sequence[str] | None" = None,
    record: "ReductionRecord | None" = None,
    found: "JsonValues | None" = None,
    on_facts: "Callable[[Facts], None]" = lambda facts: None,
    ask: "Callable[[Facts], tuple[BisectQuery, str]] | None" = None,
) -> "Bundle":
    """Write a bug report about a program, and run its script in an empty folder.

    Args:
        folder: where; beside the program, or in the folder of a result, by default.
        add: `explain`, `versions` (as `bisect` does) and `pass-level`, which take more runs.
        keeps: hide all names from the program but these; None hides none.
        record: what a reduction knows of the program.
        found: what the record of a result knows of it.
        on_facts: is called with all facts before they are written.
        ask: makes the query about other releases, and names the one that fails.

    Raises:
        NotInteresting: the program does not fail.
        NotAnonymous: a name would remain.
        OutputNotWritable: a file of somebody else is in the way.
        Stopped: `it.stop` was set.
    """
    from dataclasses import replace
    from tempfile import TemporaryDirectory

    from reducer.bisect.bisection import query_of_program
    from reducer.driver.records.record import ReductionRecord
    from reducer.report import make_bundle
    from reducer.report.anonymize import leak_check
    from reducer.report.making import OptionalSections, ReportSource, headings
    from reducer.report.portable_command import program_of
    from reducer.storage.json_values import JsonValues
    from reducer.toolchain import NEWEST

    def asked(facts: "Facts") -> "tuple[BisectQuery, str]":
        return query_of_program(replace(it, text=facts.text)), facts.compiler.package or NEWEST

    known, past = found or JsonValues(None), record or ReductionRecord()
    about = ReportSource(it.source, past, known, it.opt, it.stop)
    with TemporaryDirectory(prefix="mlir-reducer-") as place:
        if keeps is None:
            facts, leaks = about.all(it.text, it.oracle), None
        else:
            facts = about.without_names(it.text, it.oracle, tuple(keeps))
            leaks = leak_check(it.text, tuple(keeps))
        sections = OptionalSections(it, Path(place), ask or asked)
        facts = sections.add(facts, add)
        on_facts(facts)
        folder = folder or about.folder(facts, keeps is not None)
        earlier = headings(folder)
        program = program_of(it.oracle)
        bundle = make_bundle(facts, folder, executable=program, check_leaks=leaks)
    left = headings(folder)
    lost = tuple(heading for heading in earlier if heading not in left)
    return replace(bundle, lost=lost, internal_errors=tuple(sections.internal_errors))


def similar(
    facts: "Facts", known: "Sequence[Known]", *, own: "Path | None" = None
) -> "list[Match]":
    """Rank what is known, such as `reducer.report.similar.read_known` reads, the likeliest first.

    Args:
        facts: those of a report (`Bundle.facts`).
        own: the folder of that report, which is left out.
    """
    from reducer.report.making import evidence_of
    from reducer.report.similar import rank

    mine = own and own.absolute()
    return rank(evidence_of(facts), [one for one in known if Path(one.place).absolute() != mine])


def triage(
    inputs: "tuple[Sequence[Input], Sequence[UnreadableFile]]",
    compilers: "Sequence[Compiler]",
    flags: Sequence[str] = (),
    *,
    database: Path,
    options: "TriageOptions",
    lines: "Sequence[FlagsLine] | None" = None,
    metric: "MetricRequest | None" = None,
    report: bool = True,
    jobs: int | str = 1,
    watcher: "Watcher | None" = None,
    stop: "threading.Event | None" = None,
    known: "Sequence[BacklogEntry]" = (),
) -> "Summary":
    """Compile all inputs in folders, sort the failures into buckets, and reduce one of each.

    The same call again compiles and reduces only what is new.

    Args:
        inputs: those in folders, and what cannot be read, as `reducer.triage.find_inputs` finds.
        compilers: such as `reducer.triage.find_compiler` finds.
        flags: for all inputs.
        database: its file; `reducer.triage.database.default_database` is that of a folder.
        options: the limits of a run, and whether and how long to reduce.
        lines: sets of flags for some inputs (docs/triage.md).
        metric: a number to look at in place of failures.
        report: also write a bug report for each reproducer.
        jobs: how many compilers may run at once, or the address of a cluster.
        watcher: is told of progress.
        stop: ends the work once it is set; what is known by then is kept.
        known: failures to ask again, which are not reduced.

    Raises:
        UsageError: the database has other results, or flags that may do harm.
        DatabaseBusy: another triage uses it.
    """
    import threading
    from contextlib import ExitStack
    from dataclasses import replace
    from tempfile import gettempdir

    from oracles.run.confinement import (
        Confinement,
        confine,
        confinement_ends,
        current_confinement,
    )
    from reducer.arguments import cores
    from reducer.cluster.executor import executing
    from reducer.intake.allowed import runs_reproducer
    from reducer.report.bucket_files import BucketReports
    from reducer.triage import (
        EVERYTHING,
        Database,
        RunMatrix,
        Triage,
        Unwatched,
        owned,
    )
    from reducer.triage.refusals import refuse_other_flags, refuse_other_metric

    stop, watcher = stop or threading.Event(), watcher or Unwatched()
    program = compilers[0].program
    with ExitStack() as stack:
        stack.enter_context(confinement_ends())
        stack.enter_context(owned(database))
        opened = stack.enter_context(Database.open(database, log=watcher.message))
        refuse_other_metric(opened, metric)
        if metric is not None:
            metric.check(Path(program).name, watcher.message)
            compilers = [one.measuring(metric) for one in compilers]
        matrix = RunMatrix(
            tuple(compilers), tuple(lines or EVERYTHING), tuple(flags), str(Path.cwd())
        )
        typed = [*flags, *(flag for line in matrix.lines for flag in line.flags)]
        refuse_other_flags(opened, compilers[0], typed)
        if runs_reproducer(typed) or current_confinement() is not None:
            confine(Confinement((program,), place=gettempdir()))
        if not isinstance(jobs, int):  # what a file says is confined on this machine only
            far = "a command from a file is not run on other machines"
            known = [one if one.is_own else replace(one, problem=far) for one in known]
        executor = stack.enter_context(executing(matrix.compilers, jobs, watcher.message))
        run = Triage(opened, matrix, options, executor, watcher, stop)
        summary = run.run(*inputs, known)
        if report and options.reduce and not summary.interrupted:
            reports = BucketReports(opened, run.matrix, options.caps, inputs[0], stop)
            at_once = jobs if isinstance(jobs, int) else cores()
            reports.write(summary.bugs, at_once, watcher.message)
            errors = (*summary.internal_errors, *reports.internal_errors)
            summary = replace(summary, internal_errors=errors)
        return summary
