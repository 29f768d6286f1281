import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from oracles import Kind
from reducer.toolchain import Toolchain
from reducer.triage.task import Task, outcome_of, run_task
from tests.support.corpus import Case
from tests.support.fake_compilers import write_script

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
    text, bytecode = (outcome_of(answer) for answer in answers)
    assert text is not None and bytecode is not None
    assert text.kind is Kind.VERIFIER
    assert text.signature == bytecode.signature
    assert [answer.runs for answer in answers] == [1, 2]


@pytest.mark.iree
def test_bytecode_that_is_none_is_for_the_compiler_to_judge(
    iree_toolchain: Callable[..., Toolchain],
) -> None:
    outcome = outcome_of(run_task(task(b"ML\xefR\xff\xff\xff", version=iree_toolchain().version)))
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
    outcome = outcome_of(run_task(Task(b"x", os.fspath(script), None, (), "/", 0.2)))
    assert outcome is not None
    assert outcome.kind is Kind.TIMEOUT


def test_data_arrives_byte_for_byte(tmp_path: Path) -> None:
    write_script(tmp_path / "cc", f"cp $input {tmp_path}/seen\n")
    data = "ä\r\n".encode() + b"\xff"
    run_task(task(data, os.fspath(tmp_path / "cc")))
    assert (tmp_path / "seen").read_bytes() == data
