"""The files about each bucket of a triage: its bug report, and its page below an overview."""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from oracles import CompilerOracle, Limits
from oracles.compilers.command import verifying_tool
from reducer.driver.stage import Attempts
from reducer.errors import InternalError, OutputNotWritable, ReducerError
from reducer.report import (
    METADATA,
    Facts,
    gather,
    make_bundle,
)
from reducer.report.facts import Version
from reducer.report.page import (
    BucketRow,
    Findings,
    bucket_page,
    read_reduction,
    reduction_page,
)
from reducer.report.provenance import Source, read_provenance
from reducer.storage.files import BYTECODE_MAGIC
from reducer.storage.json_values import read_json
from reducer.storage.result_folder import ResultFolder, archive_of
from reducer.storage.written import Written
from reducer.triage import Bug, Caps, Compiler, Database, Input, RunMatrix
from reducer.triage.headlines import bug_headlines
from reducer.triage.reproducers import OUTPUT, StoredReproducer, bucket_folder
from reducer.triage.running import measuring, oracle_of
from reducer.triage.store import Store
from reducer.units import plural

_NONE = "no-report.json"
"""Records the program for which no report could be made, so that it is not tried every night."""


def report_folder(database: Path, known: StoredReproducer) -> Path:
    """The folder of the report about a reproducer, whether or not it exists."""
    return ResultFolder.of(bucket_folder(database, known.bucket) / OUTPUT).report


def has_report(folder: Path, known: StoredReproducer) -> bool:
    """Whether a report in `folder` is about this reproducer."""
    if not all(one.is_file() for one in (folder / METADATA, folder / OUTPUT, archive_of(folder))):
        return False
    text = (folder / OUTPUT).read_text(encoding="utf-8", errors="surrogateescape")
    return known.text.strip() in text


def lists_verdicts(folder: Path, versions: Sequence[Version]) -> bool:
    """Whether the report in `folder` has the verdicts of these releases."""
    told = read_json(folder / METADATA).parts("versions") or ()
    known = {(one.text("version"), one.text("verdict")) for one in told}
    return known.issuperset((one.version, one.verdict) for one in versions)


class BucketReports:
    """Writes the missing reports; each costs a few runs of a small program.

    `internal_errors` are those because of which one could not be made.
    """

    def __init__(
        self,
        database: Database,
        matrix: RunMatrix,
        caps: Caps,
        inputs: Sequence[Input],
        stop: threading.Event,
    ) -> None:
        self._database = database
        self._store = Store(database, run=0)
        self._matrix = matrix
        self._limits = Limits(caps.seconds, caps.memory)
        self._inputs: Mapping[str, Input] = {item.digest: item for item in inputs}
        self._stop = stop
        self.internal_errors: list[InternalError] = []
        self._compilers = {self._store.compiler(one): one for one in matrix.compilers}

    def write(self, bugs: Sequence[Bug], jobs: int, log: Callable[[str], None]) -> None:
        """Write a report for each bug with a reproducer; log those that cannot be made.

        One that does not always fail cannot be demonstrated by a single run.
        """
        wanted = [(bug, bug.reproducer) for bug in bugs if bug.reproducer is not None]
        left = [
            (bug, known)
            for bug, known in wanted
            if known.usable and not known.intermittent and self._is_missing(bug, known)
        ]
        if left:
            log(f"writing {plural(len(left), 'bug report')} …")
        with ThreadPoolExecutor(jobs, thread_name_prefix="report") as pool:
            for problem in pool.map(lambda one: self._attempt(*one), left):
                if problem:
                    log(problem)

    def _is_missing(self, bug: Bug, stored: StoredReproducer) -> bool:
        """Whether there is no report yet, or one that lacks what other releases do."""
        folder = report_folder(self._database.path, stored)
        given_up = read_json(folder.with_name(_NONE)).text("of") == stored.digest
        if given_up or not has_report(folder, stored):
            return not given_up
        return stored.compiler in self._compilers and not lists_verdicts(
            folder, _versions(bug) or ()
        )

    def _attempt(self, bug: Bug, stored: StoredReproducer) -> str:
        """Make one report; return why it could not be made, or ''."""
        compiler = self._compilers.get(stored.compiler)
        if self._stop.is_set() or compiler is None:
            return ""
        attempts = Attempts(self.internal_errors)
        folder = report_folder(self._database.path, stored)
        with attempts.attempt(f"report for {bug.name}"):
            self._make(bug, stored, compiler, folder)
        problem = "; ".join(attempts.problems)
        if problem and not self._stop.is_set():
            text = json.dumps({"of": stored.digest, "reason": problem})
            with suppress(OutputNotWritable):
                ResultFolder(folder.parent).written.write(folder.with_name(_NONE), text)
        return problem

    def _make(self, bug: Bug, stored: StoredReproducer, compiler: Compiler, folder: Path) -> None:
        oracle = oracle_of(
            compiler.program, compiler.version, stored.flags, self._matrix.directory, self._limits
        )
        judge = measuring(oracle, compiler.metric, compiler.version, stored.text)
        facts = gather(stored.text, judge, opt=verifying_tool(oracle.executable))
        facts = replace(facts, versions=_versions(bug))
        facts = self._with_past(facts, stored, oracle)
        folder.parent.mkdir(parents=True, exist_ok=True)
        make_bundle(facts, folder, executable=oracle.executable)

    def _with_past(self, facts: Facts, known: StoredReproducer, oracle: CompilerOracle) -> Facts:
        """The facts with the provenance of the reproducer."""
        source = self._source(known)
        result = bucket_folder(self._database.path, known.bucket) / OUTPUT
        past = read_provenance(result, facts.signature, verifying_tool(oracle.executable), source)
        if past is None:
            return replace(facts, source=source.name)
        return replace(facts, record=past, source=source.name)

    def _source(self, known: StoredReproducer) -> Source:
        """The input that was reduced, if it still exists as text."""
        item = self._inputs.get(known.input)
        if item is None:
            return Source(known.input)
        name = item.places[0].below.name
        try:
            data = item.data()
        except ReducerError:
            return Source(name)
        text = None if data.startswith(BYTECODE_MAGIC) else data.decode(errors="surrogateescape")
        return Source(name, text)


