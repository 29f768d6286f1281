"""Runs one program so that nothing it does can hurt: bounded in time, memory, output and disk."""

import os
import resource
import subprocess
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from oracles.guard import guarded_mark
from oracles.limits import End, Limits, ProcessResult, Reader
from oracles.tree import RUN_VARIABLE
from oracles.watch import Usage, watch

__all__ = ["End", "Limits", "ProcessResult", "marked_environment", "run_process"]


def run_process(
    argv: Sequence[str],
    *,
    cwd: Path,
    limits: Limits,
    cancel: threading.Event | None = None,
    env: Mapping[str, str] | None = None,
    sweep: bool = False,
    reader: Reader | None = None,
) -> ProcessResult:
    """Runs `argv` in a session of its own and kills whatever is left of it at the end.

    `sweep` also hunts, after a normal end, for descendants that made a session of their own (it
    costs a scan of /proc, which a forced end always pays). `env` replaces the environment.
    `reader` gets the output as it comes and may end the program (end STOPPED).
    Raises OSError when the program cannot be started.
    """
    token = uuid.uuid4().hex
    started = time.monotonic()
    process = subprocess.Popen(
        list(argv),
        cwd=cwd,
        env=marked_environment(os.environ if env is None else env, token),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    return watch(
        _PlainChild(process),
        limits=limits,
        cancel=cancel,
        started=started,
        token=token,
        sweep=sweep,
        reader=reader,
    )


def marked_environment(env: Mapping[str, str], token: str) -> dict[str, str]:
    """No symbolizer (200 ms a crash; see `frames`) and no crash reports in the user's home."""
    return {
        **env,
        "LLVM_DISABLE_SYMBOLIZATION": "1",
        "LLVM_DISABLE_CRASH_REPORT": "1",
        RUN_VARIABLE: " ".join(filter(None, (env.get(RUN_VARIABLE), guarded_mark(), token))),
    }


class _PlainChild:
    """A program started by this very process."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdout is not None and process.stderr is not None
        self._process = process
        self.pid = process.pid
        self.stdout = process.stdout.fileno()
        self.stderr = process.stderr.fileno()
        self.pidfd: int | None = None
        with suppress(AttributeError, OSError):
            self.pidfd = os.pidfd_open(process.pid)

    def has_exited(self) -> bool:
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.pid, options) is not None

    def reap(self) -> Usage:
        _, status, usage = os.wait4(self.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        largest = usage.ru_maxrss << 10
        # The kernel counts our own pages too, which a child shares until it starts its program,
        # and not exactly: near our own size only what was seen while it ran is certain.
        ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
        doubtful = 0.9 * ours < largest < 1.1 * ours
        return Usage(status, usage.ru_utime + usage.ru_stime, largest, doubtful)

    def close(self) -> None:
        if self.pidfd is not None:
            os.close(self.pidfd)
        for pipe in (self._process.stdout, self._process.stderr):
            assert pipe is not None
            pipe.close()
