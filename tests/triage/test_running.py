import os
import subprocess
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from oracles import Kind, Signature
from reducer.errors import BadInput
from reducer.toolchain import Toolchain
from reducer.triage.running import (
    CompileJob,
    JobRunner,
    Task,
    TaskResult,
    outcome_of_task,
    run_task,
)
from reducer.triage.store import Caps
from tests.support.corpus import Case
from tests.support.fake_compilers import write_script
from tests.support.triages import (
    CAPS,
    SUCCESS,
    Records,
    Scripted,
    Silent,
    answer,
    configuration,
    failure,
)

FLAGS = ("--iree-hal-target-backends=llvm-cpu",)


def task(data: bytes, program: str = "iree-compile", version: str | None = None) -> Task:
    return Task(data, program, version, FLAGS if version else (), "/", 60.0)


@pytest.mark.iree
def test_bytecode_fails_like_the_text_it_was_made_from(
    iree_toolchain: Callable[..., Toolchain], corpus: Callable[[str], Case], tmp_path: Path
) -> None:
    toolchain = iree_toolchain()
    source = corpus("cat-zero-width").folder / "expert.mlir"
    packed = tmp_path / "x.mlirbc"
    subprocess.run([toolchain.opt, "--emit-bytecode", source, "-o", packed], check=True)
    answers = [
        run_task(task(path.read_bytes(), version=toolchain.version)) for path in (source, packed)
    ]
    text, bytecode = (outcome_of_task(answer) for answer in answers)
    assert text is not None and bytecode is not None
    assert text.kind is Kind.VERIFIER
    assert text.signature == bytecode.signature
    assert [answer.runs for answer in answers] == [1, 2]


@pytest.mark.iree
def test_invalid_bytecode_is_left_to_the_compiler(
    iree_toolchain: Callable[..., Toolchain],
) -> None:
    outcome = outcome_of_task(
        run_task(task(b"ML\xefR\xff\xff\xff", version=iree_toolchain().version))
    )
    assert outcome is not None
    assert outcome.failed


def test_a_compiler_that_is_not_there_is_no_outcome() -> None:
    answer = run_task(task(b"x", "/no/such/compiler"))
    assert (answer.outcome, answer.runs) == (None, 0)
    assert "/no/such/compiler" in answer.problem


def test_a_cancelled_run_is_no_outcome(tmp_path: Path) -> None:
    script = write_script(tmp_path / "cc", "sleep 60\n")
    cancel = threading.Event()
    cancel.set()
    answer = run_task(task(b"x", os.fspath(script)), cancel)
    assert answer.outcome is None


def test_a_run_that_takes_too_long_is_one(tmp_path: Path) -> None:
    script = write_script(tmp_path / "cc", "sleep 60\n")
    outcome = outcome_of_task(run_task(Task(b"x", os.fspath(script), None, (), "/", 0.2)))
    assert outcome is not None
    assert outcome.kind is Kind.TIMEOUT


def test_data_arrives_byte_for_byte(tmp_path: Path) -> None:
    write_script(tmp_path / "cc", f"cp $input {tmp_path}/seen\n")
    data = "ä\r\n".encode() + b"\xff"
    run_task(task(data, os.fspath(tmp_path / "cc")))
    assert (tmp_path / "seen").read_bytes() == data


BUG = failure()


class Bench:
    """Jobs on a scripted executor."""

    def __init__(self, folder: Path, respond: Callable[[Task], TaskResult]) -> None:
        self.records = Records(folder)
        self.executor = Scripted(respond)
        self.watcher = Silent()
        self.stop = threading.Event()

    def job_runner(self, caps: Caps = CAPS) -> JobRunner:
        return JobRunner(self.records.store, self.executor, caps, self.stop, self.watcher)

    def job(self, digest: str, load: Callable[[], bytes] | None = None) -> CompileJob:
        self.records.store.add_input(digest, 1, 1)
        return CompileJob(digest, configuration("3.13.0", "--x"), load or (lambda: digest.encode()))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, lambda task: answer(BUG if task.data == b"bad" else SUCCESS))


def test_results_are_kept_and_nothing_is_run_twice(bench: Bench) -> None:
    jobs = [bench.job("good"), bench.job("bad")]
    first = bench.job_runner()
    first.run(jobs)
    assert first.runs == 2
    number = bench.records.store.configuration(jobs[0].configuration)
    found = [bench.records.store.result(job.digest, number) for job in jobs]
    assert [one and one.bucket for one in found] == [None, BUG.bucket]
    again = bench.job_runner()
    assert again.left(jobs) == 0
    again.run(jobs)
    assert again.runs == 0
    assert len(bench.executor.tasks) == 2


