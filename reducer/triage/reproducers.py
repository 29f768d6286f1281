"""Reduce the representative of a bucket and store the reproducer in the database."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from oracles import CompilerOracle, Limits, Oracle, Outcome
from oracles.compilers.command import verifying_tool
from oracles.run.limits import Runner
from reducer import reduce
from reducer.driver.records.figures import Costs
from reducer.driver.records.record import Report
from reducer.driver.settings import Event, Progress, Settings
from reducer.errors import FlakyOracle, InternalError, Interrupted, OutputNotWritable, ReducerError
from reducer.storage.result_folder import ResultFolder
from reducer.toolchain.metric_request import MetricRequest
from reducer.triage.database import Database, filled
from reducer.triage.inputs import content_digest
from reducer.triage.running import as_text, measuring, oracle_of
from reducer.triage.store import Caps, Store

OUTPUT = "repro.mlir"

_INTERMITTENT = "intermittent:"
"""How the note about a failure begins that was reduced although it does not always occur."""


@dataclass(frozen=True)
class ReductionCase:
    """A failing input to reduce, and its known outcome.

    `releases` are all that this triage runs: what compiles the input on one of them must compile
    the reproducer there, or it shows another bug than the bucket's. If the failure is intermittent,
    up to `flaky` runs decide about a candidate. With a `metric`, the failure is a number.
    """

    data: bytes
    program: str
    version: str | None
    flags: tuple[str, ...]
    directory: str
    outcome: Outcome
    releases: frozenset[str] = frozenset()
    flaky: int | None = None
    metric: MetricRequest | None = None


@dataclass(frozen=True)
class Reproducer:
    """The result of a reduction. `note` says why the `status` is `failed`, or `flaky`: it does not
    always fail, and was not reduced for that.
    """

    status: str
    text: str
    flags: tuple[str, ...]
    lines: int
    ops: int
    bytes: int
    input_ops: int
    calls: int
    compiler_seconds: float
    one_minimal: bool
    verified: bool
    note: str


class _PrimedOracle(CompilerOracle):
    """Returns the known outcome of the input once, without running it again; runs all else."""

    known: tuple[str, Outcome] | None = None
    answered = 0  # runs saved because the outcome was known

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        if self.known is not None and text == self.known[0]:
            outcome, self.known = self.known[1], None
            self.answered += 1
            return outcome
        return super().run(text, cancel=cancel, limits=limits)


def reduce_case(
    case: ReductionCase,
    folder: Path,
    caps: Caps,
    *,
    jobs: int,
    max_calls: int | None,
    stop: threading.Event,
    on_progress: Callable[[Progress], None],
    internal_errors: list[InternalError],
    runner: Runner,
) -> Reproducer | None:
    """Reduce a case in `folder`, or resume the reduction that was stopped there.

    Returns None if the user interrupted it, and a reproducer with status `failed` if the input
    cannot be reduced. Adds to `internal_errors` what has cost a part of it.

    Raises:
        ToolchainError: the compiler cannot be installed or found.
    """
    limits = Limits(caps.seconds, caps.memory)
    plain = oracle_of(case.program, case.version, case.flags, case.directory, limits)
    source, conversions = as_text(case.data, plain)
    if isinstance(source, bytes):
        return _failed("this version cannot convert the bytecode to text", conversions)
    output = folder / OUTPUT
    place = ResultFolder.of(output)
    place.path.mkdir(parents=True, exist_ok=True)
    settings = Settings(
        input=folder / "input.mlir",
        text=source,
        output=output,
        journal=place.journal,
        opt=verifying_tool(plain.executable),
        jobs=jobs,
        max_calls=max_calls,
        also_found=False,
        ask_elsewhere=True,
        ask_releases=case.releases,
        flaky=case.flaky,
    )
    try:
        oracle = _PrimedOracle(plain.command, plain.executable, limits=limits, runner=runner)
        if settings.flaky is None:  # else this run, which failed, says nothing about how many do
            oracle.known = (source, case.outcome)
        judge = measuring(oracle, case.metric, case.version, source)
        report, costs = _reduced(settings, judge, oracle, case.outcome, stop, on_progress)
    except FlakyOracle as error:
        return replace(_failed(str(error), conversions), status="flaky")
    except Interrupted:
        return None
    except ReducerError as error:
        return _failed(str(error), conversions)
    internal_errors += report.internal_errors
    if report.status == "interrupted":
        return None
    command = report.oracle.command
    passed = report.status == "reduced" and not report.verified and case.flaky is None
    return Reproducer(
        "flaky" if passed else report.status,
        report.text,
        command.flags if command is not None else case.flags,
        report.output.lines,
        report.output.ops,
        report.output.bytes,
        report.input.ops,
        costs.calls + conversions,
        costs.cpu_seconds,
        report.one_minimal,
        report.verified,
        "; ".join([*_rates(report), *report.notes, *_doubts(report)]),
    )


def _reduced(
    settings: Settings,
    judge: Oracle,
    primed: _PrimedOracle,
    first: Outcome,
    stop: threading.Event,
    on_progress: Callable[[Progress], None],
) -> tuple[Report, Costs]:
    """Run the reduction; its costs exclude the run of the input, whose outcome was known."""

    def listener(event: Event) -> None:
        if isinstance(event, Progress):
            on_progress(event)

    report = reduce(settings, judge, on_event=listener, stop=stop)
    elsewhere = report.health.runs if report.health is not None else 0
    costs = Costs(
        report.costs.calls + elsewhere - primed.answered,
        report.costs.cpu_seconds - primed.answered * first.cpu_seconds,
    )
    return report, costs


def _rates(report: Report) -> list[str]:
    """How often the input and the reproducer fail, if that is not always."""
    flaky = report.flaky
    if flaky is None:
        return []
    found = f", the reproducer in {flaky.result}" if flaky.result is not None else ""
    return [f"{_INTERMITTENT} the input fails in {flaky.input}{found}"]


def _doubts(report: Report) -> list[str]:
    """What the reproducer does otherwise than its input, if that could not be repaired."""
    doubt = report.health.doubt if report.health is not None else ""
    return [doubt] if doubt else []


def _failed(note: str, calls: int) -> Reproducer:
    return Reproducer("failed", "", (), 0, 0, 0, 0, calls, 0.0, False, False, note)


def buckets_folder(database: Path) -> Path:
    """The folder with the journals and results of a database's reductions, one subfolder each."""
    return database.with_name(f"{database.stem}.buckets")