def _versions(bug: Bug) -> tuple[Version, ...] | None:
    """The result of each release for the reproducer; None if only one release was run."""
    rows = tuple(Version(one.version, str(one.verdict), one.failure) for one in bug.extent.releases)
    return rows if len(rows) > 1 else None


def write_bucket_pages(
    target: Path, bugs: Sequence[Bug], database: Path, unread: Mapping[str, str]
) -> None:
    """Write the overview to `target`, and its pages to a folder next to it.

    Raises:
        OutputNotWritable: a file cannot be written.
    """
    written = Written(database.parent)
    pages = target.with_name(f"{target.stem}.pages")
    rows = []
    texts = bug_headlines(bugs, _HEADLINE)
    for bug, text in zip(bugs, texts, strict=True):
        page = _page(bug, database)
        if page is not None:
            try:
                pages.mkdir(exist_ok=True)
            except OSError as error:
                raise OutputNotWritable(f"cannot write to {pages}: {error.strerror}") from error
            written.write(pages / f"{bug.name}.html", page)
        link = "" if page is None else f"{pages.name}/{bug.name}.html"
        rows.append(_row(bug, text, link))
    written.write(target, bucket_page(rows, unread=unread))


def _page(bug: Bug, database: Path) -> str | None:
    """The page about the reduction of the bug's reproducer, if its journal still exists."""
    one = bug.reproducer
    if one is None or not one.text:
        return None
    try:
        facts = read_reduction(bucket_folder(database, one.bucket) / OUTPUT)
    except ReducerError:
        return None
    rows = tuple(
        Version(release.version, str(release.verdict), release.failure)
        for release in bug.extent.releases
    )
    findings = Findings(facts.findings.boundary, rows)
    return reduction_page(replace(facts, name=f"bucket {bug.name}", findings=findings))


_HEADLINE = 400  # characters of a failure in the overview


def _row(bug: Bug, text: str, page: str) -> BucketRow:
    reproducer = bug.reproducer
    return BucketRow(
        bucket=bug.name,
        kind=bug.group.root.kind,
        signature=text,
        state=str(bug.state),
        since=bug.extent.since,
        fixed_in=bug.fixed_in or "",
        targets=bug.extent.targets,
        note=bug.note,
        wheels=tuple(dict.fromkeys(name.split(" ")[0] for name in bug.configurations)),
        inputs=bug.paths,
        before=reproducer.input_ops if reproducer is not None and reproducer.text else None,
        after=reproducer.ops if reproducer is not None and reproducer.text else None,
        text=reproducer.text if reproducer is not None else "",
        page=page,
    )
