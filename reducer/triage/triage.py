"""One triage run, from folders of inputs to a list of bugs."""

import fcntl
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import gettempdir

from oracles import Outcome
from oracles.run.confinement import Confinement, confine, confinement_ends
from reducer.asking import Cost
from reducer.errors import DatabaseBusy, OutputNotWritable
from reducer.triage.backlog import BacklogEntry, questions
from reducer.triage.buckets import Group, all_groups, note_of
from reducer.triage.comparing import ReproducerAnalysis
from reducer.triage.configurations import Configuration
from reducer.triage.database import Database
from reducer.triage.extent import extent_of
from reducer.triage.inputs import Input, UnreadableFile, content_digest
from reducer.triage.merging import RecordedEvidence, merge
from reducer.triage.representatives import BucketReducer, TriageOptions
from reducer.triage.reproducers import StoredReproducer, buckets_folder, reproducers
from reducer.triage.run_matrix import FlagTranslator, RunMatrix
from reducer.triage.running import CompileJob, Executor, JobRunner, Watcher
from reducer.triage.splitting import BucketSplitter
from reducer.triage.states import BugStatus, finish_run, start_run, status_of
from reducer.triage.store import Store
from reducer.triage.summary import Bug, Cell, Summary


@contextmanager
def owned(database: Path) -> Iterator[None]:
    """Keep other triages out of the database during the body of a `with`.

    The kernel releases the lock when its holder dies for any reason. The lock is on the folder next
    to the database, because closing any descriptor of the file itself would drop SQLite's locks.

    Raises:
        DatabaseBusy: another process is using it.
        OutputNotWritable: the folder cannot be created or locked.
    """
    folder = buckets_folder(database)
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            stack.callback(os.close, descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise DatabaseBusy(
                f"another triage is using {database}; wait, or choose another --db"
            ) from error
        except OSError as error:
            raise OutputNotWritable(f"cannot use {folder}: {error.strerror}") from error
        yield


_EMPTY = b"func.func @main() {\n  return\n}\n"
_NOTHING = b""
"""An empty module that is no input: an empty file is not read."""


class Triage:
    """One triage run. Set `stop` to end it early; what is known by then is kept."""

    def __init__(
        self,
        database: Database,
        matrix: RunMatrix,
        options: TriageOptions,
        executor: Executor,
        watcher: Watcher,
        stop: threading.Event,
    ) -> None:
        self.database = database
        self.options = options
        self.watcher = watcher
        self.stop = stop
        self.run_number = start_run(database)
        self.store = Store(database, self.run_number)
        self.matrix = replace(matrix, translate=matrix.translate or FlagTranslator(self.store))
        self.job_runner = JobRunner(self.store, executor, options.caps, stop, watcher)
        self.bucket_reducer = BucketReducer(
            self.store, self.matrix, executor, options, stop, watcher
        )
        self.analysis = ReproducerAnalysis(self.store, self.matrix, options.caps, stop)
        self.splitter = BucketSplitter(self.store, self.analysis, stop, watcher)

    def run(
        self,
        inputs: Sequence[Input],
        unreadable: Sequence[UnreadableFile] = (),
        known: Sequence[BacklogEntry] = (),
    ) -> Summary:
        """Run what has no result yet, and summarize the state of all bugs.

        Args:
            known: failures to ask again, which are not reduced.

        Raises:
            ToolchainError: a compiler is no longer available.
        """
        self.store.add_inputs(list(inputs))
        wanted = [(item, list(self.matrix.configurations(item))) for item in inputs]
        unusable = self._unusable(dict.fromkeys(one for _, found in wanted for one in found))
        usable = [(item, one) for item, found in wanted for one in found if one not in unusable]
        when_empty = self._when_empty(dict.fromkeys(one for item, one in usable if item.is_empty))
        jobs = [
            CompileJob(
                item.digest,
                configuration,
                item.data,
                excused=when_empty.get(configuration, "") if item.is_empty else "",
            )
            for item, configuration in usable
        ]
        self._compile("compile", jobs)
        backlog = list(questions(known, self.matrix))
        for entry in known:
            self.store.add_input(content_digest(entry.data), len(entry.data), 0)
        for is_own in (True, False) if known else ():
            with confinement_ends():
                if not is_own:
                    confine(Confinement(place=gettempdir()))
                same = [one.jobs for one in backlog if one.entry.is_own == is_own]
                self._compile("ask again", [job for jobs in same for job in jobs])
        splitting_cost = Cost()
        contents = {item.digest: item for item in inputs}
        self.splitter.sort(contents)
        if self.options.reduce:
            self.bucket_reducer.run(contents)
            splitting_cost = self._split_buckets(contents)
            self._compile("compare", self._cross_runs())
            self.splitter.sort_reproducers()
            evidence = RecordedEvidence(self.store, self.matrix)
            merge(self.database, reproducers(self.database), evidence)
        summary = Summary(
            self.run_number,
            unreadable=list(unreadable),
            unusable={one.name: reason for one, reason in unusable.items()},
            unmatched=[item.places[0].shown for item, found in wanted if not found],
            compiler_runs=self.job_runner.runs,
            calls=self.bucket_reducer.calls + self.analysis.cost.calls,
            splitting_cost=splitting_cost,
            interrupted=self.stop.is_set(),
            internal_errors=tuple(self.bucket_reducer.internal_errors),
        )
        summary.cells = [cell for item in inputs for cell in self._cells(item, jobs)]
        summary.unparsed = self._unparsed(summary.cells)
        answers = (one.answer(self.store, self.job_runner.problems) for one in backlog)
        summary.answers = sorted(answers, key=lambda one: (one.verdict.rank, one.place))
        self._conclude(summary)
        return summary

    # ---- compiling -------------------------------------------------------------------------

    def _compile(self, name: str, jobs: Sequence[CompileJob]) -> None:
        self.watcher.phase(name, self.job_runner.left(jobs))
        self.job_runner.run(jobs)

    def _unusable(self, configurations: Iterable[Configuration]) -> dict[Configuration, str]:
        """Configurations that fail even on an empty function, which no input can be blamed for."""
        unusable = {}
        for job, outcome in self._tried(_EMPTY, configurations):
            if outcome is not None and not outcome.succeeded:
                unusable[job.configuration] = outcome.signature.text
            elif outcome is None and job in self.job_runner.problems:
                unusable[job.configuration] = self.job_runner.problems[job]
        return unusable

    def _when_empty(self, configurations: Iterable[Configuration]) -> dict[Configuration, str]:
        """The buckets in which an empty module is, and with it any input without ops."""
        return {
            job.configuration: outcome.signature.bucket
            for job, outcome in self._tried(_NOTHING, configurations)
            if outcome is not None and outcome.failed
        }

    def _tried(
        self, content: bytes, configurations: Iterable[Configuration]
    ) -> list[tuple[CompileJob, Outcome | None]]:
        """What a text that is nobody's input does, to learn about the configurations."""
        digest = content_digest(content)
        jobs = [CompileJob(digest, one, lambda: content, bug=False) for one in configurations]
        if jobs:
            self.store.add_input(digest, len(content), 0)
            self._compile("check the flags", jobs)
        numbers = (self.store.configuration(job.configuration) for job in jobs)
        return [
            (job, self.store.outcome(digest, number))
            for job, number in zip(jobs, numbers, strict=True)
        ]

    # ---- comparing -------------------------------------------------------------------------

    def _cross_runs(self) -> list[CompileJob]:
        """Each reproducer on each compiler, to find duplicates and fixed bugs.

        This includes its own compiler: it must still fail with all flags, not only the reduced.
        """
        jobs = []
        for reproducer in reproducers(self.database).values():
            if reproducer.usable:
                load = partial(_encoded, reproducer.text)
                jobs += [
                    CompileJob(
                        reproducer.digest,
                        self.matrix.configuration(compiler, reproducer.all_flags),
                        load,
                        bug=False,
                    )
                    for compiler in self.matrix.compilers
                ]
        return jobs

    def _split_buckets(self, inputs: dict[str, Input]) -> Cost:
        """Split buckets that hold several bugs, and return what that cost."""
        calls, seconds = self.bucket_reducer.calls, self.bucket_reducer.seconds
        self.splitter.run(inputs, self.bucket_reducer)
        cost = Cost()
        cost.add(self.bucket_reducer.calls - calls, self.bucket_reducer.seconds - seconds)
        cost.add(self.analysis.cost.calls, self.analysis.cost.cpu_seconds)
        return cost

    # ---- summarizing -----------------------------------------------------------------------

    def _cells(self, item: Input, jobs: Sequence[CompileJob]) -> Iterator[Cell]:
        for job in jobs:
            if job.digest == item.digest:
                number = self.store.configuration(job.configuration)
                result = self.store.result(item.digest, number)
                problem = self.job_runner.problems.get(job, "") if result is None else ""
                for place in item.places:
                    yield Cell(place.shown, job.configuration.name, result, problem)

    def _unparsed(self, cells: Sequence[Cell]) -> dict[str, str]:
        """The inputs that every compiler rejected, and what the last one says."""
        rejected: dict[str, str] = {}
        parsed = set()
        for cell in cells:
            if cell.result is None or not cell.result.kind.traits.rejected:
                parsed.add(cell.path)
            elif outcome := self.store.outcome(cell.result.input, cell.result.configuration):
                rejected[cell.path] = outcome.signature.text
        return {path: text for path, text in rejected.items() if path not in parsed}

    def _conclude(self, summary: Summary) -> None:
        stored = reproducers(self.database)
        groups = all_groups(self.database)
        statuses = {
            group.root.bucket: status_of(self.database, group, stored, self.run_number)
            for group in groups
        }
        names = self.database.pairs("SELECT compiler, name FROM compilers")
        summary.bugs = [
            self._bug(group, statuses[group.root.bucket], names, summary.cells, stored)
            for group in groups
        ]
        if not summary.interrupted:
            everyone = {
                name: statuses[group.root.bucket] for group in groups for name in group.names
            }
            finish_run(self.database, self.run_number, everyone, summary.unread)

    def _bug(
        self,
        group: Group,
        status: BugStatus,
        names: dict[int, str],
        cells: Sequence[Cell],
        known: dict[str, StoredReproducer],
    ) -> Bug:
        mine = tuple(cell for cell in cells if cell.result and cell.result.bucket in group.names)
        found = [known[name] for name in sorted(group.names) if name in known]
        found.sort(key=lambda one: (not one.usable, one.bucket != group.root.bucket))
        best = found[0] if found else None
        return Bug(
            group,
            status.state,
            names[status.fixed_in] if status.fixed_in is not None else None,
            mine,
            best,
            extent_of(self.database, group, best),
            note_of(self.database, group),
            status.went,
        )


def _encoded(text: str) -> bytes:
    return text.encode(errors="surrogateescape")
