"""A warm compiler answers as a plain one does, and is as harmless."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, End, Limits, ProcessResult, run_process
from oracles.tree import RUN_VARIABLE
from oracles.warm import LIBRARY, WarmCompiler
from reducer.toolchain import Toolchain
from tests.support.corpus import Case, Run, cases

LONG = 120.0
MARK = "warm-test"
HIP = ("--iree-hal-target-device=hip", "--iree-rocm-target=gfx942")
PASSES = "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }"
INVALID = "func.func @f() { return %nothing : f32 }"


def chain(length: int) -> str:
    """A program whose compilation takes long: 40,000 additions take half a minute."""
    names = ["%a", *(f"%v{number}" for number in range(length))]
    adds = [f"  {to} = arith.addi {of}, %a : i32" for of, to in pairwise(names)]
    body = "\n".join(adds)
    return f"func.func @f(%a: i32) -> i32 {{\n{body}\n  return {names[-1]} : i32\n}}\n"


class Bench:
    """Runs of one compiler, warm or plain, in a folder."""

    def __init__(self, executable: Path, folder: Path, warm: WarmCompiler) -> None:
        self.executable = executable
        self.folder = folder
        self.warm = warm

    def run(
        self,
        text: str,
        *flags: str,
        limits: Limits | None = None,
        cancel: threading.Event | None = None,
    ) -> ProcessResult:
        """One warm run."""
        return self.warm(
            self._argv(text, flags),
            cwd=self.folder,
            limits=limits or Limits(LONG),
            cancel=cancel,
        )

    def plain(self, text: str, *flags: str) -> ProcessResult:
        return run_process(self._argv(text, flags), cwd=self.folder, limits=Limits(LONG))

    def _argv(self, text: str, flags: tuple[str, ...]) -> list[str]:
        (self.folder / "input.mlir").write_text(text)
        return [str(self.executable), "input.mlir", *HIP, *flags, "-o", "output.bin"]


@pytest.fixture
def bench(iree_compile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv(RUN_VARIABLE, MARK)
    with WarmCompiler(iree_compile) as warm:
        yield Bench(iree_compile, tmp_path, warm)
    assert marked() == {}, "the server or a run of it is left"


def marked() -> dict[int, str]:
    """The processes that this test has started, and the token of each: server and runs."""
    found: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                words = (entry / "environ").read_bytes().decode(errors="replace").split("\0")
            except OSError:
                continue
            for word in words:
                if word.startswith(f"{RUN_VARIABLE}={MARK} "):
                    found[int(entry.name)] = word.rsplit(" ", 1)[1]
    return found


def wait_until(condition: Callable[[], object]) -> None:
    until = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def server_and_run() -> tuple[int, int]:
    """Process ids, as soon as a run is under way; a run is a child of the server."""
    until = time.monotonic() + LONG
    while time.monotonic() < until:
        for pid in marked():
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            if children:
                return pid, int(children[0])
        time.sleep(0.01)
    raise AssertionError("no run was started")


def in_background(run: Callable[[], ProcessResult]) -> Callable[[], ProcessResult]:
    """Starts a run; the function that is returned waits for its result."""
    results: list[ProcessResult] = []
    thread = threading.Thread(target=lambda: results.append(run()))
    thread.start()

    def wait() -> ProcessResult:
        thread.join(LONG)
        return results[0]

    return wait


# ---- the same answers --------------------------------------------------------------------------


def experts() -> Iterator[object]:
    for case in cases():
        for run in case.runs:
            if run.expert and run.is_plain and run.wheel in ("3.3.0", "3.8.0", "3.13.0"):
                marks = [pytest.mark.iree]
                if run.wheel != "3.13.0":
                    marks.append(pytest.mark.slow)
                yield pytest.param(case, run, id=f"{case.name}-{run.wheel}", marks=marks)


@pytest.mark.parametrize(("case", "run"), list(experts()))
def test_same_outcome_as_plain_run(
    case: Case, run: Run, iree_toolchain: Callable[..., Toolchain]
) -> None:
    executable = iree_toolchain(run.wheel).compile
    path = case.expert(run)
    assert path is not None
    command = Command.parse(["iree-compile", *run.flags], directory=case.folder)
    limits = Limits(LONG)
    plain = CompilerOracle(command, executable, limits=limits).run(path.read_bytes())
    with WarmCompiler(executable) as runner:
        oracle = CompilerOracle(command, executable, limits=limits, runner=runner)
        warm = oracle.run(path.read_bytes())
        assert runner.warm_runs
    assert (warm.kind, warm.exit_code) == (plain.kind, plain.exit_code)
    assert warm.signature == plain.signature


@pytest.mark.iree
def test_same_text_exit_code_and_artifact(bench: Bench) -> None:
    for text in (PASSES, INVALID):
        (bench.folder / "output.bin").unlink(missing_ok=True)
        plain = bench.plain(text)
        made = (bench.folder / "output.bin").is_file()
        (bench.folder / "output.bin").unlink(missing_ok=True)
        warm = bench.run(text)
        assert (warm.exit_code, warm.stdout, warm.stderr) == (
            plain.exit_code, plain.stdout, plain.stderr,
        )  # fmt: skip
        assert (bench.folder / "output.bin").is_file() is made
        assert warm.cpu_seconds > 0 < warm.peak_memory
    assert bench.warm.warm_runs == 2


@pytest.mark.iree
def test_output_on_stdout_is_flushed(bench: Bench) -> None:
    assert bench.run(PASSES, "--help").stdout == bench.plain(PASSES, "--help").stdout != ""


@pytest.mark.iree
def test_several_threads_at_once(bench: Bench) -> None:
    waits = []
    for number in range(6):
        folder = bench.folder / str(number)
        folder.mkdir()
        one = Bench(bench.executable, folder, bench.warm)
        text = INVALID if number % 2 else PASSES
        waits.append(in_background(lambda one=one, text=text: one.run(text)))  # type: ignore[misc]
    assert [wait().exit_code for wait in waits] == [0, 1] * 3
    assert bench.warm.warm_runs == 6


# ---- limits ------------------------------------------------------------------------------------


@pytest.mark.iree
def test_time_limit(bench: Bench) -> None:
    assert bench.run(chain(40_000), limits=Limits(0.3)).end is End.TIMEOUT


@pytest.mark.iree
def test_memory_limit(bench: Bench) -> None:
    result = bench.run(chain(40_000), limits=Limits(LONG, memory=32 << 20))
    assert result.end is End.MEMORY


@pytest.mark.iree
def test_flood_of_output_is_bounded(bench: Bench) -> None:
    result = bench.run(PASSES, "--mlir-print-ir-after-all", limits=Limits(LONG, output=1000))
    assert result.end is End.EXITED
    assert len(result.stderr) < 1100
    assert "bytes left out" in result.stderr


@pytest.mark.iree
def test_file_on_disk_is_bounded(bench: Bench) -> None:
    assert bench.run(chain(4000), limits=Limits(LONG, disk=1000)).exit_code != 0
    output = bench.folder / "output.bin"
    assert not output.exists() or output.stat().st_size <= 1000


@pytest.mark.iree
def test_cancel_ends_the_run_and_not_the_server(bench: Bench) -> None:
    cancel = threading.Event()
    wait = in_background(lambda: bench.run(chain(40_000), cancel=cancel))
    server, run = server_and_run()
    wait_until(lambda: marked()[run] != marked()[server])  # its own token, to hunt its strays
    cancel.set()
    assert wait().end is End.CANCELLED
    assert list(marked()) == [server]
    assert bench.run(PASSES).exit_code == 0


# ---- a server that fails -----------------------------------------------------------------------


@pytest.mark.iree
def test_killed_server_costs_a_plain_run(bench: Bench) -> None:
    wait = in_background(lambda: bench.run(chain(4000)))
    server, _ = server_and_run()
    os.kill(server, signal.SIGKILL)
    assert (wait().end, wait().exit_code) == (End.EXITED, 0)
    assert bench.warm.warm_runs == 0
    assert bench.run(PASSES).exit_code == 0
    assert bench.warm.warm_runs == 1, "there is a new server"


@pytest.mark.iree
def test_a_run_that_cannot_begin_is_run_plainly(bench: Bench) -> None:
    gone = Bench(bench.executable, bench.folder / "gone", bench.warm)
    gone.folder.mkdir()
    argv = [str(bench.executable), "--version"]
    gone.folder.rmdir()
    with pytest.raises(OSError):
        bench.warm(argv, cwd=gone.folder, limits=Limits(LONG))


@pytest.mark.iree
def test_close_takes_runs_along(bench: Bench) -> None:
    """What loses its server is then run plainly, so the run is cancelled as well."""
    cancel = threading.Event()
    wait = in_background(lambda: bench.run(chain(40_000), cancel=cancel))
    server_and_run()
    bench.warm.close()
    cancel.set()
    assert wait().end is End.CANCELLED
    assert bench.run(PASSES).exit_code == 0, "plainly"


@pytest.mark.iree
def test_server_ends_with_its_client(iree_compile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if that was killed: the socket then says so."""
    monkeypatch.setenv(RUN_VARIABLE, MARK)
    code = (
        "import os, sys\nfrom pathlib import Path\n"
        f"sys.path.insert(0, {str(Path(__file__).parents[2])!r})\n"
        "from oracles import Limits\nfrom oracles.warm import WarmCompiler\n"
        f"warm = WarmCompiler(Path({str(iree_compile)!r}))\n"
        f"warm([{str(iree_compile)!r}, '--version'], cwd=Path('.'), limits=Limits())\n"
        "assert warm.warm_runs == 1\n"
        "os.kill(os.getpid(), 9)"
    )
    client = subprocess.run([sys.executable, "-c", code], check=False)
    assert client.returncode == -signal.SIGKILL
    wait_until(lambda: not marked())


def test_any_other_program_is_run_plainly(tmp_path: Path) -> None:
    script = tmp_path / "iree-compile"
    script.write_text("#!/bin/sh\necho plain\n")
    script.chmod(0o755)
    with WarmCompiler(script) as warm:
        assert warm([str(script)], cwd=tmp_path, limits=Limits(LONG)).stdout == "plain\n"


def test_library_that_cannot_be_loaded(tmp_path: Path) -> None:
    script = tmp_path / "iree-compile"
    script.write_text("#!/bin/sh\necho plain\n")
    script.chmod(0o755)
    (tmp_path / LIBRARY).write_text("no library")
    with WarmCompiler(script) as warm:
        for _ in range(6):
            assert warm([str(script)], cwd=tmp_path, limits=Limits(LONG)).stdout == "plain\n"
        assert warm.warm_runs == 0


@pytest.mark.iree
def test_descriptors_do_not_leak(bench: Bench) -> None:
    bench.run(PASSES)
    before = sorted(Path("/proc/self/fd").iterdir())
    bench.run(PASSES)
    bench.run(INVALID)
    assert sorted(Path("/proc/self/fd").iterdir()) == before
