"""Reduce one representative input of each bucket that has no reproducer yet."""

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

from reducer.driver.settings import Progress
from reducer.driver.stage import costs_only
from reducer.errors import InternalError, ReducerError
from reducer.triage.buckets import Bucket, Occurrence, all_buckets, newest_first, occurrences
from reducer.triage.configurations import Compiler
from reducer.triage.inputs import Input
from reducer.triage.reproducers import (
    ReductionCase,
    Reproducer,
    StoredReproducer,
    bucket_folder,
    keep,
    reduce_case,
    reproducers,
)
from reducer.triage.run_matrix import RunMatrix
from reducer.triage.running import Executor, Task, Watcher, outcome_of_task
from reducer.triage.store import Caps, Store

_ATTEMPTS = 2
"""Inputs to try per bucket, if the first cannot be reduced."""


@dataclass(frozen=True)
class TriageOptions:
    """Options of a triage run. `max_calls` bounds each reduction.

    If failures may be intermittent, up to `flaky` runs decide about a candidate of such a one.
    """

    caps: Caps
    reduce: bool = True
    max_calls: int | None = None
    flaky: int | None = None


@dataclass(frozen=True)
class _Work:
    bucket: Bucket
    candidates: tuple[Occurrence, ...]


class BucketReducer:
    """Runs reductions, several at once.

    `calls` counts the compilers started for them, and `seconds` their CPU time. `internal_errors`
    are those that have cost one of them, or a part of it.
    """

    def __init__(
        self,
        store: Store,
        matrix: RunMatrix,
        executor: Executor,
        options: TriageOptions,
        stop: threading.Event,
        watcher: Watcher,
    ) -> None:
        self._store = store
        self._matrix = matrix
        self._caps = options.caps
        self._executor = executor
        self._jobs = executor.capacity
        self._max_calls = options.max_calls
        self._flaky = options.flaky
        self._stop = stop
        self._watcher = watcher
        self._lock = threading.Lock()
        self.calls = 0
        self.seconds = 0.0
        self.internal_errors: list[InternalError] = []

    def run(self, inputs: Mapping[str, Input]) -> None:
        """Reduce until every bucket that can be reduced has a reproducer, or the user stops it."""
        work = self._work(inputs)
        self._watcher.phase("reduce", len(work))
        if not work:
            return
        at_once = min(self._jobs, len(work))
        each = self._jobs // at_once
        with ThreadPoolExecutor(at_once, thread_name_prefix="reduce") as pool:
            futures = [pool.submit(self._reduce, one, inputs, each) for one in work]
            try:
                for future in as_completed(futures):
                    future.result()
            finally:
                for future in futures:
                    future.cancel()  # drop what is still queued if one failed

    def _work(self, inputs: Mapping[str, Input]) -> list[_Work]:
        """Buckets to reduce, those expected to be cheapest first."""
        known = reproducers(self._store.database)
        waiting = []
        for bucket in all_buckets(self._store.database).values():
            settled = bucket.merged_into not in (None, bucket.split_from)
            unknown = bucket.signature.is_arbitrary  # each call would go on up to the limit
            if settled or unknown or self._is_done(known, bucket):
                continue
            here = [
                one
                for one in occurrences(self._store.database, [bucket.bucket])
                if one.input in inputs and one.compiler in self._compilers
            ]
            if here:
                waiting.append(_Work(bucket, tuple(newest_first(here))))
        return sorted(waiting, key=lambda work: (work.candidates[0].ops, work.bucket.bucket))

    @property
    def _compilers(self) -> dict[int, Compiler]:
        return {self._store.compiler(one): one for one in self._matrix.compilers}

    def _is_done(self, known: Mapping[str, StoredReproducer], bucket: Bucket) -> bool:
        """Whether there is a reproducer, or another attempt would be pointless."""
        reproducer = known.get(bucket.bucket)
        if reproducer is None:
            return False
        if reproducer.status == "flaky":
            return self._flaky is None
        if reproducer.status != "budget" or reproducer.max_calls is None:
            return True
        return self._max_calls is not None and self._max_calls <= reproducer.max_calls

    def _reduce(self, work: _Work, inputs: Mapping[str, Input], jobs: int) -> None:
        """Reduce one bucket and store the result, unless the user wants to stop."""
        if self._stop.is_set():
            return
        tried: set[str] = set()
        reproducer: Reproducer | None = None
        for occurrence in work.candidates:
            if occurrence.input in tried or len(tried) == _ATTEMPTS:
                continue
            tried.add(occurrence.input)
            reproducer = self._attempt(work.bucket, occurrence, inputs[occurrence.input], jobs)
            if reproducer is None or self._stop.is_set():
                return
            self._keep(work.bucket, occurrence, reproducer)
            if reproducer.status not in ("failed", "flaky"):
                break
        self._watcher.step(f"{work.bucket.bucket} {reproducer.status if reproducer else ''}")

    def _attempt(
        self, bucket: Bucket, occurrence: Occurrence, item: Input, jobs: int
    ) -> Reproducer | None:
        """Reduce one input; as an intermittent failure if that is asked for and it is one."""
        if self._flaky is None or not self._passes_sometimes(occurrence, item):
            reproducer = self._reproducer(bucket, occurrence, item, jobs, None)
            if reproducer is None or reproducer.status != "flaky" or self._flaky is None:
                return reproducer
        return self._reproducer(bucket, occurrence, item, jobs, self._flaky)

    def _passes_sometimes(self, occurrence: Occurrence, item: Input) -> bool:
        """Whether one of as many runs passes as must pass where the input does."""
        if self._store.runs(occurrence.input, occurrence.configuration) > 1:
            return True
        compiler = self._compilers[occurrence.compiler]
        try:
            data = item.data()
        except ReducerError:
            return False  # which the attempt to reduce it tells
        task = Task(
            data,
            compiler.program,
            compiler.version,
            occurrence.flags,
            self._matrix.directory,
            self._caps.seconds,
            self._caps.memory,
            metric=compiler.metric,
        )
        for _ in range(1, self._caps.passes):
            answer = self._executor.submit(task).result()
            outcome = outcome_of_task(answer)
            with self._lock:
                self.calls += answer.runs
                self.seconds += outcome.cpu_seconds if outcome is not None else 0.0
            if outcome is None or outcome.succeeded:
                return outcome is not None
        return False

    def _reproducer(
        self, bucket: Bucket, occurrence: Occurrence, item: Input, jobs: int, flaky: int | None
    ) -> Reproducer | None:
        outcome = self._store.outcome(occurrence.input, occurrence.configuration)
        assert outcome is not None, "an occurrence has an outcome"
        compiler = self._compilers[occurrence.compiler]
        try:
            data = item.data()
        except ReducerError as error:
            self._watcher.message(f"{bucket.bucket}: {error}")
            return None
        case = ReductionCase(
            data,
            compiler.program,
            compiler.version,
            occurrence.flags,
            self._matrix.directory,
            outcome,
            frozenset(one.version for one in self._matrix.compilers if one.version),
            flaky,
            compiler.metric,
        )

        def on_progress(event: Progress) -> None:
            self._watcher.note(f"{bucket.bucket}: {event.best.ops} ops, {event.calls} calls")

        def on_loss(error: InternalError) -> None:
            self.internal_errors.append(error)
            self._watcher.message(str(error))

        reproducer = None  # as if interrupted, so that the next triage tries again
        with costs_only(f"the reduction of bucket {bucket.bucket}", on_loss):
            reproducer = reduce_case(
                case,
                bucket_folder(self._store.database.path, bucket.bucket),
                self._caps,
                jobs=jobs,
                max_calls=self._max_calls,
                stop=self._stop,
                on_progress=on_progress,
                internal_errors=self.internal_errors,
                runner=self._executor.runner,
            )
        with self._lock:
            self.calls += reproducer.calls if reproducer else 0
            self.seconds += reproducer.compiler_seconds if reproducer else 0.0
        return reproducer

    def _keep(self, bucket: Bucket, occurrence: Occurrence, reproducer: Reproducer) -> None:
        compiler = self._compilers[occurrence.compiler]
        number = None
        if reproducer.text:
            number = self._store.configuration(
                self._matrix.configuration(compiler, reproducer.flags)
            )
        keep(
            self._store,
            bucket.bucket,
            (occurrence.input, occurrence.configuration),
            reproducer,
            reduced_configuration=number,
            max_calls=self._max_calls,
        )