def bucket_folder(database: Path, bucket: str) -> Path:
    """The folder of the reduction of a bucket.

    Raises:
        OutputNotWritable: a link leads to another place.
    """
    folder = buckets_folder(database) / bucket
    result = folder / OUTPUT
    for place in (folder.parent, folder, result, ResultFolder.of(result).path):
        if place.is_symlink():
            raise OutputNotWritable(f"{place} is a symbolic link; remove it")
    return folder


@dataclass(frozen=True)
class StoredReproducer:
    """A reproducer in the database, with its source and its own flags and content.

    `all_flags` are the flags of the original input. Compilers are compared with those, because a
    flag that one compiler does not need may be required by another.
    """

    bucket: str
    status: str
    input: str
    configuration: int
    compiler: int
    flags: tuple[str, ...]
    all_flags: tuple[str, ...]
    text: str
    digest: str
    lines: int
    ops: int
    bytes: int
    input_ops: int
    calls: int
    one_minimal: bool
    verified: bool
    note: str
    max_calls: int | None

    @property
    def usable(self) -> bool:
        """Whether there is a verified program that fails like the bucket."""
        return bool(self.text) and self.verified

    @property
    def intermittent(self) -> bool:
        """Whether the failure does not occur in every run."""
        return self.status == "flaky" or self.note.startswith(_INTERMITTENT)

    @property
    def minimal(self) -> bool:
        """Whether nothing can be removed from it; then it is the bug, not just a smaller model."""
        return self.usable and self.one_minimal


def reproducers(database: Database) -> dict[str, StoredReproducer]:
    """All stored reproducers, by bucket."""
    rows = database.rows(
        """SELECT p.*, p.reproducer AS digest, c.compiler, c.flags AS all_flags, d.flags
           FROM reproducers p JOIN configurations c ON c.configuration = p.configuration
           LEFT JOIN configurations d ON d.configuration = p.reduced_configuration
           ORDER BY bucket"""
    )
    return {row["bucket"]: filled(StoredReproducer, row) for row in rows}


def keep(
    store: Store,
    bucket: str,
    source: tuple[str, int],
    reproducer: Reproducer,
    *,
    reduced_configuration: int | None,
    max_calls: int | None,
) -> None:
    """Store a reproducer. `source` is the input and the configuration it was made from."""
    data = reproducer.text.encode(errors="surrogateescape")
    digest = content_digest(data) if data else None
    with store.database.transaction():
        if digest is not None:
            store.add_input(digest, len(data), reproducer.ops)
        store.database.write(
            "INSERT OR REPLACE INTO reproducers VALUES ?",
            (bucket, reproducer.status, *source, max_calls, digest, reduced_configuration,
            data.decode(errors="backslashreplace"), reproducer.lines, reproducer.ops,
            reproducer.bytes, reproducer.input_ops, reproducer.calls, reproducer.compiler_seconds,
            reproducer.one_minimal, reproducer.verified, reproducer.note, time.time()),
        )  # fmt: skip
