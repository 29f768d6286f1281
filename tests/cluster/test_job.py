"""Runs of programs as plain data."""

import pickle
import threading
import time
from pathlib import Path

import pytest

from oracles import End, Limits
from reducer.cluster.job import RemoteJob, cancel_job, job_of, run_job
from reducer.toolchain import toolchains_folder


def test_a_job_takes_the_files_of_its_folder_along(tmp_path: Path) -> None:
    (tmp_path / "input.mlir").write_text("module {}\n")
    (tmp_path / "beside.txt").write_bytes(b"\xff")
    job = pickle.loads(pickle.dumps(job_of(["/bin/cat", "input.mlir"], tmp_path, Limits())))
    result = run_job(job, "here")
    assert result.stdout == "module {}\n"
    assert dict(job.files) == {"input.mlir": b"module {}\n", "beside.txt": b"\xff"}


def test_programs_of_the_cache_are_found_in_the_other_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = job_of([f"{toolchains_folder()}/some-tool/run"], tmp_path, Limits())
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "elsewhere"))
    tool = toolchains_folder() / "some-tool" / "run"
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\necho found\n")
    tool.chmod(0o755)
    assert run_job(job, "here").stdout == "found\n"


def test_a_running_job_can_be_ended(tmp_path: Path) -> None:
    ends = []
    job = RemoteJob(("/bin/sleep", "100"), (), Limits(seconds=100))
    thread = threading.Thread(target=lambda: ends.append(run_job(job, "slow").end))
    thread.start()
    while thread.is_alive():
        cancel_job("slow")
        cancel_job("another")
        time.sleep(0.01)
    assert ends == [End.CANCELLED]


def test_names_of_files_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    job = RemoteJob(("/bin/ls",), ((f"../{outside.name}", b""), (str(outside), b"")), Limits())
    assert run_job(job, "here").stdout == "outside\n"
    assert not outside.exists()