def test_a_task_is_plain_data(bench: Bench) -> None:
    bench.job_runner().run([bench.job("good")])
    assert bench.executor.tasks == [
        Task(b"good", "iree-compile", "3.13.0", ("--x",), "/", CAPS.seconds, CAPS.memory)
    ]


def test_a_failure_of_an_empty_function_makes_no_bucket(bench: Bench) -> None:
    job = CompileJob("bad", configuration("3.13.0"), lambda: b"bad", bug=False)
    bench.job_runner().run([job])
    assert bench.records.database.value("SELECT count(*) FROM buckets") == 0


def test_failed_runs_are_reported_and_retried(tmp_path: Path) -> None:
    answers = iter([TaskResult(None, "no such wheel"), answer(SUCCESS)])
    bench = Bench(tmp_path, lambda task: next(answers))
    job = bench.job("a")
    first = bench.job_runner()
    first.run([job])
    assert first.problems == {job: "no such wheel"}
    assert first.left([job]) == 1
    second = bench.job_runner()
    second.run([job])
    assert (second.problems, second.runs) == ({}, 1)


def test_an_input_that_is_gone_meanwhile_is_a_problem(bench: Bench) -> None:
    def load() -> bytes:
        raise BadInput("it has changed")

    job = bench.job("a", load)
    job_runner = bench.job_runner()
    job_runner.run([job, bench.job("good")])
    assert job_runner.problems == {job: "it has changed"}
    assert job_runner.runs == 1


@pytest.mark.parametrize(
    ("kind", "caps", "runs"),
    [
        (Kind.TIMEOUT, Caps(20.0, 100), 1),
        (Kind.TIMEOUT, Caps(10.0, 200), 0),
        (Kind.MEMORY, Caps(20.0, 100), 0),
        (Kind.MEMORY, Caps(10.0, 200), 1),
        (Kind.MEMORY, Caps(10.0, None), 1),
        (Kind.CRASH, Caps(20.0, 200), 0),
    ],
)
def test_a_limit_that_was_hit_is_tried_again_when_it_is_higher(
    tmp_path: Path, kind: Kind, caps: Caps, runs: int
) -> None:
    bench = Bench(tmp_path, lambda task: answer(Signature(kind)))
    job = bench.job("a")
    bench.job_runner(Caps(10.0, 100)).run([job])
    again = bench.job_runner(caps)
    again.run([job])
    assert again.runs == runs


def test_duplicate_jobs_run_once(bench: Bench) -> None:
    job = bench.job("a")
    jobs = [job, CompileJob("a", job.configuration, lambda: b"read in another place")]
    job_runner = bench.job_runner()
    assert job_runner.left(jobs) == 1
    job_runner.run(jobs)
    assert job_runner.runs == bench.watcher.steps == 1


def test_nothing_is_started_once_the_user_wants_to_stop(tmp_path: Path) -> None:
    bench = Bench(tmp_path, lambda task: answer(SUCCESS))

    def load() -> bytes:
        bench.stop.set()
        return b""

    bench.job_runner().run([bench.job("a", load), bench.job("b"), bench.job("c")])
    assert len(bench.executor.tasks) == bench.executor.capacity == 2


def test_what_passes_is_run_again_until_it_fails_or_has_passed_often_enough(
    tmp_path: Path,
) -> None:
    counter = f"echo >> {tmp_path}/runs; [ $(wc -l < {tmp_path}/runs) != 3 ] || exit 1"
    fails_third = str(write_script(tmp_path / "cc", counter))
    found = [
        run_task(replace(task(b"module {}\n", fails_third), passes=passes)) for passes in (2, 5)
    ]
    outcomes = [outcome_of_task(one) for one in found]
    assert [one is not None and one.succeeded for one in outcomes] == [True, False]
    assert [(one.tries, one.runs) for one in found] == [(2, 2), (1, 1)]


def test_a_pipeline_in_an_input_is_given_no_file(tmp_path: Path) -> None:
    tool = write_script(tmp_path / "x-opt", "exit 1\n")
    text = '{-# mlir_reproducer: { pipeline: "any(cse{file=x})" } #-}'
    asked = replace(task(text.encode(), program=str(tool)), flags=("--run-reproducer",))
    assert "must not run: file=x of cse" in run_task(asked).problem
    assert not run_task(replace(asked, data=b"{-# #-}")).problem
